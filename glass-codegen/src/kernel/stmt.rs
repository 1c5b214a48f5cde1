//! The statements of a body, in the words of no language.

use super::Index;
use crate::spec::{Expression, Format, Merge};

/// How the finished sum meets the old destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epilogue {
    /// The sum is scaled by a run-time `alpha`, and sources are without influence when it is zero.
    pub alpha: bool,
    /// The old destination takes part.
    pub accumulates: bool,
    /// With a run-time factor `beta`; zero removes the old destination altogether.
    pub beta: bool,
}

/// A function of values, one correctly rounded operation unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `-x`.
    Neg,
    /// `abs x`.
    Abs,
    /// `x + y`.
    Add,
    /// `x - y`.
    Sub,
    /// `x y`.
    Mul,
    /// `fma(x, y, z)`.
    Fma,
    /// The larger; the other one where one is NaN.
    Max,
    /// The larger; NaN where either is NaN. `-0` is smaller than `+0`.
    Maximum,
    /// The smaller; NaN where either is NaN. `-0` is smaller than `+0`.
    Minimum,
    /// `y` where `x > y`, else `x`.
    AtMost,
    /// `y` where `x < y`, else `x`.
    AtLeast,
    /// 1 where `x < y`, else 0.
    Less,
    /// 1 where `x <= y`, else 0.
    LessEqual,
    /// 1 where `x == y`, else 0.
    Equal,
    /// 1 where `x != y`, else 0.
    NotEqual,
    /// 1 where neither is 0, else 0.
    And,
    /// 1 where `x` is 0, else 0.
    Not,
    /// `y` where `x` is not 0, else `z`.
    Select,
    /// `x`, 1 where it is NaN.
    OrOne,
    /// `x`, `y` where it is NaN.
    OrOther,
    /// `x / y`.
    Div,
    /// `e^x`, by the device's own function.
    Exp,
    /// The natural logarithm of `x`, by the device's own function.
    Log,
    /// `sqrt x`.
    Sqrt,
    /// `1 / x`.
    Reciprocal,
    /// `2^e` of `x >= 0`, `e` its exponent clamped to [-126, 126] or [-1022, 1022].
    ExponentScale,
    /// `2^-e`, exact.
    InverseExponentScale,
    /// `alpha x`, `+0` where `alpha` (the first argument) is zero.
    Scale,
    /// `fma(alpha, x, y)`, `y` where `alpha` (the first argument) is zero.
    Axpy,
    /// `c` of a Givens rotation of `(a, b)`.
    RotgCos,
    /// `s` of a Givens rotation of `(a, b)`.
    RotgSin,
    /// `r` of a Givens rotation of `(a, b)`.
    RotgRadius,
}

/// How a pivot is taken and when it is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PivotKind {
    /// `pivot = sqrt(value)`, `reciprocal = 1 / pivot`; bad unless finite and > 0.
    Cholesky,
    /// The same by an approximate reciprocal square root: `reciprocal = approx`, `pivot = value * approx`.
    Rsqrt,
    /// `pivot = value`, `reciprocal = 1 / value`; bad unless finite and not 0.
    General,
}

/// What a bad pivot or word leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The status word that takes the number if it is still 0.
    pub word: usize,
    /// Its number, from 1.
    pub number: Index,
}

/// A number that text can spell in either precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// `+0`.
    Zero,
    /// `0.5`.
    Half,
    /// `1`.
    One,
    /// `(1 + sqrt 17) / 8`, rounded: the threshold of Bunch and Kaufman.
    BunchKaufman,
}

/// The sign of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Above zero, infinity included.
    Positive,
    /// Below zero, infinity included.
    Negative,
    /// Either zero.
    Zero,
}

/// What is read where nothing exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEnd {
    /// 0.
    Zero,
    /// The last element that exists.
    Last,
}

