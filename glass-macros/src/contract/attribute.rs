//! Attribute tokens to raw fields, and the generator's diagnostics back to the tokens they are about.

use super::errors::Errors;
use super::tokens::{self, Argument, Form};
use super::values;
use glass_codegen::catalogue::Op;
use glass_codegen::contract::{self, Kind, Slot};
use glass_codegen::{Diagnostic, Field, Fields, ReductionRequest, VectorRequest};
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Lit, LitStr};

/// Which of the attributes is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `#[glass::op(NAME, ...)]`.
    Op,
    /// `#[glass::contract(...)]`, with or without an index string.
    Contract,
    /// `#[glass::reduce(NAME, ...)]`.
    Reduce,
    /// `#[glass::vector("EQUATION", ..., ...)]`.
    Vector,
}

/// What stands first in the brackets, and an example of it.
const OP: (&str, &str) = ("an op", "#[glass::op(gemv, m = 7, n = 14)]");
const REDUCTION: (&str, &str) = ("a reduction", "#[glass::reduce(dot)]");

/// The arguments of one attribute as written.
#[derive(Debug, Default)]
pub(super) struct Attribute {
    /// The values, with a harmless stand-in where one could not be read.
    pub(super) fields: Fields,
    /// The equations, which come first where there are any.
    pub(super) equations: Vec<Equation>,
    written: Vec<Written>,
    /// The fields that can stand beside what is asked for.
    allowed: Vec<Field>,
    /// What is asked for could not be read, which is reported: fields are not held against it.
    is_undecided: bool,
}

/// An equation as written.
#[derive(Debug)]
pub(super) struct Equation {
    /// Between its quotes.
    pub(super) text: String,
    /// The literal.
    pub(super) token: TokenStream,
}

/// Where a field and its value stand.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) field: Field,
    /// `None` for an argument that its position names.
    name: Option<Ident>,
    pub(super) value: Vec<TokenTree>,
    /// The value of a list, item by item.
    items: Vec<Vec<TokenTree>>,
    /// Digits of a number too large for the raw fields.
    pub(super) overflow: Option<String>,
    /// Already reported: what the stand-in leads to is no mistake of the user.
    pub(super) is_reported: bool,
}

impl Attribute {
    /// Reads every argument it can and reports the others.
    pub(super) fn parse(notation: Notation, attribute: TokenStream, errors: &mut Errors) -> Attribute {
        let mut parsed = Attribute::default();
        let mut parts = tokens::split(attribute, errors);
        match notation {
            Notation::Op => parsed.read_name(&mut parts, OP, errors),
            Notation::Reduce => parsed.read_name(&mut parts, REDUCTION, errors),
            Notation::Contract => parsed.read_index_string(&mut parts, errors),
            Notation::Vector => parsed.read_equations(&mut parts, errors),
        }
        parsed.allowed = match notation {
            Notation::Reduce => ReductionRequest::FIELDS.to_vec(),
            Notation::Vector => VectorRequest::FIELDS.to_vec(),
            Notation::Op | Notation::Contract => contract::allowed(&parsed.fields),
        };
        for part in parts {
            if let Some(argument) = tokens::argument(part, errors) {
                parsed.read(argument, errors);
            }
        }
        parsed
    }

    /// What these fields ask for, as `lower` makes it. `None` when it finds a mistake, which is reported on its token.
    pub(super) fn lower<R>(
        &self,
        lower: fn(&Fields) -> Result<R, Vec<Diagnostic>>,
        errors: &mut Errors,
    ) -> Option<R> {
        if self.is_undecided {
            return None;
        }
        match lower(&self.fields) {
            Ok(request) => Some(request),
            Err(mut diagnostics) => {
                // In the order of the attribute; what is missing from it comes last.
                let position = |diagnostic: &Diagnostic| {
                    let mut fields = self.written.iter().map(|written| Some(written.field));
                    fields.position(|field| field == diagnostic.field).unwrap_or(self.written.len())
                };
                diagnostics.sort_by_key(position);
                for diagnostic in diagnostics {
                    self.report(diagnostic, errors);
                }
                None
            }
        }
    }

