//! Operation counts of one worker, read off the statements.

use super::{COUNT, Function, Index, IntExpr, Kernel, Stmt};
use crate::plan::{Target, WARP};
use crate::spec::Operator;
use std::collections::BTreeMap;
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
    /// Statements in the text, the measure of what a compiler has to chew.
    pub n_stmts: usize,
}

impl Cost {
    /// Counts the body of a kernel as a target spells it: for the worker that has most to do.
    pub fn of(kernel: &Kernel, target: Target) -> Cost {
        let mut count = Count { target, ints: BTreeMap::new(), cost: Cost::default() };
        count.block(&kernel.body.stmts, 1);
        Cost { n_stmts: n_stmts(&kernel.body.stmts), ..count.cost }
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

/// Loop bounds may depend on outer loop variables, so loops are walked value by value where they do.
struct Count {
    target: Target,
    ints: BTreeMap<String, isize>,
    cost: Cost,
}

impl Count {
    fn block(&mut self, stmts: &[Stmt], n_passes: usize) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, n_passes));
    }

    fn stmt(&mut self, stmt: &Stmt, n_passes: usize) {
        let cost = &mut self.cost;
        match stmt {
            Stmt::Load { names, .. } | Stmt::LoadBelow { names, .. } | Stmt::TakeHanded { names, .. } => {
                cost.n_loads += names.len() * n_passes
            }
            Stmt::LoadWord { .. } => cost.n_loads += n_passes,
            Stmt::CopyAhead { elements, .. } => cost.n_loads += elements.len() * n_passes,
            Stmt::Fma { .. } => cost.n_fmas += n_passes,
            Stmt::Evaluate { of, .. } => of.operators(&mut |operator| match operator {
                Operator::Fma => cost.n_fmas += n_passes,
                Operator::Add => cost.n_adds += n_passes,
                _ => cost.n_others += n_passes,
            }),
            Stmt::Add { .. } => cost.n_adds += n_passes,
            Stmt::Raise { .. }
            | Stmt::CountSign { .. }
            | Stmt::TakeLarger { .. }
            | Stmt::TakeAt { .. }
            | Stmt::Place { .. }
            | Stmt::TakeWord { .. }
            | Stmt::Complement { .. }
            | Stmt::MergeWord { .. }
            | Stmt::IsNegative { .. } => cost.n_others += n_passes,
            Stmt::Let { function, .. } => match function {
                Function::Fma | Function::Axpy => cost.n_fmas += n_passes,
                Function::Add => cost.n_adds += n_passes,
                _ => cost.n_others += n_passes,
            },
            Stmt::Pivot { .. } => cost.n_pivots += n_passes,
            Stmt::Combine { lanes, merge, .. } => {
                let levels = lanes.ilog2() as usize;
                match merge {
                    None => cost.n_adds += levels * n_passes,
                    Some(_) => cost.n_others += levels * n_passes,
                }
                match self.target {
                    Target::Cuda | Target::Host if *lanes <= WARP => cost.n_shuffles += levels * n_passes,
                    // Lanes meet in memory: once to publish, and after every level.
                    _ => cost.n_barriers += (levels + 1) * n_passes,
                }
            }
            Stmt::Broadcast { .. } => cost.n_shuffles += n_passes,
            Stmt::Deal { .. } => cost.n_barriers += n_passes,
            Stmt::MeetSubgroups { .. } => {
                cost.n_shuffles += n_passes;
                cost.n_barriers += n_passes;
            }
            Stmt::Store { .. }
            | Stmt::StoreUnless { .. }
            | Stmt::StoreStatus { .. }
            | Stmt::StoreWord { .. } => cost.n_stores += n_passes,
            Stmt::StoreVector { values, .. } => cost.n_stores += values.len() * n_passes,
            // Both do the same.
            Stmt::Whole { whole, .. } => self.block(whole, n_passes),
            Stmt::Barrier => cost.n_barriers += n_passes,
            Stmt::Guard { stmts, .. } | Stmt::Existing { stmts, .. } | Stmt::Block { stmts } => {
                self.block(stmts, n_passes);
            }
            Stmt::Loop { var, start, end, step, stmts, .. } => {
                self.looped(var, (start, end, *step), stmts, n_passes);
            }
            Stmt::Int { name, value } => {
                let value = self.int(value);
                self.ints.insert(name.clone(), value);
            }
            // How many entries rows have is known at run time alone.
            Stmt::RowProduct { .. }
            | Stmt::RowProducts { .. }
            | Stmt::Comment(_)
            | Stmt::Await { .. }
            | Stmt::Release { .. }
            | Stmt::Take { .. }
            | Stmt::Var { .. }
            | Stmt::Constant { .. }
            | Stmt::Finish { .. }
            | Stmt::Status { .. }
            | Stmt::Word { .. } => {}
        }
    }

    fn looped(
        &mut self,
        var: &str,
        (start, end, step): (&Index, &Index, usize),
        stmts: &[Stmt],
        n_passes: usize,
    ) {
        // How many elements exist is known at run time alone: one stands for all.
        if *end == Index::name(COUNT) {
            return self.block(stmts, n_passes);
        }
        let (start, end) = (self.value(start), self.value(end));
        if !bounds_mention(stmts, var) {
            let count = (end - start).max(0).unsigned_abs().div_ceil(step);
            return self.block(stmts, n_passes * count);
        }
        let mut value = start;
        while value < end {
            self.ints.insert(var.to_owned(), value);
            self.block(stmts, n_passes);
            value += step as isize;
        }
        self.ints.remove(var);
    }

    /// Workers count as the first one, whose index is 0.
    fn value(&self, index: &Index) -> isize {
        let known = |name: &str| self.ints.get(name).copied().unwrap_or(0);
        index.constant + index.terms.iter().map(|term| term.coefficient * known(&term.name)).sum::<isize>()
    }
}

