//! Size, names and contents of files.

use super::{read, tracked};
use std::path::Path;

/// Lines beyond which a source file does two jobs.
const MAX_LINES: usize = 600;

/// Module names that say nothing.
const EMPTY_NAMES: [&str; 7] = ["utils", "util", "common", "helpers", "helper", "base", "misc"];

/// Folders that exist on one machine only; spelled so that this file does not break its own rule.
const MACHINE_FOLDERS: [&str; 5] = [
    concat!("/", "work/"),
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "Users/"),
    concat!("C:", "\\"),
];

/// Extensions of files that people read.
const TEXT: [&str; 16] = [
    "rs", "toml", "md", "tera", "snap", "stderr", "yml", "yaml", "sh", "json", "jsonl", "csv", "txt", "cu",
    "cpp", "h",
];

pub(super) fn faults(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for path in tracked(root)? {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let names = path.iter().filter_map(|part| Path::new(part).file_stem()?.to_str());
        if let Some(name) = names.into_iter().find(|name| EMPTY_NAMES.contains(name)) {
            faults.push(format!("{}: `{name}` says nothing", path.display()));
        }
        if !TEXT.contains(&extension) {
            continue;
        }
        let text = read(root, &path)?;
        let n_lines = text.lines().count();
        if extension == "rs" && n_lines > MAX_LINES {
            faults.push(format!("{}: {n_lines} lines, allowed {MAX_LINES}", path.display()));
        }
        for (line_idx, line) in text.lines().enumerate() {
            let number = line_idx + 1;
            if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| line.contains(*folder)) {
                faults.push(format!("{}:{number}: `{folder}` exists on one machine", path.display()));
            }
            if extension == "rs" && line.trim() == concat!("#[", "ignore]") {
                faults.push(format!("{}:{number}: an ignored test", path.display()));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') && extension != "snap" {
            faults.push(format!("{}: no final newline", path.display()));
        }
    }
    Ok(faults)
}
