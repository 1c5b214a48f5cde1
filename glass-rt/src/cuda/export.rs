//! Compiles a task's CUDA variants to files that can be embedded later. Needs NVRTC, no driver and no GPU.

use std::path::{Path, PathBuf};

use super::nvrtc;
use crate::error::Error;
use crate::kernel::{Code, ImageKind, Task};

/// One file written by [`export_images`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedImage {
    /// Index of the variant in the task.
    pub variant_idx: usize,
    /// Format of the file.
    pub kind: ImageKind,
    /// Where it lies: `<symbol>-<hash>.sm_90.cubin` or `.ptx` in the folder given.
    pub path: PathBuf,
}

/// Compiles every CUDA variant of `task` for compute capability `arch` (90 = sm_90) into `dir`, as machine code
/// and as PTX. Variants that need a later architecture are left out of the result.
///
/// # Errors
/// NVRTC absent or too old to hand out machine code, a text that does not compile, a file that cannot be written.
pub fn export_images(task: &Task, arch: u32, dir: &Path) -> Result<Vec<ExportedImage>, Error> {
    let mut exported = Vec::new();
    let failed = |path: &Path, error: std::io::Error| Error::Write {
        path: path.display().to_string(),
        message: error.to_string(),
    };
    std::fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
    for (variant_idx, variant) in task.variants.iter().enumerate() {
        let Code::Cuda { source, min_compute_capability, .. } = variant.code else { continue };
        if arch < min_compute_capability {
            continue;
        }
        let compiled = nvrtc::compile(variant.symbol, source, arch)?;
        let Some(cubin) = compiled.cubin else {
            let cause = "this NVRTC has no nvrtcGetCUBIN, so it gives no machine code".into();
            return Err(Error::NoNvrtc { kernel: variant.symbol.into(), arch, cause });
        };
        for (kind, bytes) in [(ImageKind::Cubin, cubin), (ImageKind::Ptx, compiled.ptx)] {
            let path = dir.join(format!("{}-{}.sm_{arch}.{kind}", variant.symbol, variant.hash));
            std::fs::write(&path, bytes).map_err(|error| failed(&path, error))?;
            exported.push(ExportedImage { variant_idx, kind, path });
        }
    }
    Ok(exported)
}
