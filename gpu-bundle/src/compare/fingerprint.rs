//! Digests of the program and of every library that decides what is measured.

use super::capture::Artifacts;
use crate::digest::sha256;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Libraries whose files count, by the start of their names.
const LIBRARIES: [&str; 7] = [
    "libcuda.so",
    "libnvrtc",
    "libcublas",
    "libcusolver",
    "libcusparse",
    "libnvJitLink",
    "libnvidia-ptxjitcompiler",
];

/// This program and what it has loaded so far.
pub(super) fn artifacts() -> Result<Artifacts, String> {
    let maps =
        std::fs::read_to_string("/proc/self/maps").map_err(|error| format!("own memory map: {error}"))?;
    let mut artifacts = Artifacts::from([("glass-gpu".to_owned(), own()?)]);
    for path in libraries(&maps) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        artifacts.insert(name, sha256(bytes));
    }
    Ok(artifacts)
}

/// Digest of this program.
pub(super) fn own() -> Result<String, String> {
    let path = std::env::current_exe().map_err(|error| format!("own executable: {error}"))?;
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(sha256(bytes))
}

fn libraries(maps: &str) -> BTreeSet<PathBuf> {
    let paths = maps.lines().filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    let counts = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        LIBRARIES.iter().any(|library| name.starts_with(library))
    };
    paths.filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_off_the_memory_map_once_each() {
        let maps = "7f00-7f01 r-xp 00000000 00:1 1   /lib/libcublas.so.13.0.2\n\
                    7f01-7f02 r--p 00000000 00:1 1   /lib/libcublas.so.13.0.2\n\
                    7f02-7f03 rw-p 00000000 00:0 0\n7f03-7f04 r-xp 0 00:1 2   /lib/libc.so.6\n\
                    7f03-7f04 r-xp 0 00:1 3   /usr/lib/libnvrtc.so.13\n";
        let names: Vec<_> = libraries(maps).into_iter().map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["/lib/libcublas.so.13.0.2", "/usr/lib/libnvrtc.so.13"]);
    }

    #[test]
    fn this_program_is_among_the_artifacts() {
        assert_eq!(artifacts().unwrap()["glass-gpu"], own().unwrap());
    }
}
