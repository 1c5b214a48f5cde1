//! Contractions on operands that words of the problem name.

use super::{Contraction, Letter, Product};

/// One contraction for each item, items ascending. Words of the problem say where the operands of an item lie; an item
/// with a word beyond its place writes nothing, and its number goes to the operand `status` where the spec has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// What an item is called.
    pub item: &'static str,
    /// Its number, a letter beside those of the contraction.
    pub number: Letter,
    /// The words: those of one item after those of another.
    pub words: usize,
    /// Letters whose values are the words of an item, in order, beside those of the contraction.
    pub places: Vec<Letter>,
    /// The contraction of one item. Its results lie one after the other.
    pub contraction: Contraction,
    /// Added to each result after all else, in one rounding.
    pub addition: Option<Product>,
}
