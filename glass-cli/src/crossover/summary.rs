//! What the samples say: serial over reduced, the table's pick over the best.

use super::capture::{Capture, Timed, View};
use crate::plot::map::{FactorPanel, Factors, Map};

/// Where a kernel finds its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    InPlace,
    Shared,
}

impl Memory {
    pub(super) const ALL: [Memory; 2] = [Memory::InPlace, Memory::Shared];

    pub(super) fn name(self) -> &'static str {
        match self {
            Memory::InPlace => "in place",
            Memory::Shared => "in shared memory",
        }
    }

    fn holds(self, mapping: &str) -> bool {
        (self == Memory::InPlace) == mapping.contains(" direct ")
    }
}

pub(super) const DTYPES: [&str; 2] = ["f32", "f64"];

/// Time of the fastest kernel that takes part.
pub(super) fn best(timed: &Timed, takes_part: impl Fn(&str) -> bool) -> Option<(&str, f64)> {
    let kernels = timed.ns.iter().map(|(mapping, ns)| (mapping.as_str(), *ns));
    kernels.filter(|(mapping, _)| takes_part(mapping)).min_by(|left, right| left.1.total_cmp(&right.1))
}

/// Best serial over best reduced kernel, of any tier.
pub(super) fn ratio(timed: &Timed, memory: Memory) -> Option<f64> {
    let of = |form: &str| best(timed, |mapping| mapping.contains(form) && memory.holds(mapping));
    Some(of(" serial ")?.1 / of(" reduced")?.1)
}

/// At one block size of the block tier: serial over the best tree and its lanes, and serial over 32 lanes.
pub(super) fn at_threads(timed: &Timed, memory: Memory, threads: u64) -> Option<(f64, u64, Option<f64>)> {
    let is_of_size = |mapping: &str| {
        mapping.starts_with("block ") && memory.holds(mapping) && mapping.ends_with(&format!(" t{threads}"))
    };
    let (_, serial) = best(timed, |mapping| is_of_size(mapping) && mapping.contains(" serial "))?;
    let (tree, reduced) = best(timed, |mapping| is_of_size(mapping) && lanes(mapping).is_some())?;
    let whole_warp = best(timed, |mapping| is_of_size(mapping) && lanes(mapping) == Some(32));
    Some((serial / reduced, lanes(tree)?, whole_warp.map(|(_, ns)| serial / ns)))
}

fn lanes(mapping: &str) -> Option<u64> {
    mapping.split(' ').nth(1)?.strip_prefix("reduced")?.parse().ok()
}

/// The pick's time over that of the fastest kernel, and which that is.
pub(super) fn loss(timed: &Timed) -> Option<(f64, &str)> {
    let (fastest, ns) = best(timed, |_| true)?;
    Some((timed.ns.get(&timed.pick)? / ns, fastest))
}

/// Part of the map, not of the published sweep.
pub(super) fn is_of_map(timed: &Timed) -> bool {
    timed.cell.op == "gemv"
}

/// The picture of one memory: element types and views side by side.
pub(super) fn map(capture: &Capture, memory: Memory) -> Map {
    let of_map = || capture.rows.iter().filter(|timed| is_of_map(timed));
    let extents = |name: &str| {
        let mut extents: Vec<u64> = of_map().filter_map(|timed| timed.cell.dim(name)).collect();
        extents.sort_unstable();
        extents.dedup();
        extents
    };
    let (rows, columns) = (extents("m"), extents("k"));
    let mut panels = Vec::new();
    for dtype in DTYPES {
        for view in View::ALL {
            let at = |m: u64, k: u64| {
                let is_cell = |timed: &&Timed| {
                    (timed.view, timed.cell.dtype.as_str()) == (view, dtype)
                        && (timed.cell.dim("m"), timed.cell.dim("k")) == (Some(m), Some(k))
                };
                ratio(of_map().find(is_cell)?, memory)
            };
            let ratios = rows.iter().map(|m| columns.iter().map(|k| at(*m, *k)).collect()).collect();
            panels.push(FactorPanel { name: format!("{dtype}, {}", view.name()), ratios });
        }
    }
    Factors {
        title: format!(
            "y = A x, contiguous, operands {}, {}: best serial over best reduced kernel, rows n_out, columns k",
            memory.name(),
            capture.header.provenance.device
        ),
        caption: "above 1 (orange) the reduced form is faster; empty: one of them does not fit or was rejected".to_owned(),
        rows: &rows,
        columns: &columns,
        panels,
    }
    .draw()
}
