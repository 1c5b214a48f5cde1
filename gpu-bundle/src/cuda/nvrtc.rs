//! Kernel text to machine code, by the compiler and with the options of the run time.

use glass_rt::Task;
use glass_rt::cuda::export_images;
use glass_rt::kernel::ImageKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Machine code of one text.
pub(crate) struct Compiled {
    pub(crate) cubin: Vec<u8>,
    pub(crate) ms: f64,
}

/// Version of the library, for example `13.0`.
pub(crate) fn version() -> Result<String, String> {
    // SAFETY: opens the library and closes it again.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return Err("NVRTC is absent: no libnvrtc.so on the library path".into());
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is present and writes two integers.
    unsafe { cudarc::nvrtc::sys::nvrtcVersion(&mut major, &mut minor) }
        .result()
        .map_err(|error| error.to_string())?;
    Ok(format!("{major}.{minor}"))
}

/// Compiles the first variant of `task` for `sm_<arch>`.
///
/// # Errors
/// NVRTC absent, its log about a text that does not compile, no writable temporary folder.
pub(crate) fn compile(task: &Task, arch: u32) -> Result<Compiled, String> {
    let folder = Scratch::new()?;
    let started = Instant::now();
    let images = export_images(task, arch, &folder.0).map_err(|error| error.to_string())?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    let image = images
        .iter()
        .find(|image| image.variant_idx == 0 && image.kind == ImageKind::Cubin)
        .ok_or_else(|| format!("kernel `{}` has no machine code for sm_{arch}", task.symbol))?;
    let cubin = std::fs::read(&image.path).map_err(|error| format!("{}: {error}", image.path.display()))?;
    Ok(Compiled { cubin, ms })
}

/// A folder of one compilation that goes away again.
struct Scratch(PathBuf);

/// Compilations of this process so far: threads must not share a folder.
static N_COMPILED: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let (process, compilation) = (std::process::id(), N_COMPILED.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("glass-gpu-{process}-{compilation}"));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
