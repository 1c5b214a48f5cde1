//! Attributes as one line of text, `trsv n=7 uplo=upper unit`, and as named values: what a parser hands to the generator.

use glass_codegen::contract::Slot;
use glass_codegen::spec::{DType, Spec};
use glass_codegen::{Field, Fields, lower};
use std::collections::HashSet;

/// The fields of a line: the op (or `contract`, or an index string), then `name=value` and flags.
///
/// # Panics
/// If a word is no field, or a value is none of its kind.
pub fn fields(text: &str) -> Fields {
    parsed(text).unwrap_or_else(|fault| panic!("`{text}`: {fault}"))
}

/// As [`fields`], for lines that others write.
///
/// # Errors
/// If a word is no field or is there twice, or a value is none of its kind.
pub fn parsed(text: &str) -> Result<Fields, String> {
    let mut fields = Fields::default();
    let mut words = text.split_whitespace();
    match words.next() {
        None | Some("contract") => {}
        Some(string) if string.contains("->") => fields.index_string = Some(string.to_owned()),
        Some(op) => fields.op = Some(op.to_owned()),
    }
    let mut given = HashSet::new();
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        if !given.insert(name) {
            return Err(format!("`{name}` is given twice\nallowed: once"));
        }
        set(&mut fields, name, value)?;
    }
    Ok(fields)
}

/// Sets one field by its spelling; a flag takes no value.
///
/// # Errors
/// If there is no such field, or it takes no such value.
pub fn set(fields: &mut Fields, name: &str, value: &str) -> Result<(), String> {
    let field = Field::named(name, fields.index_string.is_some());
    let field = field.ok_or_else(|| format!("`{name}` is no field"))?;
    let number = || value.parse::<i128>().map_err(|_| format!("`{name} = {value}` is no number"));
    match (field, fields.slot(field)) {
        (Field::Extent(letter), _) => {
            let extent = number()?;
            fields.extents.push((letter, extent));
        }
        (_, Some(Slot::Integer(slot))) => *slot = Some(number()?),
        (_, Some(Slot::Word(slot))) => *slot = Some(value.to_owned()),
        (_, Some(Slot::Words(slot))) => *slot = Some(value.split(',').map(str::to_owned).collect()),
        (_, Some(Slot::Flag(slot))) if value.is_empty() => *slot = Some(true),
        (_, Some(Slot::Flag(_))) => return Err(format!("the flag `{name}` takes no value")),
        (_, None) => return Err(format!("`{name}` has no place")),
    }
    Ok(())
}

/// The task of a line for one element type.
///
/// # Panics
/// If the attribute is wrong, with its diagnostics.
pub fn spec(text: &str, dtype: DType) -> Spec {
    lowered(fields(text), dtype).unwrap_or_else(|fault| panic!("`{text}`: {fault}"))
}

/// The task of fields for one element type.
///
/// # Errors
/// The diagnostics of a wrong attribute.
pub fn lowered(fields: Fields, dtype: DType) -> Result<Spec, String> {
    let fields = Fields { dtype: Some(dtype.as_str().to_owned()), ..fields };
    lower(&fields).map(|request| request.spec).map_err(|diagnostics| {
        let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        messages.join("\n")
    })
}
