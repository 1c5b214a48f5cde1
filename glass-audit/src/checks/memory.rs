//! Bytes, regimes, and the ceilings of the same run.

use super::Recomputed;
use crate::capture::{Capture, Results};
use crate::finding::{Findings, Reason};
use crate::shape::Counts;
use crate::statistics::p50;

/// Bytes in rotation of which nothing survives in a 60 MB cache until its next use.
const COLD_BYTES: u64 = 240_000_000;

/// More than any sm_90 device has.
const DEVICE_BYTES: u64 = 150_000_000_000;

/// More than the memory of any sm_90 device moves: beyond it, the ceiling is no measurement.
const DEVICE_GBS: f64 = 5000.0;

pub(super) fn rows(capture: &Capture, results: &Results, findings: &mut Findings) {
    for cell in &capture.declaration.cells {
        let Some(counts) = Counts::of(cell) else {
            findings.require(Reason::Bytes, false, || {
                format!("{}: no rule counts the bytes of `{}`", cell.id, cell.op)
            });
            continue;
        };
        let (bytes, flops) = (counts.bytes(cell), cell.batch * counts.flops);
        findings.require(Reason::Bytes, cell.bytes == bytes && cell.flops == flops, || {
            format!(
                "{}: {} bytes and {} flops declared, {bytes} and {flops} counted",
                cell.id, cell.bytes, cell.flops
            )
        });
        for row in results.rows.iter().filter(|row| row.cell == cell.id) {
            for lane in row.lanes() {
                let stored = counts.stored_bytes(cell, lane.name == "own");
                let sets = &lane.sets;
                findings.require(Reason::Bytes, sets.bytes == stored, || {
                    format!(
                        "{}, lane {}: a set of {} bytes, {stored} counted",
                        row.place(),
                        lane.name,
                        sets.bytes
                    )
                });
                let is_in_place = lane.name != "own" && cell.op != "gemm";
                findings.require(Reason::Regime, sets.is_restored == is_in_place, || {
                    format!(
                        "{}, lane {}: restored is {}, in place {is_in_place}",
                        row.place(),
                        lane.name,
                        sets.is_restored
                    )
                });
                let is_legal = match cell.regime.as_str() {
                    "dram_cold" => {
                        let in_rotation = sets.n.checked_mul(stored);
                        sets.n >= 2
                            && in_rotation.is_some_and(|bytes| (COLD_BYTES..=DEVICE_BYTES).contains(&bytes))
                            && sets.pointers_distinct
                    }
                    "launch" => sets.n == 1,
                    _ => false,
                };
                findings.require(Reason::Regime, is_legal, || {
                    format!(
                        "{}, lane {}: {} sets of {stored} bytes, distinct: {}, are not {}",
                        row.place(),
                        lane.name,
                        sets.n,
                        sets.pointers_distinct,
                        cell.regime
                    )
                });
            }
        }
    }
}

/// Nothing moves more bytes than the memory did in the same run.
///
/// A copy writes as much as it reads. A kernel that reads more may pass it, but never a stream of reads.
pub(super) fn ceilings(
    capture: &Capture,
    results: &Results,
    recomputed: &Recomputed,
    findings: &mut Findings,
) {
    let ceilings = &results.meta.ceilings;
    let all = [&ceilings.copy_gbs, &ceilings.read_gbs].into_iter().chain(ceilings.empty_kernel_ns.values());
    let are_sampled = ceilings.empty_kernel_ns.len() == super::METRICS.len()
        && all.clone().all(|samples| samples.len() >= 3 && samples.iter().all(|sample| *sample > 0.0));
    findings.require(Reason::Ceiling, are_sampled, || "ceilings are not sampled, or not positive".to_owned());
    let (copy, read) = (p50(&ceilings.copy_gbs), p50(&ceilings.read_gbs));
    for (what, gbs) in [("copies", copy), ("reads", read)] {
        findings.require(Reason::Ceiling, gbs <= DEVICE_GBS, || {
            format!("{what} of {gbs} GB/s; no device of this architecture moves more than {DEVICE_GBS}")
        });
    }
    for cell in capture.declaration.cells.iter().filter(|cell| cell.regime == "dram_cold") {
        let Some(counts) = Counts::of(cell) else { continue };
        for (variant, ns) in recomputed.call_ns(&cell.id) {
            let gbs = cell.bytes as f64 / ns;
            let limit = if counts.reads_more() { read.max(copy) } else { copy };
            findings.require(Reason::Ceiling, gbs.is_nan() || gbs <= limit, || {
                format!("{}, variant {variant}: {gbs:.0} GB/s, the memory moves {limit:.0}", cell.id)
            });
        }
    }
}
