//! Reductions of long vectors to a few words, each of which merges in a way of its own. All of it is arithmetic on words, so
//! that no order decides anything, and that no device has an opinion of its own on NaN, infinities or zeros.

use super::expression::{Expression, Format, Operator, WordOperator};
use std::fmt;

/// How two words become one. Every way is exact, associative and commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// The sum modulo 2^32.
    Sum,
    /// The smaller one.
    Least,
    /// The larger one.
    Greatest,
}

impl Merge {
    /// What changes no word that it is merged with.
    pub fn identity(self) -> u32 {
        match self {
            Merge::Sum | Merge::Greatest => 0,
            Merge::Least => u32::MAX,
        }
    }

    /// Whether a word changes nothing that it has been merged with before.
    pub fn is_idempotent(self) -> bool {
        match self {
            Merge::Least | Merge::Greatest => true,
            Merge::Sum => false,
        }
    }

    /// The merged word as a formula.
    pub fn of(self, x: Expression, y: Expression) -> Expression {
        match self {
            Merge::Sum => Expression::word(Operator::Add, [x, y]),
            Merge::Least => Expression::word(Operator::Word(WordOperator::Min), [x, y]),
            Merge::Greatest => Expression::word(Operator::Word(WordOperator::Max), [x, y]),
        }
    }
}

/// A word of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateWord {
    /// Its name.
    pub name: &'static str,
    /// How it merges.
    pub merge: Merge,
    /// What an element contributes, or the same word of another state.
    pub of: Expression,
}

/// A word that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLoad {
    /// Its name.
    pub name: String,
    /// Operand of words: a vector of elements, or a matrix with a state in each column.
    pub operand: usize,
    /// Which word of the state; 0 of an element.
    pub word: usize,
}

/// The words that the elements of a vector, or several states, become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What the elements and the results are.
    pub format: Format,
    /// What is read of each element or state.
    pub loads: Vec<StateLoad>,
    /// The words.
    pub words: Vec<StateWord>,
    /// Number of elements or states.
    pub length: usize,
    /// Operand that receives the words.
    pub output: usize,
    /// What the words of everything become.
    pub finish: Finish,
}

/// What a finished state becomes, as words of the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// Names of the results.
    pub results: Vec<&'static str>,
    /// Named values over the words of the state, whether the old results count, and these, in order.
    pub values: Vec<(&'static str, Expression)>,
    /// The value of each result.
    pub stored: Vec<Expression>,
}

/// The number that is 1 where the old results take part, else 0.
pub(crate) const ACCUMULATE: &str = "accumulate";

/// Name of a result as it was.
pub(crate) fn old(result: &str) -> String {
    format!("{result}_old")
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { format, loads, words, length, finish, .. } = self;
        write!(f, "state of {} over {length}", format.as_str())?;
        for StateLoad { name, operand, word } in loads {
            write!(f, "\n    each {name} = word {word} of operand {operand}")?;
        }
        for StateWord { name, merge, of } in words {
            write!(f, "\n    {merge:?} {name} of {of}")?;
        }
        for (name, of) in &finish.values {
            write!(f, "\n    then {name} = {of}")?;
        }
        for (result, of) in finish.results.iter().zip(&finish.stored) {
            write!(f, "\n    result {result} = {of}")?;
        }
        Ok(())
    }
}
