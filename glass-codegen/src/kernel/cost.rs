//! Operation counts of one worker, read off the statements.

use super::{Kernel, Stmt};
use crate::plan::Target;
use std::fmt;
use std::ops::AddAssign;

/// Operations that one worker of a problem performs; guarded statements count as if taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Fused multiply-adds.
    pub n_fmas: usize,
    /// Separate additions, tree levels included.
    pub n_adds: usize,
    /// Elements read from operands.
    pub n_loads: usize,
    /// Elements written.
    pub n_stores: usize,
    /// Values passed between lanes.
    pub n_shuffles: usize,
    /// Barriers of the problem's workers.
    pub n_barriers: usize,
    /// Statements in the text, the measure of what a compiler has to chew.
    pub n_stmts: usize,
}

impl Cost {
    /// Counts the body of a kernel as a target spells it.
    pub fn of(kernel: &Kernel, target: Target) -> Cost {
        count(&kernel.body.stmts, target)
    }

    fn times(self, n_passes: usize) -> Cost {
        Cost {
            n_fmas: self.n_fmas * n_passes,
            n_adds: self.n_adds * n_passes,
            n_loads: self.n_loads * n_passes,
            n_stores: self.n_stores * n_passes,
            n_shuffles: self.n_shuffles * n_passes,
            n_barriers: self.n_barriers * n_passes,
            n_stmts: self.n_stmts,
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.n_fmas += other.n_fmas;
        self.n_adds += other.n_adds;
        self.n_loads += other.n_loads;
        self.n_stores += other.n_stores;
        self.n_shuffles += other.n_shuffles;
        self.n_barriers += other.n_barriers;
        self.n_stmts += other.n_stmts;
    }
}

fn count(stmts: &[Stmt], target: Target) -> Cost {
    let mut cost = Cost::default();
    for stmt in stmts {
        cost.n_stmts += 1;
        match stmt {
            Stmt::Comment(_) => cost.n_stmts -= 1,
            Stmt::Int { .. } | Stmt::Zero { .. } | Stmt::Finish { .. } => {}
            Stmt::Load { names, .. } => cost.n_loads += names.len(),
            Stmt::Fma { .. } => cost.n_fmas += 1,
            Stmt::Add { .. } => cost.n_adds += 1,
            Stmt::Combine { lanes, .. } => {
                let levels = lanes.ilog2() as usize;
                cost.n_adds += levels;
                match target {
                    // Lanes meet in workgroup memory: once to publish, and after every level.
                    Target::Wgsl => cost.n_barriers += levels + 1,
                    Target::Cuda | Target::Host => cost.n_shuffles += levels,
                }
            }
            Stmt::Store { .. } => cost.n_stores += 1,
            Stmt::Barrier => cost.n_barriers += 1,
            Stmt::Guard { stmts, .. } => cost += count(stmts, target),
            Stmt::Loop { count: n_passes, stmts, .. } => cost += count(stmts, target).times(*n_passes),
        }
    }
    cost
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { n_fmas, n_adds, n_loads, n_stores, n_shuffles, n_barriers, .. } = self;
        write!(
            f,
            "{n_fmas} fma, {n_adds} add, {n_loads} load, {n_stores} store, {n_shuffles} shuffle, {n_barriers} barrier"
        )
    }
}
