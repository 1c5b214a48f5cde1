//! Compiles CUDA files with NVRTC, one after another, in a process that its parent may end.
//!
//! NVRTC serialises compilations inside a process and cannot be interrupted, so the test that drives this
//! worker runs several and enforces the time limit. The first line out is `nvrtc 12.9`, or `absent WHY`. Then
//! for every line in, an architecture, a source file and an image file to write, separated by tabs, one line comes out: `ok` or `error`,
//! the processor time in milliseconds, and the compiler's log with its line ends escaped.

use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{BufRead, Write};

type Program = *mut c_void;
type CreateProgram = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type CompileProgram = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type GetSize = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type GetBytes = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

fn main() {
    let nvrtc = match Nvrtc::open() {
        Ok(nvrtc) => nvrtc,
        Err(why) => {
            println!("absent {why}");
            return;
        }
    };
    let (major, minor) = nvrtc.version();
    println!("nvrtc {major}.{minor}");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a readable request");
        let [arch, source, image] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("`{line}` is not an architecture, a source and an image")
        };
        let start = cpu_time::ProcessTime::now();
        let outcome = nvrtc.compile(arch, source);
        let milliseconds = start.elapsed().as_millis();
        let (word, log) = match outcome {
            Ok((bytes, log)) => {
                std::fs::write(image, bytes).expect("a writable image file");
                ("ok", log)
            }
            Err(log) => ("error", log),
        };
        println!("{word} {milliseconds} {}", log.escape_default());
        std::io::stdout().flush().expect("a parent that listens");
    }
}

struct Nvrtc(Library);

impl Nvrtc {
    fn open() -> Result<Nvrtc, String> {
        const NAMES: [&str; 3] = ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so"];
        // SAFETY: NVRTC's initialisers have no preconditions.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        library.map(Nvrtc).ok_or_else(|| format!("none of {} on the library path", NAMES.join(", ")))
    }

    fn version(&self) -> (c_int, c_int) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the declared signature of nvrtcVersion; both pointers are valid.
        unsafe {
            let version =
                self.get::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(b"nvrtcVersion\0");
            version(&mut major, &mut minor);
        }
        (major, minor)
    }

    /// The image for a real architecture (`sm_90`) or the PTX for a virtual one (`compute_90`), and the log.
    fn compile(&self, arch: &str, source: &str) -> Result<(Vec<u8>, String), String> {
        let text = std::fs::read_to_string(source).map_err(|error| format!("{source}: {error}"))?;
        let text = CString::new(text).map_err(|error| error.to_string())?;
        let file_name =
            std::path::Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source);
        let name = CString::new(file_name).map_err(|error| error.to_string())?;
        let options =
            [format!("--gpu-architecture={arch}"), "--fmad=false".into(), "--ptxas-options=-v".into()];
        let options = options.map(|option| CString::new(option).expect("an option without NUL"));
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let (size, bytes) = if arch.starts_with("sm_") {
            (b"nvrtcGetCUBINSize\0".as_slice(), b"nvrtcGetCUBIN\0".as_slice())
        } else {
            (b"nvrtcGetPTXSize\0".as_slice(), b"nvrtcGetPTX\0".as_slice())
        };
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: the declared signatures of NVRTC; every pointer lives until the program is destroyed.
        unsafe {
            let create = self.get::<CreateProgram>(b"nvrtcCreateProgram\0");
            let no_headers = std::ptr::null();
            let created = create(&mut program, text.as_ptr(), name.as_ptr(), 0, no_headers, no_headers);
            if created != 0 {
                return Err(format!("nvrtcCreateProgram returns {created}"));
            }
            let compile = self.get::<CompileProgram>(b"nvrtcCompileProgram\0");
            let status = compile(program, c_int::try_from(options.len()).unwrap_or(0), options.as_ptr());
            let log = self.bytes(program, b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0");
            let log = CStr::from_bytes_until_nul(&log)
                .map_or_else(|_| String::new(), |log| log.to_string_lossy().into());
            let image = if status == 0 { self.bytes(program, size, bytes) } else { Vec::new() };
            self.get::<unsafe extern "C" fn(*mut Program) -> c_int>(b"nvrtcDestroyProgram\0")(&mut program);
            match (status, image.is_empty()) {
                (0, false) => Ok((image, log)),
                (0, true) => Err(format!("no image for {arch}; {log}")),
                _ => Err(log),
            }
        }
    }

    /// # Safety
    /// The program is alive, and both symbols belong together.
    unsafe fn bytes(&self, program: Program, size: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut length = 0;
        // SAFETY: as the caller promises; the buffer has the length that NVRTC asks for.
        unsafe {
            self.get::<GetSize>(size)(program, &mut length);
            let mut buffer = vec![0u8; length];
            self.get::<GetBytes>(bytes)(program, buffer.as_mut_ptr().cast());
            buffer
        }
    }

    /// # Safety
    /// `T` is the signature of the symbol.
    unsafe fn get<T: Copy>(&self, symbol: &[u8]) -> T {
        // SAFETY: as the caller promises.
        let symbol = unsafe { self.0.get::<T>(symbol) };
        *symbol.unwrap_or_else(|error| panic!("NVRTC lacks a symbol: {error}"))
    }
}
