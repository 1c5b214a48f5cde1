//! Writes the outcome of every device.

use crate::evaluate::{Measured, Outcome, Rate};
use crate::program::mapping;
use glass::Device;
use glass::rt::Skipped;
use std::io::{self, Write};

const HEADINGS: [&str; 6] =
    ["device", "tier, form", "problems/s", "GB/s", "worst error, of bound", "absolute"];

/// Columns of text; the figures follow.
const N_TEXT_COLUMNS: usize = 2;

const NOTES: &str = "
Times: host clock, median of 9 samples of repeated launches after warm-up, final wait included;
upload, compilation and download are outside. GB/s: K, dx and du read and du written once.
A software adapter is checked, not timed: its times say nothing about a GPU.
Errors: every element of the first launch against an f64 evaluation; the bound of an element is
(d + 3) u (sum |K||dx| + |k|) with d the depth of its sum and u = 2^-24 (2^-23 for WGSL).";

/// One line per device, its name and reason below it, then what was skipped and what the figures include.
pub(crate) fn write(
    out: &mut impl Write,
    rows: &[(&Device, Outcome)],
    skipped: &[Skipped],
) -> io::Result<()> {
    let lines: Vec<_> = rows.iter().map(|(device, outcome)| cells(device, outcome)).collect();
    let width = |column: usize| {
        lines.iter().map(|cells| cells[column].chars().count()).fold(HEADINGS[column].len(), usize::max)
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    writeln!(out)?;
    write_line(out, &HEADINGS.map(String::from), &widths)?;
    for (cells, (device, outcome)) in lines.iter().zip(rows) {
        write_line(out, cells, &widths)?;
        writeln!(out, "      {}", device.name())?;
        match outcome {
            Ok(Measured { variant, reason, .. }) => writeln!(out, "      {}: {reason}", variant.symbol)?,
            Err(error) => writeln!(out, "      FAILED: {error}")?,
        }
    }
    for skipped in skipped {
        writeln!(out, "skipped {}: {}", skipped.device, skipped.reason.replace("\n  ", "; "))?;
    }
    writeln!(out, "{NOTES}")
}

fn cells(device: &Device, outcome: &Outcome) -> [String; 6] {
    let [kernel, rate, bytes, fraction, absolute] = match outcome {
        Ok(measured) => {
            let [rate, bytes] = match measured.rate {
                Some(Rate { problems, bytes }) => [format!("{problems:.3e}"), format!("{:.1}", bytes / 1e9)],
                None => ["not timed".into(), "-".into()],
            };
            [
                mapping::describe(&measured.variant.plan),
                rate,
                bytes,
                format!("{:.3}", measured.worst.fraction),
                format!("{:.1e}", measured.worst.absolute),
            ]
        }
        Err(_) => std::array::from_fn(|_| "-".into()),
    };
    [device.target().to_string(), kernel, rate, bytes, fraction, absolute]
}

/// Text columns to the left, figures to the right.
fn write_line(out: &mut impl Write, cells: &[String; 6], widths: &[usize; 6]) -> io::Result<()> {
    let columns = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
        if column < N_TEXT_COLUMNS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    writeln!(out, "{}", columns.collect::<Vec<_>>().join("  ").trim_end())
}
