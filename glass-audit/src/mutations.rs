//! Fourteen ways to falsify a capture, each applied to a copy of its own: an audit that lets one pass is worth nothing.

use crate::capture::{Capture, Results};
use crate::finding::Reason;
use crate::sha256::sha256;

/// One way, and the reason for which it has to be rejected.
pub(crate) struct Mutation {
    pub(crate) id: u32,
    pub(crate) what: &'static str,
    pub(crate) reason: Reason,
    /// Falsifies; says whether the capture holds what is to be falsified.
    pub(crate) apply: fn(&mut Capture, &mut Results) -> bool,
}

pub(crate) const MUTATIONS: [Mutation; 14] = [
    Mutation { id: 1, what: "a valid row dropped", reason: Reason::RowMissing, apply: drop_row },
    Mutation { id: 2, what: "a published ratio forged", reason: Reason::RatioMismatch, apply: forge_ratio },
    Mutation {
        id: 3,
        what: "calls of an event sample set to 1",
        reason: Reason::Divisor,
        apply: forget_calls,
    },
    Mutation { id: 4, what: "the acknowledged view flipped", reason: Reason::ViewAck, apply: flip_view },
    Mutation {
        id: 5,
        what: "an oracle that saw one element",
        reason: Reason::OracleCoverage,
        apply: look_at_one,
    },
    Mutation { id: 6, what: "a source digest replaced", reason: Reason::SourceHash, apply: replace_digest },
    Mutation { id: 7, what: "a visit duplicated", reason: Reason::DuplicateVisit, apply: duplicate_visit },
    Mutation {
        id: 8,
        what: "the lane order of a visit swapped",
        reason: Reason::OrderTable,
        apply: swap_lanes,
    },
    Mutation {
        id: 9,
        what: "a retained failure deleted",
        reason: Reason::FailureMissing,
        apply: delete_failure,
    },
    Mutation { id: 10, what: "an input digest changed", reason: Reason::InputHash, apply: change_input },
    Mutation {
        id: 11,
        what: "artifacts said to have changed",
        reason: Reason::ArtifactsChanged,
        apply: change_artifacts,
    },
    Mutation {
        id: 12,
        what: "a sample that is no number",
        reason: Reason::SampleDomain,
        apply: spoil_sample,
    },
    Mutation {
        id: 13,
        what: "a text and all its digests edited",
        reason: Reason::PlanSource,
        apply: edit_text,
    },
    Mutation {
        id: 14,
        what: "a control edited outside its region",
        reason: Reason::ControlDiff,
        apply: edit_control,
    },
];

fn drop_row(_: &mut Capture, results: &mut Results) -> bool {
    let Some(at) = results.rows.iter().position(|row| row.valid) else { return false };
    results.rows.remove(at);
    true
}

fn forge_ratio(_: &mut Capture, results: &mut Results) -> bool {
    let published = results.summary.values_mut().flat_map(|cell| cell.variants.get_mut("event_batch"));
    let Some(ratio) = published.flat_map(|ratios| ratios.ratios.first_mut()).next() else { return false };
    *ratio *= 1.01;
    true
}

/// Touches the first valid row.
fn of_first_row(results: &mut Results, apply: impl FnOnce(&mut crate::capture::Row)) -> bool {
    results.rows.iter_mut().find(|row| row.valid).map(apply).is_some()
}

fn forget_calls(_: &mut Capture, results: &mut Results) -> bool {
    let mut lanes = results.rows.iter_mut().filter(|row| row.valid).filter_map(|row| row.own.as_mut());
    let calls = lanes.find_map(|lane| lane.reps.get_mut("event_batch").filter(|calls| **calls > 1));
    calls.map(|calls| *calls = 1).is_some()
}

fn flip_view(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| row.acknowledged_view = "graph".to_owned())
}

fn look_at_one(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| {
        if let Some(lane) = &mut row.own {
            lane.after.elements = 1;
        }
    })
}

fn replace_digest(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| {
        if let Some(facts) = row.own.as_mut().and_then(|lane| lane.facts.as_mut()) {
            facts.source_sha256 = sha256(b"another text");
        }
    })
}

fn duplicate_visit(_: &mut Capture, results: &mut Results) -> bool {
    let Some(row) = results.rows.iter().find(|row| row.valid).cloned() else { return false };
    results.rows.push(row);
    true
}

fn swap_lanes(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| row.lane_order.swap(0, 1))
}

fn delete_failure(_: &mut Capture, results: &mut Results) -> bool {
    let Some(at) = results.rows.iter().position(|row| !row.valid) else { return false };
    results.rows.remove(at);
    true
}

fn change_input(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| {
        if let Some(lane) = &mut row.own {
            lane.input_sha256 = sha256(b"other inputs");
        }
    })
}

fn change_artifacts(_: &mut Capture, results: &mut Results) -> bool {
    results.meta.artifacts.unchanged = false;
    true
}

fn spoil_sample(_: &mut Capture, results: &mut Results) -> bool {
    of_first_row(results, |row| {
        let samples = row.own.as_mut().and_then(|lane| lane.samples_ns.get_mut("e2e_single"));
        if let Some(sample) = samples.and_then(|samples| samples.first_mut()) {
            *sample = f64::NAN;
        }
    })
}

/// Rewrites a text and every digest of it, except in the declaration that froze it.
fn edit_text(capture: &mut Capture, results: &mut Results) -> bool {
    let Some(symbol) = capture.declaration.cells.first().map(|cell| cell.a.symbol.clone()) else {
        return false;
    };
    edit(capture, results, &symbol).is_some()
}

/// Rewrites a control behind its region and every digest of it, the declaration's too: as if it had been so from the start.
fn edit_control(capture: &mut Capture, results: &mut Results) -> bool {
    let mut controls = capture.declaration.cells.iter().filter(|cell| cell.control.is_some());
    let Some(symbol) = controls.find(|cell| cell.a.symbol != cell.b.symbol).map(|cell| cell.b.symbol.clone())
    else {
        return false;
    };
    let Some((old, new)) = edit(capture, results, &symbol) else { return false };
    let variants = capture.declaration.cells.iter_mut().flat_map(|cell| [&mut cell.a, &mut cell.b]);
    for variant in variants.filter(|variant| variant.source_sha256 == old) {
        variant.source_sha256.clone_from(&new);
    }
    true
}

/// Adds a line at the end of a text and renews the digests of pilots and rows; the digests before and after.
fn edit(capture: &mut Capture, results: &mut Results, symbol: &str) -> Option<(String, String)> {
    let text = capture.sources.get_mut(symbol)?;
    let old = sha256(text.as_bytes());
    text.push_str("// edited\n");
    let new = sha256(text.as_bytes());
    let of_rows = results.rows.iter_mut().filter_map(|row| row.own.as_mut()?.facts.as_mut());
    let of_pilots = capture.pilots.kernels.iter_mut().map(|pilot| &mut pilot.facts);
    for facts in of_rows.chain(of_pilots).filter(|facts| facts.source_sha256 == old) {
        facts.source_sha256.clone_from(&new);
    }
    Some((old, new))
}
