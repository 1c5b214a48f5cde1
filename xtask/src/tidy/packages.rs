//! What `cargo package` packs, compared with committed lists, so that a template cannot go missing.

use super::cargo;
use std::path::{Path, PathBuf};

const PUBLISHED: [&str; 4] = ["glass-kernels", "glass-macros", "glass-codegen", "glass-rt"];

pub(super) fn faults(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for package in PUBLISHED {
        let packed = packed(root, package)?;
        let path = list(root, package);
        let committed =
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let only = |these: &str, those: &str| -> Vec<String> {
            these
                .lines()
                .filter(|line| !those.lines().any(|other| other == *line))
                .map(str::to_owned)
                .collect()
        };
        faults.extend(
            only(&packed, &committed).iter().map(|file| format!("{package} packs `{file}`, unlisted")),
        );
        faults
            .extend(only(&committed, &packed).iter().map(|file| format!("{package} does not pack `{file}`")));
    }
    Ok(faults)
}

/// Rewrites the lists.
pub(crate) fn bless(root: &Path) -> Result<(), String> {
    for package in PUBLISHED {
        let path = list(root, package);
        std::fs::write(&path, packed(root, package)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn list(root: &Path, package: &str) -> PathBuf {
    root.join("xtask/package-lists").join(format!("{package}.txt"))
}

/// Packed files, one a line, without those that cargo itself adds.
fn packed(root: &Path, package: &str) -> Result<String, String> {
    let listed = cargo(root, &["package", "--list", "--allow-dirty", "--package", package])?;
    let own = |line: &&str| ![".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"].contains(line);
    Ok(listed.lines().filter(own).map(|line| format!("{}\n", line.replace('\\', "/"))).collect())
}
