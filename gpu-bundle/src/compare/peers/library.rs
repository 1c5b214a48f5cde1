//! cuBLAS and cuSOLVER behind `dlopen`.

use crate::cuda::Gpu;
use glass_codegen::spec::DType;
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_longlong, c_void};

const CUBLAS: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];
const CUSOLVER: [&str; 3] = ["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"];

/// Values of the enumerations of both libraries.
const NO_TRANSPOSE: c_int = 0;
const LOWER: c_int = 0;
const UPPER: c_int = 1;
const DEFAULT_MATH: c_int = 0;

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type SetMathMode = unsafe extern "C" fn(Handle, c_int) -> c_int;
type GemmStridedBatched = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    u64,
    c_int,
    c_longlong,
    u64,
    c_int,
    c_longlong,
    *const c_void,
    u64,
    c_int,
    c_longlong,
    c_int,
) -> c_int;
type PotrfBatched = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, u64, c_int) -> c_int;
type PotrsBatched =
    unsafe extern "C" fn(Handle, c_int, c_int, c_int, u64, c_int, u64, c_int, u64, c_int) -> c_int;

/// A library with its handle, on the stream of a device.
struct Opened {
    library: Library,
    handle: Handle,
    version: String,
}

/// What the machine has.
pub(in crate::compare) struct Libraries {
    cublas: Option<Opened>,
    cusolver: Option<Opened>,
}

/// Sizes of one batched call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batched {
    pub(super) dtype: DType,
    pub(super) n: c_int,
    pub(super) n_problems: c_int,
    pub(super) is_upper: bool,
}

fn opened(names: &[&str], gpu: &Gpu, prefix: &str, set_stream: &str) -> Result<Opened, String> {
    // SAFETY: the libraries are NVIDIA's, whose initialisers may run at any time.
    let library = names.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    let library = library.ok_or_else(|| format!("none of {} is on the library path", names.join(", ")))?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: the signatures are those of cublas_api.h and cusolverDn.h; a context is current.
    unsafe {
        let create: Symbol<'_, Create> = entry(&library, &format!("{prefix}Create{}", v2(prefix)))?;
        done("create", create(&raw mut handle))?;
        let set: Symbol<'_, SetStream> = entry(&library, set_stream)?;
        done("set stream", set(handle, gpu.stream()))?;
    }
    Ok(Opened { library, handle, version: String::new() })
}

/// Only cuBLAS has second versions of its first functions.
fn v2(prefix: &str) -> &'static str {
    if prefix == "cublas" { "_v2" } else { "" }
}

/// # Safety
/// The type is the function's.
unsafe fn entry<'a, T>(library: &'a Library, name: &str) -> Result<Symbol<'a, T>, String> {
    // SAFETY: promised by the caller.
    unsafe { library.get(format!("{name}\0").as_bytes()) }.map_err(|error| format!("`{name}`: {error}"))
}

fn done(what: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what}: status {status}")) }
}

fn letter(dtype: DType) -> char {
    match dtype {
        DType::F32 => 'S',
        DType::F64 => 'D',
    }
}

impl Libraries {
    /// Opens both; says what is absent.
    pub(in crate::compare) fn open(gpu: &Gpu) -> Libraries {
        let shown = |name: &str, opened: Result<Opened, String>| {
            opened.inspect_err(|reason| eprintln!("no {name}: {reason}")).ok()
        };
        Libraries { cublas: shown("cuBLAS", cublas(gpu)), cusolver: shown("cuSOLVER", cusolver(gpu)) }
    }

    /// Version of the library behind a peer, if it is there.
    pub(in crate::compare) fn version(&self, peer: &str) -> Option<&str> {
        let library = if peer.starts_with("cublas") { &self.cublas } else { &self.cusolver };
        library.as_ref().map(|opened| opened.version.as_str())
    }

