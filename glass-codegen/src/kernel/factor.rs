//! Factorisations: left-looking, the lower triangle only, one reciprocal per pivot.

use super::build::SIGNS;
use super::emit::Emit;
use super::{Constant, Function, Index, Note, PivotKind, Stmt, inverse, rows};
use crate::spec::{Factor, FactorKind, Opposite, Shift};

pub(super) fn factor(factor: &Factor, emit: &mut Emit<'_>) {
    together(&[Part { part: None, factor }], emit);
}

/// Independent matrices. Workers take them through each step together, so that the largest one alone decides how many
/// barriers there are; straight-line text has none to share, and one matrix after the other keeps fewer values alive.
pub(super) fn sweep(factors: &[Factor], emit: &mut Emit<'_>) {
    let parts: Vec<_> =
        factors.iter().enumerate().map(|(idx, factor)| Part { part: Some(idx), factor }).collect();
    match emit.is_straight {
        true => parts.iter().for_each(|part| together(std::slice::from_ref(part), emit)),
        false => together(&parts, emit),
    }
}

/// A matrix, and which of several it is.
#[derive(Clone, Copy)]
pub(super) struct Part<'f> {
    pub(super) part: Option<usize>,
    pub(super) factor: &'f Factor,
}

/// A pivot and its reciprocal.
pub(super) struct Taken {
    pub(super) pivot: String,
    pub(super) reciprocal: String,
}

