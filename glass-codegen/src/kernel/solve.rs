//! Triangular solves. Every unknown starts from its right-hand side and takes the known unknowns in the order in
//! which they became known.

use super::emit::Emit;
use super::{Function, Index, rows};
use crate::spec::Solve;

pub(super) fn solve(solve: &Solve, emit: &mut Emit<'_>) {
    if rows::suits(rows::of_solve(solve), emit) {
        return rows::solve(solve, emit);
    }
    if solve.nrhs == 1 && emit.is_shared() {
        return by_updates(solve, emit);
    }
    let end = Index::constant(solve.nrhs);
    emit.each("rhs", &Index::default(), &end, |emit, rhs| column(solve, &rhs, emit));
}

/// Stored row and column of element `(i, j)` of `op(T)`.
pub(super) fn stored<'i>(solve: &Solve, i: &'i Index, j: &'i Index) -> (&'i Index, &'i Index) {
    if solve.transposed { (j, i) } else { (i, j) }
}

/// Stored index of element `(i, j)` of `op(T)`.
pub(super) fn triangle(solve: &Solve, i: &Index, j: &Index) -> Index {
    let (row, col) = stored(solve, i, j);
    row.clone().plus(col.clone().times(solve.n))
}

/// Takes the term of element `(i, j)` from a sum, unless the element belongs to a block of two of the diagonal.
fn subtract(solve: &Solve, (i, j): (&Index, &Index), sum: &str, terms: [&str; 2], emit: &mut Emit<'_>) {
    let [factor, value] = terms;
    let Some(seconds) = solve.seconds else { return emit.subtract(sum, factor, value) };
    let (row, col) = stored(solve, i, j);
    let kept = emit.var(&emit.label(&format!("kept_{sum}"), &[j]), Some(sum));
    emit.subtract(sum, factor, value);
    let word = emit.read_word(seconds, col, "second_row");
    emit.take_at(sum, &word, row, &kept);
}

/// The unknown of a step: ascending, or descending.
pub(super) fn unknown(solve: &Solve, step: &Index) -> Index {
    if solve.is_forward() { step.clone() } else { Index::constant(solve.n - 1).minus(step.clone()) }
}

/// Names of values: two solves of one task must not share them.
fn prefix(solve: &Solve) -> &'static str {
    if solve.is_forward() { "forward" } else { "backward" }
}

/// One right-hand side by one worker.
fn column(solve: &Solve, rhs: &Index, emit: &mut Emit<'_>) {
    let at = |i: &Index| i.clone().plus(rhs.clone().times(solve.n));
    let triangle_name = emit.spec.operands[solve.triangle].name;
    emit.seq("step", &Index::default(), &Index::constant(solve.n), |emit, step| {
        let i = unknown(solve, &step);
        let given = emit.read(solve.source, &at(&i), "given");
        let sum = emit.label(&format!("{}_sum", prefix(solve)), &[&i, rhs]);
        emit.var(&sum, Some(&given));
        emit.seq("known", &Index::default(), &step, |emit, known| {
            let j = unknown(solve, &known);
            let factor = emit.read(solve.triangle, &triangle(solve, &i, &j), &format!("{triangle_name}_ij"));
            let value = emit.read(solve.target, &at(&j), "known_value");
            subtract(solve, (&i, &j), &sum, [&factor, &value], emit);
        });
        let value = scaled(solve, &sum, &[&i, rhs], &i, emit);
        emit.write(solve.target, &at(&i), &value);
    });
}

/// The unknown of a finished sum.
pub(super) fn scaled(solve: &Solve, sum: &str, labels: &[&Index], i: &Index, emit: &mut Emit<'_>) -> String {
    let Some(reciprocals) = solve.reciprocals else { return sum.to_owned() };
    let reciprocal = emit.read(reciprocals, i, "reciprocal");
    let name = emit.label(prefix(solve), labels);
    emit.value(&name, Function::Mul, &[sum, &reciprocal])
}

/// One right-hand side by all workers: each unknown, once known, is taken from all later ones. The terms of a sum
/// arrive in the same order.
fn by_updates(solve: &Solve, emit: &mut Emit<'_>) {
    let n = Index::constant(solve.n);
    if solve.source != solve.target {
        emit.each("row", &Index::default(), &n, |emit, row| {
            let given = emit.read(solve.source, &row, "given");
            emit.write(solve.target, &row, &given);
        });
        emit.barrier();
    }
    let triangle_name = emit.spec.operands[solve.triangle].name;
    emit.seq("step", &Index::default(), &n, |emit, step| {
        let j = unknown(solve, &step);
        let sum = emit.read(solve.target, &j, "sum");
        let value = scaled(solve, &sum, &[], &j, emit);
        let (start, end) = match solve.is_forward() {
            true => (j.clone().plus(Index::constant(1)), n.clone()),
            false => (Index::default(), j.clone()),
        };
        emit.each("later", &start, &end, |emit, later| {
            let old = emit.read(solve.target, &later, "old");
            let acc = emit.var("acc", Some(&old));
            let factor =
                emit.read(solve.triangle, &triangle(solve, &later, &j), &format!("{triangle_name}_ij"));
            subtract(solve, (&later, &j), &acc, [&factor, &value], emit);
            emit.write(solve.target, &later, &acc);
        });
        // Every worker has read the sum before its place takes the unknown.
        emit.barrier();
        emit.once(|emit| emit.write(solve.target, &j, &value));
    });
    emit.barrier();
}
