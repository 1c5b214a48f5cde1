//! Functions from an element of a square to its place in a packed triangle.

use super::language::Language;
use super::uses::Uses;
use crate::kernel::Packing;
use serde::Serialize;

#[derive(Serialize)]
struct File {
    name: String,
    order: String,
    triangle: &'static str,
    is_upper: bool,
}

/// The functions that a body needs, each with its name.
pub(super) fn functions(uses: &Uses, language: &Language, template: &str) -> Vec<(String, String)> {
    let text = |packing: &Packing| {
        let Packing { order, is_upper } = *packing;
        let triangle = if is_upper { "upper" } else { "lower" };
        let file = File { name: packing.function(), order: order.to_string(), triangle, is_upper };
        (packing.function(), language.file(template, &file).trim_end().to_owned())
    };
    uses.packings.iter().map(text).collect()
}
