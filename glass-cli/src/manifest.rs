//! A list of tasks in a TOML file, with the fields of the attributes as keys.
//!
//! ```toml
//! [[task]]
//! name = "mass_cholesky"
//! op = "potrf"
//! n = 7
//!
//! [[task]]
//! name = "hessian_fold"
//! contract = "ki,kl,lj->ij"
//! i = 21
//! j = 21
//! k = 14
//! l = 14
//! symmetric = true
//! ```

use glass_codegen::contract::{Field, Fields, Slot, allowed, nearest};
use toml::{Table, Value};

/// One entry of a file.
#[derive(Debug)]
pub(crate) struct Task {
    /// What messages call it.
    pub(crate) name: String,
    /// What it asks for.
    pub(crate) fields: Fields,
}

/// Reads a file's text.
///
/// # Errors
/// Every mistake, each with the task and the key it was made in.
pub(crate) fn parse(text: &str) -> Result<Vec<Task>, String> {
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let tasks = match table.remove("task") {
        Some(Value::Array(tasks)) => tasks,
        Some(_) => return Err("`task` is no list of tables\nallowed: `[[task]]`".to_owned()),
        None => return Err("no task\nallowed: one `[[task]]` or more".to_owned()),
    };
    let mut mistakes: Vec<String> =
        table.keys().map(|key| format!("key `{key}` is not known\nallowed: `[[task]]`")).collect();
    let mut parsed = Vec::new();
    for (task_idx, task) in tasks.into_iter().enumerate() {
        match task {
            Value::Table(keys) => parsed.push(task_of(task_idx, keys, &mut mistakes)),
            _ => mistakes.push(format!("task {task_idx} is no table\nallowed: `[[task]]`")),
        }
    }
    if mistakes.is_empty() { Ok(parsed) } else { Err(mistakes.join("\n\n")) }
}

fn task_of(task_idx: usize, mut keys: Table, mistakes: &mut Vec<String>) -> Task {
    let mut text = |key: &str| match keys.remove(key) {
        Some(Value::String(text)) => Some(text),
        Some(value) => {
            mistakes.push(format!("task {task_idx}: `{key} = {value}` is no text"));
            None
        }
        None => None,
    };
    let name = text("name");
    let (op, index_string) = (text("op"), text("contract"));
    let name = name.or_else(|| op.clone()).unwrap_or_else(|| format!("task {task_idx}"));
    let mut fields = Fields { op, index_string, ..Fields::default() };
    if fields.op.is_some() && fields.index_string.is_some() {
        mistakes.push(format!("{name}: `op` and `contract` together\nallowed: one of them"));
    }
    for (key, value) in keys {
        if let Err(mistake) = set(&mut fields, &key, value) {
            mistakes.push(format!("{name}: {mistake}"));
        }
    }
    Task { name, fields }
}

/// Gives a field the value of a key.
fn set(fields: &mut Fields, key: &str, value: Value) -> Result<(), String> {
    let Some(field) = Field::named(key, fields.index_string.is_some()) else {
        let known: Vec<_> = allowed(fields).into_iter().map(Field::as_str).collect();
        let hint = nearest(key, known.iter().copied())
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        return Err(format!("field `{key}` is not known{hint}\nallowed: {}", known.join(", ")));
    };
    if let Field::Extent(letter) = field {
        let Value::Integer(extent) = value else {
            return Err(format!("`{key} = {value}` is no whole number"));
        };
        fields.extents.push((letter, extent.into()));
        return Ok(());
    }
    match (fields.slot(field), value) {
        (Some(Slot::Integer(slot)), Value::Integer(number)) => *slot = Some(number.into()),
        (Some(Slot::Word(slot)), Value::String(word)) => *slot = Some(word),
        (Some(Slot::Flag(slot)), Value::Boolean(flag)) => *slot = Some(flag),
        (Some(Slot::Words(slot)), Value::String(words)) => {
            *slot = Some(words.split(',').map(str::to_owned).collect());
        }
        (Some(Slot::Words(slot)), Value::Array(words)) => {
            let words = words.into_iter().map(|word| match word {
                Value::String(word) => Ok(word),
                Value::Integer(number) => Ok(number.to_string()),
                other => Err(format!("`{key}`: {other} is neither text nor a number")),
            });
            *slot = Some(words.collect::<Result<_, _>>()?);
        }
        (slot, value) => {
            let allowed = match slot {
                Some(Slot::Integer(_)) => "a whole number",
                Some(Slot::Word(_)) => "text",
                Some(Slot::Flag(_)) => "true or false",
                Some(Slot::Words(_)) => "a list",
                None => "nothing",
            };
            return Err(format!("`{key} = {value}`\nallowed: {allowed}"));
        }
    }
    Ok(())
}

