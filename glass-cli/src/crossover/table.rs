//! The capture as Markdown: every loss stands in it.

use super::capture::{Capture, Published, Timed, View};
use super::summary::{DTYPES, Memory, at_threads, is_of_map, loss, ratio};
use std::fmt::Write;

/// The margin by which the tuner prefers another form.
const MARGIN: f64 = 1.05;

const THREADS: [u64; 4] = [32, 64, 128, 256];

/// All tables. Results of writing to a string are dropped here: it cannot fail.
pub(super) fn markdown(capture: &Capture) -> String {
    let mut text = head(capture);
    text += &counts(capture);
    text += &published(capture);
    text += &picks(capture);
    text += &failures(capture);
    text
}

fn head(capture: &Capture) -> String {
    let header = &capture.header;
    let mut text = format!(
        "{}, {}; declaration `{}`; medians of device-event samples of one launch.\n\n",
        header.provenance.device, header.provenance.date, header.protocol_sha256
    );
    if capture.n_missing() > 0 {
        let _ = writeln!(text, "**Incomplete: {} declared views are missing.**\n", capture.n_missing());
    }
    if let (Some(low), Some(high)) = range(capture.empty_kernel_ns.iter().copied()) {
        let _ = writeln!(text, "An empty kernel alone takes {low:.0} to {high:.0} ns.\n");
    }
    for view in View::ALL {
        let apart = capture.rows.iter().filter(|timed| timed.view == view).filter_map(|timed| {
            let ratio = timed.twice_ns? / timed.ns.get(&capture.header.reference)?;
            Some(ratio.max(1.0 / ratio) - 1.0)
        });
        let mut apart: Vec<f64> = apart.collect();
        apart.sort_by(f64::total_cmp);
        if let Some(worst) = apart.last() {
            let _ = writeln!(
                text,
                "Resolution, {}: `{}` timed twice is {:.1} % apart in the middle of {} tasks, {:.1} % at worst.\n",
                view.name(),
                header.reference,
                100.0 * apart[apart.len() / 2],
                apart.len(),
                100.0 * worst
            );
        }
    }
    text
}

fn range(values: impl Iterator<Item = f64> + Clone) -> (Option<f64>, Option<f64>) {
    (values.clone().min_by(f64::total_cmp), values.max_by(f64::total_cmp))
}

/// How often each form wins on the map.
fn counts(capture: &Capture) -> String {
    let mut text = String::from(
        "## The map in numbers\n\nBest serial over best reduced kernel; a tie is within 5 %.\n\n\
         | dtype | view | operands | reduced faster | tie | serial faster | not both timed |\n|---|---|---|--:|--:|--:|--:|\n",
    );
    for dtype in DTYPES {
        for view in View::ALL {
            for memory in Memory::ALL {
                let [mut reduced, mut tie, mut serial, mut absent] = [0; 4];
                for timed in capture.rows.iter().filter(|timed| is_of_map(timed) && is(timed, dtype, view)) {
                    *match ratio(timed, memory) {
                        None => &mut absent,
                        Some(ratio) if ratio > MARGIN => &mut reduced,
                        Some(ratio) if ratio * MARGIN < 1.0 => &mut serial,
                        Some(_) => &mut tie,
                    } += 1;
                }
                let _ = writeln!(
                    text,
                    "| {dtype} | {} | {} | {reduced} | {tie} | {serial} | {absent} |",
                    view.name(),
                    memory.name()
                );
            }
        }
    }
    text
}

fn is(timed: &Timed, dtype: &str, view: View) -> bool {
    (timed.cell.dtype.as_str(), timed.view) == (dtype, view)
}

/// Both readings of every label; one line where they are the same task.
fn published(capture: &Capture) -> String {
    let mut text = String::from(
        "\n## Both readings of the published sweep\n\nBlock tier, serial over reduced at the same block size: best tree (its \
         lanes) / 32 lanes. Above 1 the reduced form is faster.\n\n\
         | label (M, N, K) | read as | outputs x terms | dtype | view | operands | 32 | 64 | 128 | 256 threads |\n\
         |---|---|---|---|---|---|--:|--:|--:|--:|\n",
    );
    let readings = &capture.header.published;
    for (idx, reading) in readings.iter().enumerate() {
        let is_same = |other: &&Published| other.label == reading.label && other.key == reading.key;
        if readings[..idx].iter().any(|other| is_same(&other)) {
            continue;
        }
        let is_both = readings.iter().filter(is_same).count() > 1;
        for timed in capture.rows.iter().filter(|timed| timed.key == reading.key) {
            for memory in Memory::ALL {
                let dim = |name: &str| timed.cell.dim(name).unwrap_or(1);
                let _ = write!(
                    text,
                    "| {} | {} | {} x {} | {} | {} | {} |",
                    reading.label,
                    if is_both { "both" } else { reading.meaning.as_str() },
                    dim("m") * dim("n"),
                    dim("k"),
                    timed.cell.dtype,
                    timed.view.name(),
                    memory.name()
                );
                for threads in THREADS {
                    let _ = match at_threads(timed, memory, threads) {
                        None => write!(text, " - |"),
                        Some((ratio, lanes, None)) => write!(text, " {ratio:.2} ({lanes}) / - |"),
                        Some((ratio, lanes, Some(whole))) => {
                            write!(text, " {ratio:.2} ({lanes}) / {whole:.2} |")
                        }
                    };
                }
                text.push('\n');
            }
        }
    }
    text
}

/// Where the table picks something slower than the best that was timed.
fn picks(capture: &Capture) -> String {
    let mut text = String::from(
        "\n## What the table picks\n\n| task | view | picked | fastest timed | picked / fastest |\n|---|---|---|---|--:|\n",
    );
    let mut n_close = 0;
    for timed in &capture.rows {
        let cells = format!("| {} | {} | {} |", timed.key, timed.view.name(), timed.pick);
        let _ = match loss(timed) {
            None => writeln!(text, "{cells} - | not timed |"),
            Some((loss, fastest)) if loss > MARGIN => writeln!(text, "{cells} {fastest} | {loss:.2} |"),
            Some(_) => {
                n_close += 1;
                Ok(())
            }
        };
    }
    let _ = writeln!(
        text,
        "\nOf {} views {n_close} are within 5 % of the fastest and not listed.",
        capture.rows.len()
    );
    text
}

fn failures(capture: &Capture) -> String {
    let mut text = String::from("\n## Not timed\n\n");
    for timed in &capture.rows {
        for (mapping, reason) in &timed.failed {
            let _ = writeln!(text, "- {}, {}, {mapping}: {reason}", timed.key, timed.view.name());
        }
    }
    if text.ends_with("\n\n") {
        text += "Nothing that was declared.\n";
    }
    text
}
