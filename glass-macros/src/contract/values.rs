//! Values of fields that are more than a word.

use super::attribute::Written;
use super::errors::Errors;
use super::tokens;
use glass_codegen::Field;
use proc_macro2::TokenTree;
use syn::{Lit, LitInt};

/// A whole number of either sign, or a legal one after a mistake. A number beyond the raw type saturates, and keeps its
/// digits for the message.
pub(super) fn integer(written: &mut Written, errors: &mut Errors) -> i128 {
    let example = example(written.field);
    if written.is_reported {
        return example;
    }
    let (name, text) = (written.field.as_str(), tokens::text(&written.value));
    let Some((sign, literal)) = integer_literal(&written.value) else {
        let why = match written.value.as_slice() {
            [TokenTree::Ident(ident)] if ident != "true" && ident != "false" => {
                "\nwhy: the kernel is made before the compiler knows the value of a constant"
            }
            _ => "",
        };
        written.report(
            format!("glass: `{name} = {text}` is no whole number\nallowed: digits, such as `{name} = {example}`{why}"),
            errors,
        );
        return example;
    };
    if !literal.suffix().is_empty() {
        let digits = text.trim_end_matches(literal.suffix()).trim_end_matches('_');
        written.report(
            format!("glass: `{name} = {text}` has a suffix\nallowed: digits alone, `{name} = {digits}`"),
            errors,
        );
        return example;
    }
    let digits = literal.base10_digits();
    sign * digits.parse::<i128>().unwrap_or_else(|_| {
        written.overflow = Some(digits.to_owned());
        i128::MAX
    })
}

/// A legal value.
fn example(field: Field) -> i128 {
    match field {
        Field::K => 14,
        Field::LanesPerOutput => 8,
        Field::ThreadsPerBlock => 64,
        _ => 7,
    }
}

/// An integer literal, after an optional minus sign.
fn integer_literal(value: &[TokenTree]) -> Option<(i128, LitInt)> {
    let (sign, literal) = match value {
        [TokenTree::Literal(literal)] => (1, literal),
        [TokenTree::Punct(minus), TokenTree::Literal(literal)] if minus.as_char() == '-' => (-1, literal),
        _ => return None,
    };
    match Lit::new(literal.clone()) {
        Lit::Int(literal) => Some((sign, literal)),
        _ => None,
    }
}
