//! Factors with row exchanges.

use super::emit::Emit;
use super::exchange::Lines;
use super::factor::{Taken, pivot_of};
use super::{Function, Index, PivotKind, search};
use crate::spec::Lu;

pub(super) fn lu(lu: &Lu, emit: &mut Emit<'_>) {
    let n = lu.n;
    let end = Index::constant(n);
    let matrix = Lines::rows(lu.target, n, emit);
    emit.copy(&[(lu.source, lu.target, n * n)]);
    emit.seq("step", &Index::default(), &end, |emit, k| {
        let row = search::pivot_row(matrix, &k, &end, emit);
        emit.each("col", &Index::default(), &end, |emit, j| matrix.exchange(&k, &j, &row, emit));
        if let Some((operand, nrhs)) = lu.right {
            let right = Lines::rows(operand, n, emit);
            let columns = Index::constant(nrhs);
            emit.each("rhs", &Index::default(), &columns, |emit, j| right.exchange(&k, &j, &row, emit));
        }
        emit.barrier();
        eliminate(lu, &k, &row, emit);
    });
}

/// Scales the column below the pivot, and takes its multiples from the columns after it, a row a worker.
fn eliminate(lu: &Lu, k: &Index, row: &str, emit: &mut Emit<'_>) {
    let matrix = Lines::rows(lu.target, lu.n, emit);
    let (next, end) = (k.clone().plus(Index::constant(1)), Index::constant(lu.n));
    let given = emit.read(lu.target, &matrix.at(k, k), "given");
    let Taken { pivot, reciprocal } = pivot_of(PivotKind::General, &given, k, emit);
    // Behind a bad pivot the column is not scaled.
    let scale = emit.value(&emit.label("scale", &[k]), Function::OrOne, &[&reciprocal]);
    emit.each("row", &next, &end, |emit, i| {
        let old = emit.read(lu.target, &matrix.at(&i, k), "old");
        let factor = emit.value(&emit.label("factor", &[&i, k]), Function::Mul, &[&old, &scale]);
        emit.write(lu.target, &matrix.at(&i, k), &factor);
        emit.seq("later", &next, &end, |emit, j| {
            let upper = emit.read(lu.target, &matrix.at(k, &j), "upper");
            let entry = emit.read(lu.target, &matrix.at(&i, &j), "entry");
            let acc = emit.var(&emit.label("updated", &[&i, &j, k]), Some(&entry));
            emit.subtract(&acc, &factor, &upper);
            emit.write(lu.target, &matrix.at(&i, &j), &acc);
        });
    });
    // Every worker has read the pivot's place before it takes the pivot.
    emit.barrier();
    emit.once(|emit| {
        emit.write(lu.target, &matrix.at(k, k), &pivot);
        if let Some(reciprocals) = lu.reciprocals {
            emit.write(reciprocals, k, &reciprocal);
        }
        if let Some(pivots) = lu.pivots {
            emit.write_word(pivots, k.clone(), row);
        }
    });
    emit.barrier();
}
