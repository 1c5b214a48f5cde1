//! Operation counts of one worker, read off the statements.

use super::operation::{Operation, operations};
use super::walk::{Walker, walk};
use super::{Kernel, Stmt};
use crate::plan::Target;
use std::fmt;

/// Operations that one worker of a problem performs; guarded statements count as if taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Fused multiply-adds.
    pub n_fmas: usize,
    /// Separate additions, tree levels included.
    pub n_adds: usize,
    /// Other single operations: products, differences, square roots, magnitudes.
    pub n_others: usize,
    /// Pivots: a square root or nothing, and a reciprocal.
    pub n_pivots: usize,
    /// Elements read from operands and temporary arrays.
    pub n_loads: usize,
    /// Elements written.
    pub n_stores: usize,
    /// Values passed between lanes.
    pub n_shuffles: usize,
    /// Barriers of the problem's workers.
    pub n_barriers: usize,
    /// Iterations of all loops.
    pub n_iterations: usize,
    /// Statements in the text, the measure of what a compiler has to chew.
    pub n_stmts: usize,
}

impl Cost {
    /// Counts the body of a kernel as a target spells it: for the worker that has most to do.
    pub fn of(kernel: &Kernel, target: Target) -> Cost {
        let mut cost = Cost { n_stmts: n_stmts(&kernel.body.stmts), ..Cost::default() };
        cost.n_iterations = walk(&kernel.body, Walker::Busiest, &mut |stmt, n_passes| {
            operations(stmt, target, &mut |operation, n| cost.count(operation, n * n_passes));
        });
        cost
    }

    fn count(&mut self, operation: Operation, n: usize) {
        match operation {
            Operation::Fma => self.n_fmas += n,
            Operation::Addition => self.n_adds += n,
            Operation::Difference | Operation::Product | Operation::Other => self.n_others += n,
            Operation::Pivot => self.n_pivots += n,
            Operation::Load(_) => self.n_loads += n,
            Operation::Store(_) => self.n_stores += n,
            Operation::Shuffle => self.n_shuffles += n,
            Operation::Barrier => self.n_barriers += n,
            // Loaded where it was copied from.
            Operation::Take => {}
        }
    }
}

fn n_stmts(stmts: &[Stmt]) -> usize {
    stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Comment(_) => 0,
            Stmt::Guard { stmts, .. }
            | Stmt::Existing { stmts, .. }
            | Stmt::Loop { stmts, .. }
            | Stmt::Block { stmts } => 1 + n_stmts(stmts),
            Stmt::Whole { whole, parts } => 1 + n_stmts(whole) + n_stmts(parts),
            _ => 1,
        })
        .sum()
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { n_fmas, n_adds, n_loads, n_stores, n_shuffles, n_barriers, n_others, n_pivots, .. } = self;
        write!(f, "{n_fmas} fma, {n_adds} add, ")?;
        if *n_others > 0 {
            write!(f, "{n_others} other, ")?;
        }
        if *n_pivots > 0 {
            write!(f, "{n_pivots} pivot, ")?;
        }
        write!(f, "{n_loads} load, {n_stores} store, {n_shuffles} shuffle, {n_barriers} barrier")
    }
}
