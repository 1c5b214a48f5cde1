//! Launches a checked kernel. Only the checked launch of this crate comes here.

use std::sync::Arc;

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::gate::{Loaded, signature};
use super::memory::Buffer;
use super::{Context, failed};
use crate::error::Error;
use crate::kernel::{Alpha, Beta, Code, DType, Task, Variant};

/// A run-time scalar by its bits, which is all the driver sees.
#[derive(Clone, Copy)]
pub(crate) enum ScalarBits {
    F32(u32),
    F64(u64),
}

impl ScalarBits {
    /// The bits of `value`, which is of type `dtype`.
    pub(crate) fn new(dtype: DType, value: &[u8]) -> Self {
        match dtype {
            DType::F32 => ScalarBits::F32(bytemuck::pod_read_unaligned(value)),
            DType::F64 => ScalarBits::F64(bytemuck::pod_read_unaligned(value)),
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

    /// Starts the kernel: inputs, output, problem count, then the scalars the task takes.
    pub(crate) fn launch(
        &self,
        task: &'static Task,
        variant: &'static Variant,
        inputs: &[&Buffer],
        output: &mut Buffer,
        n_problems: u32,
        [alpha, beta]: [ScalarBits; 2],
    ) -> Result<(), Error> {
        self.check_earlier()?;
        let kernel = self.kernel(task, variant)?;
        let mut builder = self.stream.launch_builder(&kernel.function);
        for input in inputs {
            builder.arg(&input.slice);
        }
        builder.arg(&mut output.slice).arg(&n_problems);
        let takes_alpha = (task.alpha == Alpha::Runtime).then_some(&alpha);
        let takes_beta = (task.beta == Beta::Runtime).then_some(&beta);
        for scalar in takes_alpha.into_iter().chain(takes_beta) {
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
