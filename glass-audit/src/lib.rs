//! Recomputes a comparison of GPU kernels from its raw samples.
//!
//! Reads a folder of `declaration.json`, `sources.json`, `pilots.json` and `results.json`, each plain or as `.gz`, and nothing else:
//! it shares no code with the program that measured, neither types nor digests nor medians. Whether a candidate wins
//! decides nothing: a clean loss passes.
#![forbid(unsafe_code)]

mod capture;
mod checks;
mod command;
mod files;
mod finding;
mod limits;
mod mutations;
mod receipt;
mod sha256;
mod shape;
mod statistics;

pub use command::{Failure, run};
pub use files::Error;
pub use finding::{Finding, Reason};
pub use receipt::{CellReport, Counts, Judged, MutationReport, Receipt, Visits};
pub use statistics::{Class, Ratios, Verdict};

use capture::Capture;
use finding::Findings;
use mutations::MUTATIONS;
use std::path::Path;

/// Audits what is known before anything is timed: declaration, texts and pilots.
///
/// # Errors
/// A file is absent or does not follow the format.
pub fn pilots(folder: &Path) -> Result<Vec<Finding>, Error> {
    let capture = files::read(folder, false)?;
    let mut findings = Findings::default();
    checks::pilots(&capture, &mut findings);
    Ok(findings.found)
}

/// Audits a whole comparison, and whether this audit would notice fourteen falsifications of it.
///
/// # Errors
/// A file is absent or does not follow the format.
pub fn audit(folder: &Path) -> Result<Receipt, Error> {
    let capture = files::read(folder, true)?;
    let (findings, mut receipt) = examine(&capture, files::digests(folder)?);
    receipt.validations = findings.n_validations;
    receipt.findings = findings.found;
    receipt.mutations = MUTATIONS
        .iter()
        .map(|mutation| {
            let mut copy = capture.clone();
            let mut results = copy.results.take().expect("results were read");
            let applies = (mutation.apply)(&mut copy, &mut results);
            copy.results = Some(results);
            let finding = applies.then(|| examine(&copy, Vec::new()).0.found.into_iter().next()).flatten();
            MutationReport {
                id: mutation.id,
                what: mutation.what,
                reason: mutation.reason,
                rejected: applies
                    .then(|| finding.as_ref().is_some_and(|finding| finding.reason == mutation.reason)),
                finding,
            }
        })
        .collect();
    let is_alert = receipt.mutations.iter().all(|mutation| mutation.rejected != Some(false));
    receipt.status = if receipt.findings.is_empty() && is_alert { "pass" } else { "fail" };
    Ok(receipt)
}

fn examine(capture: &Capture, files: Vec<(String, String)>) -> (Findings, Receipt) {
    let mut findings = Findings::default();
    let results = capture.results.as_ref().expect("results were read");
    let recomputed = checks::results(capture, results, &mut findings);
    (findings, Receipt::new(capture, &recomputed, results, files))
}
