//! Writes the outcome of every device.

use crate::evaluate::{Measured, Outcome, Rate};
use crate::program::{columns, mapping};
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
    let cells = rows.iter().map(|(device, outcome)| cells(device, outcome));
    let lines: Vec<_> = std::iter::once(HEADINGS.map(String::from)).chain(cells).collect();
    let lines = columns::align(&lines, N_TEXT_COLUMNS);
    writeln!(out, "\n{}", lines[0])?;
    for (line, (device, outcome)) in lines[1..].iter().zip(rows) {
        writeln!(out, "{line}")?;
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
