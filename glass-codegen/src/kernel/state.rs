//! The words of one chunk of a long vector: every worker merges its share, then all of them meet, word by word.

use super::emit::Emit;
use super::level::{self, HANDED_AT_ONCE, PASSES_AT_ONCE};
use super::{Index, PastEnd, Stmt};
use crate::spec::{Expression, Format, Merge, State, StateLoad, StateWord};

pub(super) fn state(state: &State, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let level = emit.plan.level.expect("a chunk is one of a level");
    for StateWord { name, merge, .. } in &state.words {
        emit.word(name, Index::constant(merge.identity() as usize));
    }
    let n_workers = emit.workers.count;
    if emit.plan.accesses[0].is_handed {
        level::strided("term", (HANDED_AT_ONCE * n_workers, 1), emit, |index, emit| {
            handed(state, index, emit)
        });
    } else if level.vector_width > 1 {
        in_vectors(state, level.vector_width, worker, emit);
    } else {
        level::strided("term", (n_workers, PASSES_AT_ONCE), emit, |index, emit| {
            emit.within_count("term", |emit| element(state, &index, emit));
        });
    }
    let words = state.words.iter().map(|StateWord { name, merge, .. }| ((*name).to_owned(), Some(*merge)));
    level::meet(&words.collect::<Vec<_>>(), level.meeting, emit);
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
    for StateWord { name, merge, of } in &state.words {
        emit.push(Stmt::MergeWord { acc: (*name).to_owned(), merge: *merge, of: of.clone() });
    }
}

/// Vectors of neighbours, pass after pass: all loads may be in flight at once. Past the end there is what changes no word.
fn in_vectors(state: &State, width: usize, worker: &str, emit: &mut Emit<'_>) {
    let repeats = state.words.iter().all(|word| word.merge.is_idempotent());
    let past_end = if repeats { PastEnd::Last } else { PastEnd::Zero };
    level::passes(worker, width, emit, |first, emit| {
        for StateLoad { name, operand, .. } in &state.loads {
            let names = (0..width).map(|place| format!("{name}_{place}")).collect();
            emit.push(Stmt::LoadBelow { names, operand: *operand, index: first.clone(), past_end });
        }
        for StateWord { name, merge, of } in &state.words {
            let made = (0..width).map(|place| at_place(name, of, place, emit)).collect();
            emit.push(Stmt::MergeWord {
                acc: (*name).to_owned(),
                merge: *merge,
                of: by_halves(*merge, made),
            });
        }
    });
}

/// What the element at a place of a vector contributes, under a name.
fn at_place(word: &str, of: &Expression, place: usize, emit: &mut Emit<'_>) -> Expression {
    let of = of.renamed(&|name| format!("{name}_{place}"));
    if matches!(of, Expression::Name(_)) {
        return of;
    }
    let name = format!("{word}_{place}");
    emit.push(Stmt::Evaluate { name: name.clone(), format: Format::U32, of });
    Expression::Name(name)
}

/// Words merged in a tree, so that none waits for many.
fn by_halves(merge: Merge, mut words: Vec<Expression>) -> Expression {
    while words.len() > 1 {
        let other = words.split_off(words.len() / 2);
        words = words.into_iter().zip(other).map(|(x, y)| merge.of(x, y)).collect();
    }
    words.pop().expect("a vector has elements")
}
