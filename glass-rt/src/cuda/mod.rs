//! CUDA through the driver API: one context, one stream, modules cached by hash.
//!
//! Every call that would panic without its library is preceded by a probe. Work of a device runs on one
//! non-default stream, so launches and copies are ordered without events.

mod cache;
mod clock;
mod convert;
mod export;
mod gate;
mod image;
mod launch;
mod memory;
mod nvrtc;
mod prepared;
mod probe;
mod program;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};

pub use export::{ExportedImage, export_images};
pub(crate) use gate::Loaded;
pub(crate) use launch::ScalarBits;
pub(crate) use memory::Buffer;
pub(crate) use program::Program;

use crate::error::Error;
use crate::kernel::Target;
use crate::launch::Limits;
use crate::reduction::ReductionLimits;

/// Threads past the end of the last block still compute a problem index in 32 bits.
const MAX_PROBLEMS: u64 = u32::MAX as u64 - 1024;

/// Blocks that every CUDA device takes in each dimension of a grid.
const GROUPS_PER_DIMENSION: u32 = 65_535;
/// Bytes between the addresses that the driver gives to allocations, and so between the starts of bindings.
const ALIGNMENT: u32 = 256;
/// Threads of a warp.
const WARP: u32 = 32;

/// The first architecture whose kernels can wait for the ones before them, and the first driver that records such launches.
const AHEAD_ARCH: u32 = 90;
const AHEAD_DRIVER: i32 = 12_030;

/// An opened GPU.
pub(crate) struct Context {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    arch: u32,
    driver: String,
    /// Launches may start while the kernels before them run, in recorded graphs, too.
    starts_ahead: bool,
    limits: Limits,
    modules: Mutex<HashMap<ModuleKey, Arc<Loaded>>>,
    disk: cache::DiskCache,
}

/// Entry point and content hash.
type ModuleKey = (&'static str, &'static str);

impl Context {
    /// Opens a device; returns its name with it.
    pub(crate) fn open(ordinal: usize) -> Result<(String, Context), Error> {
        let n_devices = n_devices()?;
        if ordinal >= n_devices {
            return Err(Error::NoCudaDevice { ordinal, n_devices });
        }
        let ctx = CudaContext::new(ordinal).map_err(|error| failed("opening the device", error))?;
        // SAFETY: all work of this context runs on the one stream below, which orders it.
        unsafe { ctx.disable_event_tracking() };
        let stream = ctx.new_stream().map_err(|error| failed("creating a stream", error))?;
        let attribute =
            |which| ctx.attribute(which).map_err(|error| failed("reading a device attribute", error));
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let arch = (major * 10 + minor) as u32;
        let limits = Limits {
            max_problems: (MAX_PROBLEMS, "the kernel counts problems in 32 bits"),
            max_blocks: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)? as u64,
            max_threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32,
            max_shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                as u32,
            max_operand_bytes: u64::MAX,
            max_operands: usize::MAX,
            max_iterations: u64::MAX,
            arch: Some(arch),
        };
        let name = ctx.name().map_err(|error| failed("reading the device name", error))?;
        let version = driver_version()?;
        let driver = format!("{}.{}", version / 1000, version % 1000 / 10);
        let starts_ahead = arch >= AHEAD_ARCH && version >= AHEAD_DRIVER;
        tracing::debug!(ordinal, name, arch, driver, "opened CUDA device");
        let name = format!("cuda:{ordinal} {name} (sm_{arch})");
        let (modules, disk) = (Mutex::default(), cache::DiskCache::from_env());
        Ok((name, Context { ctx, stream, arch, driver, starts_ahead, limits, modules, disk }))
    }

    pub(crate) fn arch(&self) -> u32 {
        self.arch
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// What a reduction may ask for.
    pub(crate) fn reduction_limits(&self) -> ReductionLimits {
        ReductionLimits {
            target: Target::Cuda,
            arch: Some(self.arch),
            groups_per_dimension: GROUPS_PER_DIMENSION,
            threads: self.limits.max_threads_per_block,
            group_bytes: self.limits.max_shared_bytes,
            binding_bytes: u64::MAX,
            alignment: ALIGNMENT,
            bindings: u32::MAX,
            subgroup_sizes: (WARP, WARP),
        }
    }

    /// Waits for the stream.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        tracing::trace!("wait");
        self.stream.synchronize().map_err(|error| failed("synchronising", error))?;
        self.check_earlier()
    }

    /// Errors that were stored where they could not be returned, such as in a drop.
    fn check_earlier(&self) -> Result<(), Error> {
        self.ctx
            .check_err()
            .map_err(|error| Error::Earlier { target: Target::Cuda, message: format!("{error:?}") })
    }

    /// The loaded module for `key`, made by `load` on first use.
    ///
    /// Two threads may load the same module at once; one of the two is kept.
    fn module(
        &self,
        key: ModuleKey,
        load: impl FnOnce() -> Result<Loaded, Error>,
    ) -> Result<Arc<Loaded>, Error> {
        let modules = || self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = modules().get(&key) {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Arc::new(load()?);
        Ok(Arc::clone(modules().entry(key).or_insert(loaded)))
    }
}

/// Number of devices the driver sees, 0 when it has none.
pub(crate) fn n_devices() -> Result<usize, Error> {
    if !probe::driver_present() {
        return Err(Error::NoDriver { tried: probe::DRIVER_NAMES });
    }
    let driver_failed = |error: DriverError| Error::DriverFailed { message: format!("{error:?}") };
    match result::init() {
        Ok(()) => {}
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return Ok(0),
        Err(error) => return Err(driver_failed(error)),
    }
    match result::device::get_count() {
        Ok(n_devices) => Ok(n_devices.max(0) as usize),
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
        Err(error) => Err(driver_failed(error)),
    }
}

/// The CUDA version the driver supports, 13000 for 13.0.
fn driver_version() -> Result<i32, Error> {
    let mut version = 0;
    // SAFETY: the driver is present, and the pointer is valid for the call.
    unsafe { sys::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(|error| failed("reading the driver version", error))?;
    Ok(version)
}

/// An error of `call`. Faults of earlier kernels surface at later calls and are named as such.
fn failed(call: &'static str, error: DriverError) -> Error {
    use sys::CUresult::*;
    let target = Target::Cuda;
    let message = format!("{error:?}");
    match error.0 {
        CUDA_ERROR_ILLEGAL_ADDRESS
        | CUDA_ERROR_LAUNCH_FAILED
        | CUDA_ERROR_LAUNCH_TIMEOUT
        | CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUDA_ERROR_MISALIGNED_ADDRESS
        | CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUDA_ERROR_INVALID_PC
        | CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUDA_ERROR_ASSERT => Error::Earlier { target, message },
        CUDA_ERROR_ECC_UNCORRECTABLE | CUDA_ERROR_CONTEXT_IS_DESTROYED | CUDA_ERROR_DEINITIALIZED => {
            Error::DeviceLost { target, message }
        }
        _ => Error::Backend { target, call, message },
    }
}