    /// The name of the op or reduction, which comes first.
    fn read_name(
        &mut self,
        parts: &mut Vec<Vec<TokenTree>>,
        (kind, example): (&str, &str),
        errors: &mut Errors,
    ) {
        match parts.first().map(Vec::as_slice) {
            Some([TokenTree::Ident(name)]) => {
                self.fields.op = Some(name.to_string());
                self.place(Field::Op, parts.remove(0));
            }
            Some([literal @ TokenTree::Literal(_)]) => {
                errors.on(literal, format!("glass: `{literal}` is no name of {kind}\nallowed: a bare name first, such as `{example}`"));
                parts.remove(0);
                self.is_undecided = true;
            }
            _ => {
                let kind = kind.split(' ').next_back().unwrap_or_default();
                errors.on_attribute(format!(
                    "glass: the name of the {kind} is missing\nallowed: a bare name first, such as `{example}`"
                ));
                self.is_undecided = true;
            }
        }
    }

    /// The index string, which comes first where there is one.
    fn read_index_string(&mut self, parts: &mut Vec<Vec<TokenTree>>, errors: &mut Errors) {
        if let Some(position) = parts.iter().position(|part| string(part).is_some()) {
            let part = parts.remove(position);
            let text = string(&part).map(|literal| literal.value());
            if position > 0 {
                errors.on(
                    tokens::stream(&part),
                    format!(
                        "glass: index string {} is not the first argument\nallowed: first",
                        tokens::text(&part)
                    ),
                );
            }
            self.fields.index_string = text;
            self.place(Field::IndexString, part);
        } else if let Some([TokenTree::Ident(name)]) = parts.first().map(Vec::as_slice)
            && Op::named(&name.to_string()).is_some()
        {
            errors.on(
                name,
                format!("glass: `{name}` is the name of an op\nallowed: `#[glass::op({name}, ...)]`, or an index string"),
            );
            parts.remove(0);
            self.is_undecided = true;
        }
    }

    /// The equations, which come before all other arguments.
    fn read_equations(&mut self, parts: &mut Vec<Vec<TokenTree>>, errors: &mut Errors) {
        let n_equations = parts.iter().take_while(|part| string(part).is_some()).count();
        let equations = parts.drain(..n_equations);
        let equation = |part: Vec<TokenTree>| {
            string(&part).map(|literal| Equation { text: literal.value(), token: tokens::stream(&part) })
        };
        self.equations = equations.filter_map(equation).collect();
        parts.retain(|part| {
            let is_late = string(part).is_some();
            if is_late {
                let text = tokens::text(part);
                errors.on(
                    tokens::stream(part),
                    format!("glass: equation {text} stands after a field\nallowed: equations first"),
                );
                self.is_undecided = true;
            }
            !is_late
        });
    }

    /// Notes where a field stands that its position names.
    fn place(&mut self, field: Field, value: Vec<TokenTree>) {
        self.written.push(Written {
            field,
            name: None,
            value,
            items: Vec::new(),
            overflow: None,
            is_reported: false,
        });
    }

    fn read(&mut self, argument: Argument, errors: &mut Errors) {
        let Argument { name, form, tokens } = argument;
        let is_malformed = matches!(form, Form::Malformed);
        let spelling = name.to_string();
        let Some(field) = Field::named(&spelling, self.fields.index_string.is_some()) else {
            if !is_malformed && !self.is_undecided {
                errors.on(name, self.unknown(&spelling));
            }
            return;
        };
        // The generator reports a field that is not of this op: it has to see it, and nothing more is to be said about it.
        let is_foreign = !self.is_undecided && !self.is_allowed(field);
        if is_foreign && is_malformed {
            return;
        }
        if self.written.iter().any(|written| written.field == field) {
            if !is_malformed {
                errors.on(name, format!("glass: field `{spelling}` is given twice\nallowed: once"));
            }
            return;
        }
        let mut written = Written {
            field,
            name: Some(name),
            value: if let Form::Value(value) = &form { value.clone() } else { Vec::new() },
            items: Vec::new(),
            overflow: None,
            is_reported: is_malformed || is_foreign,
        };
        let is_flag = field.kind() == Kind::Flag;
        if written.is_reported {
            // Nothing is left to say.
        } else if is_flag && matches!(form, Form::Value(_)) {
            written.is_reported = true;
            errors.on(
                tokens::stream(&tokens),
                format!(
                    "glass: flag `{spelling}` has a value\nallowed: `{spelling}` alone, or no `{spelling}`"
                ),
            );
        } else if !is_flag && written.value.is_empty() {
            written.is_reported = true;
            errors.on(
                tokens::stream(&tokens),
                format!("glass: `{spelling}` has no value\nallowed: `{spelling} = value`"),
            );
        }
        match self.fields.slot(field) {
            Some(Slot::Flag(value)) => *value = Some(true),
            Some(Slot::Integer(value)) => *value = Some(values::integer(&mut written, errors)),
            Some(Slot::Word(value)) if is_foreign || !written.is_reported => {
                *value = Some(tokens::text(&written.value));
            }
            Some(Slot::Words(value)) if is_foreign => *value = Some(Vec::new()),
            Some(Slot::Words(value)) if !written.is_reported => *value = written.read_items(errors),
            Some(Slot::Word(_) | Slot::Words(_)) => {}
            None => {
                if let Field::Extent(letter) = field {
                    self.fields.extents.push((letter, values::integer(&mut written, errors)));
                }
            }
        }
        if field == Field::Orders {
            // A legal stand-in for a list that must be there and could not be read.
            self.fields.orders.get_or_insert_with(|| vec!["1".to_owned(); 2]);
        }
        self.written.push(written);
    }

