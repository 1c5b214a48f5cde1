//! From a variant to a loaded module: prebuilt machine code, prebuilt PTX, the disk cache, NVRTC.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::{CudaModule, sys};
use cudarc::nvrtc::Ptx;

use super::cache::Key;
use super::{Context, nvrtc};
use crate::error::Error;
use crate::kernel::{Image, ImageKind};

/// Bytes of the driver's log that are kept.
const LOG_BYTES: usize = 8192;

impl Context {
    /// Loads the first image that this device takes, and says which it was.
    pub(super) fn load_module(
        &self,
        symbol: &'static str,
        source: &str,
        images: &[Image],
    ) -> Result<Arc<CudaModule>, Error> {
        let mut attempts = Vec::new();
        let cubins = images.iter().filter(|image| image.kind == ImageKind::Cubin && image.arch == self.arch);
        let ptxs = images.iter().filter(|image| image.kind == ImageKind::Ptx && image.arch <= self.arch);
        for image in cubins.chain(ptxs) {
            let origin = format!("embedded {} for sm_{}", image.kind, image.arch);
            if let Some(module) = self.try_load(symbol, &origin, image.kind, image.bytes, &mut attempts) {
                return Ok(module);
            }
        }

        let nvrtc = match nvrtc::version() {
            Ok(version) => version,
            Err(cause) if attempts.is_empty() => {
                return Err(Error::NoNvrtc { kernel: symbol.into(), arch: self.arch, cause });
            }
            Err(cause) => {
                attempts.push(format!("NVRTC absent: {cause}"));
                return Err(self.load_error(symbol, attempts));
            }
        };
        let options = nvrtc::options(self.arch);
        let (arch, driver) = (self.arch, self.driver.as_str());
        let key = Key { symbol, source, nvrtc: &nvrtc, options: &options, arch, driver };
        if let Some((kind, bytes)) = self.disk.read(&key) {
            let origin = format!("cached {kind}");
            if let Some(module) = self.try_load(symbol, &origin, kind, &bytes, &mut attempts) {
                return Ok(module);
            }
        }
        let (kind, bytes) = nvrtc::compile(symbol, source, self.arch)?.into_image();
        let origin = format!("{kind} of NVRTC {nvrtc}");
        match self.try_load(symbol, &origin, kind, &bytes, &mut attempts) {
            Some(module) => {
                self.disk.write(&key, kind, &bytes);
                Ok(module)
            }
            None => Err(self.load_error(symbol, attempts)),
        }
    }

    fn load_error(&self, symbol: &str, attempts: Vec<String>) -> Error {
        Error::Load { kernel: symbol.into(), arch: self.arch, driver: self.driver.clone(), attempts }
    }

    /// Loads one image, or records why not.
    fn try_load(
        &self,
        symbol: &str,
        origin: &str,
        kind: ImageKind,
        bytes: &[u8],
        attempts: &mut Vec<String>,
    ) -> Option<Arc<CudaModule>> {
        let ptx = match kind {
            ImageKind::Cubin if bytes.is_empty() => {
                attempts.push(format!("{origin}: empty"));
                return None;
            }
            ImageKind::Cubin => Ptx::from_binary(bytes.to_vec()),
            ImageKind::Ptx => match ptx_text(bytes) {
                Some(text) => Ptx::from_src(text),
                None => {
                    attempts.push(format!("{origin}: not PTX text"));
                    return None;
                }
            },
        };
        match self.ctx.load_module(ptx) {
            Ok(module) => {
                tracing::debug!(symbol, origin, "module loaded");
                Some(module)
            }
            Err(error) => {
                let mut line = format!("{origin}: {error:?}");
                if kind == ImageKind::Ptx {
                    line.push_str(&directives(bytes));
                    line.push_str(&self.jit_log(bytes));
                }
                tracing::debug!(symbol, line, "image refused");
                attempts.push(line);
                None
            }
        }
    }

    /// The driver's own log about a PTX it refused; the loading call itself returns none.
    fn jit_log(&self, ptx: &[u8]) -> String {
        let Some(text) = ptx_text(ptx).and_then(|text| CString::new(text).ok()) else { return String::new() };
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver takes the size by value, in the place of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: the text ends in a zero; options and values have two entries; the buffer outlives the call.
        let outcome = unsafe {
            let image = text.as_ptr().cast::<c_void>();
            sys::cuModuleLoadDataEx(&mut module, image, 2, options.as_mut_ptr(), values.as_mut_ptr())
        };
        if outcome == sys::CUresult::CUDA_SUCCESS {
            // SAFETY: loaded just above and known to nobody else. A failure leaks it, no more.
            let _ = unsafe { sys::cuModuleUnload(module) };
        }
        let end = log.iter().position(|byte| *byte == 0).unwrap_or(LOG_BYTES);
        let text = String::from_utf8_lossy(&log[..end]);
        if text.trim().is_empty() {
            String::new()
        } else {
            format!("\n    {}", text.trim().replace('\n', "\n    "))
        }
    }
}

/// PTX as text: UTF-8 without zeros, the closing one apart.
fn ptx_text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end_matches('\0');
    (!text.is_empty() && !text.contains('\0')).then(|| text.to_owned())
}

/// The `.version` and `.target` lines of a PTX, which say why a driver may refuse it.
fn directives(ptx: &[u8]) -> String {
    let text = String::from_utf8_lossy(ptx);
    text.lines()
        .filter(|line| line.starts_with(".version") || line.starts_with(".target"))
        .map(|line| format!(", {}", line.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_ptx_is_described_by_its_directives() {
        let ptx = b"//\n.version 9.5\n.target sm_120\n.address_size 64\n";
        assert_eq!(directives(ptx), ", .version 9.5, .target sm_120");
        assert_eq!(ptx_text(b".version 8.8\0").as_deref(), Some(".version 8.8"));
        assert_eq!(ptx_text(b"a\0b"), None);
        assert_eq!(ptx_text(b""), None);
        assert_eq!(ptx_text(b"\x7fELF\xff"), None);
    }
}
