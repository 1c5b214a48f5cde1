//! The index of an extreme. A search has no order: every worker makes it, and one of them stores it.

use super::emit::Emit;
use super::exchange::Lines;
use super::{Function, Index, Stmt};
use crate::spec::{Search, Sought};

pub(super) fn search(search: &Search, emit: &mut Emit<'_>) {
    let (start, end) = (Index::default(), Index::constant(search.length));
    match search.sought {
        Sought::Magnitude => {
            let read = |emit: &mut Emit<'_>, index: &Index| emit.read(search.source, index, "element");
            largest(("largest", "found"), &start, (&start, &end), emit, read);
        }
        Sought::Largest | Sought::Smallest => signed(search, emit),
    }
    emit.once(|emit| emit.write_word(search.output, Index::default(), "found"));
}

/// From the first element on: a NaN there gives way to any number.
fn signed(search: &Search, emit: &mut Emit<'_>) {
    let read = |emit: &mut Emit<'_>, index: &Index, name: &str| {
        let element = emit.read(search.source, index, name);
        match search.sought {
            Sought::Smallest => {
                emit.value(&emit.label(&format!("negated_{name}"), &[index]), Function::Neg, &[&element])
            }
            _ => element,
        }
    };
    let first = read(emit, &Index::default(), "first");
    emit.var("largest", Some(&first));
    emit.word("found", Index::default());
    let (start, end) = (Index::constant(1), Index::constant(search.length));
    emit.seq("candidate", &start, &end, |emit, index| {
        let value = read(emit, &index, "element");
        emit.push(Stmt::TakeLarger { acc: "largest".to_owned(), word: "found".to_owned(), value, index });
    });
}

/// Names a word that holds the row of the pivot of step `k`: that of the largest entry of column `k` from row `k` on.
pub(super) fn pivot_row(rows: Lines, k: &Index, end: &Index, emit: &mut Emit<'_>) -> String {
    let (size, row) = (emit.label("largest", &[k]), emit.label("pivot_row", &[k]));
    largest((&size, &row), k, (k, end), emit, |emit, i| {
        emit.read(rows.operand(), &rows.at(i, k), "candidate_entry")
    });
    // Every worker has searched the column before its rows are exchanged.
    emit.barrier();
    row
}

/// Names a word that holds the smallest index of the largest magnitude: `none` where there is none above zero.
pub(super) fn largest(
    (size, word): (&str, &str),
    none: &Index,
    (start, end): (&Index, &Index),
    emit: &mut Emit<'_>,
    mut read: impl FnMut(&mut Emit<'_>, &Index) -> String,
) {
    emit.var(size, None);
    emit.word(word, none.clone());
    emit.seq("candidate", start, end, |emit, index| {
        let element = read(emit, &index);
        let name = emit.label(&format!("{size}_of"), &[&index]);
        let value = emit.value(&name, Function::Abs, &[&element]);
        emit.push(Stmt::TakeLarger { acc: size.to_owned(), word: word.to_owned(), value, index });
    });
}
