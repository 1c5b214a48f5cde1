//! The same steps on one part of some operands after the other, the last part first.

use super::emit::Emit;
use super::{Index, build, map};
use crate::spec::{Map, Repeat};

pub(super) fn repeat(repeat: &Repeat, emit: &mut Emit<'_>) {
    let Repeat { item, count, parts, loads, steps, stores, n_pivots } = repeat;
    emit.seq("done", &Index::default(), &Index::constant(*count), |emit, done| {
        let first = |(operand, n_elements): &(usize, usize)| {
            let last = Index::constant((count - 1) * n_elements);
            (*operand, last.minus(done.clone().times(*n_elements)))
        };
        let parts = parts.iter().map(first).collect();
        emit.comment(format!("{item}s from the last one to the first"));
        emit.of_pass(parts, done.clone().times(*n_pivots), |emit| {
            copies(loads, emit);
            build::steps(steps, emit);
            copies(stores, emit);
        });
    });
}

/// Copies of which none waits for another one.
fn copies(maps: &[Map], emit: &mut Emit<'_>) {
    maps.iter().for_each(|copy| emit.block(|emit| map::map(copy, emit)));
    emit.barrier();
}
