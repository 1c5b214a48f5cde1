//! Which staged results can take the places of staged inputs.

use super::{Kernel, Stmt};
use crate::plan::{Plan, Unroll};
use crate::spec::{Operand, Role, Spec};
use std::collections::HashSet;

/// Results with the inputs in whose places they can lie: as many elements, in straight-line text that reads no element
/// of the input after the result has written it.
pub(crate) fn overlays(spec: &Spec, plan: &Plan, kernel: &Kernel) -> Vec<(usize, usize)> {
    if plan.unroll != Unroll::Full {
        return Vec::new();
    }
    let staged = |role| {
        let all = spec.operands.iter().enumerate();
        all.filter(move |(idx, operand)| operand.role == role && plan.accesses[*idx].is_staged)
    };
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (result, operand) in staged(Role::Out) {
        let fits = |(input, other): &(usize, &Operand)| {
            other.elements() == operand.elements()
                && pairs.iter().all(|(_, taken)| taken != input)
                && reads_before(&kernel.body.stmts, *input, result)
        };
        let input = staged(Role::In).find(fits).map(|(input, _)| input);
        pairs.extend(input.map(|input| (result, input)));
    }
    pairs
}

/// Whether every element of an input is read before the result writes the one in its place.
fn reads_before(stmts: &[Stmt], input: usize, result: usize) -> bool {
    let mut written = HashSet::new();
    stmts.iter().all(|stmt| match stmt {
        Stmt::Store { operand, index, .. } if *operand == result => {
            written.insert(index.constant);
            true
        }
        Stmt::Load { names, operand, index } if *operand == input => {
            (0..names.len()).all(|element| !written.contains(&(index.constant + element.cast_signed())))
        }
        _ => true,
    })
}
