//! The sizes of a named op.

use super::check::{Check, MAX_DIM};
use super::{Field, Fields};
use crate::catalogue::{Availability, Default, Op, Settings, Size};

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
        Some(op)
    }

    fn size(&mut self, size: Size, fields: &Fields, settings: &Settings) -> usize {
        let (field, given) = (size.field, fields.integer(size.field));
        let rows = size.rows().map(|rows| settings.size(rows));
        if given.is_none() {
            return match size.default {
                Default::One => 1,
                Default::Rows(rows) => settings.size(rows),
                Default::Required | Default::RequiredRows(_) => {
                    self.missing(field, size.meaning);
                    rows.unwrap_or(1)
                }
            };
        }
        let value = self.range(field, given, 1..=MAX_DIM);
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

    /// A size that must be written is not.
    pub(super) fn missing(&mut self, field: Field, meaning: &str) {
        self.report(
            None,
            format!("glass: `{}` is missing: {meaning}\nallowed: 1..={MAX_DIM}", field.as_str()),
        );
    }
}
