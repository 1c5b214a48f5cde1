//! What a benchmark needs: the device's own clock, its copy bandwidth, and the resources of loaded kernels.

use std::time::Instant;

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::kernel::Task;
use crate::launch;

/// What a duration was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Events or timestamps of the device.
    Device,
    /// The monotonic clock of the host, around work that runs on it.
    Host,
}

/// A measured duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elapsed {
    /// Seconds.
    pub seconds: f64,
    /// Where they were read.
    pub clock: Clock,
}

/// What a loaded CUDA kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of a thread: spills and stack arrays.
    pub local_bytes: u32,
    /// Bytes of statically declared shared memory of a block.
    pub static_shared_bytes: u32,
    /// Bytes of dynamic shared memory a launch may ask for.
    pub max_dynamic_shared_bytes: u32,
    /// Most threads of a block, given the registers.
    pub max_threads_per_block: u32,
    /// Architecture of the machine code, 90 = sm_90.
    pub binary_version: u32,
}

impl Device {
    /// The time the device spends on what `work` launches, gaps between launches included. Waits for it.
    ///
    /// On a GPU the clock starts when the device reaches this point of its queue. The first launch of a kernel
    /// compiles it: warm up before.
    ///
    /// # Errors
    /// Those of `work`, and [`Error::Unavailable`] for an adapter without timestamps.
    pub fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Elapsed, Error> {
        match &self.inner.backend {
            Backend::Host => {
                let start = Instant::now();
                work()?;
                Ok(Elapsed { seconds: start.elapsed().as_secs_f64(), clock: Clock::Host })
            }
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => Ok(Elapsed { seconds: context.time(work)?, clock: Clock::Device }),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => Ok(Elapsed { seconds: context.time(work)?, clock: Clock::Device }),
        }
    }

    /// The time of `n_copies` copies of `n_bytes` within the device's memory, after one that is not counted. Each
    /// copy reads and writes `n_bytes`.
    ///
    /// # Errors
    /// Out of memory, and those of [`Device::time`].
    pub fn time_copies(&self, n_bytes: usize, n_copies: u32) -> Result<Elapsed, Error> {
        match &self.inner.backend {
            Backend::Host => crate::host::time_copies(n_bytes, n_copies),
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => {
                Ok(Elapsed { seconds: context.time_copies(n_bytes, n_copies)?, clock: Clock::Device })
            }
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => {
                Ok(Elapsed { seconds: context.time_copies(n_bytes, n_copies)?, clock: Clock::Device })
            }
        }
    }

    /// Loads a variant and tells what it uses. CUDA devices only.
    ///
    /// # Errors
    /// [`Error::Unavailable`] on other devices, the errors of loading the kernel, and those of its limits.
    pub fn kernel_resources(&self, task: &'static Task, variant_idx: usize) -> Result<Resources, Error> {
        let variant = launch::variant(task, variant_idx)?;
        let target = self.target();
        launch::check_limits(task, variant, target, &self.inner.backend.limits(), 1)?;
        match &self.inner.backend {
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => Ok(context.kernel(task, variant)?.resources),
            _ => Err(Error::Unavailable { target, what: "a report of kernel resources" }),
        }
    }
}
