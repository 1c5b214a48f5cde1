//! Factors with row exchanges. The pivot's row is a word of each problem, so rows are exchanged by selection: every row
//! below is offered, and no index depends on data.

use super::emit::Emit;
use super::factor::{Taken, pivot_of};
use super::{Function, Index, PivotKind, Stmt, search};
use crate::spec::Lu;

/// A matrix whose rows take part in an exchange.
#[derive(Clone, Copy)]
struct Rows {
    operand: usize,
    n: usize,
}

impl Rows {
    fn at(self, i: &Index, j: &Index) -> Index {
        i.clone().plus(j.clone().times(self.n))
    }
}

pub(super) fn lu(lu: &Lu, emit: &mut Emit<'_>) {
    let n = lu.n;
    let end = Index::constant(n);
    let matrix = Rows { operand: lu.target, n };
    emit.copy(&[(lu.source, lu.target, n * n)]);
    emit.seq("step", &Index::default(), &end, |emit, k| {
        let (size, row) = (emit.label("largest", &[&k]), emit.label("pivot_row", &[&k]));
        search::largest((&size, &row), (&k, &end), emit, |emit, i| {
            emit.read(lu.target, &matrix.at(i, &k), "candidate_entry")
        });
        // Every worker has searched the column before its rows are exchanged.
        emit.barrier();
        emit.each("col", &Index::default(), &end, |emit, j| exchange(matrix, &k, &j, &row, emit));
        if let Some((operand, nrhs)) = lu.right {
            let right = Rows { operand, n };
            let columns = Index::constant(nrhs);
            emit.each("rhs", &Index::default(), &columns, |emit, j| exchange(right, &k, &j, &row, emit));
        }
        emit.barrier();
        eliminate(lu, &k, &row, emit);
    });
}

/// Exchanges two rows in one column.
fn exchange(rows: Rows, k: &Index, j: &Index, row: &str, emit: &mut Emit<'_>) {
    let name = emit.spec.operands[rows.operand].name;
    let top = emit.read(rows.operand, &rows.at(k, j), "top");
    let found = emit.var(&emit.label(&format!("found_{name}"), &[k, j]), Some(&top));
    let below = k.clone().plus(Index::constant(1));
    emit.seq("below", &below, &Index::constant(rows.n), |emit, i| {
        let own = emit.read(rows.operand, &rows.at(&i, j), "own");
        let kept = emit.var(&emit.label(&format!("kept_{name}"), &[&i, j, k]), Some(&own));
        let mut take = |acc: &str, value: &str| {
            let (acc, value) = (acc.to_owned(), value.to_owned());
            emit.push(Stmt::TakeAt { acc, word: row.to_owned(), index: i.clone(), value });
        };
        take(&found, &own);
        take(&kept, &top);
        emit.write(rows.operand, &rows.at(&i, j), &kept);
    });
    emit.write(rows.operand, &rows.at(k, j), &found);
}

/// Scales the column below the pivot, and takes its multiples from the columns after it, a row a worker.
fn eliminate(lu: &Lu, k: &Index, row: &str, emit: &mut Emit<'_>) {
    let matrix = Rows { operand: lu.target, n: lu.n };
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
