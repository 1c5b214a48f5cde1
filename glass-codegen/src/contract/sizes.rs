//! The sizes of a named op.

use super::check::{Check, MAX_DIM, MAX_ELEMENTS};
use super::{Diagnostic, Field, Fields};
use crate::catalogue::{Availability, Default, MAX_MATRICES, Op, Settings, Size};

impl Check {
    /// The sizes of an op as written or as they are by default; `None` for an op that is not provided, whose fields
    /// are not known.
    pub(super) fn op_sizes(&mut self, op: Op, fields: &Fields, settings: &mut Settings) -> Option<Op> {
        if op.availability() == Availability::Later {
            return None;
        }
        for &size in op.entry().sizes {
            let value = self.size(size, fields, settings);
            settings.sizes.push((size.field, value));
        }
        if op.entry().options.contains(&Field::Orders) {
            settings.orders = self.orders(fields);
        }
        Some(op)
    }

    fn size(&mut self, size: Size, fields: &Fields, settings: &Settings) -> usize {
        let (field, given) = (size.field, fields.integer(size.field));
        let rows = size.rows().map(|rows| settings.size(rows));
        let most = if size.default == Default::RequiredLength { MAX_ELEMENTS as i128 } else { MAX_DIM };
        if given.is_none() {
            return match size.default {
                Default::Value(value) => value,
                Default::Rows(rows) => settings.size(rows),
                Default::Required | Default::RequiredRows(_) | Default::RequiredLength => {
                    self.missing(field, size.meaning, most);
                    rows.unwrap_or(1)
                }
            };
        }
        let value = self.range(field, given, 1..=most);
        match rows {
            // A value out of range is reported already.
            Some(rows) if value < rows && given == Some(value as i128) => {
                self.report(
                    Some(field),
                    format!(
                        "glass: `{} = {value}` is less than the {rows} rows it spans\nallowed: {rows}..={MAX_DIM}",
                        field.as_str()
                    ),
                );
                rows
            }
            _ => value,
        }
    }

    /// The orders of several matrices; as many ones after a mistake.
    fn orders(&mut self, fields: &Fields) -> Vec<usize> {
        let Some(given) = &fields.orders else {
            let allowed = format!("2..={MAX_MATRICES} of 1..={MAX_DIM}, such as `orders = [12, 12, 6]`");
            self.report(
                None,
                format!("glass: `orders` is missing: the orders of the matrices\nallowed: {allowed}"),
            );
            return vec![1; 2];
        };
        if !(2..=MAX_MATRICES).contains(&given.len()) {
            self.report(
                Some(Field::Orders),
                format!(
                    "glass: `orders` has {} item(s)\nallowed: 2..={MAX_MATRICES}\n\
                     why: a single one has an op of its own, and each one is an operand or two",
                    given.len()
                ),
            );
        }
        let orders = given.iter().enumerate().take(MAX_MATRICES);
        orders.map(|(item_idx, word)| self.order(item_idx, word)).collect()
    }

    fn order(&mut self, item_idx: usize, word: &str) -> usize {
        let message = match word.parse::<i128>() {
            Ok(order) if (1..=MAX_DIM).contains(&order) => return order as usize,
            Ok(_) => format!("glass: order `{word}` is out of range\nallowed: 1..={MAX_DIM}"),
            Err(_) => {
                format!("glass: order `{word}` is no whole number\nallowed: digits alone, 1..={MAX_DIM}")
            }
        };
        let (field, item_idx) = (Some(Field::Orders), Some(item_idx));
        self.diagnostics.push(Diagnostic { field, item_idx, is_name: false, message });
        1
    }

    /// A size that must be written is not.
    pub(super) fn missing(&mut self, field: Field, meaning: &str, most: i128) {
        self.report(None, format!("glass: `{}` is missing: {meaning}\nallowed: 1..={most}", field.as_str()));
    }
}
