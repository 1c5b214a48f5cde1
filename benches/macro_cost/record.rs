//! The saved figures: every raw sample, and what they were taken on.

use crate::attributes;
use crate::fixture::{Check, Expansion, Fixture};
use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Writes `benches/results/macro_cost.json`.
pub(crate) fn write(
    repeated: &[Expansion],
    mixed: &[Expansion],
    checks: &[Vec<Check>; 2],
    load_before: Option<String>,
) -> Result<(), Box<dyn Error>> {
    let crates: Vec<_> = Fixture::COMPARED
        .iter()
        .zip([0, attributes::N_ATTRIBUTES])
        .zip(checks)
        .map(|((name, n_attributes), checks)| {
            json!({
                "crate": name,
                "n_attributes": n_attributes,
                "wall_ns": checks.iter().map(|check| check.wall_ns).collect::<Vec<_>>(),
                "cpu_ns": checks.iter().map(|check| check.cpu_ns).collect::<Vec<_>>(),
            })
        })
        .collect();
    let record = json!({
        "bench": "macro_cost",
        "command": "cargo bench --bench macro_cost -- --save",
        "machine": {
            "threads": std::thread::available_parallelism()?.get(),
            "load_before": load_before,
            "load_after": load(),
        },
        "rustc": output("rustc", &["--version"]),
        "revision": output("git", &["describe", "--always", "--dirty"]),
        "profile": "dev, no optimisation of macros",
        "clock": "wall: host monotonic; cpu: user and system time of children in ticks of 10 ms",
        "expansion": {
            "attribute": "n_out = 7, k = 14",
            "wall_ns": repeated.iter().map(|expansion| expansion.wall_ns).collect::<Vec<_>>(),
        },
        "mixed": mixed
            .iter()
            .map(|expansion| json!({ "attribute": expansion.attribute, "least_wall_ns": expansion.wall_ns }))
            .collect::<Vec<_>>(),
        "checks": crates,
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results/macro_cost.json");
    fs::write(path, serde_json::to_string_pretty(&record)? + "\n")?;
    Ok(())
}

/// Processes that want to run, averaged over a minute.
pub(crate) fn load() -> Option<String> {
    Some(fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.to_owned())
}

/// First line a command prints; `None` where the command is missing or fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned())
}
