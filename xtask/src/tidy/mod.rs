//! `cargo xtask tidy`: rules of the repository that no compiler checks. They are also tests of this package.

mod layering;
mod manifests;
pub(crate) mod packages;
mod sources;
mod templates;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A rule and the function that lists every place that breaks it.
type Rule = (&'static str, fn(&Path) -> Result<Vec<String>, String>);

const RULES: &[Rule] = &[
    ("files are small and hold text that any machine can read", sources::faults),
    ("templates hold text, not decisions", templates::faults),
    ("every package states its terms", manifests::faults),
    ("dependencies point one way", layering::faults),
    ("packages hold what they held", packages::faults),
];

/// Checks every rule; whether all hold.
pub(crate) fn run(root: &Path) -> Result<bool, String> {
    let mut is_tidy = true;
    for (rule, faults) in RULES {
        let faults = faults(root)?;
        println!("{}: {}", rule, if faults.is_empty() { "yes" } else { "no" });
        faults.iter().for_each(|fault| println!("  {fault}"));
        is_tidy &= faults.is_empty();
    }
    Ok(is_tidy)
}

/// Paths under version control, relative to the root.
fn tracked(root: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = output(Command::new("git").current_dir(root).args(["ls-files", "-z"]))?;
    let paths = listed.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from);
    // A file that is being removed may still be listed.
    Ok(paths.filter(|path| root.join(path).is_file()).collect())
}

fn read(root: &Path, path: &Path) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|error| format!("{}: {error}", path.display()))
}

fn output(command: &mut Command) -> Result<String, String> {
    let name = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String, String> {
    output(Command::new(env!("CARGO")).current_dir(root).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let mut all = Vec::new();
        for (rule, faults) in RULES {
            let faults = faults(crate::root()).unwrap_or_else(|error| panic!("{error}"));
            all.extend(faults.into_iter().map(|fault| format!("{rule}: {fault}")));
        }
        assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
    }
}
