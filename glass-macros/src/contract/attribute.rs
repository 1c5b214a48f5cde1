//! Attribute tokens to raw fields, and the generator's diagnostics back to the tokens they are about.

use super::errors::Errors;
use super::tokens::{self, Argument};
use glass_codegen::{Diagnostic, Field, Fields, Request, lower};
use proc_macro2::{TokenStream, TokenTree};
use syn::{Lit, LitInt};

/// The arguments of one attribute as written.
#[derive(Debug, Default)]
pub(super) struct Attribute {
    /// The values, with a harmless stand-in where one could not be read.
    pub(super) fields: Fields,
    written: Vec<Written>,
    /// Another notation, which is reported: fields are not held against it.
    has_index_string: bool,
}

/// Where the value of a field stands.
#[derive(Debug)]
struct Written {
    field: Field,
    value: Vec<TokenTree>,
    /// The value of a list, item by item.
    items: Vec<Vec<TokenTree>>,
    /// Digits of a number too large for the raw fields.
    overflow: Option<String>,
    /// Already reported: what the stand-in leads to is no mistake of the user.
    is_reported: bool,
}

/// Where a field keeps its raw value.
enum Slot<'a> {
    Integer {
        value: &'a mut Option<i128>,
        /// A legal value, for messages and for the checks after a mistake.
        stand_in: i128,
    },
    Word(&'a mut Option<String>),
    Words(&'a mut Option<Vec<String>>),
}

impl Attribute {
    /// Reads every argument it can and reports the others.
    pub(super) fn parse(attribute: TokenStream, errors: &mut Errors) -> Attribute {
        match tokens::index_string(&attribute) {
            Some(literal) => {
                errors.on(
                    &literal,
                    format!(
                        "glass: index strings such as {literal} are not provided yet\n\
                         allowed: `n_out` and `k` for a vector, `m`, `n` and `k` for a matrix"
                    ),
                );
                let fields = Attribute::of_fields(attribute, &mut Errors::default());
                Attribute { has_index_string: true, ..fields }
            }
            None => Attribute::of_fields(attribute, errors),
        }
    }

    fn of_fields(attribute: TokenStream, errors: &mut Errors) -> Attribute {
        let mut parsed = Attribute::default();
        for argument in tokens::arguments(attribute, errors) {
            parsed.read(argument, errors);
        }
        parsed
    }

    /// The request these fields make. `None` when the generator finds a mistake, which is reported on its token.
    pub(super) fn lower(&self, errors: &mut Errors) -> Option<Request> {
        if self.has_index_string {
            return None;
        }
        match lower(&self.fields) {
            Ok(request) => Some(request),
            Err(diagnostics) => {
                for diagnostic in diagnostics {
                    self.report(diagnostic, errors);
                }
                None
            }
        }
    }

    fn read(&mut self, argument: Argument, errors: &mut Errors) {
        let Argument { name, value, tokens, mut is_reported } = argument;
        let spelling = name.to_string();
        let Some(field) = Field::ALL.iter().copied().find(|field| field.as_str() == spelling) else {
            if !is_reported {
                errors.on(name, unknown(&spelling));
            }
            return;
        };
        if self.written.iter().any(|written| written.field == field) {
            if !is_reported {
                errors.on(name, format!("glass: field `{spelling}` is given twice\nallowed: once"));
            }
            return;
        }
        if value.is_empty() && !is_reported {
            is_reported = true;
            errors.on(
                tokens::stream(&tokens),
                format!("glass: `{spelling}` has no value\nallowed: `{spelling} = value`"),
            );
        }
        let mut written = Written { field, value, items: Vec::new(), overflow: None, is_reported };
        match slot(&mut self.fields, field) {
            Slot::Integer { value, stand_in } => {
                *value = Some(integer(&mut written, stand_in, errors));
            }
            Slot::Word(value) if !is_reported => *value = Some(tokens::text(&written.value)),
            Slot::Words(value) if !is_reported => match tokens::list(&written.value, errors) {
                Some(items) => {
                    *value = Some(items.iter().map(|item| tokens::text(item)).collect());
                    written.items = items;
                }
                None => {
                    let text = tokens::text(&written.value);
                    written.report(
                        format!(
                            "glass: `{spelling} = {text}` is no list\nallowed: a list, such as `{spelling} = [cuda]`"
                        ),
                        errors,
                    );
                }
            },
            Slot::Word(_) | Slot::Words(_) => {}
        }
        self.written.push(written);
    }

    fn report(&self, diagnostic: Diagnostic, errors: &mut Errors) {
        let Diagnostic { field, item_idx, message } = diagnostic;
        let Some(written) = self.written.iter().find(|written| Some(written.field) == field) else {
            errors.on_attribute(message);
            return;
        };
        if written.is_reported {
            return;
        }
        let message = match &written.overflow {
            Some(digits) => message.replace(&i128::MAX.to_string(), digits),
            None => message,
        };
        let item = item_idx.and_then(|idx| written.items.get(idx));
        errors.on(tokens::stream(item.unwrap_or(&written.value)), message);
    }
}

impl Written {
    /// Reports a value that cannot be read; what its stand-in leads to is left unsaid.
    fn report(&mut self, message: String, errors: &mut Errors) {
        self.is_reported = true;
        errors.on(tokens::stream(&self.value), message);
    }
}

fn slot(fields: &mut Fields, field: Field) -> Slot<'_> {
    let (value, stand_in) = match field {
        Field::NOut => (&mut fields.n_out, 7),
        Field::M => (&mut fields.m, 7),
        Field::N => (&mut fields.n, 7),
        Field::K => (&mut fields.k, 14),
        Field::LanesPerOutput => (&mut fields.lanes_per_output, 8),
        Field::ThreadsPerBlock => (&mut fields.threads_per_block, 64),
        Field::Dtype => return Slot::Word(&mut fields.dtype),
        Field::Layout => return Slot::Word(&mut fields.layout),
        Field::Transpose => return Slot::Word(&mut fields.transpose),
        Field::Alpha => return Slot::Word(&mut fields.alpha),
        Field::Beta => return Slot::Word(&mut fields.beta),
        Field::Tier => return Slot::Word(&mut fields.tier),
        Field::Form => return Slot::Word(&mut fields.form),
        Field::Targets => return Slot::Words(&mut fields.targets),
    };
    Slot::Integer { value, stand_in }
}

