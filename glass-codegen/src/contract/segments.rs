//! Arrays that hold segments.

use super::check::{Check, MAX_ELEMENTS};
use super::{Field, Fields};
use crate::catalogue::Settings;

impl Check {
    /// Every array has room for a segment.
    pub(super) fn segments(&mut self, fields: &Fields, settings: &mut Settings) {
        let (rows, cols) = (settings.size(Field::M), settings.size(Field::N));
        let (of_y, of_x) = if settings.has(Field::Trans) { (cols, rows) } else { (rows, cols) };
        for (field, least) in [(Field::ALen, rows * cols), (Field::XLen, of_x), (Field::YLen, of_y)] {
            let length = settings.sizes.iter_mut().find(|(given, _)| *given == field);
            let (_, length) = length.expect("the op has this size");
            if *length >= least {
                continue;
            }
            // A missing length, or one out of range, is reported already.
            if fields.integer(field) == Some(*length as i128) {
                self.report(
                    Some(field),
                    format!(
                        "glass: `{} = {length}` is less than the {least} elements of a segment\n\
                         allowed: {least}..={MAX_ELEMENTS}",
                        field.as_str()
                    ),
                );
            }
            *length = least;
        }
    }
}
