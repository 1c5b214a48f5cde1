//! How many values a straight-line body keeps at once.

use super::{Kernel, Stmt};
use std::collections::HashMap;

/// The most values alive at one statement, read off the order of the text. A compiler may reorder within limits; what
/// exceeds the register file here will spill there.
pub fn pressure(kernel: &Kernel) -> usize {
    let mut lives: HashMap<&str, (usize, usize)> = HashMap::new();
    for (position, stmt) in kernel.body.stmts.iter().enumerate() {
        for name in defines(stmt) {
            lives.insert(name, (position, position));
        }
        for name in uses(stmt) {
            if let Some((_, last)) = lives.get_mut(name) {
                *last = position;
            }
        }
    }
    let mut changes = vec![0isize; kernel.body.stmts.len() + 1];
    for (first, last) in lives.into_values() {
        changes[first] += 1;
        changes[last] -= 1;
    }
    let mut alive = 0;
    changes.into_iter().fold(0, |most, change| {
        alive += change;
        most.max(alive)
    }) as usize
}

fn defines(stmt: &Stmt) -> Vec<&str> {
    match stmt {
        Stmt::Load { names, .. } => names.iter().map(String::as_str).collect(),
        Stmt::Take { name, .. }
        | Stmt::Var { name, .. }
        | Stmt::Let { name, .. }
        | Stmt::Constant { name, .. }
        | Stmt::IsNegative { name, .. }
        | Stmt::Finish { name, .. } => vec![name],
        Stmt::Pivot { pivot, reciprocal, .. } => vec![pivot, reciprocal],
        _ => Vec::new(),
    }
}

fn uses(stmt: &Stmt) -> Vec<&str> {
    match stmt {
        Stmt::Var { init, .. } => init.iter().map(String::as_str).collect(),
        Stmt::Let { args, .. } => args.iter().map(String::as_str).collect(),
        Stmt::Fma { acc, a, b, .. } => vec![acc, a, b],
        Stmt::TakeLarger { acc, value, .. } | Stmt::TakeAt { acc, value, .. } => vec![acc, value],
        Stmt::TakeWord { flag, .. } | Stmt::Complement { flag, .. } => vec![flag],
        Stmt::Add { acc, value } | Stmt::Raise { acc, value, .. } => vec![acc, value],
        Stmt::Finish { acc, old, .. } => std::iter::once(acc).chain(old).map(String::as_str).collect(),
        Stmt::Pivot { value, .. } | Stmt::Store { value, .. } | Stmt::CountSign { value, .. } => vec![value],
        _ => Vec::new(),
    }
}
