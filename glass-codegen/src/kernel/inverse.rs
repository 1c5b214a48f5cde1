//! Inversion by Gauss-Jordan elimination in the place of the matrix.

use super::emit::Emit;
use super::exchange::{self, Lines};
use super::factor::pivot_of;
use super::{Function, Index, IntExpr, PivotKind, search};
use crate::spec::{Factor, FactorKind};

/// Step `k`: row `k` is scaled by the reciprocal of its pivot and taken from the other rows.
pub(super) fn inverse(factor: &Factor, emit: &mut Emit<'_>) {
    if emit.is_straight {
        straight(factor, emit)
    } else {
        in_memory(factor, emit)
    }
    if let FactorKind::PivotedInverse { pivots } = factor.kind {
        exchange::columns_back(factor.n, factor.target, pivots, emit);
    }
}

/// Takes the row with the largest entry of column `k` to its place, and notes which it was.
fn take_pivot_row(factor: &Factor, k: &Index, emit: &mut Emit<'_>) {
    let FactorKind::PivotedInverse { pivots } = factor.kind else { return };
    let end = Index::constant(factor.n);
    let rows = Lines::rows(factor.target, factor.n, emit);
    let row = search::pivot_row(rows, k, &end, emit);
    emit.each("col", &Index::default(), &end, |emit, j| rows.exchange(k, &j, &row, emit));
    emit.once(|emit| emit.write_word(pivots, k.clone(), &row));
    emit.barrier();
}

fn straight(factor: &Factor, emit: &mut Emit<'_>) {
    let (n, source, target) = (factor.n, factor.source, factor.target);
    let at = |i: usize, j: usize| Index::constant(i + j * n);
    let is_pivoted = factor.kind != FactorKind::Inverse;
    if is_pivoted {
        emit.copy(source, target, n * n);
    }
    for k in 0..n {
        // Before the first step the entries are those of the source; from then on those of the target.
        let from = if k == 0 && !is_pivoted { source } else { target };
        emit.comment(format!("step {k}"));
        take_pivot_row(factor, &Index::constant(k), emit);
        let (pivot, reciprocal) = (format!("pivot_{k}"), format!("reciprocal_{k}"));
        let given = emit.read(from, &at(k, k), "");
        pivot_of(PivotKind::General, &given, &pivot, &reciprocal, &Index::constant(k), emit);
        let others = || (0..n).filter(move |index| *index != k);
        let row: Vec<(usize, String)> = others()
            .map(|j| {
                let old = emit.read(from, &at(k, j), "");
                (j, emit.value(&format!("w_{k}_{j}_{k}"), Function::Mul, &[&old, &reciprocal]))
            })
            .collect();
        for i in others() {
            let factor = emit.read(from, &at(i, k), "");
            for (j, scaled) in &row {
                let old = emit.read(from, &at(i, *j), "");
                let name = format!("w_{i}_{j}_{k}");
                emit.var(&name, Some(&old));
                emit.subtract(&name, &factor, scaled);
                emit.write(target, &at(i, *j), &name);
            }
            let product = emit.value(&format!("f_{i}_{k}"), Function::Mul, &[&factor, &reciprocal]);
            let column = emit.value(&format!("w_{i}_{k}_{k}"), Function::Neg, &[&product]);
            emit.write(target, &at(i, k), &column);
        }
        for (j, scaled) in &row {
            emit.write(target, &at(k, *j), scaled);
        }
        emit.write(target, &at(k, k), &reciprocal);
    }
}

/// The scaled row and the old column pass through scratch, so that no worker reads what another overwrites.
fn in_memory(factor: &Factor, emit: &mut Emit<'_>) {
    let (n, target) = (factor.n, factor.target);
    let [row, col] = factor.scratch.expect("an inverse in memory has scratch for a row and a column");
    let end = Index::constant(n);
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(n));
    emit.copy(factor.source, target, n * n);
    emit.seq("step", &Index::default(), &end, |emit, k| {
        take_pivot_row(factor, &k, emit);
        let given = emit.read(target, &at(&k, &k), "given");
        pivot_of(PivotKind::General, &given, "pivot", "reciprocal", &k, emit);
        emit.each("index", &Index::default(), &end, |emit, index| {
            let old = emit.read(target, &at(&k, &index), "old_row");
            let scaled = emit.value("scaled", Function::Mul, &[&old, "reciprocal"]);
            emit.write(row, &index, &scaled);
            let old = emit.read(target, &at(&index, &k), "old_col");
            emit.write(col, &index, &old);
        });
        emit.barrier();
        if n > 1 {
            eliminate(n, target, row, col, &k, emit);
        }
        emit.once(|emit| emit.write(target, &at(&k, &k), "reciprocal"));
        emit.barrier();
    });
}

/// Everything but the pivot itself; the indices other than `k` are `k + 1 + index`, around the end.
fn eliminate(n: usize, target: usize, row: usize, col: usize, k: &Index, emit: &mut Emit<'_>) {
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(n));
    let around = |index: Index| IntExpr::Rem(index.plus(k.clone()).plus(Index::constant(1)), n);
    let n_others = (n - 1) * (n - 1);
    emit.each("element", &Index::default(), &Index::constant(n_others), |emit, element| {
        let from_k = emit.int("row_from", IntExpr::Rem(element, n - 1));
        let i = emit.int("i", around(from_k));
        let from_k = emit.int("col_from", IntExpr::Div("element".to_owned(), n - 1));
        let j = emit.int("j", around(from_k));
        let old = emit.read(target, &at(&i, &j), "old");
        let acc = emit.var("acc", Some(&old));
        let factor = emit.read(col, &i, "factor");
        let scaled = emit.read(row, &j, "scaled");
        emit.subtract(&acc, &factor, &scaled);
        emit.write(target, &at(&i, &j), &acc);
    });
    emit.each("other", &Index::default(), &Index::constant(n - 1), |emit, other| {
        let i = emit.int("i", around(other));
        let scaled = emit.read(row, &i, "scaled");
        emit.write(target, &at(k, &i), &scaled);
        let factor = emit.read(col, &i, "factor");
        let product = emit.value("product", Function::Mul, &[&factor, "reciprocal"]);
        let negated = emit.value("negated", Function::Neg, &[&product]);
        emit.write(target, &at(&i, k), &negated);
    });
}
