//! What has to hold, in the order in which faults imply one another: the first finding is the cause.

mod claims;
mod grid;
mod kernels;
mod memory;
mod ratios;
mod samples;
mod texts;

use crate::capture::{Capture, Results};
use crate::finding::{Findings, Reason};

pub(crate) use grid::{has_clocks, repeated};
pub(crate) use ratios::Recomputed;

/// Format and parameters that the rest of the audit stands on.
const METRICS: [&str; 4] = ["e2e_batch", "e2e_single", "event_batch", "event_single"];

/// Visits of a cell in one round.
pub(crate) const VISITS: usize = 4;

/// Everything that the declaration and the pilots alone can break.
pub(crate) fn pilots(capture: &Capture, findings: &mut Findings) {
    let Capture { declaration, pilots, .. } = capture;
    let formats = [
        (declaration.schema.as_str(), "glass.declaration.v1"),
        (pilots.schema.as_str(), "glass.pilots.v1"),
        (declaration.mode.as_str(), "abba"),
        (declaration.order_table.as_str(), "cross4"),
    ];
    for (given, known) in formats {
        findings.require(Reason::Protocol, given == known, || format!("`{given}`; known: `{known}`"));
    }
    findings.require(Reason::Protocol, declaration.metrics == METRICS, || {
        format!("metrics {:?}; allowed: {METRICS:?}", declaration.metrics)
    });
    let is_crossed = declaration.rounds > 0 && declaration.rounds.is_multiple_of(4);
    findings.require(Reason::Protocol, is_crossed, || {
        format!("{} rounds; allowed: multiples of 4", declaration.rounds)
    });
    words(capture, findings);
    claims::known(capture, findings);
    let n_aa = declaration.cells.iter().filter(|cell| cell.is_aa).count();
    findings
        .require(Reason::Protocol, n_aa == 1, || format!("{n_aa} cells enter the reference twice, not 1"));
    findings.require(Reason::Protocol, pilots.protocol_sha256 == capture.declaration_sha256, || {
        format!(
            "the pilots name protocol {}, the file is {}",
            pilots.protocol_sha256, capture.declaration_sha256
        )
    });
    let binary = pilots.artifacts.get("glass-gpu");
    findings.require(Reason::Binary, binary == Some(&declaration.binary_sha256), || {
        format!("glass-gpu is {binary:?}, declared {}", declaration.binary_sha256)
    });
    texts::pilots(capture, findings);
    kernels::pilots(capture, findings);
}

/// Everything.
pub(crate) fn results(capture: &Capture, results: &Results, findings: &mut Findings) -> Recomputed {
    pilots(capture, findings);
    run(capture, results, findings);
    grid::rows(capture, results, findings);
    samples::rows(capture, results, findings);
    texts::rows(capture, results, findings);
    kernels::rows(capture, results, findings);
    memory::rows(capture, results, findings);
    let recomputed = ratios::recompute(capture, results);
    ratios::published(&recomputed, results, findings);
    memory::ceilings(capture, results, &recomputed, findings);
    claims::declared(capture, &recomputed, findings);
    recomputed
}

/// Words of a cell that decide how its bytes are counted.
fn words(capture: &Capture, findings: &mut Findings) {
    for cell in &capture.declaration.cells {
        let choices: [(&str, &str, &[&str]); 4] = [
            ("dtype", &cell.dtype, &["f32", "f64"]),
            ("layout", &cell.layout, &["aos", "aosoa32"]),
            ("storage", &cell.storage, &["full", "packed"]),
            ("regime", &cell.regime, &["dram_cold", "launch"]),
        ];
        for (what, given, known) in choices {
            findings.require(Reason::Protocol, known.contains(&given), || {
                format!("{}: {what} `{given}`; known: {known:?}", cell.id)
            });
        }
    }
}

/// One program, one machine, one protocol from the pilots to the end.
fn run(capture: &Capture, results: &Results, findings: &mut Findings) {
    let meta = &results.meta;
    findings.require(Reason::Protocol, results.schema == "glass.compare.v1", || {
        format!("`{}`; known: `glass.compare.v1`", results.schema)
    });
    let digests = [
        ("protocol", &meta.protocol_sha256, &capture.declaration_sha256),
        ("pilots", &meta.pilots_sha256, &capture.pilots_sha256),
    ];
    for (what, named, stored) in digests {
        findings.require(Reason::Protocol, named == stored, || {
            format!("the results name {what} {named}, the file is {stored}")
        });
    }
    let artifacts = &meta.artifacts;
    let binary = artifacts.before.get("glass-gpu");
    findings.require(Reason::Binary, binary == Some(&capture.declaration.binary_sha256), || {
        format!("glass-gpu is {binary:?}, declared {}", capture.declaration.binary_sha256)
    });
    findings.require(Reason::ArtifactsChanged, artifacts.unchanged, || {
        "the runner says that files changed during the run".to_owned()
    });
    findings.require(Reason::ArtifactsChanged, artifacts.before == artifacts.after, || {
        format!("{:?} before, {:?} after", artifacts.before, artifacts.after)
    });
    let are_pilots =
        capture.pilots.artifacts.iter().all(|(name, sha)| artifacts.before.get(name) == Some(sha));
    findings.require(Reason::ArtifactsChanged, are_pilots, || {
        format!("{:?} in the pilots, {:?} before", capture.pilots.artifacts, artifacts.before)
    });
}
