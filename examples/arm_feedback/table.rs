//! Prints the outcome of every device.

use crate::evaluate::Outcome;
use glass::Device;
use glass::rt::Skipped;
use glass::rt::kernel::{Form, Plan, Target, Tier};

const HEADINGS: [&str; 7] =
    ["device", "name", "tier, form", "problems/s", "GB/s", "worst error, of bound", "absolute"];

const NOTES: &str = "
Times: host clock, median of 9 samples of repeated launches after warm-up, final wait included;
upload, compilation and download are outside. GB/s: K, dx and du read and du written once.
Errors: every element of the first launch against an f64 evaluation; the bound of an element is
(d + 3) u (sum |K||dx| + |k|) with d the depth of its sum and u = 2^-24 (2^-23 for WGSL).";

/// One line per device, its reason below it, then what was skipped and what the figures include.
pub(crate) fn print(rows: &[(&Device, Outcome)], skipped: &[Skipped]) {
    let lines: Vec<_> = rows.iter().map(|(device, outcome)| cells(device, outcome)).collect();
    let width = |column: usize| {
        lines.iter().map(|cells| cells[column].chars().count()).fold(HEADINGS[column].len(), usize::max)
    };
    let widths: [usize; 7] = std::array::from_fn(width);
    println!();
    print_line(&HEADINGS.map(String::from), &widths);
    for (cells, (_, outcome)) in lines.iter().zip(rows) {
        print_line(cells, &widths);
        match outcome {
            Ok(measured) => println!(
                "      {} {}: {}",
                measured.variant.symbol, measured.variant.plan.staging, measured.variant.plan.reason
            ),
            Err(error) => println!("      FAILED: {error}"),
        }
    }
    for skipped in skipped {
        println!("skipped {}: {}", skipped.device, skipped.reason.replace("\n  ", "; "));
    }
    println!("{NOTES}");
}

fn cells(device: &Device, outcome: &Outcome) -> [String; 7] {
    let target = match device.target() {
        Target::Cuda => "cuda",
        Target::Wgpu => "wgpu",
        Target::Host => "host",
    };
    let [kernel, rate, bytes, fraction, absolute] = match outcome {
        Ok(measured) => [
            mapping(&measured.variant.plan),
            format!("{:.3e}", measured.problems_per_second),
            format!("{:.1}", measured.bytes_per_second / 1e9),
            format!("{:.3}", measured.worst.fraction),
            format!("{:.1e}", measured.worst.absolute),
        ],
        Err(_) => std::array::from_fn(|_| "-".into()),
    };
    [target.into(), device.name().into(), kernel, rate, bytes, fraction, absolute]
}

fn mapping(plan: &Plan) -> String {
    let tier = match plan.tier {
        Tier::Thread => "thread",
        Tier::Warp => "warp",
        Tier::Block => "block",
    };
    match plan.form {
        Form::Serial => format!("{tier}, serial"),
        Form::Reduced { lanes_per_output } => format!("{tier}, reduced over {lanes_per_output}"),
    }
}

/// Text columns to the left, figures to the right.
fn print_line(cells: &[String; 7], widths: &[usize; 7]) {
    let columns = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
        if column < 3 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    println!("{}", columns.collect::<Vec<_>>().join("  ").trim_end());
}
