//! Which visits there are, and in which order.

use super::VISITS;
use crate::capture::{Capture, Declaration, Results, Row};
use crate::finding::{Findings, Reason};
use std::collections::{BTreeMap, BTreeSet};

/// Variant and first lane of the four visits, by `(round + position of the cell) mod 4`.
const ORDER: [[(&str, &str); VISITS]; 4] = [
    [("A", "own"), ("B", "own"), ("B", "peer"), ("A", "peer")],
    [("B", "own"), ("A", "own"), ("A", "peer"), ("B", "peer")],
    [("A", "peer"), ("B", "peer"), ("B", "own"), ("A", "own")],
    [("B", "peer"), ("A", "peer"), ("A", "own"), ("B", "own")],
];

/// A round whose clock fell below this part of the run's median has to be measured again.
const LEAST_CLOCK: f64 = 0.9;

pub(super) fn rows(capture: &Capture, results: &Results, findings: &mut Findings) {
    let Results { meta, rows, .. } = results;
    let n_failed = rows.iter().filter(|row| !row.valid).count();
    findings.require(Reason::FailureMissing, n_failed == meta.failures_retained, || {
        format!("{n_failed} failed rows, {} retained", meta.failures_retained)
    });
    let mut seen = BTreeMap::new();
    for row in rows {
        let earlier = seen.insert((row.attempt, row.round, &row.cell, row.visit), row.seq);
        findings.require(Reason::DuplicateVisit, earlier.is_none(), || {
            format!("{}: rows {earlier:?} and {}", row.place(), row.seq)
        });
    }
    let cells = &capture.declaration.cells;
    let again = repeated(capture, rows);
    for round in 0..capture.declaration.rounds {
        for (cell_idx, cell) in cells.iter().enumerate() {
            for visit in 0..VISITS {
                for attempt in 0..=u64::from(again.contains(&(round, cell_idx))) {
                    let is_there = seen.contains_key(&(attempt, round, &cell.id, visit));
                    findings.require(Reason::RowMissing, is_there, || {
                        format!("{}, round {round}, visit {visit}, attempt {attempt}", cell.id)
                    });
                }
            }
        }
    }
    let n_first = rows.iter().filter(|row| row.attempt == 0).count();
    findings.require(Reason::RowMissing, n_first == meta.rows_expected, || {
        format!("{n_first} rows, {} expected", meta.rows_expected)
    });
    for (idx, row) in rows.iter().enumerate() {
        findings.require(Reason::RowMissing, row.seq == idx, || {
            format!("row {idx} has the sequence number {}", row.seq)
        });
        let is_known = row.attempt <= 1
            && row.round < capture.declaration.rounds
            && row.visit < VISITS
            && cells.iter().any(|cell| cell.id == row.cell);
        findings.require(Reason::RowUnknown, is_known, || row.place());
    }
    order(capture, rows, findings);
    balance(rows, findings);
    views(capture, rows, findings);
    clocks(capture, rows, findings);
}

/// Rounds one after the other, the cells of each rotated by its number; then what was measured again, in the order of rounds.
fn order(capture: &Capture, rows: &[Row], findings: &mut Findings) {
    let cells = &capture.declaration.cells;
    let position = |id: &str| cells.iter().position(|cell| cell.id == id);
    let first = (0..capture.declaration.rounds as usize)
        .flat_map(|round| (0..cells.len()).map(move |turn| (0, round as u64, (turn + round) % cells.len())));
    let again = repeated(capture, rows).into_iter().map(|(round, cell_idx)| (1, round, cell_idx));
    let mut expected = first.chain(again).flat_map(|(attempt, round, cell_idx)| {
        (0..VISITS).map(move |visit| (attempt, round, cell_idx, visit))
    });
    for row in rows {
        let next = expected.next();
        let actual = position(&row.cell).map(|cell_idx| (row.attempt, row.round, cell_idx, row.visit));
        findings.require(Reason::OrderTable, actual == next, || {
            let due = next.map(|(attempt, round, cell_idx, visit)| {
                format!("{}, round {round}, visit {visit}, attempt {attempt}", cells[cell_idx].id)
            });
            let due = due.unwrap_or_else(|| "nothing".to_owned());
            format!("row {}: {} comes where {due} is due", row.seq, row.place())
        });
        let Some(cell_idx) = position(&row.cell) else { continue };
        let Some((variant, first)) =
            ORDER[((row.round % 4) as usize + cell_idx) % ORDER.len()].get(row.visit).copied()
        else {
            continue;
        };
        let second = if first == "own" { "peer" } else { "own" };
        let is_due = row.variant == variant && row.lane_order[0] == first && row.lane_order[1] == second;
        findings.require(Reason::OrderTable, is_due, || {
            format!(
                "{}: {} with {} first; due is {variant} with {first} first, then {second}",
                row.place(),
                row.variant,
                row.lane_order[0]
            )
        });
    }
}

