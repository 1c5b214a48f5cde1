//! Writes what became of every system.

use crate::check::Checked;
use crate::columns;
use crate::devices::Measured;
use crate::systems::System;
use glass::Device;
use glass::rt::Skipped;
use std::error::Error;
use std::io::{self, Write};

/// One solver.
pub(crate) struct Row {
    pub(crate) solver: String,
    pub(crate) outcome: Result<Measured, Box<dyn Error>>,
}

impl Row {
    /// Why it is not right, if so.
    pub(crate) fn failure(&self) -> Option<String> {
        match &self.outcome {
            Ok(measured) => measured.checked.verdict().err().map(|wrong| wrong.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }
}

const HEADINGS: [&str; 6] = ["solver", "outcome", "iterations", "true residual", "of bound", "us/iteration"];

/// Columns of text; the figures follow.
const N_TEXT_COLUMNS: usize = 2;

const NOTES: &str = "
Right-hand sides are all ones, x starts at 0. true residual: ||b - A x|| / ||b|| in f64; of bound: as a fraction of the
most that the tolerance and rounding allow (check.rs). us/iteration: host clock, median of whole solves of as many
iterations as it takes, setup and final wait included, upload and compilation not. A software adapter is checked, not
timed.";

/// One system: its size, then a line for each solver.
pub(crate) fn write_system(out: &mut impl Write, system: &System, rows: &[Row]) -> io::Result<()> {
    let (n_rows, n_elements) = (system.matrix.n_rows(), system.matrix.values.len());
    writeln!(out, "\n{}: {n_rows} unknowns, {n_elements} matrix elements", system.name)?;
    let lines: Vec<_> = std::iter::once(HEADINGS.map(String::from)).chain(rows.iter().map(cells)).collect();
    for line in columns::align(&lines, N_TEXT_COLUMNS) {
        writeln!(out, "  {line}")?;
    }
    for row in rows {
        if let Some(failure) = row.failure() {
            writeln!(out, "  FAILED: {}: {failure}", row.solver)?;
        }
    }
    Ok(())
}

/// The devices, those that were skipped, and what the figures mean.
pub(crate) fn write_notes(out: &mut impl Write, devices: &[Device], skipped: &[Skipped]) -> io::Result<()> {
    writeln!(out)?;
    for device in devices {
        writeln!(out, "{}: {}", device.target(), device.name())?;
    }
    for skipped in skipped {
        writeln!(out, "skipped {}: {}", skipped.device, skipped.reason.replace("\n  ", "; "))?;
    }
    writeln!(out, "{NOTES}")
}

fn cells(row: &Row) -> [String; HEADINGS.len()] {
    let none = || "-".to_string();
    let Ok(Measured { checked, seconds }) = &row.outcome else {
        return [row.solver.clone(), "FAILED".into(), none(), none(), none(), none()];
    };
    let &Checked { outcome, iterations, residual, bound } = checked;
    [
        row.solver.clone(),
        outcome.to_string(),
        iterations.to_string(),
        format!("{residual:.2e}"),
        format!("{:.3}", residual / bound),
        seconds.map_or_else(none, |seconds| format!("{:.2}", seconds * 1e6)),
    ]
}
