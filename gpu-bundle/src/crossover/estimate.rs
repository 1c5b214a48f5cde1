//! What a declaration costs, and how it reads.

use super::declaration::{Declaration, Task};
use super::shapes::Set;
use super::view::View;
use crate::regime::Rotation;
use crate::tasks;
use std::fmt::Write;

/// Cores that compile beside an H200.
const N_CORES: f64 = 16.0;

/// Seconds that one core takes for a kernel. Without a GPU a sample of them compiled in 0.09 each, and the gate with its
/// oracle took 0.12 microseconds a multiply-add, which is 0.07 for the mean shape; the rest is for loading.
const SECONDS_PER_KERNEL: f64 = 0.2;

/// Seconds of one sample beside the launches: gate, events, the host.
const SECONDS_PER_SAMPLE: f64 = 60e-6;

/// Launches of a cold sample are a third of a millisecond together, and so is the gate in front of them.
const SECONDS_PER_COLD_SAMPLE: f64 = 600e-6;

/// Bytes per second of a kernel at half of what a copy moves.
const BYTES_PER_SECOND: f64 = 2.1e12;

/// Seconds of compiling and of timing.
fn seconds(declaration: &Declaration) -> Result<(f64, f64), String> {
    let compiling = declaration.n_kernels() as f64 * SECONDS_PER_KERNEL / N_CORES;
    let mut timing = 0.0;
    for task in &declaration.tasks {
        for view in View::ALL {
            timing += (task.kernels.len() + 1) as f64 * kernel_seconds(task, view)?;
        }
    }
    Ok((compiling, timing))
}

fn kernel_seconds(task: &Task, view: View) -> Result<f64, String> {
    let (spec, layout) = tasks::of_key(&task.key)?;
    let n_bytes = Rotation::new(&spec, layout, task.batches[&view]).bytes_per_call();
    let sample = match view {
        View::OneBlock => SECONDS_PER_SAMPLE,
        View::FullGpu => SECONDS_PER_COLD_SAMPLE.max(n_bytes as f64 / BYTES_PER_SECOND),
    };
    // Two launches warm up.
    Ok((view.n_samples() + 2) as f64 * sample)
}

/// The digest of what machines read, counts and cost.
pub(super) fn head(declaration: &Declaration, protocol: &str) -> Result<String, String> {
    let (compiling, timing) = seconds(declaration)?;
    let mut text = format!("protocol {protocol}\n\n");
    // Writing to a string cannot fail.
    for set in [Set::Map, Set::Published] {
        let of_set = || declaration.tasks.iter().filter(|task| task.set == set);
        let n_kernels: usize = of_set().map(|task| task.kernels.len()).sum();
        let n_skipped: usize = of_set().map(|task| task.skipped.len()).sum();
        let _ = writeln!(
            text,
            "{set:?}: {} tasks, {n_kernels} kernels, {n_skipped} mappings left out",
            of_set().count()
        );
    }
    let n_views = View::ALL.len();
    let _ = writeln!(
        text,
        "{} kernels x {n_views} views; about {compiling:.0} s of compiling and checking on {N_CORES} cores and {timing:.0} s of timing",
        declaration.n_kernels()
    );
    Ok(text)
}

/// For people: the head, the rules and every task.
pub(super) fn text(declaration: &Declaration, head: &str) -> String {
    let mut text = format!("{head}\n");
    // Writing to a string cannot fail.
    for rule in &declaration.rules {
        let _ = writeln!(text, "{rule}");
    }
    text.push('\n');
    for line in &declaration.not_claimed {
        let _ = writeln!(text, "not claimed: {line}");
    }
    text.push('\n');
    for reading in &declaration.published {
        let _ = writeln!(text, "({}) {:?}: {}", reading.label, reading.meaning, reading.key);
    }
    for task in &declaration.tasks {
        let Task { key, n_outputs, n_terms, kernels, batches, picks, skipped, .. } = task;
        let _ =
            writeln!(text, "\n{key}: {n_outputs} outputs over {n_terms} terms, {} kernels", kernels.len());
        for (view, batch) in batches {
            let _ = writeln!(text, "  {view:?} x {batch}, picked {}", picks[view]);
        }
        for (mapping, reason) in skipped {
            let _ = writeln!(text, "  left out {mapping}: {reason}");
        }
    }
    text
}
