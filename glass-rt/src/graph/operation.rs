//! Recorded operations, and what can still be said about one after it was added.

use super::{Handle, refused};
use crate::arena::{ScalarStep, Slot};
use crate::error::Error;
use crate::reduction::{ReductionPlan, ReductionVariant};
use crate::refusal::Refusal;

/// An operation of a graph.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) work: Work,
    /// Word of the gate.
    pub(super) gate: Option<u32>,
}

/// What an operation does.
pub(super) enum Work {
    Reduction(ReductionNode),
    Scalar(ScalarStep),
}

/// A planned reduction.
pub(super) struct ReductionNode {
    pub(super) variant: &'static ReductionVariant,
    /// Views it reads: one, or two of one length.
    pub(super) view_idxs: Vec<usize>,
    /// Word of the result.
    pub(super) slot: u32,
    /// The result is added to the old value.
    pub(super) accumulate: bool,
    pub(super) plan: ReductionPlan,
}

/// An operation that was just added.
pub struct Operation<'g> {
    pub(super) arena: u64,
    pub(super) node: &'g mut Node,
}

impl Operation<'_> {
    /// Runs the operation only while `gate` is not 0 when it starts. Otherwise it writes nothing at all.
    ///
    /// # Errors
    /// A second gate, or a slot of another arena.
    pub fn gated_by(self, gate: Slot<u32>) -> Result<Self, Error> {
        if gate.arena != self.arena {
            return Err(refused(&self.node.name, Refusal::ForeignArena));
        }
        if self.node.gate.is_some() {
            return Err(refused(&self.node.name, Refusal::SecondGate));
        }
        self.node.gate = Some(gate.word);
        Ok(self)
    }

    /// Adds the sum of a reduction to the old value of its slot, so that a vector in several pieces is one reduction
    /// per piece.
    ///
    /// # Errors
    /// An operation on scalars.
    pub fn accumulated(self) -> Result<Self, Error> {
        match &mut self.node.work {
            Work::Reduction(reduction) => reduction.accumulate = true,
            Work::Scalar(_) => return Err(refused(&self.node.name, Refusal::NoSum)),
        }
        Ok(self)
    }
}

/// The inputs of a reduction: `(x,)` or `(x, y)`. Sealed.
pub trait Inputs: sealed::Sealed {
    /// The handles in order.
    fn handles(&self) -> Vec<Handle>;
}

impl Inputs for (Handle,) {
    fn handles(&self) -> Vec<Handle> {
        vec![self.0]
    }
}

impl Inputs for (Handle, Handle) {
    fn handles(&self) -> Vec<Handle> {
        vec![self.0, self.1]
    }
}

mod sealed {
    use super::Handle;

    pub trait Sealed {}
    impl Sealed for (Handle,) {}
    impl Sealed for (Handle, Handle) {}
}
