//! What every built kernel satisfies: names defined once and before use, indices inside their operands,
//! trees and barriers in uniform flow.

use super::{Index, IntExpr, Kernel, Stmt};
use crate::plan::WARP;
use crate::spec::Spec;
use std::collections::BTreeMap;

/// Verifies a kernel against its spec.
///
/// # Errors
/// The first violated property: a fault of the builder, never of the user.
pub fn check(spec: &Spec, kernel: &Kernel) -> Result<(), String> {
    let mut scope = Scope { spec, ints: BTreeMap::new(), values: BTreeMap::new(), divergent: false };
    if let Some(worker) = kernel.body.worker {
        scope.ints.insert(worker.to_owned(), kernel.body.n_workers - 1);
    }
    scope.block(&kernel.body.stmts)
}

#[derive(Clone)]
struct Scope<'a> {
    spec: &'a Spec,
    /// Largest value of every integer in scope.
    ints: BTreeMap<String, usize>,
    /// Values in scope; accumulators may be updated.
    values: BTreeMap<String, Kind>,
    /// Lanes of one warp may disagree on reaching this point.
    divergent: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    Accumulator,
}

impl Scope<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Result<(), String> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), String> {
        match stmt {
            Stmt::Comment(_) => Ok(()),
            Stmt::Int { name, value } => {
                let max = self.max_of(value)?;
                self.define_int(name, max)
            }
            Stmt::Load { names, operand, index } => {
                self.in_bounds(*operand, index, names.len())?;
                names.iter().try_for_each(|name| self.define(name, Kind::Value))
            }
            Stmt::Zero { acc } => self.define(acc, Kind::Accumulator),
            Stmt::Fma { acc, a, b } => {
                self.used(a)?;
                self.used(b)?;
                self.updated(acc)
            }
            Stmt::Add { acc, value } => {
                self.used(value)?;
                self.updated(acc)
            }
            Stmt::Combine { acc, lanes } => {
                if self.divergent {
                    return Err(format!("tree over `{acc}` in divergent flow"));
                }
                if !lanes.is_power_of_two() || *lanes > WARP {
                    return Err(format!("tree of {lanes} lanes"));
                }
                self.updated(acc)
            }
            Stmt::Finish { name, acc, old, .. } => {
                self.used(acc)?;
                old.iter().try_for_each(|old| self.used(old))?;
                self.define(name, Kind::Value)
            }
            Stmt::Store { operand, index, value } => {
                self.used(value)?;
                self.in_bounds(*operand, index, 1)
            }
            Stmt::Loop { var, count, stmts, .. } => {
                if *count == 0 {
                    return Err(format!("loop over `{var}` never runs"));
                }
                let mut inner = self.clone();
                inner.define_int(var, count - 1)?;
                inner.block(stmts)
            }
            Stmt::Guard { name, limit, stmts } => {
                let max = self.int(name)?;
                if *limit == 0 || max < *limit {
                    return Err(format!("guard `{name} < {limit}` is constant"));
                }
                let mut inner = self.clone();
                inner.ints.insert(name.clone(), limit - 1);
                // Whole warps agree on a limit that is a multiple of their size.
                let warp_uniform = matches!(name.as_str(), "thread") && limit.is_multiple_of(WARP);
                inner.divergent |= !warp_uniform;
                inner.block(stmts)
            }
            Stmt::Barrier if self.divergent => Err("barrier in divergent flow".to_owned()),
            Stmt::Barrier => Ok(()),
        }
    }

    fn int(&self, name: &str) -> Result<usize, String> {
        self.ints.get(name).copied().ok_or_else(|| format!("integer `{name}` is not defined"))
    }

    fn max_of(&self, value: &IntExpr) -> Result<usize, String> {
        Ok(match value {
            IntExpr::Affine(index) => self.max_index(index)?,
            IntExpr::Div(name, by) => self.int(name)? / by,
            IntExpr::Rem(name, by) => self.int(name)?.min(by - 1),
            IntExpr::Min(name, limit) => self.int(name)?.min(*limit),
        })
    }

    fn max_index(&self, index: &Index) -> Result<usize, String> {
        index
            .terms
            .iter()
            .try_fold(index.constant, |sum, term| Ok(sum + term.coefficient * self.int(&term.name)?))
    }

    fn in_bounds(&self, operand: usize, index: &Index, width: usize) -> Result<(), String> {
        let operand = &self.spec.operands[operand];
        let last = self.max_index(index)? + width - 1;
        if last < operand.elements() {
            return Ok(());
        }
        Err(format!("`{}[{index}]` reaches {last} of {} elements", operand.name, operand.elements()))
    }

    fn fresh(&self, name: &str) -> Result<(), String> {
        if self.values.contains_key(name) || self.ints.contains_key(name) {
            return Err(format!("`{name}` is defined twice"));
        }
        Ok(())
    }

    fn define(&mut self, name: &str, kind: Kind) -> Result<(), String> {
        self.fresh(name)?;
        self.values.insert(name.to_owned(), kind);
        Ok(())
    }

    fn define_int(&mut self, name: &str, max: usize) -> Result<(), String> {
        self.fresh(name)?;
        self.ints.insert(name.to_owned(), max);
        Ok(())
    }

    fn used(&self, name: &str) -> Result<(), String> {
        self.values.get(name).map(|_| ()).ok_or_else(|| format!("value `{name}` is not defined"))
    }

    fn updated(&self, acc: &str) -> Result<(), String> {
        match self.values.get(acc) {
            Some(Kind::Accumulator) => Ok(()),
            _ => Err(format!("`{acc}` is not an accumulator in scope")),
        }
    }
}