fn together(parts: &[Part<'_>], emit: &mut Emit<'_>) {
    match parts[0].factor.kind {
        _ if parts.len() == 1 && rows::suits(rows::of_factor(parts[0].factor), emit) => {
            return rows::factor(parts[0].factor, emit);
        }
        FactorKind::Cholesky { .. } | FactorKind::Ldlt => columns(parts, emit),
        FactorKind::Inverse | FactorKind::PivotedInverse { .. } => inverse::inverse(parts, emit),
    }
    // The factors are complete; what follows may read them all.
    emit.barrier();
}

/// Every index below the largest order, in ascending order, with the matrices that have it.
pub(super) fn steps(
    var: &str,
    parts: &[Part<'_>],
    emit: &mut Emit<'_>,
    mut step: impl FnMut(&mut Emit<'_>, &[Part<'_>], Index),
) {
    let mut orders: Vec<_> = parts.iter().map(|part| part.factor.n).collect();
    orders.sort_unstable();
    orders.dedup();
    let mut start = 0;
    for end in orders {
        let left: Vec<_> = parts.iter().filter(|part| part.factor.n >= end).copied().collect();
        emit.seq(var, &Index::constant(start), &Index::constant(end), |emit, index| step(emit, &left, index));
        start = end;
    }
}

/// Column by column.
fn columns(parts: &[Part<'_>], emit: &mut Emit<'_>) {
    let is_in_place = parts[0].factor.source == parts[0].factor.target;
    steps("col", parts, emit, |emit, left, col| {
        let mut taken = Vec::new();
        for Part { part, factor } in left {
            taken.push(emit.of_part(*part, |emit| column(factor, &col, emit)));
        }
        if is_in_place {
            // Every worker has read the diagonal entry before its place takes the pivot.
            emit.barrier();
        }
        for (Part { part, factor }, taken) in left.iter().zip(&taken) {
            emit.of_part(*part, |emit| close(factor, &col, taken, emit));
        }
        emit.barrier();
    });
}

fn at(factor: &Factor, i: &Index, j: &Index) -> Index {
    i.clone().plus(j.clone().times(factor.n))
}

/// The pivot of a column, and what stands below it.
fn column(factor: &Factor, col: &Index, emit: &mut Emit<'_>) -> Taken {
    let entry = entry(factor, col, col, emit);
    counted(&entry, emit);
    let taken = pivot_of(kind(factor), &entry, col, emit);
    let (below, n) = (col.clone().plus(Index::constant(1)), Index::constant(factor.n));
    emit.each("row", &below, &n, |emit, row| {
        let entry = self::entry(factor, &row, col, emit);
        let name = if emit.is_straight { emit.label("l", &[&row, col]) } else { "scaled".to_owned() };
        let value = emit.value(&name, Function::Mul, &[&entry, &taken.reciprocal]);
        emit.write(factor.target, &at(factor, &row, col), &value);
    });
    taken
}

/// Counts the sign of a diagonal entry before a bad pivot becomes NaN; every worker counts for itself.
pub(super) fn counted(entry: &str, emit: &mut Emit<'_>) {
    if emit.spec.inertia().is_some() {
        for (sign, word) in SIGNS {
            emit.push(Stmt::CountSign { word: word.to_owned(), sign, value: entry.to_owned() });
        }
    }
}

pub(super) fn kind(factor: &Factor) -> PivotKind {
    match factor.kind {
        FactorKind::Cholesky { approximate: true } => PivotKind::Rsqrt,
        FactorKind::Cholesky { approximate: false } => PivotKind::Cholesky,
        FactorKind::Ldlt | FactorKind::Inverse | FactorKind::PivotedInverse { .. } => PivotKind::General,
    }
}

/// The pivot in its place, and what stands above it.
fn close(factor: &Factor, col: &Index, taken: &Taken, emit: &mut Emit<'_>) {
    keep(factor, col, taken, emit);
    clear_above(factor, col, emit);
}

/// The pivot in its place.
pub(super) fn keep(factor: &Factor, col: &Index, taken: &Taken, emit: &mut Emit<'_>) {
    emit.once(|emit| {
        emit.write(factor.target, &at(factor, col, col), &taken.pivot);
        if let Some(reciprocals) = factor.reciprocals {
            emit.write(reciprocals, col, &taken.reciprocal);
        }
    });
}

/// Zeros above a diagonal entry, where the task has them.
pub(super) fn clear_above(factor: &Factor, col: &Index, emit: &mut Emit<'_>) {
    if factor.source != factor.target && factor.opposite == Opposite::Zero {
        emit.each("above", &Index::default(), col, |emit, above| {
            let zero = emit.label("zero", &[&above, col]);
            emit.constant(&zero, Constant::Zero);
            emit.write(factor.target, &at(factor, &above, col), &zero);
        });
    }
}

/// `A(row, col)` less what the columns before contribute.
fn entry(factor: &Factor, row: &Index, col: &Index, emit: &mut Emit<'_>) -> String {
    let is_diagonal = row == col;
    let (suffix, base) = if is_diagonal { ("d", "diagonal") } else { ("s", "entry") };
    let given = {
        let name = emit.label(&format!("given_{suffix}"), &[]);
        emit.read(factor.source, &at(factor, row, col), &name)
    };
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
        let right = emit.read(factor.target, &at(factor, col, &before), "l_right");
        let left = match is_diagonal {
            true => right.clone(),
            false => emit.read(factor.target, &at(factor, row, &before), "l_left"),
        };
        let right = match factor.kind {
            // A product of two entries passes through the diagonal.
            FactorKind::Ldlt => {
                let diagonal = emit.read(factor.target, &at(factor, &before, &before), "d_before");
                let name = emit.label("weighted", &[col, &before]);
                emit.value_once(&name, Function::Mul, &[&right, &diagonal])
            }
            _ => right,
        };
        emit.subtract(&sum, &left, &right);
    });
    sum
}

/// A diagonal entry as it enters the factor.
pub(super) fn shifted(shift: Shift, given: &str, name: &str, emit: &mut Emit<'_>) -> String {
    match shift {
        Shift::Absolute => emit.value(name, Function::Add, &[given, "rho"]),
        Shift::Relative => emit.value(name, Function::Fma, &["rho", given, given]),
    }
}

/// A pivot with its reciprocal, noted where the task has a status word.
pub(super) fn pivot_of(kind: PivotKind, value: &str, col: &Index, emit: &mut Emit<'_>) -> Taken {
    let (pivot, reciprocal) = (emit.label("pivot", &[col]), emit.label("reciprocal", &[col]));
    let word = emit.status_word();
    let note = emit.spec.status().map(|_| Note { word, number: emit.pivot_number(col) });
    let taken = Taken { pivot: pivot.clone(), reciprocal: reciprocal.clone() };
    emit.push(Stmt::Pivot { kind, value: value.to_owned(), pivot, reciprocal, note });
    taken
}
