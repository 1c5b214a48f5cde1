//! Writes what became of every system.

use crate::check::Checked;
use crate::columns;
use crate::systems::System;
use std::io::{self, Write};

const HEADINGS: [&str; 5] = ["solver", "outcome", "iterations", "true residual", "of bound"];

/// Columns of text; the figures follow.
const N_TEXT_COLUMNS: usize = 2;

const NOTES: &str = "
Right-hand sides are all ones, x starts at 0. true residual: ||b - A x|| / ||b|| in f64; of bound: as a fraction of the
most that the tolerance and rounding allow (check.rs).";

/// One system: its size, then a line for each solver.
pub(crate) fn write_system(
    out: &mut impl Write,
    system: &System,
    rows: &[(String, Checked)],
) -> io::Result<()> {
    let (n_rows, n_elements) = (system.matrix.n_rows(), system.matrix.values.len());
    writeln!(out, "\n{}: {n_rows} unknowns, {n_elements} matrix elements", system.name)?;
    let cells = rows.iter().map(|(solver, checked)| cells(solver, checked));
    let lines: Vec<_> = std::iter::once(HEADINGS.map(String::from)).chain(cells).collect();
    for line in columns::align(&lines, N_TEXT_COLUMNS) {
        writeln!(out, "  {line}")?;
    }
    for (solver, checked) in rows {
        if let Err(wrong) = checked.verdict() {
            writeln!(out, "  FAILED: {solver}: {wrong}")?;
        }
    }
    Ok(())
}

/// What the figures mean.
pub(crate) fn write_notes(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{NOTES}")
}

fn cells(solver: &str, checked: &Checked) -> [String; HEADINGS.len()] {
    let &Checked { outcome, iterations, residual, bound } = checked;
    let fraction = format!("{:.3}", residual / bound);
    [solver.into(), outcome.to_string(), iterations.to_string(), format!("{residual:.2e}"), fraction]
}
