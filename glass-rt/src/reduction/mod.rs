//! Reductions of long vectors to scalars that stay on the device.
//!
//! [`task`] describes what an expansion embeds, [`plan`] says how it runs on a device of given limits. A
//! [`crate::graph::Graph`] runs it.

mod geometry;
pub mod host;
mod limits;
pub mod plan;
mod state;
pub mod task;

pub(crate) use geometry::{grid, unaligned};
pub use plan::{Level, PlanOptions, ReductionLimits, ReductionPlan, Span};
pub use task::{
    FinishEntry, LevelEntry, Map, Operator, Reduction, ReductionCode, ReductionKernel, ReductionTask,
    ReductionVariant, Strategy,
};
