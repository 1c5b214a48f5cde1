//! Inversion by Gauss-Jordan elimination in the place of the matrix.

use super::emit::Emit;
use super::exchange::{self, Lines};
use super::factor::{Part, Taken, pivot_of, steps};
use super::{Function, Index, IntExpr, PivotKind, search};
use crate::spec::{Factor, FactorKind};

/// Step `k`: row `k` is scaled by the reciprocal of its pivot and taken from the other rows.
pub(super) fn inverse(parts: &[Part<'_>], emit: &mut Emit<'_>) {
    if emit.is_straight {
        for Part { part, factor } in parts {
            emit.of_part(*part, |emit| straight(factor, emit));
        }
    } else {
        in_memory(parts, emit);
    }
    for Part { factor, .. } in parts {
        if let FactorKind::PivotedInverse { pivots } = factor.kind {
            exchange::columns_back(factor.n, factor.target, pivots, emit);
        }
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
        emit.copy(&[(source, target, n * n)]);
    }
    for k in 0..n {
        // Before the first step the entries are those of the source; from then on those of the target.
        let from = if k == 0 && !is_pivoted { source } else { target };
        emit.comment(format!("step {k}"));
        take_pivot_row(factor, &Index::constant(k), emit);
        let given = emit.read(from, &at(k, k), "");
        let Taken { reciprocal, .. } = pivot_of(PivotKind::General, &given, &Index::constant(k), emit);
        let others = || (0..n).filter(move |index| *index != k);
        let row: Vec<(usize, String)> = others()
            .map(|j| {
                let old = emit.read(from, &at(k, j), "");
                let name = named("w", &[k, j, k], emit);
                (j, emit.value(&name, Function::Mul, &[&old, &reciprocal]))
            })
            .collect();
        for i in others() {
            let factor = emit.read(from, &at(i, k), "");
            for (j, scaled) in &row {
                let old = emit.read(from, &at(i, *j), "");
                let name = named("w", &[i, *j, k], emit);
                emit.var(&name, Some(&old));
                emit.subtract(&name, &factor, scaled);
                emit.write(target, &at(i, *j), &name);
            }
            let (product, column) = (named("f", &[i, k], emit), named("w", &[i, k, k], emit));
            emit.value(&product, Function::Mul, &[&factor, &reciprocal]);
            emit.value(&column, Function::Neg, &[&product]);
            emit.write(target, &at(i, k), &column);
        }
        for (j, scaled) in &row {
            emit.write(target, &at(k, *j), scaled);
        }
        emit.write(target, &at(k, k), &reciprocal);
    }
}

/// `base_i_j`.
fn named(base: &str, indices: &[usize], emit: &Emit<'_>) -> String {
    let indices: Vec<_> = indices.iter().map(|index| Index::constant(*index)).collect();
    emit.label(base, &indices.iter().collect::<Vec<_>>())
}

/// The scaled row and the old column pass through scratch, so that no worker reads what another overwrites.
fn in_memory(parts: &[Part<'_>], emit: &mut Emit<'_>) {
    let copies: Vec<_> =
        parts.iter().map(|Part { factor, .. }| (factor.source, factor.target, factor.n * factor.n)).collect();
    emit.copy(&copies);
    steps("step", parts, emit, |emit, left, k| {
        let mut taken = Vec::new();
        for Part { part, factor } in left {
            taken.push(emit.of_part(*part, |emit| {
                take_pivot_row(factor, &k, emit);
                set_aside(factor, &k, emit)
            }));
        }
        emit.barrier();
        for (Part { part, factor }, taken) in left.iter().zip(&taken) {
            emit.of_part(*part, |emit| {
                if factor.n > 1 {
                    eliminate(factor, &k, &taken.reciprocal, emit);
                }
                let place = k.clone().plus(k.clone().times(factor.n));
                emit.once(|emit| emit.write(factor.target, &place, &taken.reciprocal));
            });
        }
        emit.barrier();
    });
}

fn scratch(factor: &Factor) -> [usize; 2] {
    factor.scratch.expect("an inverse in memory has scratch for a row and a column")
}

/// The pivot; the scaled row and the old column to scratch.
fn set_aside(factor: &Factor, k: &Index, emit: &mut Emit<'_>) -> Taken {
    let (n, target, [row, col]) = (factor.n, factor.target, scratch(factor));
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(n));
    let name = emit.label("given", &[]);
    let given = emit.read(target, &at(k, k), &name);
    let taken = pivot_of(PivotKind::General, &given, k, emit);
    emit.each("index", &Index::default(), &Index::constant(n), |emit, index| {
        let old = emit.read(target, &at(k, &index), "old_row");
        let scaled = emit.value("scaled", Function::Mul, &[&old, &taken.reciprocal]);
        emit.write(row, &index, &scaled);
        let old = emit.read(target, &at(&index, k), "old_col");
        emit.write(col, &index, &old);
    });
    taken
}

/// Everything but the pivot itself; the indices other than `k` are `k + 1 + index`, around the end.
fn eliminate(factor: &Factor, k: &Index, reciprocal: &str, emit: &mut Emit<'_>) {
    let (n, target, [row, col]) = (factor.n, factor.target, scratch(factor));
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(n));
    let around = |index: Index| IntExpr::Rem(index.plus(k.clone()).plus(Index::constant(1)), n);
    let n_others = (n - 1) * (n - 1);
    emit.each("element", &Index::default(), &Index::constant(n_others), |emit, element| {
        let from_k = emit.int("row_from", IntExpr::Rem(element.clone(), n - 1));
        let i = emit.int("i", around(from_k));
        let from_k = emit.int("col_from", IntExpr::Div(element, n - 1));
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
        let product = emit.value("product", Function::Mul, &[&factor, reciprocal]);
        let negated = emit.value("negated", Function::Neg, &[&product]);
        emit.write(target, &at(&i, k), &negated);
    });
}
