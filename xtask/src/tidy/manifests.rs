//! Every package states what it needs and what it allows.

use super::{read, tracked};
use std::path::Path;

pub(super) fn faults(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for path in tracked(root)?.iter().filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"))
    {
        let text = read(root, path)?;
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for wanted in [
            "edition.workspace = true",
            "rust-version.workspace = true",
            "license.workspace = true",
            "[lints]",
        ] {
            if !lines.contains(&wanted) {
                faults.push(format!("{}: no `{wanted}`", path.display()));
            }
        }
        // Two CUDA versions in one graph do not compile: the run time alone names one.
        let names_cuda = |line: &&&str| {
            line.contains("cuda-12") || line.contains("cuda-13") || line.contains("cuda-version")
        };
        if !path.starts_with("glass-rt") {
            let named = lines.iter().filter(names_cuda);
            faults.extend(named.map(|line| format!("{}: `{line}` names a CUDA version", path.display())));
        }
    }
    Ok(faults)
}
