//! What one thread makes of the total of a long vector: results in the arena.

use super::expression::{self, Evaluator};
use super::language::{Language, Lines};
use crate::spec::{ACCUMULATE, Expression, Finish, State, StateWord, old};

/// Names of the numbers that say where the results are; the first is that of every reduction.
pub(super) fn slots(finish: &Finish) -> impl Iterator<Item = String> {
    let further = finish.results.iter().skip(1).map(|result| format!("{result}_slot"));
    std::iter::once("slot".to_owned()).chain(further)
}

/// The lines that read the words of a state and write what they become.
pub(super) fn finish(state: &State, language: &Language) -> String {
    let State { words, finish, .. } = state;
    let mut lines = Lines::at(2);
    for (position, StateWord { name, .. }) in words.iter().enumerate() {
        let index = format!("{position}u");
        lines.push(&language.fill("load_word", &[("name", name), ("operand", "s"), ("index", &index)]));
    }
    for (slot, result) in slots(finish).zip(&finish.results) {
        lines.push(&language.fill("read_u32", &[("name", &old(result)), ("slot", &slot)]));
    }
    let formula = |of: &Expression| {
        expression::statement(of, Evaluator::Scalar, language, &|name: &str| match name {
            ACCUMULATE => language.fill("scalar", &[("name", ACCUMULATE)]),
            name => name.to_owned(),
        })
    };
    for (name, of) in &finish.values {
        lines.push(&language.fill("let_u32", &[("name", name), ("value", &formula(of))]));
    }
    for (slot, of) in slots(finish).zip(&finish.stored) {
        lines.push(&language.fill("write_u32", &[("slot", &slot), ("value", &formula(of))]));
    }
    lines.into_text()
}

/// The line that writes a sum.
pub(super) fn finish_sum(language: &Language) -> String {
    let mut lines = Lines::at(2);
    lines.push(&language.fill("write_sum", &[]));
    lines.into_text()
}
