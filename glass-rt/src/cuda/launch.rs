//! Launches a checked kernel. Only the checked launch of this crate comes here.

use std::sync::Arc;

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::gate::{Loaded, signature};
use super::memory::Buffer;
use super::{Context, failed};
use crate::element::Real;
use crate::error::Error;
use crate::kernel::{Code, DType, Task, Variant};

/// A run-time scalar by its bits, which is all the driver sees.
#[derive(Clone, Copy)]
pub(crate) enum ScalarBits {
    F32(u32),
    F64(u64),
}

impl ScalarBits {
    /// The bits of `value`.
    pub(crate) fn of<T: Real>(value: &T) -> Self {
        let bytes = bytemuck::bytes_of(value);
        match T::DTYPE {
            DType::F32 => ScalarBits::F32(bytemuck::pod_read_unaligned(bytes)),
            DType::F64 => ScalarBits::F64(bytemuck::pod_read_unaligned(bytes)),
        }
    }
}

impl Context {
    /// The loaded kernel of a CUDA variant that passed the device's limits.
    pub(crate) fn kernel(
        &self,
        task: &'static Task,
        variant: &'static Variant,
    ) -> Result<Arc<Loaded>, Error> {
        let Code::Cuda { source, images, .. } = variant.code else {
            let message = "not a CUDA variant".into();
            return Err(Error::MalformedTask { kernel: variant.symbol, message });
        };
        self.module((variant.symbol, variant.hash), || {
            self.load(variant.symbol, source, images, variant.launch, &signature(task))
        })
    }

    /// Starts the kernel: the operands' buffers, the problem count, then the scalars. The caller holds the batches
    /// of those that are written exclusively.
    pub(crate) fn launch(
        &self,
        task: &'static Task,
        variant: &'static Variant,
        buffers: &[&Buffer],
        n_problems: u32,
        scalars: &[ScalarBits],
    ) -> Result<(), Error> {
        self.check_earlier()?;
        let kernel = self.kernel(task, variant)?;
        let mut builder = self.stream.launch_builder(&kernel.function);
        // One stream orders all work, so the driver need not be told which ones are written.
        for buffer in buffers {
            builder.arg(&buffer.slice);
        }
        builder.arg(&n_problems);
        for scalar in scalars {
            match scalar {
                ScalarBits::F32(bits) => builder.arg(bits),
                ScalarBits::F64(bits) => builder.arg(bits),
            };
        }
        let config = LaunchConfig {
            grid_dim: (n_problems.div_ceil(variant.launch.problems_per_block), 1, 1),
            block_dim: (variant.launch.threads_per_block, 1, 1),
            shared_mem_bytes: variant.launch.shared_bytes,
        };
        // SAFETY: lengths, layouts and limits were checked against the task; the parameter table of the loaded
        // function was compared with the same signature that the arguments above follow.
        unsafe { builder.launch(config) }.map_err(|error| failed("launching", error))?;
        Ok(())
    }
}
