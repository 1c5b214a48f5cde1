//! `glass-gpu guard`: has any cell of a new capture of the bench lost more than its own spread and 5 %? Needs no device.
//!
//! A cell is compared by a yardstick of its own run: cold ones as a fraction of C, launch-bound ones as a multiple of the
//! empty kernel, so that another day's clock decides nothing. It lies beside the bench, whose format it reads, so that a run
//! on a GPU machine ends with it.

mod capture;
#[cfg(test)]
mod tests;
mod verdict;

use crate::options::Guard;
use capture::Capture;
use std::fmt::Write;
use verdict::{MARGIN, Outcome, Verdict, verdicts};

/// Compares two captures.
///
/// # Errors
/// A cell was lost, disappeared or became invalid; or the captures cannot be compared.
pub(crate) fn run(options: &Guard) -> Result<(), String> {
    let (old, new) = (Capture::read(&options.old)?, Capture::read(&options.new)?);
    let judgement = judge(&old, &new)?;
    print!("{}", judgement.text(options.losses_first));
    judgement.conclusion()
}

/// Every cell, and what stands above the table.
struct Judgement {
    head: String,
    verdicts: Vec<Verdict>,
    /// What the bench itself could not do in the new run.
    failures: Vec<String>,
}

fn judge(old: &Capture, new: &Capture) -> Result<Judgement, String> {
    let [before, now] = [old, new].map(|capture| &capture.provenance);
    if (&before.device, before.arch) != (&now.device, now.arch) {
        return Err(format!(
            "the old capture is of {} (sm_{}), the new one of {} (sm_{}): times of two devices are not compared",
            before.device, before.arch, now.device, now.arch
        ));
    }
    let mut head = String::new();
    for (name, capture) in [("old", old), ("new", new)] {
        let of = &capture.provenance;
        let line = format!(
            "{name}: {}, driver {}, NVRTC {}, {}, revision {}; C {:.1} GB/s, empty kernel {:.0} ns",
            of.device,
            of.driver,
            of.nvrtc,
            of.date,
            of.revision,
            capture.copy_gbs(),
            capture.empty_ns()
        );
        head += &(line + "\n");
    }
    for (what, before, now) in [("driver", &before.driver, &now.driver), ("NVRTC", &before.nvrtc, &now.nvrtc)]
    {
        if before != now {
            head += &format!("ANOTHER {what}: {now}, {before} before; what is lost may be lost there\n");
        }
    }
    let n_twice = new.cells.iter().filter(|cell| cell.has_second_visit()).count();
    head += &match n_twice {
        0 => "No cell of the new capture was visited twice: spreads are those within one visit, not between visits.\n"
            .to_owned(),
        _ => format!("{n_twice} of {} cells of the new capture were visited twice.\n", new.cells.len()),
    };
    Ok(Judgement { head, verdicts: verdicts(old, new), failures: new.failures.clone() })
}

impl Judgement {
    fn text(&self, losses_first: bool) -> String {
        let mut text = format!("{}\n", self.head);
        let mut rows: Vec<&Verdict> = self.verdicts.iter().collect();
        if losses_first {
            // What has no figure comes before what has, faults before the rest.
            let order = |verdict: &Verdict| match &verdict.outcome {
                Outcome::Compared(compared) => compared.slowdown,
                outcome if outcome.is_fault() => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
            rows.sort_by(|a, b| order(b).total_cmp(&order(a)));
        }
        let width = rows.iter().map(|verdict| verdict.name.len()).max().unwrap_or(0);
        text += &format!(
            "{:width$} {:>12} {:>12} {:>12} {:>8} {:>8}\n",
            "cell", "regime", "before", "now", "slower", "allowed"
        );
        for Verdict { name, outcome } in rows {
            writeln!(text, "{name:width$} {}", described(outcome)).expect("a String takes any text");
        }
        text
    }

    fn conclusion(&self) -> Result<(), String> {
        let compared = |verdict: &&Verdict| matches!(verdict.outcome, Outcome::Compared(_));
        let n_compared = self.verdicts.iter().filter(compared).count();
        let faults = self.verdicts.iter().filter(|verdict| verdict.outcome.is_fault());
        let faults = faults.map(|Verdict { name, outcome }| format!("{name}: {}", reason(outcome)));
        let failures = self.failures.iter().map(|failure| format!("the bench failed: {failure}"));
        let faults: Vec<String> = faults.chain(failures).collect();
        if n_compared == 0 {
            return Err("the captures have no cell that could be compared".into());
        }
        if faults.is_empty() {
            println!(
                "\n{n_compared} cells compared, none lost more than its spread and {:.0} %",
                MARGIN * 100.0
            );
            return Ok(());
        }
        Err(format!("{n_compared} cells compared, {} faults:\n{}", faults.len(), faults.join("\n")))
    }
}

/// The columns of a cell behind its name.
fn described(outcome: &Outcome) -> String {
    let Outcome::Compared(compared) = outcome else { return reason(outcome) };
    let [before, now] = &compared.scores;
    let percent = |part: f64, sign: &str| format!("{sign}{:.1} %", part * 100.0);
    let slowdown = percent(compared.slowdown, if compared.slowdown < 0.0 { "" } else { "+" });
    let mut text = format!(
        "{:>12} {before:>12} {now:>12} {slowdown:>8} {:>8}",
        compared.regime,
        percent(compared.allowed, "")
    );
    if compared.is_lost() {
        text += "  LOST";
    }
    if let Some([before, now]) = &compared.mappings {
        text += &format!("  {now}, {before} before");
    } else if compared.has_other_text {
        text += "  another text";
    }
    text
}

/// A fault, or why there is no figure.
fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Compared(compared) => {
            let [before, now] = &compared.scores;
            let text = if compared.has_other_text { "another text" } else { "the same text" };
            format!(
                "{now}, {before} before: {:.1} % slower, allowed {:.1} %; {text}",
                compared.slowdown * 100.0,
                compared.allowed * 100.0
            )
        }
        Outcome::Missing => "MISSING from the new capture".to_owned(),
        Outcome::Appeared => "new, nothing to compare with".to_owned(),
        Outcome::Invalid(check) => format!("INVALID: {check}"),
        Outcome::InvalidBefore => "invalid before, right now".to_owned(),
        Outcome::Incomparable(difference) => format!("NOT COMPARABLE: {difference}"),
        Outcome::Unscored => "mixed regime, never scored".to_owned(),
    }
}
