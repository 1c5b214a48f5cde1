//! What the devices of this machine offer to a reduction.

use super::plan::ReductionLimits;
use crate::device::{Backend, Device};
use crate::kernel::Target;

/// The processor: bounded by memory only.
const HOST: ReductionLimits = ReductionLimits {
    target: Target::Host,
    arch: None,
    groups_per_dimension: u32::MAX,
    threads: u32::MAX,
    group_bytes: u32::MAX,
    binding_bytes: u64::MAX,
    alignment: 4,
    bindings: u32::MAX,
    subgroup_sizes: (1, 1),
};

impl Device {
    /// What this device offers to a reduction.
    pub fn reduction_limits(&self) -> ReductionLimits {
        match &self.inner.backend {
            Backend::Host => HOST,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => context.reduction_limits(),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => context.reduction_limits(),
        }
    }
}
