//! Samples, the calls they are divided by, and what stood around them.

use super::METRICS;
use crate::capture::{Capture, Check, Lane, Results, Row};
use crate::finding::{Findings, Reason};
use crate::shape::Counts;
use crate::statistics::{close, p50};

pub(super) fn rows(capture: &Capture, results: &Results, findings: &mut Findings) {
    for row in &results.rows {
        findings.require(Reason::SampleDomain, !row.valid || row.own.is_some(), || {
            format!("{}: valid without samples", row.place())
        });
        findings.require(Reason::SampleDomain, row.valid == row.error.is_none(), || {
            format!("{}: valid is {}, the error {:?}", row.place(), row.valid, row.error)
        });
        let is_ours = row.own.as_ref().is_none_or(|lane| lane.name == "own");
        findings.require(Reason::SampleDomain, is_ours, || {
            format!("{}: the lane of our kernel has another name than `own`", row.place())
        });
        if !row.valid {
            continue;
        }
        let cell = capture.declaration.cells.iter().find(|cell| cell.id == row.cell);
        let declared = cell.into_iter().flat_map(|cell| &cell.peers);
        let due: Vec<_> = declared.filter(|peer| capture.pilots.peers.contains_key(*peer)).collect();
        findings.require(
            Reason::PeerMissing,
            row.peers.iter().map(|lane| &lane.name).eq(due.iter().copied()),
            || {
                format!(
                    "{}: peers {:?}, due {due:?}",
                    row.place(),
                    row.peers.iter().map(|lane| &lane.name).collect::<Vec<_>>()
                )
            },
        );
        for lane in row.lanes() {
            domain(capture, row, lane, findings);
            divisor(row, lane, findings);
            gate(capture, row, lane, findings);
        }
    }
}

fn domain(capture: &Capture, row: &Row, lane: &Lane, findings: &mut Findings) {
    let place = || format!("{}, lane {}", row.place(), lane.name);
    let has_all = METRICS.iter().all(|metric| lane.samples_ns.contains_key(*metric));
    findings.require(Reason::SampleDomain, has_all && lane.samples_ns.len() == METRICS.len(), || {
        format!("{}: metrics {:?}", place(), lane.samples_ns.keys())
    });
    for (metric, samples) in &lane.samples_ns {
        findings.require(Reason::SampleDomain, samples.len() == capture.declaration.samples, || {
            format!(
                "{}, {metric}: {} samples, declared {}",
                place(),
                samples.len(),
                capture.declaration.samples
            )
        });
        let wrong = samples.iter().find(|sample| !(sample.is_finite() && **sample > 0.0));
        findings.require(Reason::SampleDomain, wrong.is_none(), || {
            format!("{}, {metric}: a sample of {} ns", place(), wrong.unwrap_or(&f64::NAN))
        });
    }
}

/// A call takes the median sample over its calls; single-call metrics have one.
fn divisor(row: &Row, lane: &Lane, findings: &mut Findings) {
    for (metric, samples) in &lane.samples_ns {
        let is_batch = metric.ends_with("_batch");
        let reps = if is_batch { lane.reps.get(metric).copied().unwrap_or(0) } else { 1 };
        let published = lane.per_call_ns.get(metric).copied().unwrap_or(f64::NAN);
        let recomputed = p50(samples) / reps as f64;
        findings.require(Reason::Divisor, close(published, recomputed), || {
            format!(
                "{}, lane {}, {metric}: {published} ns a call published, {recomputed} from {reps} calls",
                row.place(),
                lane.name
            )
        });
    }
}

fn gate(capture: &Capture, row: &Row, lane: &Lane, findings: &mut Findings) {
    let Some(cell) = capture.declaration.cells.iter().find(|cell| cell.id == row.cell) else { return };
    let Some(counts) = Counts::of(cell) else { return };
    let n_outputs = if lane.name == "own" { counts.n_outputs } else { counts.n_peer_outputs };
    for check in [&lane.before, &lane.after] {
        held(&format!("{}, lane {}", row.place(), lane.name), check, cell.batch * n_outputs, findings);
    }
}

/// One complete output within its bound, all of it written, nothing else.
pub(super) fn held(place: &str, check: &Check, n_elements: u64, findings: &mut Findings) {
    findings.require(Reason::OracleCoverage, check.elements == n_elements, || {
        format!("{place}: the oracle saw {} elements of {n_elements}", check.elements)
    });
    findings.require(Reason::Oracle, check.worst.is_some_and(|worst| worst <= 1.0), || {
        format!("{place}: largest error {:?} of its bound", check.worst)
    });
    findings.require(Reason::Oracle, check.guards_ok && check.poison_left == 0, || {
        format!("{place}: guards intact: {}, {} elements not written", check.guards_ok, check.poison_left)
    });
}
