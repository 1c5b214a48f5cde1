//! Where splitting a contraction over lanes pays: the best serial time over the best reduced one, n_out by k.

use super::map::{FactorPanel, Factors, Map};
use super::stored::Candidates;

const BATCHES: [u64; 3] = [1, 1024, 8192];
const SIDES: [u64; 10] = [1, 4, 6, 7, 8, 12, 14, 16, 21, 32];

/// Best serial over best reduced; `None` where one of them was no candidate.
fn ratio(candidates: &Candidates, batch: u64, (m, k): (u64, u64)) -> Option<f64> {
    let (_, mappings) = candidates.iter().find(|((cell, other), _)| {
        *other == batch
            && cell.op == "gemv"
            && cell.dtype == "f32"
            && cell.layout == "contiguous"
            && cell.flags.is_empty()
            && (cell.dim("m"), cell.dim("k")) == (Some(m), Some(k))
    })?;
    let best = |form: &str| {
        let times = mappings.iter().filter(|(mapping, _)| mapping.contains(form)).map(|(_, ns)| *ns);
        times.min_by(f64::total_cmp)
    };
    Some(best(" serial ")? / best(" reduced")?)
}

pub(super) fn map(candidates: &Candidates) -> Map {
    let panel = |batch| FactorPanel {
        name: format!("batch {batch}: rows n_out, columns k"),
        ratios: SIDES.map(|m| SIDES.map(|k| ratio(candidates, batch, (m, k))).to_vec()).to_vec(),
    };
    Factors {
        title: "y = A x, f32, contiguous, CUDA on an H200: best serial over best reduced candidate"
            .to_owned(),
        caption: "above 1 (orange) the reduced form is faster; empty: the reduced form is no candidate"
            .to_owned(),
        rows: &SIDES,
        columns: &SIDES,
        panels: BATCHES.map(panel).into(),
    }
    .draw()
}
