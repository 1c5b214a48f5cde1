//! Steps that choose by data: searches, and factors whose rows are exchanged.

use super::Opposite;

/// `P A = L U`: unit `L` below the diagonal, `U` from it on. The pivot of a step is the largest magnitude of its column,
/// the first one on a tie; bad pivots go to the operand `status` where the spec has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lu {
    /// Rows and columns.
    pub n: usize,
    /// The matrix.
    pub source: usize,
    /// The factors; may be the source.
    pub target: usize,
    /// A vector that receives the reciprocals of the pivots.
    pub reciprocals: Option<usize>,
    /// Words that receive the row that each step exchanged with its own, from 0 on.
    pub pivots: Option<usize>,
    /// An operand of `n` rows, with its columns, whose rows are exchanged alike.
    pub right: Option<(usize, usize)>,
}

/// Rows `k` and `pivots[k]` of a matrix exchanged, `k` ascending or descending. A word that names no row below `k`
/// exchanges nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Rows of the matrix, and words.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// The matrix.
    pub source: usize,
    /// The matrix after all exchanges; may be the source.
    pub target: usize,
    /// The words.
    pub pivots: usize,
    /// Descending: what undoes the exchanges in ascending order.
    pub reversed: bool,
}

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The largest `abs x` above zero.
    Magnitude,
    /// The largest `x`.
    Largest,
    /// The smallest `x`.
    Smallest,
}

/// The smallest index of an extreme; NaN is skipped, and 0 is found where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Which extreme.
    pub sought: Sought,
    /// The vector.
    pub source: usize,
    /// Its elements.
    pub length: usize,
    /// The word operand whose element 0 receives the index.
    pub output: usize,
}

/// `P A P' = L D L'` by the rule of Bunch and Kaufman, in the lower triangle: unit `L` below the diagonal, on it `D` with
/// blocks of one row or of two, the element off the diagonal of a block of two in the place below its first row. Whole
/// rows of `L` are exchanged, those of earlier columns included. A singular block goes to the operand `status` where the
/// spec has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BunchKaufman {
    /// Rows and columns.
    pub n: usize,
    /// The matrix, whose lower triangle is read.
    pub source: usize,
    /// The factors; may be the source.
    pub target: usize,
    /// The upper triangle of a target that is not the source.
    pub opposite: Opposite,
    /// Words: the row that was exchanged with a block of one; both words of a block of two are that of its second row,
    /// all bits inverted.
    pub pivots: usize,
    /// A temporary of `n` elements, for the largest magnitude of each row.
    pub scratch: usize,
}

/// What the words of [`BunchKaufman`] say, and the inverse of its `D`. A negative word starts a block of two where its row
/// is neither the last one nor the second one of such a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Rows and columns.
    pub n: usize,
    /// The factors.
    pub factors: usize,
    /// The words.
    pub pivots: usize,
    /// Words that receive the row that each row is exchanged with, for [`Exchange`].
    pub rows: usize,
    /// Words that receive the second row of the block of two that a row starts; `n` where it starts none.
    pub seconds: usize,
    /// The reciprocals of the diagonal. Those of a block of two become `1 / (b d)`, with `b` its element off the diagonal
    /// and `d = (a / b) (c / b) - 1`.
    pub reciprocals: usize,
    /// A temporary of `n x 2` elements: `c / b` and `a / b` of the block that a row starts.
    pub ratios: usize,
}

/// `X = D^-1 X` for the blocks of two, of rows that have been multiplied with their reciprocals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDiagonal {
    /// Rows.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// The unknowns.
    pub target: usize,
    /// The words of [`Blocks`].
    pub seconds: usize,
    /// The ratios of [`Blocks`].
    pub ratios: usize,
}
