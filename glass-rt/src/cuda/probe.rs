//! Whether the CUDA libraries are there, asked before any call that would panic without them.

use std::path::PathBuf;

/// Names under which the driver is looked for.
#[cfg(windows)]
pub(super) const DRIVER_NAMES: &str = "nvcuda.dll";
/// Names under which the driver is looked for.
#[cfg(not(windows))]
pub(super) const DRIVER_NAMES: &str = "libcuda.so, libcuda.so.1";

/// Whether the driver library can be opened.
pub(super) fn driver_present() -> bool {
    // SAFETY: opens a library and closes it again; its initialisers are the vendor's.
    unsafe { cudarc::driver::sys::is_culib_present() }
}

/// Whether NVRTC can be opened.
pub(super) fn nvrtc_present() -> bool {
    // SAFETY: opens a library and closes it again; its initialisers are the vendor's.
    unsafe { cudarc::nvrtc::sys::is_culib_present() }
}

/// Whether NVRTC can hand out machine code. Only after [`nvrtc_present`] said yes.
pub(super) fn nvrtc_has_cubin() -> bool {
    // SAFETY: the library is present; the symbol is only looked up.
    unsafe { cudarc::nvrtc::sys::culib().get::<unsafe extern "C" fn()>(b"nvrtcGetCUBIN").is_ok() }
}

/// Why NVRTC was not found, with what lies in the usual folders under a name that is never tried.
pub(super) fn nvrtc_absence() -> String {
    absence_text(&libraries(&search_folders()))
}

fn absence_text(found: &[PathBuf]) -> String {
    let base = "no library of the names libnvrtc.so, libnvrtc.so.12, ... could be opened";
    match found.first() {
        Some(path) => format!(
            "{base}; {} exists, but that name is not tried by these bindings: put a link called libnvrtc.so beside \
             it, on the library path",
            path.display()
        ),
        None => format!("{base}; the driver does not bring NVRTC, the CUDA toolkit does"),
    }
}

fn search_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = [
        "/usr/local/cuda/lib64",
        "/usr/local/cuda/targets/x86_64-linux/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ];
    std::env::split_paths(&path).chain(usual.map(PathBuf::from)).collect()
}

/// Files called `libnvrtc.so.MAJOR` in `folders`, the newest first.
fn libraries(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        let name = entry.file_name();
        let major = name.to_str().and_then(|name| name.strip_prefix("libnvrtc.so.")?.parse().ok());
        found.extend(major.map(|major| (major, entry.path())));
    }
    found.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_under_an_untried_name_is_the_cause() {
        let folder = std::env::temp_dir().join(format!("glass-probe-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("libnvrtc.so.13"), b"").unwrap();
        std::fs::write(folder.join("libnvrtc.so.13.0.88"), b"").unwrap();
        let found = libraries(std::slice::from_ref(&folder));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [folder.join("libnvrtc.so.13")]);
        let text = absence_text(&found);
        assert!(text.contains("libnvrtc.so.13 exists") && text.contains("called libnvrtc.so "), "{text}");
        assert!(absence_text(&[]).contains("the CUDA toolkit does"));
    }
}