/// A whole number of either sign; a number beyond the raw type saturates, and keeps its digits for the message.
fn integer(written: &mut Written, stand_in: i128, errors: &mut Errors) -> i128 {
    if written.is_reported {
        return stand_in;
    }
    if let Some((sign, literal)) = integer_literal(&written.value) {
        if !literal.suffix().is_empty() {
            let (name, text) = (written.field.as_str(), tokens::text(&written.value));
            let digits = text.trim_end_matches(literal.suffix()).trim_end_matches('_');
            written.report(
                format!("glass: `{name} = {text}` has a suffix\nallowed: digits alone, `{name} = {digits}`"),
                errors,
            );
            return stand_in;
        }
        let digits = literal.base10_digits();
        return sign
            * digits.parse::<i128>().unwrap_or_else(|_| {
                written.overflow = Some(digits.to_owned());
                i128::MAX
            });
    }
    let name = written.field.as_str();
    let text = tokens::text(&written.value);
    let why = match written.value.as_slice() {
        [TokenTree::Ident(ident)] if ident != "true" && ident != "false" => {
            "\nwhy: the kernel is made before the compiler knows the value of a constant"
        }
        _ => "",
    };
    written.report(
        format!(
            "glass: `{name} = {text}` is no whole number\nallowed: digits, such as `{name} = {stand_in}`{why}"
        ),
        errors,
    );
    stand_in
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

fn unknown(spelling: &str) -> String {
    let known: Vec<_> = Field::ALL.iter().map(|field| field.as_str()).collect();
    let nearest = known.iter().map(|name| (distance(spelling, name), name)).min();
    let hint = match nearest {
        // One slip in three letters; beyond that a suggestion misleads.
        Some((edits, name)) if edits * 3 <= name.len() => format!("; did you mean `{name}`?"),
        _ => String::new(),
    };
    format!("glass: field `{spelling}` is not known{hint}\nallowed: {}", known.join(", "))
}

/// Levenshtein distance in bytes; both names are short.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (left_idx, left_byte) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = left_idx + 1;
        for (right_idx, right_byte) in right.bytes().enumerate() {
            let substituted = diagonal + usize::from(left_byte != right_byte);
            diagonal = row[right_idx + 1];
            row[right_idx + 1] = substituted.min(diagonal + 1).min(row[right_idx] + 1);
        }
    }
    row[right.len()]
}
