//! Compiles kernel text with NVRTC, for a real architecture, with the log kept.

use std::ffi::{CString, c_char};

use cudarc::nvrtc::{result, sys};

use super::probe;
use crate::error::Error;
use crate::kernel::ImageKind;

/// What one compilation gives.
pub(super) struct Compiled {
    /// Machine code, unless this NVRTC cannot hand it out.
    pub(super) cubin: Option<Vec<u8>>,
    /// PTX text without the closing zero.
    pub(super) ptx: Vec<u8>,
}

/// The options of every compilation. Contraction is off: a fused multiply-add is written as one.
pub(super) fn options(arch: u32) -> [String; 2] {
    [format!("--gpu-architecture=sm_{arch}"), "--fmad=false".into()]
}

/// NVRTC's version, such as `12.9`, or why there is none.
pub(super) fn version() -> Result<String, String> {
    if !probe::nvrtc_present() {
        return Err(probe::nvrtc_absence());
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is present, and both pointers are valid for the call.
    unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result().map_err(|error| error.to_string())?;
    Ok(format!("{major}.{minor}"))
}

/// A program of NVRTC's, destroyed on every way out.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `nvrtcCreateProgram` and destroyed only here. A failure leaks it, no more.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

/// Compiles `source`, called `<symbol>.cu` in messages.
pub(super) fn compile(symbol: &str, source: &str, arch: u32) -> Result<Compiled, Error> {
    let absent = |cause| Error::NoNvrtc { kernel: symbol.into(), arch, cause };
    let version = version().map_err(absent)?;
    let options = options(arch);
    let compiler = format!("NVRTC {version}, {}", options.join(" "));
    let failure = |log: String| Error::Compile { kernel: symbol.into(), compiler: compiler.clone(), log };
    let zero = |_| failure("the text or its name contains a zero byte".into());
    let (text, name) =
        (CString::new(source).map_err(zero)?, CString::new(format!("{symbol}.cu")).map_err(zero)?);

    let start = std::time::Instant::now();
    let program = Program(
        result::create_program(&text, Some(&name))
            .map_err(|error| failure(format!("creating it: {error}")))?,
    );
    // SAFETY: the program is alive until the end of this function.
    let outcome = unsafe { result::compile_program(program.0, &options) };
    let log = log(&program);
    if let Err(error) = outcome {
        return Err(failure(format!("{error}\n{log}")));
    }
    // SAFETY: as above, and the program is compiled.
    let ptx = unsafe { result::get_ptx(program.0) }.map_err(|error| failure(format!("no PTX: {error}")))?;
    let mut ptx: Vec<u8> = ptx.into_iter().map(|byte| byte as u8).collect();
    while ptx.last() == Some(&0) {
        ptx.pop();
    }
    let cubin = if probe::nvrtc_has_cubin() { cubin(&program).map_err(failure)? } else { None };
    tracing::debug!(symbol, compiler, log, milliseconds = start.elapsed().as_millis() as u64, "compiled");
    Ok(Compiled { cubin, ptx })
}

impl Compiled {
    /// The image to load: machine code when there is some.
    pub(super) fn into_image(self) -> (ImageKind, Vec<u8>) {
        match self.cubin {
            Some(cubin) => (ImageKind::Cubin, cubin),
            None => (ImageKind::Ptx, self.ptx),
        }
    }
}

/// The compiler's log with real line ends; empty when it has nothing to say.
fn log(program: &Program) -> String {
    // SAFETY: the program is alive.
    let bytes = unsafe { result::get_program_log(program.0) }.unwrap_or_default();
    let bytes: Vec<u8> = bytes.into_iter().map(|byte| byte as u8).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// Machine code. A size of 0, reported with success, means there is none.
fn cubin(program: &Program) -> Result<Option<Vec<u8>>, String> {
    let mut size: usize = 0;
    // SAFETY: the program is alive and compiled; the symbol exists, as probed by the caller.
    unsafe { sys::nvrtcGetCUBINSize(program.0, &mut size) }.result().map_err(|error| error.to_string())?;
    if size == 0 {
        return Ok(None);
    }
    let mut bytes = vec![0u8; size];
    // SAFETY: as above, and the buffer has the size just reported.
    unsafe { sys::nvrtcGetCUBIN(program.0, bytes.as_mut_ptr().cast::<c_char>()) }
        .result()
        .map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}
