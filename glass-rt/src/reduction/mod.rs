//! Reductions of long vectors to scalars that stay on the device.

pub mod host;
pub mod task;

pub use task::{
    LevelEntry, Map, Reduction, ReductionCode, ReductionKernel, ReductionTask, ReductionVariant, Strategy,
};