/// Fields as they are written behind an op on a command line: `n=7`, `dtype=f64`, `in_place`.
///
/// # Errors
/// A field that is not known, or has a value of another kind.
pub(crate) fn from_words(op: &str, words: &[String]) -> Result<Fields, String> {
    let mut fields = match op.contains("->") {
        true => Fields { index_string: Some(op.to_owned()), ..Fields::default() },
        false => Fields { op: Some(op.to_owned()), ..Fields::default() },
    };
    for word in words {
        let (key, value) = match word.split_once('=') {
            None => (word.as_str(), Value::Boolean(true)),
            Some((key, text)) => match text.parse::<i64>() {
                Ok(number) => (key, Value::Integer(number)),
                // A list as the attributes have it.
                Err(_) => {
                    let list = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                    let items: String =
                        list.unwrap_or(text).chars().filter(|letter| !letter.is_whitespace()).collect();
                    (key, Value::String(items))
                }
            },
        };
        let field = Field::named(key, fields.index_string.is_some());
        if field.is_some_and(|field| fields.is_given(field)) {
            return Err(format!("field `{key}` is given twice\nallowed: once"));
        }
        set(&mut fields, key, value)?;
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_with_all_kinds_of_fields() {
        let text = r#"
            [[task]]
            name = "mass_cholesky"
            op = "potrf"
            n = 7
            dtype = "f64"
            in_place = true
            targets = ["cuda"]

            [[task]]
            contract = "ki,kl,lj->ij"
            i = 21
            k = 14
            symmetric = true
        "#;
        let tasks = parse(text).expect("a valid file");
        assert_eq!(tasks[0].name, "mass_cholesky");
        let first = &tasks[0].fields;
        assert_eq!((first.n, first.dtype.as_deref(), first.in_place), (Some(7), Some("f64"), Some(true)));
        assert_eq!(tasks[1].fields.extents.len(), 2);
        assert_eq!(tasks[1].fields.symmetric, Some(true));
    }

    #[test]
    fn every_mistake_is_reported_with_its_task() {
        let text = r#"
            colour = "blue"
            [[task]]
            name = "first"
            op = "potrf"
            n = "seven"
            in_plaze = true
            [[task]]
            op = 3
        "#;
        let message = parse(text).expect_err("the file has mistakes");
        for part in ["`colour`", "first: `n = \"seven\"`", "did you mean `in_place`?", "task 1: `op = 3`"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert!(parse("").is_err() && parse("task = 3").is_err() && parse("[[task").is_err());
    }

    #[test]
    fn words_are_fields() {
        let words = ["n=7", "dtype=f64", "in_place"].map(str::to_owned);
        let fields = from_words("potrf", &words).expect("valid fields");
        assert_eq!((fields.n, fields.dtype.as_deref(), fields.in_place), (Some(7), Some("f64"), Some(true)));
        assert_eq!(from_words("ij,jk->ik", &["i=3".to_owned()]).unwrap().extents, [('i', 3)]);
        assert!(from_words("potrf", &["n=x".to_owned()]).is_err());
        let list = from_words("potrf_many", &["orders=[5, 3]".to_owned()]).expect("a list");
        assert_eq!(list.orders, Some(vec!["5".to_owned(), "3".to_owned()]));
        let twice = |word: &str| from_words("potrf", &[word.to_owned(), word.to_owned()]);
        assert!(twice("n=7").is_err() && twice("packed").is_err());
    }
}
