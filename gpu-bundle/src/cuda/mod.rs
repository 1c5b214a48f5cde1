//! The CUDA driver, reduced to what a measurement needs: one stream, memory at known addresses, events.
//!
//! Checks go through the run time. Timing does not: operands must lie in buffers that are rotated, and nothing but
//! the launch may stand between two events.

pub(crate) mod arena;
pub(crate) mod module;
pub(crate) mod nvrtc;
pub(crate) mod timer;

use cudarc::driver::{result, sys};
use glass_rt::kernel as rt;
use module::Module;

/// A device with its primary context current on this thread, and one stream.
pub(crate) struct Gpu {
    pub(crate) name: String,
    /// Compute capability, 90 = sm_90.
    pub(crate) arch: u32,
    stream: sys::CUstream,
    harness: Harness,
}

struct Harness {
    fill: Module,
    read: Module,
    gate: Module,
    empty: Module,
}

/// The text as a task of the run time, whose compiler and options are thereby those of every other kernel. It is
/// never launched as one.
static HARNESS: rt::Task = rt::Task {
    symbol: "glass_harness",
    dtype: rt::DType::F32,
    layout: rt::Layout::Contiguous,
    operands: &[],
    scalars: &[],
    variants: &[rt::Variant {
        symbol: "glass_harness",
        hash: "harness",
        plan: rt::Plan { tier: rt::Tier::Thread, form: rt::Form::Serial, staging: "direct" },
        launch: rt::Launch { threads_per_block: 32, problems_per_block: 32, shared_bytes: 0 },
        code: rt::Code::Cuda { source: include_str!("harness.cu"), images: &[], min_compute_capability: 70 },
    }],
    choices: &[],
};

pub(crate) fn text(error: result::DriverError) -> String {
    let name = error.error_name().map_or("unknown error".into(), |name| name.to_string_lossy().into_owned());
    format!("CUDA driver: {name}")
}

impl Gpu {
    /// Opens the device with this ordinal; compiles the measurement's own kernels.
    pub(crate) fn open(ordinal: i32) -> Result<Gpu, String> {
        // SAFETY: only opens the library.
        if !unsafe { sys::is_culib_present() } {
            return Err("the CUDA driver library is absent".into());
        }
        result::init().map_err(text)?;
        let device = result::device::get(ordinal).map_err(text)?;
        let name = result::device::get_name(device).map_err(text)?;
        use sys::CUdevice_attribute::{
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
        };
        // SAFETY: the driver is initialised and the device exists.
        let (major, minor) = unsafe {
            (
                result::device::get_attribute(device, MAJOR).map_err(text)?,
                result::device::get_attribute(device, MINOR).map_err(text)?,
            )
        };
        let arch = u32::try_from(major * 10 + minor).map_err(|error| error.to_string())?;
        // SAFETY: the primary context is retained for the rest of this short process.
        unsafe {
            let context = result::primary_ctx::retain(device).map_err(text)?;
            result::ctx::set_current(context).map_err(text)?;
        }
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).map_err(text)?;
        let cubin = nvrtc::compile(&HARNESS, arch)?.cubin;
        let kernel = |symbol| Module::load(&cubin, symbol, 0);
        let harness = Harness {
            fill: kernel("glass_fill")?,
            read: kernel("glass_read")?,
            gate: kernel("glass_gate")?,
            empty: kernel("glass_empty")?,
        };
        Ok(Gpu { name, arch, stream, harness })
    }

    /// CUDA version of the driver, for example `13.0`.
    pub(crate) fn cuda_version() -> Result<String, String> {
        let mut version = 0;
        // SAFETY: the driver is initialised wherever a `Gpu` exists, and writes one integer.
        unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(text)?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// The stream, for libraries that launch on it.
    pub(crate) fn stream(&self) -> *mut std::ffi::c_void {
        self.stream.cast()
    }

    /// Waits for everything launched so far.
    pub(crate) fn synchronize(&self) -> Result<(), String> {
        // SAFETY: the stream lives as long as `self`.
        unsafe { result::stream::synchronize(self.stream) }.map_err(text)
    }

    /// Fills a region with random normal numbers of both signs.
    pub(crate) fn fill(&self, address: u64, n_bytes: u64, seed: u32) -> Result<(), String> {
        let (mut address, mut n_words, mut seed) = (address, n_bytes / 4, seed);
        let mut arguments =
            [module::pointer(&mut address), module::pointer(&mut n_words), module::pointer(&mut seed)];
        // SAFETY: the caller names memory of an arena; the arguments match the kernel's parameters.
        unsafe { self.harness.fill.launch(self.stream, 132 * 8, 256, &mut arguments) }
    }

    /// Reads a filled region once; `scratch` names four bytes that are not written either.
    pub(crate) fn read(&self, address: u64, n_bytes: u64, scratch: u64) -> Result<(), String> {
        let (mut address, mut n_quads, mut scratch) = (address, n_bytes / 16, scratch);
        let mut arguments =
            [module::pointer(&mut address), module::pointer(&mut n_quads), module::pointer(&mut scratch)];
        // SAFETY: the caller names memory of arenas; the arguments match the kernel's parameters.
        unsafe { self.harness.read.launch(self.stream, 132 * 8, 256, &mut arguments) }
    }

    /// Keeps the stream busy for at least `n_ns` nanoseconds, given a clock of at most 2 GHz.
    pub(crate) fn gate(&self, n_ns: u64) -> Result<(), String> {
        let mut n_cycles = 2 * n_ns;
        // SAFETY: the argument matches the kernel's parameter.
        unsafe { self.harness.gate.launch(self.stream, 1, 1, &mut [module::pointer(&mut n_cycles)]) }
    }

    /// Launches a kernel that does nothing.
    pub(crate) fn empty(&self) -> Result<(), String> {
        // SAFETY: the kernel has no parameters.
        unsafe { self.harness.empty.launch(self.stream, 1, 32, &mut []) }
    }

    /// Checks one function of the device on a family of numbers; `tally` names zeroed memory for what is counted.
    pub(crate) fn sweep(
        &self,
        module: &Module,
        family: u32,
        n_patterns: u64,
        tally: u64,
    ) -> Result<(), String> {
        let (mut family, mut n_patterns, mut tally) = (family, n_patterns, tally);
        let mut arguments =
            [module::pointer(&mut family), module::pointer(&mut n_patterns), module::pointer(&mut tally)];
        // SAFETY: the caller names memory of an arena; the arguments match the parameters of every sweep.
        unsafe { module.launch(self.stream, 132 * 16, 256, &mut arguments) }
    }

    /// Copies between two regions of device memory.
    pub(crate) fn copy(&self, to: u64, from: u64, n_bytes: usize) -> Result<(), String> {
        // SAFETY: the caller names memory of arenas.
        unsafe { result::memcpy_dtod_async(to, from, n_bytes, self.stream) }.map_err(text)
    }
}
