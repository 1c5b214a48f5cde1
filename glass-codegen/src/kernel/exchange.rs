//! Rows that trade places. Which ones is a word of each problem, so a line is exchanged by selection: every line behind
//! it is offered, and no index depends on data.

use super::Index;
use super::emit::Emit;
use crate::spec::{Exchange, Phase};

/// Parallel lines of a matrix: its rows, or its columns.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    operand: usize,
    count: usize,
    /// Distance between lines, and between the elements of one.
    strides: (usize, usize),
    /// What names of values begin with.
    name: &'static str,
}

impl Lines {
    /// The rows of a matrix that has so many.
    pub(super) fn rows(operand: usize, count: usize, emit: &Emit<'_>) -> Lines {
        Lines { operand, count, strides: (1, count), name: emit.spec.operands[operand].name }
    }

    /// The columns of a square matrix.
    pub(super) fn columns(operand: usize, count: usize) -> Lines {
        Lines { operand, count, strides: (count, 1), name: "col" }
    }

    pub(super) fn operand(self) -> usize {
        self.operand
    }

    /// Element `j` of line `i`.
    pub(super) fn at(self, i: &Index, j: &Index) -> Index {
        i.clone().times(self.strides.0).plus(j.clone().times(self.strides.1))
    }

    /// Exchanges element `j` of line `k` with that of the line in a word; nothing where it names no line behind `k`.
    pub(super) fn exchange(self, k: &Index, j: &Index, word: &str, emit: &mut Emit<'_>) {
        let below = k.clone().plus(Index::constant(1));
        let offer = Offer {
            operand: self.operand,
            name: self.name,
            labels: [k, j],
            top: self.at(k, j),
            others: (&below, &Index::constant(self.count)),
        };
        offer.exchange(word, emit, |i| self.at(i, j));
    }
}

/// An element, and the range of those of which a word may name one to trade places with it.
pub(super) struct Offer<'o> {
    pub(super) operand: usize,
    /// What names of values begin with, and the indices that tell this offer from others of the name.
    pub(super) name: &'static str,
    pub(super) labels: [&'o Index; 2],
    pub(super) top: Index,
    pub(super) others: (&'o Index, &'o Index),
}

impl Offer<'_> {
    /// Exchanges the element with the one that a word names, `at` its place; nothing where it names none.
    pub(super) fn exchange(&self, word: &str, emit: &mut Emit<'_>, at: impl Fn(&Index) -> Index) {
        let Offer { operand, name, labels: [k, j], others: (start, end), .. } = *self;
        let top = emit.read(operand, &self.top, "top");
        let found = emit.var(&emit.label(&format!("found_{name}"), &[k, j]), Some(&top));
        emit.seq("below", start, end, |emit, i| {
            let own = emit.read(operand, &at(&i), "own");
            let kept = emit.var(&emit.label(&format!("kept_{name}"), &[&i, j, k]), Some(&own));
            emit.take_at(&found, word, &i, &own);
            emit.take_at(&kept, word, &i, &top);
            emit.write(operand, &at(&i), &kept);
        });
        emit.write(operand, &self.top, &found);
    }
}

pub(super) fn exchange(exchange: &Exchange, emit: &mut Emit<'_>) {
    let Exchange { rows, cols, source, target, pivots, reversed } = *exchange;
    emit.copy(&[(source, target, rows * cols)]);
    let lines = Lines::rows(target, rows, emit);
    // Two exchanges of one task must not share names.
    let is_second = reversed && has_forward(emit);
    let lines = if is_second { Lines { name: "back", ..lines } } else { lines };
    in_order(rows, reversed, emit, |emit, k| {
        let row = emit.read_word(pivots, k, "pivot_row");
        // A worker keeps its columns from step to step.
        emit.each("col", &Index::default(), &Index::constant(cols), |emit, j| {
            lines.exchange(k, &j, &row, emit)
        });
    });
}

fn has_forward(emit: &Emit<'_>) -> bool {
    let is_forward = |phase: &Phase| matches!(phase, Phase::Exchange(Exchange { reversed: false, .. }));
    emit.spec.phases.iter().any(is_forward)
}

/// The columns of a square matrix by words, from the last one back: by what undoes the exchanges of its inverse's rows.
pub(super) fn columns_back(n: usize, target: usize, pivots: usize, emit: &mut Emit<'_>) {
    let columns = Lines::columns(target, n);
    in_order(n, true, emit, |emit, k| {
        let col = emit.read_word(pivots, k, "pivot_col");
        emit.each("row", &Index::default(), &Index::constant(n), |emit, i| {
            columns.exchange(k, &i, &col, emit)
        });
    });
}

fn in_order(count: usize, reversed: bool, emit: &mut Emit<'_>, mut body: impl FnMut(&mut Emit<'_>, &Index)) {
    emit.seq("step", &Index::default(), &Index::constant(count), |emit, step| {
        let k = if reversed { Index::constant(count - 1).minus(step) } else { step };
        body(emit, &k);
    });
}
