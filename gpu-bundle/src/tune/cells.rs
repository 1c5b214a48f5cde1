//! The tasks whose mapping is measured.

use crate::regime;
use crate::tasks;
use glass_codegen::spec::{Layout, Spec};
use glass_codegen::table;

/// Batch bands: a row measured at one of these serves batches up to the next.
pub(crate) const BATCHES: [u64; 6] = [1, 64, 1024, 8192, 65536, 1_048_576];

/// One task and layout.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) key: String,
    pub(crate) spec: Spec,
    pub(crate) layout: Layout,
}

impl Cell {
    /// The batches that a GPU holds.
    pub(crate) fn batches(&self) -> impl Iterator<Item = u64> {
        regime::held(&self.spec, self.layout, &BATCHES)
    }
}

/// Every cell, in the order of the table.
pub(crate) fn cells() -> Vec<Cell> {
    let cell = |(spec, layout)| Cell { key: table::key(&spec, layout), spec, layout };
    tasks::tuned().into_iter().map(cell).collect()
}
