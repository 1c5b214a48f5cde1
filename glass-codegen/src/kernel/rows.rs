//! Factors and triangular solves whose rows lie in the registers of lanes: one column after the other.
//!
//! In a factor lane `l` keeps row `n - 1 - l`, so that the rows below any diagonal entry are those of the first lanes. A lane
//! without a row, and a row above the diagonal, repeat an element of the triangle, and nothing of them is stored. Every
//! element takes its terms in the order of the left-looking text: the bits are the same.
//!
//! A factor that nothing else reads lies in shared memory with column `j` turned by `j` rows: lanes that read along a row, as a
//! solve with the transpose does, then meet in different banks.

use super::emit::Emit;
use super::factor::{clear_above, counted, keep, kind, pivot_of, shifted};
use super::solve::{scaled, stored, triangle, unknown};
use super::{Function, Index, IntExpr, Packing, Stmt};
use crate::spec::{Factor, FactorKind, Opposite, Phase, Role, Solve};

/// Rows of a phase that lanes can keep; `None` where it has no text for that.
pub(crate) fn n_rows(phase: &Phase) -> Option<usize> {
    match phase {
        Phase::Factor(factor) => of_factor(factor),
        Phase::Solve(solve) => of_solve(solve),
        _ => None,
    }
}

pub(super) fn of_factor(factor: &Factor) -> Option<usize> {
    matches!(factor.kind, FactorKind::Cholesky { .. } | FactorKind::Ldlt).then_some(factor.n)
}

/// One right-hand side; several are dealt to the lanes.
pub(super) fn of_solve(solve: &Solve) -> Option<usize> {
    (solve.nrhs == 1 && solve.seconds.is_none()).then_some(solve.n)
}

/// Whether a plan wants rows in registers, and each of these has a lane.
pub(super) fn suits(n_rows: Option<usize>, emit: &Emit<'_>) -> bool {
    emit.plan.mapping.is_by_rows && n_rows.is_some_and(|n_rows| n_rows <= emit.workers.count)
}

pub(super) fn factor(factor: &Factor, emit: &mut Emit<'_>) {
    let lane = emit.workers.name.expect("lanes own rows").to_owned();
    load(factor, &lane, emit);
    if factor.source == factor.target {
        // Lanes have read elements that others will write.
        emit.barrier();
    }
    for col in 0..factor.n {
        emit.block(|emit| {
            column(factor, col, &lane, emit);
            if col + 1 < factor.n {
                emit.barrier();
                update(factor, col, emit);
            }
        });
    }
    if factor.source != factor.target && factor.opposite == Opposite::Zero && factor.n > 1 {
        let (second, end) = (Index::constant(1), Index::constant(factor.n));
        emit.seq("col", &second, &end, |emit, col| clear_above(factor, &col, emit));
    }
}

/// The row of each lane, an accumulator for each element, the diagonal shifted.
fn load(factor: &Factor, lane: &str, emit: &mut Emit<'_>) {
    let last = factor.n - 1;
    for col in 0..factor.n {
        let up = least(&format!("up_{col}"), lane, last - col, emit);
        let index = place(factor.source, factor, last, col, emit).minus(up.clone());
        let given = format!("given_{col}");
        emit.push(Stmt::Load { names: vec![given.clone()], operand: factor.source, index });
        emit.var(&entry(col), Some(&given));
        if let Some(shift) = factor.shift {
            if col == 0 {
                emit.word(OWN_ROW, Index::constant(last).minus(up.clone()));
            }
            let diagonal = shifted(shift, &given, &format!("shifted_{col}"), emit);
            emit.take_at(&entry(col), OWN_ROW, &Index::constant(col), &diagonal);
        }
    }
}

/// The pivot of a column, and what stands below it.
fn column(factor: &Factor, col: usize, lane: &str, emit: &mut Emit<'_>) {
    let last = factor.n - 1;
    let diagonal = "diagonal".to_owned();
    emit.push(Stmt::Broadcast { name: diagonal.clone(), value: entry(col), worker: last - col });
    counted(&diagonal, emit);
    let number = Index::constant(col);
    let taken = pivot_of(kind(factor), &diagonal, &number, emit);
    if col < last {
        emit.value(SCALED, Function::Mul, &[&entry(col), &taken.reciprocal]);
        let stmts = emit.scope(|emit| {
            let row = Index::constant(last).minus(Index::name(lane));
            let index = match is_turned(factor.target, emit) {
                true => turned("turned", factor.n, (&row, &number), emit),
                false => place(factor.target, factor, last, col, emit).minus(Index::name(lane)),
            };
            emit.push(Stmt::Store { operand: factor.target, index, value: SCALED.to_owned() });
        });
        emit.push(Stmt::Guard { name: lane.to_owned(), limit: last - col, stmts });
    }
    match is_turned(factor.target, emit) {
        // Whoever reads it needs the reciprocals alone.
        true => emit.once(|emit| {
            let reciprocals = factor.reciprocals.expect("a temporary factor is there to solve with");
            emit.write(reciprocals, &number, &taken.reciprocal);
        }),
        false => keep(factor, &number, &taken, emit),
    }
}

/// What the column takes from the rest of each row.
fn update(factor: &Factor, col: usize, emit: &mut Emit<'_>) {
    for (rows, names) in runs(factor, col, emit) {
        let index = place(factor.target, factor, rows, col, emit);
        emit.push(Stmt::Load { names: names.clone(), operand: factor.target, index });
        for (row, name) in (rows..).zip(&names) {
            let right = match factor.kind {
                FactorKind::Ldlt => emit.value(&format!("weighted_{row}"), Function::Mul, &[name, PIVOT]),
                _ => name.clone(),
            };
            emit.subtract(&entry(row), SCALED, &right);
        }
    }
}