    fn report(&self, diagnostic: Diagnostic, errors: &mut Errors) {
        let Diagnostic { field, item_idx, is_name, message } = diagnostic;
        let Some(written) = self.written.iter().find(|written| Some(written.field) == field) else {
            errors.on_attribute(message);
            return;
        };
        if written.is_reported && !is_name {
            return;
        }
        let message = match &written.overflow {
            Some(digits) => message.replace(&i128::MAX.to_string(), digits),
            None => message,
        };
        match &written.name {
            Some(name) if is_name || written.value.is_empty() => errors.on(name, message),
            _ => {
                let item = item_idx.and_then(|idx| written.items.get(idx));
                errors.on(tokens::stream(item.unwrap_or(&written.value)), message);
            }
        }
    }

    fn is_allowed(&self, field: Field) -> bool {
        matches!(field, Field::Extent(_)) || self.allowed.contains(&field)
    }

    fn unknown(&self, spelling: &str) -> String {
        let mut known = Vec::new();
        for letter in self.fields.index_string.iter().flat_map(|text| text.chars()) {
            let extent = Field::Extent(letter);
            if letter.is_ascii_lowercase() && !known.contains(&extent) {
                known.push(extent);
            }
        }
        known.extend(&self.allowed);
        let known: Vec<_> = known.into_iter().map(Field::as_str).collect();
        let hint = contract::nearest(spelling, known.iter().copied())
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        format!("glass: field `{spelling}` is not known{hint}\nallowed: {}", known.join(", "))
    }
}

impl Written {
    /// Reports a value that cannot be read; what its stand-in leads to is left unsaid.
    pub(super) fn report(&mut self, message: String, errors: &mut Errors) {
        self.is_reported = true;
        errors.on(tokens::stream(&self.value), message);
    }

    /// The texts of a list's items.
    fn read_items(&mut self, errors: &mut Errors) -> Option<Vec<String>> {
        match tokens::list(&self.value, errors) {
            Some(items) => {
                self.items = items;
                Some(self.items.iter().map(|item| tokens::text(item)).collect())
            }
            None => {
                let (name, text) = (self.field.as_str(), tokens::text(&self.value));
                let example = if self.field == Field::Orders { "12, 12, 6" } else { "cuda" };
                self.report(
                    format!(
                        "glass: `{name} = {text}` is no list\nallowed: a list, such as `{name} = [{example}]`"
                    ),
                    errors,
                );
                None
            }
        }
    }
}

/// The string literal that an argument is.
fn string(argument: &[TokenTree]) -> Option<LitStr> {
    match argument {
        [TokenTree::Literal(literal)] => match Lit::new(literal.clone()) {
            Lit::Str(literal) => Some(literal),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the generator does not see it cannot report: of a field that is not of the op nothing may be dropped.
    #[test]
    fn every_field_that_is_written_arrives() {
        let notations = [
            (Notation::Op, "potrf, "),
            (Notation::Op, "gemv, "),
            (Notation::Contract, ""),
            (Notation::Contract, "\"ik,kj->ij\", "),
            (Notation::Reduce, "sum, "),
            (Notation::Vector, "\"y = x\", "),
        ];
        for (notation, start) in notations {
            for &field in Field::ALL {
                let value = match field.kind() {
                    Kind::Flag => "",
                    Kind::Integer => " = 3",
                    Kind::Word => " = a",
                    Kind::Words => " = [a, b]",
                };
                let text = format!("{start}{}{value}", field.as_str());
                let mut errors = Errors::default();
                let tokens = text.parse().expect("tokens");
                let attribute = Attribute::parse(notation, tokens, &mut errors);
                // Beside an index string a letter is an extent.
                let field = Field::named(field.as_str(), start.contains("->")).expect("a name of a field");
                assert!(attribute.fields.is_given(field), "{text}");
            }
        }
    }
}