/// Whether the bounds of any loop depend on a name, itself or through integers made from it.
fn bounds_mention(stmts: &[Stmt], var: &str) -> bool {
    let mentions = |index: &Index| index.terms.iter().any(|term| term.name == var);
    let is_made_from = |value: &IntExpr| match value {
        IntExpr::Affine(index) | IntExpr::Rem(index, _) => mentions(index),
        IntExpr::Div(name, _) | IntExpr::Min(name, _) => name == var,
        IntExpr::IfLess { left, right, then, otherwise } => {
            left == var || right == var || mentions(then) || mentions(otherwise)
        }
    };
    stmts.iter().enumerate().any(|(stmt_idx, stmt)| match stmt {
        Stmt::Loop { start, end, stmts, .. } => {
            mentions(start) || mentions(end) || bounds_mention(stmts, var)
        }
        Stmt::Guard { stmts, .. } | Stmt::Existing { stmts, .. } | Stmt::Block { stmts } => {
            bounds_mention(stmts, var)
        }
        Stmt::Whole { whole, parts } => bounds_mention(whole, var) || bounds_mention(parts, var),
        Stmt::Int { name, value } => is_made_from(value) && bounds_mention(&stmts[stmt_idx + 1..], name),
        _ => false,
    })
}

impl Count {
    fn int(&self, value: &IntExpr) -> isize {
        let known = |name: &str| self.ints.get(name).copied().unwrap_or(0);
        match value {
            IntExpr::Affine(index) => self.value(index),
            IntExpr::Div(name, by) => known(name) / *by as isize,
            IntExpr::Rem(index, by) => self.value(index) % *by as isize,
            IntExpr::Min(name, limit) => known(name).min(*limit as isize),
            IntExpr::IfLess { left, right, then, otherwise } => {
                self.value(if known(left) < known(right) { then } else { otherwise })
            }
        }
    }
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