/// The first row of each load of a column below its diagonal, and a name for every row: as wide as places are aligned.
fn runs(factor: &Factor, col: usize, emit: &Emit<'_>) -> Vec<(usize, Vec<String>)> {
    let is_shared = emit.plan.shared.iter().any(|part| part.operand == factor.target);
    let widest = if is_shared { 16 / emit.spec.dtype.bytes() } else { 1 };
    let mut runs = Vec::new();
    let mut row = col + 1;
    while row < factor.n {
        let start = place(factor.target, factor, row, col, emit).constant.cast_unsigned();
        // Neighbours of a turned column part where it begins anew.
        let follows = |step: usize| {
            place(factor.target, factor, row + step, col, emit).constant.cast_unsigned() == start + step
        };
        let is_whole = start.is_multiple_of(widest) && row + widest <= factor.n && (1..widest).all(follows);
        let width = if is_whole { widest } else { 1 };
        runs.push((row, (row..row + width).map(|row| format!("l_{row}")).collect()));
        row += width;
    }
    runs
}

/// Whether columns of an operand are turned: a temporary of phases that all keep rows, whose rows would meet in few banks.
fn is_turned(operand: usize, emit: &Emit<'_>) -> bool {
    let given = &emit.spec.operands[operand];
    given.role == Role::Temporary
        && !given.is_packed
        && given.rows.is_multiple_of(2)
        && emit.spec.phases.iter().all(|phase| suits(n_rows(phase), emit))
}

/// Where an element of a turned matrix lies.
fn turned(name: &str, n: usize, (row, col): (&Index, &Index), emit: &mut Emit<'_>) -> Index {
    let first = col.clone().times(n);
    match row.clone().plus(col.clone()).as_constant() {
        Some(sum) => first.plus(Index::constant(sum % n)),
        None => emit.int(name, IntExpr::Rem(row.clone().plus(col.clone()), n)).plus(first),
    }
}

/// Where an element of the lower triangle lies in an operand.
fn place(operand: usize, factor: &Factor, row: usize, col: usize, emit: &Emit<'_>) -> Index {
    if is_turned(operand, emit) {
        return Index::constant((row + col) % factor.n + col * factor.n);
    }
    let n_left_out = match Packing::of(&emit.spec.operands[operand]) {
        Some(Packing { is_upper, .. }) => {
            assert!(!is_upper, "a factor is a lower triangle");
            col * (col + 1) / 2
        }
        None => 0,
    };
    Index::constant(row + col * factor.n - n_left_out)
}

/// One right-hand side, an element a lane, whose unknowns go to the target. Lanes keep rows in the order in which those
/// that are still unknown are the first ones.
pub(super) fn solve(solve: &Solve, emit: &mut Emit<'_>) {
    let lane = emit.workers.name.expect("lanes own rows").to_owned();
    let last = solve.n - 1;
    let near = least("near", &lane, last, emit);
    let given = emit.read(solve.source, &own_row(solve, near), "given");
    let acc = emit.var("acc", Some(&given));
    if solve.source == solve.target {
        // Lanes have read elements that the first one will write.
        emit.barrier();
    }
    // Unknowns are stored on the way: for all that a compiler knows, over what a later step would load.
    let factors: Vec<_> = (0..last).map(|step| element(solve, step, &lane, emit)).collect();
    let steps = || (0..solve.n).map(|step| (step, unknown(solve, &Index::constant(step))));
    if let Some(reciprocals) = solve.reciprocals {
        for (step, j) in steps() {
            emit.read(reciprocals, &j, &format!("reciprocal_{step}"));
        }
    }
    for (step, j) in steps() {
        emit.block(|emit| {
            // The lane of an unknown has as many before it as there are unknowns left.
            emit.push(Stmt::Broadcast { name: "sum".to_owned(), value: acc.clone(), worker: last - step });
            let value = scaled(solve, "sum", &[], &j, emit);
            emit.once(|emit| emit.write(solve.target, &j, &value));
            if let Some(factor) = factors.get(step) {
                emit.subtract(&acc, factor, &value);
            }
        });
    }
}

/// The row of a lane that has so many lanes before it.
fn own_row(solve: &Solve, near: Index) -> Index {
    if solve.is_forward() { Index::constant(solve.n - 1).minus(near) } else { near }
}

/// What each lane multiplies with the unknown of a step.
fn element(solve: &Solve, step: usize, lane: &str, emit: &mut Emit<'_>) -> String {
    let j = unknown(solve, &Index::constant(step));
    let near = least(&format!("near_{step}"), lane, solve.n - 2 - step, emit);
    let row = own_row(solve, near);
    let index = match (is_turned(solve.triangle, emit), stored(solve, &row, &j)) {
        (true, (row, col)) => turned(&format!("turned_{step}"), solve.n, (row, col), emit),
        (false, _) => triangle(solve, &row, &j),
    };
    emit.read(solve.triangle, &index, &format!("factor_{step}"))
}

/// The lane, or a limit where that is less: what a lane without a row of its own repeats.
fn least(name: &str, lane: &str, limit: usize, emit: &mut Emit<'_>) -> Index {
    match limit {
        0 => Index::default(),
        _ => emit.int(name, IntExpr::Min(lane.to_owned(), limit)),
    }
}

/// Name of the word that says which row a lane has.
const OWN_ROW: &str = "own_row";

/// Names of a block: the element of the column in each lane's row, and the pivot.
const SCALED: &str = "scaled";
const PIVOT: &str = "pivot";

fn entry(col: usize) -> String {
    format!("entry_{col}")
}
