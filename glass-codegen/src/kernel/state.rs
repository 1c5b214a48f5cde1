//! The words of one chunk of a long vector: every worker merges its share, then all of them meet, word by word.

use super::emit::Emit;
use super::level::{self, HANDED_AT_ONCE, PASSES_AT_ONCE};
use super::{COUNT, Index, Stmt};
use crate::spec::{Expression, Format, State, StateLoad, StateWord};

pub(super) fn state(state: &State, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let level = emit.plan.level.expect("a chunk is one of a level");
    for StateWord { name, merge, .. } in &state.words {
        emit.word(name, Index::constant(merge.identity() as usize));
    }
    let (var, n_workers) = ("term", emit.workers.count);
    let is_handed = emit.plan.accesses[0].is_handed;
    let stmts = match is_handed {
        true => emit.scope(|emit| handed(state, Index::name(var), emit)),
        false => emit.scope(|emit| emit.within_count(var, |emit| element(state, &Index::name(var), emit))),
    };
    let (step, unroll) =
        if is_handed { (HANDED_AT_ONCE * n_workers, 1) } else { (n_workers, PASSES_AT_ONCE) };
    emit.push(Stmt::Loop {
        var: var.to_owned(),
        start: Index::name(worker),
        end: Index::name(COUNT),
        step,
        unroll: Some(unroll),
        stmts,
    });
    for (position, StateWord { name, merge, .. }) in state.words.iter().enumerate() {
        if position > 0 {
            emit.barrier();
        }
        level::meet(name, Some(*merge), level.meeting, emit);
    }
    emit.once(|emit| {
        for (position, StateWord { name, .. }) in state.words.iter().enumerate() {
            emit.write_word(state.output, Index::constant(position), name);
        }
    });
}

/// States of other blocks, which arrive in any order.
fn handed(state: &State, index: Index, emit: &mut Emit<'_>) {
    let words = || (0..HANDED_AT_ONCE).flat_map(|idx| state.words.iter().map(move |word| (word, idx)));
    let name = |(word, idx): (&StateWord, usize)| format!("{}_{idx}", word.name);
    let stride = emit.workers.count;
    emit.push(Stmt::TakeHanded { names: words().map(name).collect(), operand: 0, index, stride });
    for (word, idx) in words() {
        let (acc, of) = (word.name.to_owned(), Expression::Name(name((word, idx))));
        emit.push(Stmt::MergeWord { acc, merge: word.merge, of });
    }
}

fn element(state: &State, index: &Index, emit: &mut Emit<'_>) {
    for StateLoad { name, operand, word } in &state.loads {
        let index = index.clone().times(emit.spec.operands[*operand].width()).plus(Index::constant(*word));
        emit.push(Stmt::LoadWord { name: name.clone(), operand: *operand, index });
    }
    for (name, of) in &state.values {
        emit.push(Stmt::Evaluate { name: (*name).to_owned(), format: Format::U32, of: of.clone() });
    }
    for StateWord { name, merge, of } in &state.words {
        emit.push(Stmt::MergeWord { acc: (*name).to_owned(), merge: *merge, of: of.clone() });
    }
}