/// Every variant, place and lane order equally often in each cell.
fn balance(rows: &[Row], findings: &mut Findings) {
    let mut counts: BTreeMap<(&str, &str, usize, &str), usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.attempt == 0) {
        *counts.entry((&row.cell, &row.variant, row.visit, &row.lane_order[0])).or_default() += 1;
    }
    let mut by_cell: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for ((cell, ..), count) in &counts {
        by_cell.entry(cell).or_default().insert(*count);
    }
    for (cell, counts) in by_cell {
        findings.require(Reason::OrderTable, counts.len() == 1, || {
            format!("{cell}: variants, places and lane orders occur {counts:?} times")
        });
    }
}

/// The view that was asked for, and the regime of the cell.
fn views(capture: &Capture, rows: &[Row], findings: &mut Findings) {
    for row in rows {
        findings.require(Reason::ViewAck, row.requested_view == row.acknowledged_view, || {
            format!("{}: asked for {}, measured {}", row.place(), row.requested_view, row.acknowledged_view)
        });
        let declared = capture.declaration.cells.iter().find(|cell| cell.id == row.cell);
        let is_declared = declared.is_some_and(|cell| cell.regime == row.regime);
        findings.require(Reason::Regime, is_declared, || format!("{}: {}", row.place(), row.regime));
    }
}

/// Rounds that were measured again, by round and position of the cell.
pub(crate) fn repeated(capture: &Capture, rows: &[Row]) -> BTreeSet<(u64, usize)> {
    let position = |id: &str| capture.declaration.cells.iter().position(|cell| cell.id == id);
    let again = rows.iter().filter(|row| row.attempt > 0);
    again.filter_map(|row| Some((row.round, position(&row.cell)?))).collect()
}

/// Whether any row says what the clock was; where none does, the rule of the clocks cannot be held against the run.
pub(crate) fn has_clocks(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.clocks.is_some())
}

/// A round is measured again if its clock fell, and only then: a second attempt replaces the first one's figures.
fn clocks(capture: &Capture, rows: &[Row], findings: &mut Findings) {
    let Declaration { cells, claims, .. } = &capture.declaration;
    let lowest = |row: &Row| row.clocks.as_ref().map(|clocks| clocks.sm_before.min(clocks.sm_after) as f64);
    let first = || rows.iter().filter(|row| row.attempt == 0);
    let least = LEAST_CLOCK * crate::statistics::p50(&first().filter_map(lowest).collect::<Vec<_>>());
    let again = repeated(capture, rows);
    let mut slow = BTreeSet::new();
    for row in first() {
        let (Some(clock), Some(cell_idx)) = (lowest(row), cells.iter().position(|cell| cell.id == row.cell))
        else {
            continue;
        };
        if clock < least {
            slow.insert((row.round, cell_idx));
        }
        let is_settled = clock >= least || again.contains(&(row.round, cell_idx));
        findings.require(Reason::Clock, is_settled, || {
            format!("{}: {clock} MHz, below {least:.0}, not measured again", row.place())
        });
    }
    for (round, cell_idx) in again {
        findings.require(Reason::Clock, slow.contains(&(round, cell_idx)), || {
            let id = &cells[cell_idx].id;
            format!("{id}, round {round}: measured again, but its clock never fell below {least:.0} MHz")
        });
    }
    // A machine without the management library has no clocks at all, and nothing to claim by them.
    if has_clocks(rows) || !claims.is_empty() {
        for row in rows.iter().filter(|row| row.valid) {
            findings.require(Reason::Clock, row.clocks.is_some(), || {
                format!("{}: no clocks; a capture with claims has them in every row", row.place())
            });
        }
    }
}
