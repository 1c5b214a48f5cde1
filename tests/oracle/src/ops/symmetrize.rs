//! `h = (A(i,j) + A(j,i)) / 2` to both slots, `i > j`; the diagonal is not touched.

use super::Operation;
use crate::case::{Case, Flavour, Operand};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `b` (n x n), whose diagonal keeps its old bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetrize {
    /// Rows and columns.
    pub n: usize,
    /// The result replaces `a`.
    pub in_place: bool,
}

impl Symmetrize {
    fn source<'a, T>(&self, case: &'a Case<T>) -> &'a [T] {
        if self.in_place { &case.outputs[0] } else { &case.inputs[0] }
    }
}

impl Operation for Symmetrize {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        if self.in_place {
            vec![Operand::updated("a", elements)]
        } else {
            vec![Operand::source("a", elements), Operand::updated("b", elements)]
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let source = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        for j in 0..self.n {
            for i in j + 1..self.n {
                let lower: T = draw.a(flavour.family());
                source[i + j * self.n] = lower;
                source[j + i * self.n] = match flavour {
                    Flavour::Cancelling => draw.nearly_negated(lower),
                    _ => draw.a(flavour.family()),
                };
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let half = T::from_f64(0.5);
        for j in 0..self.n {
            for i in j + 1..self.n {
                let (lower, upper) = (i + j * self.n, j + i * self.n);
                let source = self.source(case);
                let mean = source[lower].plus(source[upper]).times(half);
                case.outputs[0][lower] = mean;
                case.outputs[0][upper] = mean;
            }
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let source = self.source(before);
        let rows: Vec<&[T]> = source.chunks(self.n).collect();
        let results: Vec<&[T]> = after.outputs[0].chunks(self.n).collect();
        for j in 0..self.n {
            for i in j + 1..self.n {
                let (x, y) = (rows[j][i].to_f64(), rows[i][j].to_f64());
                let exact = (DoubleDouble::from(x) + y.into()).scale(0.5);
                // The sum rounds once; halving a number near the underflow threshold may round again.
                let allowed = tally.relative::<T>(1.0, 0.0) * exact.abs().hi + 2.0 * tally.underflow::<T>();
                tally.error(
                    || format!("element ({i}, {j})"),
                    exact.distance(results[j][i].to_f64()),
                    allowed,
                );
                let same = results[j][i].to_pattern() == results[i][j].to_pattern();
                tally.require(same, || format!("elements ({i}, {j}) and ({j}, {i}) differ"));
            }
        }
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        element_idx % self.n != element_idx / self.n
    }
}
