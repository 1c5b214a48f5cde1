//! Measured rows, baked from `tuning/*.toml` when this crate is built.
//!
//! A row is found only by its exact key; a task without one is unmeasured.

use crate::plan::Mapping;
use crate::spec::{Layout, Spec};

/// A measured choice for one task, layout and batch band.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Compute capability times ten.
    pub arch: u32,
    /// Smallest batch of the band; the band ends where the next one starts.
    pub min_batch: u64,
    /// The chosen mapping.
    pub mapping: Mapping,
    /// Nanoseconds per problem of the choice.
    pub ns: f64,
    /// Nanoseconds per problem of the fastest serial candidate of the thread tier.
    pub serial_ns: f64,
}

/// Where a capture came from.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// Compute capability times ten.
    pub arch: u32,
    /// Device name as the driver gives it.
    pub device: &'static str,
    /// Day of the capture.
    pub date: &'static str,
    /// Command that made it.
    pub command: &'static str,
}

struct BakedCell {
    arch: u32,
    key: &'static str,
    rows: &'static [BakedRow],
}

struct BakedRow {
    min_batch: u64,
    mapping: &'static str,
    ns: f64,
    serial_ns: f64,
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The captures behind the table.
pub fn captures() -> &'static [Capture] {
    CAPTURES
}

/// The key of a task and layout: `glass_gemv_f32_m7_k14 interleaved`.
pub fn key(spec: &Spec, layout: Layout) -> String {
    format!("{} {}", spec.symbol(), layout.as_str())
}

/// The rows of a task and layout, by architecture and ascending band; empty when it was never measured.
pub fn lookup(spec: &Spec, layout: Layout) -> Vec<Row> {
    let key = key(spec, layout);
    let cells = CELLS.iter().filter(|cell| cell.key == key);
    cells
        .flat_map(|cell| {
            cell.rows.iter().map(|row| Row {
                arch: cell.arch,
                min_batch: row.min_batch,
                mapping: row.mapping.parse().expect("the build script has parsed every mapping"),
                ns: row.ns,
                serial_ns: row.serial_ns,
            })
        })
        .collect()
}
