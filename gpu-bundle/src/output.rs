//! Files that survive a crash: appended line by line, or replaced whole.

use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes the folder of results.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file under a temporary name and renames it, so that no half of it is ever seen.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), String> {
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, text)
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// One JSON value per line, on disk as soon as it is known.
pub(crate) struct Lines {
    file: File,
    path: PathBuf,
}

impl Lines {
    pub(crate) fn create(path: PathBuf) -> Result<Lines, String> {
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Lines { file, path })
    }

    pub(crate) fn push(&mut self, row: &impl Serialize) -> Result<(), String> {
        let mut line = serde_json::to_string(row).map_err(|error| error.to_string())?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// The number with `digits` significant decimal digits, so that a file does not change with noise.
pub(crate) fn significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().expect("a formatted number parses")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits() {
        assert_eq!(significant(0.112_349, 3), 0.112);
        assert_eq!(significant(2_345.6, 3), 2350.0);
        assert_eq!(significant(0.0, 3), 0.0);
        assert_eq!(format!("{:?}", significant(4.449_9, 3)), "4.45");
    }
}
