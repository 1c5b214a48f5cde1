//! `cargo xtask bless`: writes what a change makes of snapshots, operation counts, resources, messages and package
//! lists. The diff is the review.

use crate::environment::Environment;
use crate::tidy::packages;
use std::path::Path;
use std::process::Command;

/// What can be blessed, in the order in which it is.
const PARTS: [&str; 5] = ["snapshots", "operations", "resources", "ui", "packages"];

/// Blesses the named parts, or all.
pub(crate) fn run(root: &Path, names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| !PARTS.contains(name)) {
        return Err(format!("`{unknown}` cannot be blessed; there are {}", PARTS.join(", ")));
    }
    for part in PARTS.into_iter().filter(|part| names.is_empty() || names.contains(part)) {
        println!("== {part}");
        match part {
            "snapshots" => test(root, &["--package", "glass-tests", "--test", "snapshots"])?,
            "operations" => test(root, &["--package", "glass-tests", "--test", "operations", "the_counts"])?,
            "resources" => test(root, &["--package", "glass-tests", "--test", "nvrtc", "the_grid"])?,
            "ui" => test(root, &["--package", "glass-ui-tests", "--test", "ui"])?,
            _ => packages::bless(root)?,
        }
    }
    Ok(())
}

/// Runs tests that write what they would otherwise compare.
fn test(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["test", "--quiet"]).args(arguments);
    command.env("GLASS_BLESS", "1").env("INSTA_UPDATE", "always").env("INSTA_FORCE_UPDATE", "1");
    command.env("TRYBUILD", "overwrite");
    Environment::prepare(root).apply(&mut command);
    let status = command.status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo test {}` failed", arguments.join(" "))) }
}
