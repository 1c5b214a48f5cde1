//! What a single statement does, in the words of every count.

use super::{Function, Stmt};
use crate::plan::{Target, WARP};
use crate::spec::Operator;

/// One operation, or the move of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Fma,
    Addition,
    Difference,
    Product,
    /// Comparisons, selections, magnitudes, quotients, square roots, functions, and whatever is done to words.
    Other,
    /// A square root or nothing, and a reciprocal.
    Pivot,
    /// An element of this operand.
    Load(usize),
    /// The same.
    Store(usize),
    /// An element that the thread has copied ahead.
    Take,
    Shuffle,
    Barrier,
}

/// Names the operations of a statement that is no scope of others, each with how often; not those of an epilogue.
pub(super) fn operations(stmt: &Stmt, target: Target, count: &mut impl FnMut(Operation, usize)) {
    match stmt {
        Stmt::Load { names, operand, .. }
        | Stmt::LoadBelow { names, operand, .. }
        | Stmt::TakeHanded { names, operand, .. } => count(Operation::Load(*operand), names.len()),
        Stmt::LoadWord { operand, .. } => count(Operation::Load(*operand), 1),
        Stmt::CopyAhead { elements, .. } => {
            elements.iter().for_each(|(operand, _)| count(Operation::Load(*operand), 1));
        }
        Stmt::Take { .. } => count(Operation::Take, 1),
        Stmt::Fma { .. } => count(Operation::Fma, 1),
        Stmt::Add { .. } => count(Operation::Addition, 1),
        Stmt::Evaluate { of, .. } => of.operators(&mut |operator| count(operator_of(operator), 1)),
        Stmt::Let { function, .. } => count(function_of(*function), 1),
        Stmt::Raise { .. }
        | Stmt::CountSign { .. }
        | Stmt::TakeLarger { .. }
        | Stmt::TakeAt { .. }
        | Stmt::Place { .. }
        | Stmt::TakeWord { .. }
        | Stmt::Complement { .. }
        | Stmt::MergeWord { .. }
        | Stmt::IsNegative { .. } => count(Operation::Other, 1),
        Stmt::Pivot { .. } => count(Operation::Pivot, 1),
        Stmt::Combine { lanes, merge, .. } => {
            let levels = lanes.ilog2() as usize;
            count(if merge.is_none() { Operation::Addition } else { Operation::Other }, levels);
            match target {
                Target::Cuda | Target::Host if *lanes <= WARP => count(Operation::Shuffle, levels),
                // Lanes meet in memory: once to publish, and after every level.
                _ => count(Operation::Barrier, levels + 1),
            }
        }
        Stmt::Broadcast { .. } => count(Operation::Shuffle, 1),
        Stmt::Deal { .. } | Stmt::Barrier => count(Operation::Barrier, 1),
        Stmt::MeetSubgroups { .. } => {
            count(Operation::Shuffle, 1);
            count(Operation::Barrier, 1);
        }
        Stmt::Store { operand, .. }
        | Stmt::StoreUnless { operand, .. }
        | Stmt::StoreStatus { operand, .. }
        | Stmt::StoreWord { operand, .. } => count(Operation::Store(*operand), 1),
        Stmt::StoreVector { operand, values, .. } => count(Operation::Store(*operand), values.len()),
        Stmt::Comment(_)
        | Stmt::Await { .. }
        | Stmt::Release { .. }
        | Stmt::Var { .. }
        | Stmt::Constant { .. }
        | Stmt::Finish { .. }
        | Stmt::Status { .. }
        | Stmt::Word { .. } => {}
        // How many entries rows have is known at run time alone.
        Stmt::RowProduct { .. } | Stmt::RowProducts { .. } => {}
        Stmt::Int { .. }
        | Stmt::Whole { .. }
        | Stmt::Loop { .. }
        | Stmt::Guard { .. }
        | Stmt::Existing { .. }
        | Stmt::Block { .. } => unreachable!("a walk enters scopes and evaluates integers"),
    }
}

fn operator_of(operator: Operator) -> Operation {
    match operator {
        Operator::Fma => Operation::Fma,
        Operator::Add => Operation::Addition,
        Operator::Sub => Operation::Difference,
        Operator::Mul => Operation::Product,
        _ => Operation::Other,
    }
}

fn function_of(function: Function) -> Operation {
    match function {
        Function::Fma | Function::Axpy => Operation::Fma,
        Function::Add => Operation::Addition,
        Function::Sub => Operation::Difference,
        Function::Mul | Function::Scale => Operation::Product,
        _ => Operation::Other,
    }
}
