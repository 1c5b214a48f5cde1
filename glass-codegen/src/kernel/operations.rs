//! Operation counts of a whole problem, by the memory that is reached.

use super::operation::{Operation, operations};
use super::walk::{Walker, walk};
use super::{Epilogue, Kernel, Stmt};
use crate::plan::{Plan, Tier};
use crate::spec::{Role, Spec};

/// What the workers of one problem execute together: sums over all of them, except for what they do together, shuffles and
/// barriers, which are those of the first worker. What depends on data counts as if done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Fused multiply-adds.
    pub n_fmas: usize,
    /// Separate products.
    pub n_products: usize,
    /// Separate additions and differences, tree levels included: every lane of a tree adds.
    pub n_adds: usize,
    /// Comparisons, selections, magnitudes, quotients, square roots and functions; everything done to words.
    pub n_others: usize,
    /// Pivots: a square root or nothing, and a reciprocal, one for each worker that takes it.
    pub n_pivots: usize,
    /// Elements that the body moves from and to a device's memory.
    pub global: Moves,
    /// The same from and to the memory that the workers of a problem, or the problems of a warp, share.
    pub shared: Moves,
    /// The same from and to arrays of a thread's own, which a compiler may keep in registers.
    pub own: Moves,
    /// Elements that the frame copies between a device's memory and shared memory, before the body and after it.
    pub copied: Moves,
    /// Values passed between lanes.
    pub n_shuffles: usize,
    /// Barriers.
    pub n_barriers: usize,
}

/// Elements in and out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Read.
    pub n_in: usize,
    /// Written.
    pub n_out: usize,
}

/// Where an operand lies while a body runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Global,
    Shared,
    Own,
}

impl Operations {
    /// Counts a kernel of a batch.
    pub fn of(spec: &Spec, plan: &Plan, kernel: &Kernel) -> Operations {
        let memories: Vec<_> = (0..spec.operands.len()).map(|operand| memory(spec, plan, operand)).collect();
        let mut counted = Operations { copied: copied(spec, plan), ..Operations::default() };
        for worker in 0..kernel.body.n_workers {
            walk(&kernel.body, Walker::Numbered(worker), &mut |stmt, n_passes| {
                let mut count = |operation, n: usize| {
                    if worker == 0 || !matches!(operation, Operation::Shuffle | Operation::Barrier) {
                        counted.count(operation, n * n_passes, &memories);
                    }
                };
                match stmt {
                    Stmt::Finish { epilogue, .. } => finish(epilogue, &mut count),
                    stmt => operations(stmt, plan.target, &mut count),
                }
            });
        }
        counted
    }

    fn count(&mut self, operation: Operation, n: usize, memories: &[Memory]) {
        match operation {
            Operation::Fma => self.n_fmas += n,
            Operation::Product => self.n_products += n,
            Operation::Addition | Operation::Difference => self.n_adds += n,
            Operation::Other => self.n_others += n,
            Operation::Pivot => self.n_pivots += n,
            Operation::Load(operand) => self.moves(memories[operand]).n_in += n,
            Operation::Store(operand) => self.moves(memories[operand]).n_out += n,
            Operation::Take => self.shared.n_in += n,
            Operation::Shuffle => self.n_shuffles += n,
            Operation::Barrier => self.n_barriers += n,
        }
    }

    fn moves(&mut self, memory: Memory) -> &mut Moves {
        match memory {
            Memory::Global => &mut self.global,
            Memory::Shared => &mut self.shared,
            Memory::Own => &mut self.own,
        }
    }

    /// Every count under its name.
    pub fn named(&self) -> [(&'static str, usize); 15] {
        let Operations { global, shared, own, copied, .. } = self;
        [
            ("fma", self.n_fmas),
            ("mul", self.n_products),
            ("add", self.n_adds),
            ("other", self.n_others),
            ("pivot", self.n_pivots),
            ("load", global.n_in),
            ("store", global.n_out),
            ("shared_load", shared.n_in),
            ("shared_store", shared.n_out),
            ("own_load", own.n_in),
            ("own_store", own.n_out),
            ("copy_in", copied.n_in),
            ("copy_out", copied.n_out),
            ("shuffle", self.n_shuffles),
            ("barrier", self.n_barriers),
        ]
    }
}

fn memory(spec: &Spec, plan: &Plan, operand: usize) -> Memory {
    let is_shared = plan.shared.iter().any(|part| part.operand == operand);
    if is_shared || plan.accesses[operand].is_staged {
        return Memory::Shared;
    }
    match spec.operands[operand].role {
        Role::Temporary => Memory::Own,
        Role::In | Role::Out | Role::InOut => Memory::Global,
    }
}

/// What frames copy: what is read before the body, what is written after it.
fn copied(spec: &Spec, plan: &Plan) -> Moves {
    let mut moves = Moves::default();
    for (operand_idx, operand) in spec.arguments().iter().enumerate() {
        let access = &plan.accesses[operand_idx];
        let is_copied = match plan.mapping.tier {
            Tier::Thread => access.is_staged,
            Tier::Warp | Tier::Block => plan.shared.iter().any(|part| part.operand == operand_idx),
        };
        if is_copied {
            let n_copied = access.n_copied(operand);
            moves.n_in += if operand.role == Role::Out { 0 } else { n_copied };
            moves.n_out += if operand.role == Role::In { 0 } else { n_copied };
        }
    }
    moves
}

/// The operations of an epilogue, whichever of its scalars are 0.
fn finish(epilogue: &Epilogue, count: &mut impl FnMut(Operation, usize)) {
    let Epilogue { alpha, accumulates, beta } = *epilogue;
    if alpha {
        count(Operation::Product, 1);
    }
    match (accumulates, beta) {
        (false, _) => {}
        (true, false) => count(Operation::Addition, 1),
        (true, true) => count(Operation::Fma, 1),
    }
}
