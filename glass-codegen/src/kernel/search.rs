//! The index of the largest magnitude. A search has no order: every worker makes it, and one of them stores it.

use super::emit::Emit;
use super::{Function, Index, Stmt};
use crate::spec::Search;

pub(super) fn search(search: &Search, emit: &mut Emit<'_>) {
    let (start, end) = (Index::default(), Index::constant(search.length));
    largest(("largest", "found"), (&start, &end), emit, |emit, term| {
        emit.read(search.source, term, "element")
    });
    emit.once(|emit| emit.write_word(search.output, Index::default(), "found"));
}

/// Names a word that holds the smallest index of the largest magnitude: the start where there is none above zero.
pub(super) fn largest(
    (size, word): (&str, &str),
    (start, end): (&Index, &Index),
    emit: &mut Emit<'_>,
    mut read: impl FnMut(&mut Emit<'_>, &Index) -> String,
) {
    emit.var(size, None);
    emit.word(word, start.clone());
    emit.seq("candidate", start, end, |emit, index| {
        let element = read(emit, &index);
        let name = emit.label(&format!("{size}_of"), &[&index]);
        let value = emit.value(&name, Function::Abs, &[&element]);
        emit.push(Stmt::TakeLarger { acc: size.to_owned(), word: word.to_owned(), value, index });
    });
}
