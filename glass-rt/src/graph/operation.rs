//! Recorded operations, and what can still be said about one after it was added.

use super::{Handle, refused};
use crate::arena::{ScalarArgument, ScalarStep, Slot};
use crate::error::Error;
use crate::reduction::{ReductionPlan, ReductionVariant};
use crate::refusal::Refusal;
use crate::vector_op::{VectorPlan, VectorTask, VectorVariant};
use crate::word::Word;

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
    Vector(VectorNode),
}

/// A planned reduction.
pub(super) struct ReductionNode {
    /// Words of a sum or a state.
    pub(super) n_words: u32,
    pub(super) variant: &'static ReductionVariant,
    /// Views it reads: one, or two of one length.
    pub(super) view_idxs: Vec<usize>,
    /// Words of the results.
    pub(super) slots: Vec<u32>,
    /// The old results take part.
    pub(super) accumulate: bool,
    pub(super) plan: ReductionPlan,
}

/// A planned vector operation.
pub(super) struct VectorNode {
    pub(super) task: &'static VectorTask,
    pub(super) variant: &'static VectorVariant,
    /// In the order of the task.
    pub(super) operands: Vec<Operand>,
    /// Words of the scalars, in the order of the task.
    pub(super) words: Vec<u32>,
    /// Word that is set to 0 first.
    pub(super) cleared: Option<u32>,
    pub(super) plan: VectorPlan,
}

/// An operand of a vector operation.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Vector {
        view_idx: usize,
    },
    /// Views of row offsets, columns and values, one after the other.
    Matrix {
        first_view_idx: usize,
    },
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
    /// A second gate, a slot of another arena, the slot that the operation clears, or a result of a reduction in several spans.
    pub fn gated_by(self, gate: Slot<u32>) -> Result<Self, Error> {
        if gate.arena != self.arena {
            return Err(refused(&self.node.name, Refusal::ForeignArena));
        }
        if self.node.gate.is_some() {
            return Err(refused(&self.node.name, Refusal::SecondGate));
        }
        if let Work::Reduction(ReductionNode { slots, plan, .. }) = &self.node.work
            && plan.spans.len() > 1
            && slots.contains(&gate.word)
        {
            return Err(refused(&self.node.name, Refusal::GateIsResult));
        }
        self.node.gate = Some(gate.word);
        self.node.check_cleared()?;
        Ok(self)
    }

    /// Sets `slot` to 0 before a vector operation starts, whatever its gate says.
    ///
    /// # Errors
    /// Another operation than a vector operation, a second slot to clear, a slot of another arena, and one that is
    /// the gate or that the operation reads.
    pub fn clearing(self, slot: Slot<u32>) -> Result<Self, Error> {
        if slot.arena != self.arena {
            return Err(refused(&self.node.name, Refusal::ForeignArena));
        }
        let Work::Vector(vector) = &mut self.node.work else {
            return Err(refused(&self.node.name, Refusal::NoClearing));
        };
        if vector.cleared.is_some() {
            return Err(refused(&self.node.name, Refusal::SecondClearing));
        }
        vector.cleared = Some(slot.word);
        self.node.check_cleared()?;
        Ok(self)
    }

    /// Takes the old results of a reduction as one more element, so that a vector in several pieces is one reduction per
    /// piece. Old extremes with a status that is not 0 are no element.
    ///
    /// # Errors
    /// Another operation than a reduction.
    pub fn accumulated(self) -> Result<Self, Error> {
        match &mut self.node.work {
            Work::Reduction(reduction) => reduction.accumulate = true,
            Work::Scalar(_) | Work::Vector(_) => return Err(refused(&self.node.name, Refusal::NoSum)),
        }
        Ok(self)
    }
}

impl Node {
    /// The views it writes.
    pub(super) fn written(&self) -> Vec<usize> {
        match &self.work {
            Work::Vector(vector) => written(vector.task, &vector.operands).collect(),
            Work::Reduction(_) | Work::Scalar(_) => Vec::new(),
        }
    }

    /// Refuses to clear a word that other groups may read before or after it is cleared.
    fn check_cleared(&self) -> Result<(), Error> {
        let Work::Vector(VectorNode { task, words, cleared: Some(cleared), .. }) = &self.work else {
            return Ok(());
        };
        let refused = |what| Err(refused(&self.name, Refusal::ClearedWhileRead { what }));
        if self.gate == Some(*cleared) {
            return refused("the gate".into());
        }
        let mut scalars = task.scalars.iter().zip(words);
        match scalars.find(|(scalar, word)| *word == cleared && scalar.is_read) {
            Some((scalar, _)) => refused(format!("`{}`", scalar.name)),
            None => Ok(()),
        }
    }
}

/// The views that a vector operation writes.
pub(super) fn written(task: &VectorTask, operands: &[Operand]) -> impl Iterator<Item = usize> {
    task.operands.iter().zip(operands).filter_map(|(operand, given)| match *given {
        Operand::Vector { view_idx } if operand.kind.is_written() => Some(view_idx),
        Operand::Vector { .. } | Operand::Matrix { .. } => None,
    })
}

/// The inputs of a reduction: `(x,)`, `(x, y)` or `(x, mask)`. Sealed.
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

/// Where the results of a reduction go: one slot, or a tuple of them, the status last. Sealed.
pub trait Results: sealed::Sealed {
    /// The slots in order.
    fn slots(&self) -> Vec<ScalarArgument>;
}

impl<T: Word> Results for Slot<T> {
    fn slots(&self) -> Vec<ScalarArgument> {
        vec![(*self).into()]
    }
}

impl<T: Word> Results for (Slot<T>, Slot<u32>) {
    fn slots(&self) -> Vec<ScalarArgument> {
        vec![self.0.into(), self.1.into()]
    }
}

impl<T: Word> Results for (Slot<T>, Slot<T>, Slot<u32>) {
    fn slots(&self) -> Vec<ScalarArgument> {
        vec![self.0.into(), self.1.into(), self.2.into()]
    }
}

mod sealed {
    use super::{Handle, Slot, Word};

    pub trait Sealed {}
    impl Sealed for (Handle,) {}
    impl Sealed for (Handle, Handle) {}
    impl<T: Word> Sealed for Slot<T> {}
    impl<T: Word> Sealed for (Slot<T>, Slot<u32>) {}
    impl<T: Word> Sealed for (Slot<T>, Slot<T>, Slot<u32>) {}
}
