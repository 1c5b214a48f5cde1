//! The statements of a body in the order in which a worker meets them, each with the number of times.

use super::{Body, COUNT, Index, IntExpr, Stmt};
use std::collections::BTreeMap;

/// Whose way through a body is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walker {
    /// The worker that has most to do: the first one, for which every guard is open.
    Busiest,
    /// The worker with this number. Guards that look at the data are open.
    Numbered(usize),
}

/// Visits every statement that is no scope of others. How many elements of unknown length exist is known at run time alone:
/// one stands for all. The iterations of all loops.
pub(super) fn walk(body: &Body, walker: Walker, visit: &mut impl FnMut(&Stmt, usize)) -> usize {
    let mut ints = BTreeMap::new();
    if let (Walker::Numbered(worker), Some(name)) = (walker, body.worker) {
        ints.insert(name.to_owned(), worker.cast_signed());
    }
    let mut walk = Walk { walker, ints, visit, n_iterations: 0 };
    walk.block(&body.stmts, 1);
    walk.n_iterations
}

/// Loop bounds may depend on outer loop variables, so loops are walked value by value where they do.
struct Walk<'a, Visit> {
    walker: Walker,
    /// A name that is not there is 0: that of the first worker.
    ints: BTreeMap<String, isize>,
    visit: &'a mut Visit,
    n_iterations: usize,
}

impl<Visit: FnMut(&Stmt, usize)> Walk<'_, Visit> {
    fn block(&mut self, stmts: &[Stmt], n_passes: usize) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, n_passes));
    }

    fn stmt(&mut self, stmt: &Stmt, n_passes: usize) {
        match stmt {
            // Both do the same.
            Stmt::Whole { whole, .. } => self.block(whole, n_passes),
            Stmt::Guard { name, limit, stmts } => {
                if self.walker == Walker::Busiest || self.known(name) < limit.cast_signed() {
                    self.block(stmts, n_passes);
                }
            }
            Stmt::Existing { stmts, .. } | Stmt::Block { stmts } => self.block(stmts, n_passes),
            Stmt::Loop { var, start, end, step, stmts, .. } => {
                self.looped(var, (start, end, *step), stmts, n_passes);
            }
            Stmt::Int { name, value } => {
                let value = self.int(value);
                self.ints.insert(name.clone(), value);
            }
            stmt => (self.visit)(stmt, n_passes),
        }
    }

    fn looped(
        &mut self,
        var: &str,
        (start, end, step): (&Index, &Index, usize),
        stmts: &[Stmt],
        n_passes: usize,
    ) {
        if *end == Index::name(COUNT) {
            return self.block(stmts, n_passes);
        }
        let (start, end) = (self.value(start), self.value(end));
        if !self.depends_on(stmts, var) {
            let count = (end - start).max(0).unsigned_abs().div_ceil(step);
            self.n_iterations += n_passes * count;
            if count > 0 {
                self.block(stmts, n_passes * count);
            }
            return;
        }
        let mut value = start;
        while value < end {
            self.ints.insert(var.to_owned(), value);
            self.n_iterations += n_passes;
            self.block(stmts, n_passes);
            value += step.cast_signed();
        }
        self.ints.remove(var);
    }

    /// Whether how often any statement is met depends on a name, itself or through integers made from it.
    fn depends_on(&self, stmts: &[Stmt], var: &str) -> bool {
        let mentions = |index: &Index| index.terms.iter().any(|term| term.name == var);
        let is_made_from = |value: &IntExpr| match value {
            IntExpr::Affine(index) | IntExpr::Div(index, _) | IntExpr::Rem(index, _) => mentions(index),
            IntExpr::Min(name, _) => name == var,
            IntExpr::IfLess { left, right, then, otherwise } => {
                left == var || right == var || mentions(then) || mentions(otherwise)
            }
        };
        stmts.iter().enumerate().any(|(stmt_idx, stmt)| match stmt {
            Stmt::Loop { start, end, stmts, .. } => {
                mentions(start) || mentions(end) || self.depends_on(stmts, var)
            }
            Stmt::Guard { name, stmts, .. } => {
                (self.walker != Walker::Busiest && name == var) || self.depends_on(stmts, var)
            }
            Stmt::Existing { stmts, .. } | Stmt::Block { stmts } => self.depends_on(stmts, var),
            Stmt::Whole { whole, parts } => self.depends_on(whole, var) || self.depends_on(parts, var),
            Stmt::Int { name, value } => is_made_from(value) && self.depends_on(&stmts[stmt_idx + 1..], name),
            _ => false,
        })
    }

    fn known(&self, name: &str) -> isize {
        self.ints.get(name).copied().unwrap_or(0)
    }

    fn value(&self, index: &Index) -> isize {
        index.constant
            + index.terms.iter().map(|term| term.coefficient * self.known(&term.name)).sum::<isize>()
    }

    fn int(&self, value: &IntExpr) -> isize {
        match value {
            IntExpr::Affine(index) => self.value(index),
            IntExpr::Div(index, by) => self.value(index) / by.cast_signed(),
            IntExpr::Rem(index, by) => self.value(index) % by.cast_signed(),
            IntExpr::Min(name, limit) => self.known(name).min(limit.cast_signed()),
            IntExpr::IfLess { left, right, then, otherwise } => {
                self.value(if self.known(left) < self.known(right) { then } else { otherwise })
            }
        }
    }
}
