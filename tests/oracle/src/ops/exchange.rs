//! Moving elements without arithmetic: swap and transpose.

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
