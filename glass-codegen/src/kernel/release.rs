//! Where the last of what a warp has staged was read: from there on the next tile may be on its way to the same places.

use super::Stmt;
use crate::plan::Plan;

/// Releases the staged operands behind the last statement that reads one of them.
pub(super) fn release(plan: &Plan, stmts: &mut Vec<Stmt>) {
    let accesses = plan.accesses.iter().enumerate();
    let operands: Vec<_> =
        accesses.filter(|(_, access)| access.is_staged).map(|(operand, _)| operand).collect();
    let end = stmts.iter().rposition(|stmt| reads(stmt, &operands)).map_or(0, |last| last + 1);
    stmts.insert(end, Stmt::Release { operands });
}

/// Whether a statement, or one inside it, reads one of the operands.
fn reads(stmt: &Stmt, operands: &[usize]) -> bool {
    match stmt {
        Stmt::Load { operand, .. } => operands.contains(operand),
        Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } | Stmt::Block { stmts } => {
            stmts.iter().any(|stmt| reads(stmt, operands))
        }
        _ => false,
    }
}
