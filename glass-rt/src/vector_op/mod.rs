//! Operations on vectors whose equations an attribute states, with sums into scalars that stay on the device.
//!
//! [`task`] describes what an expansion embeds, [`plan`] says how it runs on a device of given limits. A
//! [`crate::graph::Graph`] runs it.

pub mod host;
pub mod plan;
pub mod task;

pub use crate::arena::ScalarArgument;
pub use crate::graph::{Handle, MatrixHandle};
pub use crate::reduction::{ReductionKernel, Strategy};
pub use crate::word::Format;
pub use plan::{Extent, VectorPlan};
pub use task::{
    ElementEntry, OperandKind, RowProduct, StepEntry, VectorArgument, VectorCode, VectorOp, VectorOperand,
    VectorScalar, VectorTask, VectorVariant,
};