/// One statement of a body.
///
/// A value's name is a value defined before it, or the name of one of the spec's run-time scalars.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A remark for the reader.
    Comment(String),
    /// A named non-negative integer.
    Int {
        /// Its name.
        name: String,
        /// Its value.
        value: IntExpr,
    },
    /// Consecutive elements of an operand, read once into named values.
    Load {
        /// One name per element; more than one is a vector load.
        names: Vec<String>,
        /// Position of the operand in the spec.
        operand: usize,
        /// First element.
        index: Index,
    },
    /// Consecutive elements of an operand of which only a prefix exists, values or words.
    LoadBelow {
        /// One name per element; more than one is a vector load where the chunk is whole.
        names: Vec<String>,
        /// Position of the operand in the spec.
        operand: usize,
        /// First element.
        index: Index,
        /// What is there past the end.
        past_end: PastEnd,
    },
    /// One branch or the other; all workers take the same.
    Whole {
        /// Where all elements of the chunk exist and begin at addresses that vectors may have.
        whole: Vec<Stmt>,
        /// Elsewhere.
        parts: Vec<Stmt>,
    },
    /// Consecutive values to an operand, as one vector.
    StoreVector {
        /// Position of the operand in the spec.
        operand: usize,
        /// First element.
        index: Index,
        /// The values.
        values: Vec<String>,
    },
    /// Elements, or columns of words, that other blocks hand over during the launch, each as soon as it is there; past the
    /// end what changes nothing.
    TakeHanded {
        /// One name per element, column after column.
        names: Vec<String>,
        /// Position of the operand in the spec.
        operand: usize,
        /// First element or column.
        index: Index,
        /// Elements or columns from one to the next.
        stride: usize,
    },
    /// An element of a word operand, a word that does not change.
    LoadWord {
        /// Its name.
        name: String,
        /// Position of the operand in the spec.
        operand: usize,
        /// Element.
        index: Index,
    },
    /// A loaded word as an integer, 0 where it is beyond a limit.
    Place {
        /// Its name.
        name: String,
        /// The loaded word.
        word: String,
        /// The largest value.
        limit: usize,
        /// The word that becomes 1 where the loaded one is beyond.
        fault: String,
        /// What is noted there; `None` without a check.
        note: Option<Note>,
    },
    /// Starts to copy elements to consecutive slots of the thread's ring: one group.
    CopyAhead {
        /// Operand and element of each.
        elements: Vec<(usize, Index)>,
        /// Slot of the first.
        first_slot: usize,
    },
    /// Waits until all but the last groups of copies have arrived.
    Await {
        /// Groups that may still be on their way.
        n_pending: usize,
    },
    /// A copied element as a value; its slot is free again.
    Take {
        /// Its name.
        name: String,
        /// Where it was copied to.
        slot: usize,
    },
    /// What lies in the places of these operands is not read again: their frame may copy others there.
    Release {
        /// Positions in the spec.
        operands: Vec<usize>,
    },
    /// An accumulator, a value that changes.
    Var {
        /// Its name.
        name: String,
        /// What it starts from; `None` for `+0`.
        init: Option<String>,
    },
    /// A value.
    Let {
        /// Its name.
        name: String,
        /// How it is made.
        function: Function,
        /// From what.
        args: Vec<String>,
    },
    /// The value of a formula over named values and words, or the word that it is.
    Evaluate {
        /// Its name.
        name: String,
        /// Whether it is a value or a word.
        format: Format,
        /// The formula.
        of: Expression,
    },
    /// A row of a matrix of compressed sparse rows times a vector, one fma an entry in the order of storage, from +0.
    /// Neither is an operand of the spec: their lengths and indices are the run time's to prove.
    RowProduct {
        /// Its name.
        name: String,
        /// The matrix.
        matrix: String,
        /// The vector.
        vector: String,
        /// Which row, from the first one of the chunk.
        row: Index,
    },
    /// The same for a row of each worker, worker `t` the row `t`, which were fetched before: all fetch the entries of all rows
    /// together. +0 past the last row.
    RowProducts {
        /// Its name.
        name: String,
        /// Name of the matrix.
        matrix: String,
        /// Name of the vector.
        vector: String,
    },
    /// A constant as a value.
    Constant {
        /// Its name.
        name: String,
        /// Which one.
        constant: Constant,
    },
    /// `acc = fma(a, b, acc)`, or `acc = fma(-a, b, acc)`; one rounding.
    Fma {
        /// Accumulator.
        acc: String,
        /// First factor.
        a: String,
        /// Second factor.
        b: String,
        /// The first factor is negated.
        is_negated: bool,
    },
    /// `acc = acc + value`.
    Add {
        /// Accumulator.
        acc: String,
        /// Addend.
        value: String,
    },
    /// The value of one worker, for all; no more than a warp of them.
    Broadcast {
        /// Its name.
        name: String,
        /// What each worker has.
        value: String,
        /// Whose it is.
        worker: usize,
    },
    /// `acc = max(acc, value)`.
    Raise {
        /// Accumulator.
        acc: String,
        /// What it is compared with.
        value: String,
        /// A NaN on either side is the result; otherwise the number is.
        keeps_nan: bool,
    },
    /// The accumulators of a segment of lanes become one by halving offsets; the first lane holds the result. A segment
    /// is no wider than a warp, or all workers.
    Combine {
        /// Accumulator.
        acc: String,
        /// Lanes of a segment.
        lanes: usize,
        /// How words merge; `None` adds values.
        merge: Option<Merge>,
    },
    /// Deals accumulators of the first lanes of all warps to the lanes of each warp, in order; what changes nothing to
    /// the rest.
    Deal {
        /// Accumulators, and how words merge; `None` is of a value that is added.
        accs: Vec<(String, Option<Merge>)>,
        /// Warps.
        n_warps: usize,
    },
    /// The accumulators of a subgroup become one, in an order that the device chooses, and those of all subgroups are dealt
    /// to the first workers, in order; what changes nothing to the rest.
    MeetSubgroups {
        /// Accumulator.
        acc: String,
        /// How words merge; `None` adds values.
        merge: Option<Merge>,
    },
    /// A word that changes, merged with another one.
    MergeWord {
        /// The word that changes.
        acc: String,
        /// How.
        merge: Merge,
        /// The other one.
        of: Expression,
    },
    /// The value that the destination takes.
    Finish {
        /// Its name.
        name: String,
        /// The finished sum.
        acc: String,
        /// The old destination, where it takes part.
        old: Option<String>,
        /// Which scalars take part.
        epilogue: Epilogue,
    },
    /// A status word of the problem starts as 0.
    Status {
        /// Which one.
        word: usize,
    },
    /// A pivot and its reciprocal, both NaN where the value is bad.
    Pivot {
        /// How.
        kind: PivotKind,
        /// The updated diagonal entry.
        value: String,
        /// Name of the pivot.
        pivot: String,
        /// Name of its reciprocal.
        reciprocal: String,
        /// What a bad pivot is noted as; `None` without a check.
        note: Option<Note>,
    },
    /// Writes one element of an operand.
    Store {
        /// Position of the operand in the spec.
        operand: usize,
        /// Element.
        index: Index,
        /// Value.
        value: String,
    },
    /// Writes one element of an operand where a word is 0.
    StoreUnless {
        /// Position of the operand in the spec.
        operand: usize,
        /// Element.
        index: Index,
        /// Value.
        value: String,
        /// The word.
        fault: String,
    },
    /// Writes a status word to its element of a word operand.
    StoreStatus {
        /// Position of the operand in the spec.
        operand: usize,
        /// Which status word, and which element.
        word: usize,
    },
    /// A word, a `u32` that changes.
    Word {
        /// Its name.
        name: String,
        /// What it starts from.
        start: Index,
    },
    /// `acc = value` and `word = index` where `value > acc`, or where `acc` is NaN and `value` is not.
    TakeLarger {
        /// The largest value so far.
        acc: String,
        /// The index of it.
        word: String,
        /// What it is compared with.
        value: String,
        /// The index of that.
        index: Index,
    },
    /// `acc = value` where `word == index`.
    TakeAt {
        /// Accumulator.
        acc: String,
        /// The word in question.
        word: String,
        /// What it is compared with.
        index: Index,
        /// Replaces the accumulator.
        value: String,
    },
    /// `acc = word` where `flag` is not 0.
    TakeWord {
        /// The word that changes.
        acc: String,
        /// Replaces it.
        word: String,
        /// The value in question.
        flag: String,
    },
    /// A word that does not change: all bits of another one inverted where `flag` is not 0, else that one.
    Complement {
        /// Its name.
        name: String,
        /// The other word.
        word: String,
        /// The value in question.
        flag: String,
    },
    /// A value: 1 where a word is negative as an `i32`, else 0.
    IsNegative {
        /// Its name.
        name: String,
        /// The word in question.
        word: String,
    },
    /// One more where a value has a sign; a NaN has none.
    CountSign {
        /// The counting word.
        word: String,
        /// Which sign.
        sign: Sign,
        /// Whose sign.
        value: String,
    },
    /// Writes one element of a word operand.
    StoreWord {
        /// Position of the operand in the spec.
        operand: usize,
        /// Element.
        index: Index,
        /// Name of the word.
        word: String,
    },
    /// `for (var = start; var < end; var += step)`.
    Loop {
        /// Loop variable.
        var: String,
        /// First value.
        start: Index,
        /// First excluded value.
        end: Index,
        /// Increment, at least 1.
        step: usize,
        /// Passes that a compiler may write out at once; `None` leaves it to the compiler.
        unroll: Option<usize>,
        /// Repeated statements.
        stmts: Vec<Stmt>,
    },
    /// Statements of the lanes for which `name < limit`.
    Guard {
        /// Compared integer.
        name: String,
        /// First excluded value.
        limit: usize,
        /// Guarded statements.
        stmts: Vec<Stmt>,
    },
    /// Statements of the workers whose element exists.
    Existing {
        /// The element, an integer.
        name: String,
        /// Of none where the launch's gate is off, which is not looked at before.
        awaits_gate: bool,
        /// Guarded statements.
        stmts: Vec<Stmt>,
    },
    /// A scope: names inside end with it.
    Block {
        /// Statements of the scope.
        stmts: Vec<Stmt>,
    },
    /// What the workers of the problem wrote becomes visible to all of them.
    Barrier,
}

/// A non-negative integer expression.
#[derive(Clone, Debug, PartialEq)]
pub enum IntExpr {
    /// An affine combination.
    Affine(Index),
    /// Quotient by a constant.
    Div(Index, usize),
    /// Remainder by a constant.
    Rem(Index, usize),
    /// The smaller of a name and a constant.
    Min(String, usize),
    /// `if left < right { then } else { otherwise }`.
    IfLess {
        /// Compared name.
        left: String,
        /// What it is compared with.
        right: String,
        /// Value where it is smaller. Only then is it evaluated.
        then: Index,
        /// Value where it is not.
        otherwise: Index,
    },
}
