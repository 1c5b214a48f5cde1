//! Running sums.

use super::Operation;
use crate::case::{Case, Flavour, Operand, factors};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `x` and, out of place, `y` (n): element i is the sum of the elements up to i, or of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixSum {
    /// Elements.
    pub n: usize,
    /// The own element is left out.
    pub exclusive: bool,
    /// The sums replace `x`.
    pub in_place: bool,
}

impl PrefixSum {
    fn source<'a, T>(&self, case: &'a Case<T>) -> &'a [T] {
        if self.in_place { &case.outputs[0] } else { &case.inputs[0] }
    }

    /// Terms of sum `i`.
    fn n_terms(&self, i: usize) -> usize {
        if self.exclusive { i } else { i + 1 }
    }
}

impl Operation for PrefixSum {
    fn operands(&self) -> Vec<Operand> {
        match self.in_place {
            true => vec![Operand::updated("x", self.n)],
            false => vec![Operand::source("x", self.n), Operand::result("y", self.n)],
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        // The second factors come in nearly opposite pairs.
        let (_, drawn) = factors::<T>(draw, flavour, (1, 1, self.n));
        let source = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        *source = drawn.into_iter().flatten().collect();
        if flavour == Flavour::Failing {
            let at = draw.below(self.n as u64) as usize;
            source[at] = T::from_f64([f64::INFINITY, f64::NAN][draw.below(2) as usize]);
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let x = self.source(case).to_vec();
        let mut sum = T::ZERO;
        for (x, y) in x.into_iter().zip(&mut case.outputs[0]) {
            let with = sum.plus(x);
            *y = if self.exclusive { sum } else { with };
            sum = with;
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let x: Vec<f64> = self.source(before).iter().map(|x| x.to_f64()).collect();
        for (i, actual) in after.outputs[0].iter().enumerate() {
            let terms = &x[..self.n_terms(i)];
            let actual = actual.to_f64();
            if !terms.iter().all(|x| x.is_finite()) {
                let expected: f64 = terms.iter().sum();
                let same = expected == actual || expected.is_nan() && actual.is_nan();
                tally.require(same || tally.flushes(), || {
                    format!("sum {i}: {actual:e} instead of {expected:e}")
                });
                continue;
            }
            let exact = terms.iter().fold(DoubleDouble::ZERO, |sum, x| sum + (*x).into());
            let magnitude: f64 = terms.iter().map(|x| x.abs()).sum();
            let flushed = if tally.flushes() { terms.len() as f64 * T::SMALLEST_NORMAL } else { 0.0 };
            let allowed = tally.relative::<T>(terms.len() as f64, 0.0) * magnitude + flushed;
            tally.error(|| format!("sum {i}"), exact.distance(actual), allowed);
        }
    }
}
