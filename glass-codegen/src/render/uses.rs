//! What a body uses beyond plain arithmetic, read off its statements: what a file has to define before it.

use crate::kernel::{Function, Packing, PivotKind, Stmt};
use crate::plan::WARP;
use crate::spec::Merge;
use std::collections::{BTreeSet, HashSet};

/// Functions, pivots, trees and operands of a body.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) functions: HashSet<Function>,
    pub(super) pivots: HashSet<PivotKind>,
    /// Widths of trees over lanes.
    pub(super) trees: BTreeSet<usize>,
    /// Words meet in them, not values.
    pub(super) merges_words: bool,
    /// What is dealt to warps at once, and their number.
    pub(super) dealt: Option<[usize; 2]>,
    /// How words merge in warps.
    pub(super) merges: Vec<Merge>,
    /// Whether the gate is looked at after elements were read.
    pub(super) awaits_gate: bool,
    /// Whether workers fetch rows of sparse matrices together.
    pub(super) has_row_products: bool,
    /// Names of the integers that are words of the problem.
    pub(super) placed: HashSet<String>,
    /// Positions of the operands that are read.
    pub(super) loaded: BTreeSet<usize>,
    /// Positions of the operands that are written.
    pub(super) stored: BTreeSet<usize>,
    /// Packed triangles whose elements are named by indices that vary.
    pub(super) packings: BTreeSet<Packing>,
}

impl Uses {
    pub(super) fn of(stmts: &[Stmt]) -> Uses {
        let mut uses = Uses::default();
        uses.add(stmts);
        uses
    }

    fn add(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Stmt::Load { index, .. } | Stmt::Store { index, .. } | Stmt::StoreUnless { index, .. } =
                stmt
            {
                self.packings.extend(index.packing);
            }
            match stmt {
                Stmt::Let { function, .. } => drop(self.functions.insert(*function)),
                Stmt::Raise { keeps_nan: true, .. } => drop(self.functions.insert(Function::Maximum)),
                Stmt::Pivot { kind, .. } => drop(self.pivots.insert(*kind)),
                Stmt::Combine { lanes, merge, .. } => {
                    self.merges_words |= merge.is_some();
                    self.trees.insert(*lanes);
                    self.merges.extend(merge.filter(|merge| *lanes == WARP && !self.merges.contains(merge)));
                }
                Stmt::Place { name, .. } => drop(self.placed.insert(name.clone())),
                Stmt::Deal { accs, n_warps } => self.dealt = Some([accs.len(), *n_warps]),
                Stmt::MeetSubgroups { .. } => {}
                Stmt::Load { operand, .. }
                | Stmt::LoadBelow { operand, .. }
                | Stmt::TakeHanded { operand, .. }
                | Stmt::LoadWord { operand, .. } => {
                    self.loaded.insert(*operand);
                }
                Stmt::CopyAhead { elements, .. } => {
                    self.loaded.extend(elements.iter().map(|(operand, _)| *operand));
                }
                Stmt::Store { operand, .. }
                | Stmt::StoreUnless { operand, .. }
                | Stmt::StoreStatus { operand, .. }
                | Stmt::StoreVector { operand, .. }
                | Stmt::StoreWord { operand, .. } => {
                    self.stored.insert(*operand);
                }
                Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } | Stmt::Block { stmts } => {
                    self.add(stmts)
                }
                Stmt::Existing { awaits_gate, stmts, .. } => {
                    self.awaits_gate |= awaits_gate;
                    self.add(stmts);
                }
                Stmt::Whole { whole, parts } => {
                    self.add(whole);
                    self.add(parts);
                }
                Stmt::RowProducts { .. } => self.has_row_products = true,
                Stmt::Evaluate { .. }
                | Stmt::RowProduct { .. }
                | Stmt::Comment(_)
                | Stmt::Await { .. }
                | Stmt::Broadcast { .. }
                | Stmt::Release { .. }
                | Stmt::Take { .. }
                | Stmt::Int { .. }
                | Stmt::Var { .. }
                | Stmt::Constant { .. }
                | Stmt::Fma { .. }
                | Stmt::Add { .. }
                | Stmt::Raise { .. }
                | Stmt::Finish { .. }
                | Stmt::Status { .. }
                | Stmt::Word { .. }
                | Stmt::CountSign { .. }
                | Stmt::TakeLarger { .. }
                | Stmt::TakeAt { .. }
                | Stmt::TakeWord { .. }
                | Stmt::Complement { .. }
                | Stmt::IsNegative { .. }
                | Stmt::MergeWord { .. }
                | Stmt::Barrier => {}
            }
        }
    }

    /// Whether any of the functions is used.
    pub(super) fn any(&self, functions: &[Function]) -> bool {
        functions.iter().any(|function| self.functions.contains(function))
    }
}
