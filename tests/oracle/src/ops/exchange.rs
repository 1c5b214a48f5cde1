//! Moving elements without arithmetic: swap, transpose, rows by words.

use super::Operation;
use crate::case::{Case, Flavour, Operand};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `x`, `y` (n): each becomes the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// Elements of each vector.
    pub n: usize,
}

/// Operands `a` (m x n) and `b` (n x m); in place, square, only `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transpose {
    /// Rows of the source.
    pub m: usize,
    /// Columns of the source.
    pub n: usize,
    /// The result replaces a square source.
    pub in_place: bool,
}

/// Operands `a` and, out of place, `b` (m x n), and the words `pivots` (m), which are only read: for `k` ascending, row `k`
/// is exchanged with row `pivots[k]` where that lies below it, and stays where it is otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laswp {
    /// Rows, and words.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// `k` descends instead, which undoes the exchanges.
    pub trans: bool,
    /// The exchanged rows replace `a`.
    pub in_place: bool,
}

/// Whether row `k` of `n` is exchanged with the row that a word names.
pub(crate) fn is_exchanged(k: usize, at: u32, n: usize) -> bool {
    (k + 1..n).contains(&(at as usize))
}

/// Exchanges the elements of a column in ascending or descending order.
pub(crate) fn exchange<T>(column: &mut [T], pivots: &[u32], descending: bool) {
    let n = column.len();
    let mut steps: Vec<usize> = (0..n).collect();
    if descending {
        steps.reverse();
    }
    for k in steps.into_iter().filter(|&k| is_exchanged(k, pivots[k], n)) {
        column.swap(k, pivots[k] as usize);
    }
}

/// Exchanges as a factorisation leaves them; some of a failing case name no row below their own, or none at all.
pub(crate) fn draw_pivots(pivots: &mut [u32], draw: &mut Draw, flavour: Flavour) {
    let n = pivots.len();
    for (k, at) in pivots.iter_mut().enumerate() {
        *at = (k + draw.below((n - k) as u64) as usize) as u32;
        if flavour == Flavour::Failing {
            let hostile = [0, n as u32, u32::MAX, 1 << 31, u32::MAX - k as u32, *at];
            *at = hostile[draw.below(hostile.len() as u64) as usize];
        }
    }
}

fn draw_into<T: Real>(values: &mut [T], draw: &mut Draw, flavour: Flavour) {
    values.iter_mut().for_each(|value| *value = draw.a(flavour.family()));
}

/// Requires every bit of what was moved.
fn require_bits<T: Real>(tally: &mut Tally, place: usize, expected: T, actual: T) {
    tally.require(expected.to_pattern() == actual.to_pattern(), || {
        format!("element {place}: {actual:?} instead of {expected:?}")
    });
}

impl Operation for Swap {
    fn operands(&self) -> Vec<Operand> {
        vec![Operand::updated("x", self.n), Operand::updated("y", self.n)]
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        case.outputs.iter_mut().for_each(|vector| draw_into(vector, draw, flavour));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        case.outputs.swap(0, 1);
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for at in 0..self.n {
            require_bits(tally, at, before.outputs[1][at], after.outputs[0][at]);
            require_bits(tally, at, before.outputs[0][at], after.outputs[1][at]);
        }
    }
}

impl Operation for Transpose {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.m * self.n;
        if self.in_place {
            assert_eq!(self.m, self.n, "in place only if square");
            vec![Operand::updated("a", elements)]
        } else {
            vec![Operand::source("a", elements), Operand::result("b", elements)]
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        draw_into(if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] }, draw, flavour);
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let source = if self.in_place { case.outputs[0].clone() } else { case.inputs[0].clone() };
        for j in 0..self.n {
            for i in 0..self.m {
                case.outputs[0][j + i * self.n] = source[i + j * self.m];
            }
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        // A row of the result, read with its stride, is a column of the source.
        for (j, column) in source.chunks(self.m).enumerate() {
            let row = after.outputs[0].iter().skip(j).step_by(self.n);
            for (i, (&expected, &actual)) in column.iter().zip(row).enumerate() {
                require_bits(tally, i + j * self.m, expected, actual);
            }
        }
    }
}

impl Operation for Laswp {
    fn operands(&self) -> Vec<Operand> {
        let (elements, pivots) = (self.m * self.n, Operand::given_word("pivots", self.m));
        match self.in_place {
            true => vec![pivots, Operand::updated("a", elements)],
            false => vec![Operand::source("a", elements), pivots, Operand::result("b", elements)],
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        draw_into(if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] }, draw, flavour);
        draw_pivots(&mut case.words[0], draw, flavour);
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[0].clone();
        }
        for column in case.outputs[0].chunks_exact_mut(self.m) {
            exchange(column, &case.words[0], self.trans);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        // Which row ends up where.
        let mut rows: Vec<usize> = (0..self.m).collect();
        exchange(&mut rows, &before.words[0], self.trans);
        for (at, &actual) in after.outputs[0].iter().enumerate() {
            require_bits(tally, at, source[rows[at % self.m] + at / self.m * self.m], actual);
        }
    }
}
