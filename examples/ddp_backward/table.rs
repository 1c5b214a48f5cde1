//! Writes what became of every device and type.

use crate::check::QUANTITIES;
use crate::evaluate::{Measured, Outcome, Unmeasured};
use crate::program::{columns, mapping};
use glass::rt::Skipped;
use glass::rt::kernel::{Choice, DType, Variant};
use glass::rt::measure::Clock;
use glass::{Device, Task};
use std::io::{self, Write};

/// One device in one type and one way.
pub(crate) struct Row {
    pub(crate) device: Device,
    pub(crate) dtype: DType,
    /// Name of the way.
    pub(crate) way: &'static str,
    /// Each batch: its name, its problems and what became of it.
    pub(crate) batches: Vec<(&'static str, usize, Outcome)>,
    pub(crate) plans: Vec<Planned>,
    /// Why there is neither.
    pub(crate) lack: Option<String>,
}

impl Row {
    /// A row without batches.
    pub(crate) fn new(device: &Device, dtype: DType, way: &'static str) -> Row {
        Row { device: device.clone(), dtype, way, batches: Vec::new(), plans: Vec::new(), lack: None }
    }

    /// Whether nothing that ran was wrong.
    pub(crate) fn is_right(&self) -> bool {
        self.unmeasured().all(|(_, error)| error.is_refusal())
    }

    /// The batches without figures, and why.
    fn unmeasured(&self) -> impl Iterator<Item = (&'static str, &Unmeasured)> {
        self.batches.iter().filter_map(|(name, _, outcome)| Some((*name, outcome.as_ref().err()?)))
    }
}

/// An op of the chain and the kernel that serves it.
pub(crate) struct Planned {
    formula: &'static str,
    task: &'static Task,
    row: &'static Choice,
}

impl Planned {
    fn variant(&self) -> &'static Variant {
        &self.task.variants[self.row.variant_idx]
    }
}

/// The kernels for a batch; `None` where the device has none for one of the ops.
pub(crate) fn plans(
    tasks: &[(&'static str, &'static Task)],
    device: &Device,
    n_problems: usize,
) -> Option<Vec<Planned>> {
    let planned = tasks.iter().map(|&(formula, task)| {
        let row = task.choose_row(device.target(), device.arch(), n_problems as u64)?;
        Some(Planned { formula, task, row })
    });
    planned.collect()
}

const HEADINGS: [&str; 10] =
    ["device", "type", "by", "batch", "error of K", "of k", "of V", "of bound", "ms/pass", "problems/s"];

/// Columns of text; the figures follow.
const N_TEXT_COLUMNS: usize = 4;

const NOTES: &str = "
Errors: relative Frobenius norm, worst problem and knot; the file's problems against the file's answers, the
perturbed ones against an f64 recursion on the CPU. of bound: the largest error as a fraction of its own bound,
which is what rounding must be expected to leave at that knot times a margin (rounding.rs, check.rs).
by: a chain of eleven ops a knot, one kernel a knot, or one kernel for the whole pass.
Times: median of 5 passes, a pass being every launch of every knot, gaps between launches included, data on the
device and kernels compiled before; clock of the device, or the host's where marked. The file's 8 problems show
the latency of the launches, the perturbed batch the throughput. A software adapter is checked, not timed.";

/// The table, the plans, what was skipped, and what the figures mean.
pub(crate) fn write(out: &mut impl Write, rows: &[Row], skipped: &[Skipped]) -> io::Result<()> {
    let mut lines = vec![HEADINGS.map(String::from)];
    for row in rows {
        lines.extend(row.batches.iter().map(|batch| cells(row, batch)));
    }
    writeln!(out)?;
    for line in columns::align(&lines, N_TEXT_COLUMNS) {
        writeln!(out, "{line}")?;
    }
    for row in rows {
        write_plans(out, row)?;
    }
    writeln!(out)?;
    for skipped in skipped {
        writeln!(out, "skipped {}: {}", skipped.device, on_one_line(&skipped.reason))?;
    }
    write_unmeasured(out, rows, "refused", Unmeasured::is_refusal)?;
    writeln!(out, "{NOTES}")?;
    write_unmeasured(out, rows, "FAILED:", |error| !error.is_refusal())
}

fn write_unmeasured(
    out: &mut impl Write,
    rows: &[Row],
    verdict: &str,
    is_listed: fn(&Unmeasured) -> bool,
) -> io::Result<()> {
    for row in rows {
        for (batch, error) in row.unmeasured().filter(|(_, error)| is_listed(error)) {
            let Row { device, dtype, way, .. } = row;
            let why = on_one_line(&error.to_string());
            writeln!(out, "{verdict} {} {dtype}, {way}, {batch}: {why}", device.target())?;
        }
    }
    Ok(())
}

/// The library says on a second line what is allowed.
fn on_one_line(message: &str) -> String {
    message.replace("\n  ", "; ")
}

fn cells(row: &Row, (name, n_problems, outcome): &(&str, usize, Outcome)) -> [String; HEADINGS.len()] {
    let mut figures: [String; QUANTITIES.len() + 3] = std::array::from_fn(|_| "-".into());
    match outcome {
        Ok(Measured { worst, pass }) => {
            for (figure, error) in figures.iter_mut().zip(worst.errors) {
                *figure = format!("{error:.1e}");
            }
            figures[3] = format!("{:.3}", worst.fraction);
            if let Some(pass) = pass {
                let is_host_clock = pass.clock == Clock::Host;
                figures[4] =
                    format!("{:.3}{}", pass.seconds * 1e3, if is_host_clock { " (host)" } else { "" });
                figures[5] = format!("{:.3e}", *n_problems as f64 / pass.seconds);
            }
        }
        Err(error) => figures[3] = if error.is_refusal() { "refused" } else { "FAILED" }.into(),
    }
    let [of_feedback, of_feedforward, of_value, fraction, pass, rate] = figures;
    [
        row.device.target().to_string(),
        row.dtype.to_string(),
        row.way.to_owned(),
        format!("{n_problems}, {name}"),
        of_feedback,
        of_feedforward,
        of_value,
        fraction,
        pass,
        rate,
    ]
}

fn write_plans(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let Row { device, dtype, way, .. } = row;
    if let Some(lack) = &row.lack {
        return writeln!(out, "\n{} {dtype}, {way}: {lack} ({})", device.target(), device.name());
    }
    writeln!(out, "\n{} {dtype}, {way}: {}", device.target(), device.name())?;
    // A mapping that several ops share is said once.
    let mapping_of = |planned: &Planned| {
        let plan = &planned.variant().plan;
        format!("{}, {}: {}", mapping::describe(plan), plan.staging, planned.row.reason)
    };
    for ops in row.plans.chunk_by(|a, b| mapping_of(a) == mapping_of(b)) {
        writeln!(out, "  {}", mapping_of(&ops[0]))?;
        for planned in ops {
            writeln!(out, "    {:<19}  {}", planned.formula, planned.variant().symbol)?;
        }
    }
    Ok(())
}
