//! Rows that trade places. Which ones is a word of each problem, so a line is exchanged by selection: every line behind
//! it is offered, and no index depends on data.

use super::emit::Emit;
use super::{Index, Stmt};
use crate::spec::Exchange;

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
        let Lines { operand, count, name, .. } = self;
        let top = emit.read(operand, &self.at(k, j), "top");
        let found = emit.var(&emit.label(&format!("found_{name}"), &[k, j]), Some(&top));
        let below = k.clone().plus(Index::constant(1));
        emit.seq("below", &below, &Index::constant(count), |emit, i| {
            let own = emit.read(operand, &self.at(&i, j), "own");
            let kept = emit.var(&emit.label(&format!("kept_{name}"), &[&i, j, k]), Some(&own));
            let mut take = |acc: &str, value: &str| {
                let (acc, value) = (acc.to_owned(), value.to_owned());
                emit.push(Stmt::TakeAt { acc, word: word.to_owned(), index: i.clone(), value });
            };
            take(&found, &own);
            take(&kept, &top);
            emit.write(operand, &self.at(&i, j), &kept);
        });
        emit.write(operand, &self.at(k, j), &found);
    }
}

pub(super) fn exchange(exchange: &Exchange, emit: &mut Emit<'_>) {
    let Exchange { rows, cols, source, target, pivots, reversed } = *exchange;
    emit.copy(&[(source, target, rows * cols)]);
    let lines = Lines::rows(target, rows, emit);
    in_order(rows, reversed, emit, |emit, k| {
        let row = emit.read_word(pivots, k, "pivot_row");
        // A worker keeps its columns from step to step.
        emit.each("col", &Index::default(), &Index::constant(cols), |emit, j| {
            lines.exchange(k, &j, &row, emit)
        });
    });
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
