//! Attributes as text, what they ask for and what is wrong with them.

mod arbitrary;
mod mistakes;
mod tasks;

use super::{Diagnostic, Field, Fields, Request, Slot, lower};

/// `potrf, n = 7, in_place`: the name of an op first.
pub(crate) fn op(text: &str) -> Fields {
    let (name, rest) = text.split_once(',').unwrap_or((text, ""));
    Fields { op: Some(name.trim().to_owned()), ..fields(rest, false) }
}

/// `"ik,kj->ij", i = 3, ..`: the index string and the rest.
pub(crate) fn string(index_string: &str, rest: &str) -> Fields {
    Fields { index_string: Some(index_string.to_owned()), ..fields(rest, true) }
}

/// `n_out = 7, k = 14`.
pub(crate) fn pair(text: &str) -> Fields {
    fields(text, false)
}

pub(crate) fn request(fields: &Fields) -> Request {
    lower(fields).unwrap_or_else(|diagnostics| panic!("{fields:?}: {diagnostics:?}"))
}

fn fields(text: &str, has_index_string: bool) -> Fields {
    let mut fields = Fields::default();
    for argument in text.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        let (name, value) = argument.split_once(" = ").unwrap_or((argument, ""));
        let field = Field::named(name, has_index_string).unwrap_or_else(|| panic!("no field `{name}`"));
        let number = || value.parse().unwrap_or_else(|_| panic!("`{value}` is no number"));
        match fields.slot(field) {
            Some(Slot::Integer(slot)) => *slot = Some(number()),
            Some(Slot::Word(slot)) => *slot = Some(value.to_owned()),
            Some(Slot::Words(slot)) => *slot = Some(value.split(' ').map(str::to_owned).collect()),
            Some(Slot::Flag(slot)) => *slot = Some(true),
            None => fields.extents.push((name.chars().next().expect("a letter"), number())),
        }
    }
    fields
}

/// Each mistake as `FIELD: MESSAGE`, `-` where no field is meant.
fn mistakes(fields: &Fields) -> Vec<String> {
    let diagnostics = lower(fields).expect_err("the attribute is wrong");
    let shown =
        |Diagnostic { field, message, .. }| format!("{}: {message}", field.map_or("-", Field::as_str));
    diagnostics.into_iter().map(shown).collect()
}