    /// C = A B for adjacent problems, alpha 1, beta 0.
    pub(super) fn gemm(
        &self,
        dtype: DType,
        (m, n, k): (c_int, c_int, c_int),
        [a, b, c]: [u64; 3],
        n_problems: c_int,
    ) -> Result<(), String> {
        let opened = self.cublas.as_ref().ok_or("cuBLAS is absent")?;
        let (single, double) = ([1.0f32, 0.0], [1.0f64, 0.0]);
        let [one, zero]: [*const c_void; 2] = match dtype {
            DType::F32 => [(&raw const single[0]).cast(), (&raw const single[1]).cast()],
            DType::F64 => [(&raw const double[0]).cast(), (&raw const double[1]).cast()],
        };
        let stride = |rows: c_int, columns: c_int| c_longlong::from(rows) * c_longlong::from(columns);
        // SAFETY: the signature is that of cublas_api.h, addresses are those of operands of this size, and scalars are
        // read before the call returns.
        let status = unsafe {
            let gemm: Symbol<'_, GemmStridedBatched> =
                entry(&opened.library, &format!("cublas{}gemmStridedBatched", letter(dtype)))?;
            gemm(
                opened.handle,
                NO_TRANSPOSE,
                NO_TRANSPOSE,
                m,
                n,
                k,
                one,
                a,
                m,
                stride(m, k),
                b,
                k,
                stride(k, n),
                zero,
                c,
                m,
                stride(m, n),
                n_problems,
            )
        };
        done("gemmStridedBatched", status)
    }

    /// Factors the matrices behind an array of pointers; `infos` are words, one each.
    pub(super) fn potrf(&self, batched: Batched, a: u64, infos: u64) -> Result<(), String> {
        let opened = self.cusolver.as_ref().ok_or("cuSOLVER is absent")?;
        let Batched { dtype, n, n_problems, is_upper } = batched;
        // SAFETY: the signature is that of cusolverDn.h; addresses are those of arrays of this size.
        let status = unsafe {
            let potrf: Symbol<'_, PotrfBatched> =
                entry(&opened.library, &format!("cusolverDn{}potrfBatched", letter(dtype)))?;
            potrf(opened.handle, if is_upper { UPPER } else { LOWER }, n, a, n, infos, n_problems)
        };
        done("potrfBatched", status)
    }

    /// Solves with those factors, one right-hand side each; `info` is one word.
    pub(super) fn potrs(&self, batched: Batched, a: u64, b: u64, info: u64) -> Result<(), String> {
        let opened = self.cusolver.as_ref().ok_or("cuSOLVER is absent")?;
        let Batched { dtype, n, n_problems, is_upper } = batched;
        // SAFETY: as above.
        let status = unsafe {
            let potrs: Symbol<'_, PotrsBatched> =
                entry(&opened.library, &format!("cusolverDn{}potrsBatched", letter(dtype)))?;
            potrs(opened.handle, if is_upper { UPPER } else { LOWER }, n, 1, a, n, b, n, info, n_problems)
        };
        done("potrsBatched", status)
    }
}

fn cublas(gpu: &Gpu) -> Result<Opened, String> {
    let mut opened = opened(&CUBLAS, gpu, "cublas", "cublasSetStream_v2")?;
    let mut version = 0;
    // SAFETY: the signatures are those of cublas_api.h.
    unsafe {
        let set_mode: Symbol<'_, SetMathMode> = entry(&opened.library, "cublasSetMathMode")?;
        done("set math mode", set_mode(opened.handle, DEFAULT_MATH))?;
        let get: Symbol<'_, unsafe extern "C" fn(Handle, *mut c_int) -> c_int> =
            entry(&opened.library, "cublasGetVersion_v2")?;
        done("version", get(opened.handle, &raw mut version))?;
    }
    opened.version = version.to_string();
    Ok(opened)
}

fn cusolver(gpu: &Gpu) -> Result<Opened, String> {
    let mut opened = opened(&CUSOLVER, gpu, "cusolverDn", "cusolverDnSetStream")?;
    let mut version = 0;
    // SAFETY: the signature is that of cusolver_common.h.
    unsafe {
        let get: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> c_int> =
            entry(&opened.library, "cusolverGetVersion")?;
        done("version", get(&raw mut version))?;
    }
    opened.version = version.to_string();
    Ok(opened)
}
