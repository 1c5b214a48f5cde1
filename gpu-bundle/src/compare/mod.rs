//! Two kernels of the same task, and outside implementations, side by side: declared first, judged by others.
//!
//! `declare` fixes cells, texts and claims without a device. `compare` refuses to time anything else, checks every
//! contender once, has these pilots audited by a program that shares no code with this one, and replays the cells in
//! the declared order. Nothing is summarised that the auditor cannot recompute from the files.

mod capture;
mod cells;
mod clocks;
mod declaration;
mod device;
mod fingerprint;
mod gate;
mod inputs;
mod limits;
mod order;
mod own;
mod peers;
mod region;
mod replay;
mod shape;
mod summary;
mod timing;

use crate::cuda::Gpu;
use crate::digest::{declared, sha256};
use crate::options;
use crate::output;
use crate::provenance::Provenance;
use capture::Results;
use declaration::Declaration;
use device::Bench;
use replay::{Run, replay};
use serde::Serialize;
use std::path::Path;
use std::process::Command;

/// Writes a declaration and the kernel texts that it freezes; prints the digest to commit.
pub(crate) fn declare(options: &options::Declare) -> Result<(), String> {
    let list = std::fs::read_to_string(&options.cells)
        .map_err(|error| format!("{}: {error}", options.cells.display()))?;
    let (declaration, sources) = cells::declare(&list, fingerprint::own()?)?;
    output::folder(&options.out)?;
    let text = json(&declaration)?;
    let protocol = sha256(&text);
    output::replace(&options.out.join("declaration.json"), &text)?;
    output::replace(&options.out.join("declaration.txt"), &declaration.text(&protocol))?;
    output::replace(&options.out.join("sources.json"), &json(&sources)?)?;
    println!("{protocol}");
    Ok(())
}

fn json(value: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    Ok(format!("{text}\n"))
}

/// Measures what the declaration in the folder says.
pub(crate) fn run(options: &options::Compare) -> Result<(), String> {
    let out = &options.out;
    let declaration: Declaration = declared(&out.join("declaration.json"), &options.protocol)?;
    let own = fingerprint::own()?;
    if own != declaration.binary_sha256 {
        return Err(format!(
            "this program is {own}, declared {}: nothing is timed",
            declaration.binary_sha256
        ));
    }
    let mut bench = Bench::new(&declaration, Gpu::open(0)?)?;
    let provenance = Provenance::of(Some(bench.gpu()))?;
    let pilots = bench.pilots(&options.protocol)?;
    let text = json(&pilots)?;
    output::replace(&out.join("pilots.json"), &text)?;
    audit_pilots(out)?;
    let run = Run {
        declaration: &declaration,
        protocol_sha256: &options.protocol,
        pilots: &pilots,
        pilots_sha256: sha256(&text),
        provenance,
    };
    let results = replay(run, &mut bench, out)?;
    report(&results)
}

/// Has the auditor look at declaration and pilots: any fault ends the run before it has begun.
fn audit_pilots(out: &Path) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| format!("own executable: {error}"))?;
    let auditor = own.with_file_name("glass-audit");
    let outcome = Command::new(&auditor)
        .arg("--pilots")
        .arg(out)
        .output()
        .map_err(|error| format!("the pilots cannot be audited: {}: {error}", auditor.display()))?;
    if outcome.status.success() {
        return Ok(());
    }
    Err(format!("the pilots are rejected: {}", String::from_utf8_lossy(&outcome.stderr)))
}

/// Prints how it went; figures are the auditor's.
fn report(results: &Results) -> Result<(), String> {
    let meta = &results.meta;
    println!("{} rows, {} of them failed", results.rows.len(), meta.failures_retained);
    for row in results.rows.iter().filter(|row| !row.valid).take(8) {
        println!("FAIL {}, round {}: {}", row.cell, row.round, row.error.as_deref().unwrap_or_default());
    }
    match (meta.artifacts.unchanged, meta.failures_retained) {
        (true, 0) => Ok(()),
        (false, _) => Err("files changed during the run".to_owned()),
        (_, n_failed) => Err(format!("{n_failed} rows failed")),
    }
}
