//! Factorisations: left-looking, the lower triangle only, one reciprocal per pivot.

use super::build::SIGNS;
use super::emit::Emit;
use super::{Constant, Function, Index, PivotKind, Stmt, inverse};
use crate::spec::{Factor, FactorKind, Opposite, Shift};

pub(super) fn factor(factor: &Factor, emit: &mut Emit<'_>) {
    match factor.kind {
        FactorKind::Cholesky { approximate } => {
            let kind = if approximate { PivotKind::Rsqrt } else { PivotKind::Cholesky };
            columns(&Columns { factor, kind, has_diagonal: false }, emit);
        }
        FactorKind::Ldlt => {
            columns(&Columns { factor, kind: PivotKind::General, has_diagonal: true }, emit);
        }
        FactorKind::Inverse | FactorKind::PivotedInverse { .. } => inverse::inverse(factor, emit),
    }
    // The factor's columns are complete; what follows may read them all.
    emit.barrier();
}

/// Column by column.
struct Columns<'f> {
    factor: &'f Factor,
    kind: PivotKind,
    /// A product of two entries passes through the diagonal `D`.
    has_diagonal: bool,
}

fn columns(columns: &Columns<'_>, emit: &mut Emit<'_>) {
    let factor = columns.factor;
    let n = Index::constant(factor.n);
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(factor.n));
    let is_in_place = factor.source == factor.target;
    emit.seq("col", &Index::default(), &n, |emit, col| {
        let entry = entry(columns, &col, &col, emit);
        if emit.spec.inertia().is_some() {
            // Counted before a bad pivot becomes NaN; every worker counts for itself.
            for (sign, word) in SIGNS {
                emit.push(Stmt::CountSign { word: word.to_owned(), sign, value: entry.clone() });
            }
        }
        let pivot = emit.label("pivot", &[&col]);
        let reciprocal = emit.label("reciprocal", &[&col]);
        pivot_of(columns.kind, &entry, &pivot, &reciprocal, &col, emit);
        let below = col.clone().plus(Index::constant(1));
        emit.each("row", &below, &n, |emit, row| {
            let entry = self::entry(columns, &row, &col, emit);
            let name = if emit.is_straight { emit.label("l", &[&row, &col]) } else { "scaled".to_owned() };
            let value = emit.value(&name, Function::Mul, &[&entry, &reciprocal]);
            emit.write(factor.target, &at(&row, &col), &value);
        });
        if is_in_place {
            // Every worker has read the diagonal entry before its place takes the pivot.
            emit.barrier();
        }
        emit.once(|emit| {
            emit.write(factor.target, &at(&col, &col), &pivot);
            if let Some(reciprocals) = factor.reciprocals {
                emit.write(reciprocals, &col, &reciprocal);
            }
        });
        if !is_in_place && factor.opposite == Opposite::Zero {
            emit.each("above", &Index::default(), &col, |emit, above| {
                let zero = emit.label("zero", &[&above, &col]);
                emit.constant(&zero, Constant::Zero);
                emit.write(factor.target, &at(&above, &col), &zero);
            });
        }
        emit.barrier();
    });
}

/// `A(row, col)` less what the columns before contribute.
fn entry(columns: &Columns<'_>, row: &Index, col: &Index, emit: &mut Emit<'_>) -> String {
    let factor = columns.factor;
    let at = |i: &Index, j: &Index| i.clone().plus(j.clone().times(factor.n));
    let is_diagonal = row == col;
    let (suffix, base) = if is_diagonal { ("d", "diagonal") } else { ("s", "entry") };
    let given = emit.read(factor.source, &at(row, col), &format!("given_{suffix}"));
    let sum = match is_diagonal {
        true => emit.label(base, &[row]),
        false => emit.label(base, &[row, col]),
    };
    let given = match (is_diagonal, factor.shift) {
        (true, Some(shift)) => shifted(shift, &given, &emit.label("shifted", &[row]), emit),
        _ => given,
    };
    emit.var(&sum, Some(&given));
    emit.seq("before", &Index::default(), col, |emit, before| {
        let right = emit.read(factor.target, &at(col, &before), "l_right");
        let left = match is_diagonal {
            true => right.clone(),
            false => emit.read(factor.target, &at(row, &before), "l_left"),
        };
        let right = match columns.has_diagonal {
            true => {
                let diagonal = emit.read(factor.target, &at(&before, &before), "d_before");
                let name = emit.label("weighted", &[col, &before]);
                emit.product(&name, &right, &diagonal)
            }
            false => right,
        };
        emit.subtract(&sum, &left, &right);
    });
    sum
}

fn shifted(shift: Shift, given: &str, name: &str, emit: &mut Emit<'_>) -> String {
    match shift {
        Shift::Absolute => emit.value(name, Function::Add, &[given, "rho"]),
        Shift::Relative => emit.value(name, Function::Fma, &["rho", given, given]),
    }
}

/// A pivot with its reciprocal, counted where the task has a status word.
pub(super) fn pivot_of(
    kind: PivotKind,
    value: &str,
    pivot: &str,
    reciprocal: &str,
    col: &Index,
    emit: &mut Emit<'_>,
) {
    let number = emit.spec.status().map(|_| col.clone().plus(Index::constant(1)));
    emit.push(Stmt::Pivot {
        kind,
        value: value.to_owned(),
        pivot: pivot.to_owned(),
        reciprocal: reciprocal.to_owned(),
        number,
    });
}
