//! `s = m + log sum e^(x_i - m)`, `m` the largest element.

use super::Operation;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::accumulate;

/// Operands `x` (n), `s` (1). Exponential and logarithm are the host's: their bits are no contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logsumexp {
    /// Elements.
    pub n: usize,
}

/// The result where an element is no finite number and decides it.
fn special<T: Real>(x: &[T]) -> Option<f64> {
    let values = || x.iter().map(|x| x.to_f64());
    if values().any(f64::is_nan) {
        Some(f64::NAN)
    } else if values().any(|x| x == f64::INFINITY) {
        Some(f64::INFINITY)
    } else if values().all(|x| x == f64::NEG_INFINITY) {
        Some(f64::NEG_INFINITY)
    } else {
        None
    }
}

impl Operation for Logsumexp {
    fn operands(&self) -> Vec<Operand> {
        vec![Operand::source("x", self.n), Operand::result("s", 1)]
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (size, shift) = match flavour {
            // Exponentials that overflow, or all vanish, unless they are taken relative to the largest one.
            Flavour::Hard => (40.0, [0.0, 1e4, -1e4][draw.below(3) as usize]),
            // The largest element and the logarithm nearly cancel.
            Flavour::Cancelling => (0.1, -(self.n as f64).ln()),
            _ => (1.0, 0.0),
        };
        for x in &mut case.inputs[0] {
            *x = T::from_f64(shift + size * draw.unit());
        }
        if flavour != Flavour::Failing {
            return;
        }
        let kind = draw.below(5) as usize;
        let value = [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NAN, f64::INFINITY][kind];
        match kind {
            0 => case.inputs[0].fill(T::from_f64(value)),
            _ => {
                let at = draw.below(self.n as u64) as usize;
                case.inputs[0][at] = T::from_f64(value);
            }
        }
        if kind == 4 {
            let at = draw.below(self.n as u64) as usize;
            case.inputs[0][at] = T::from_f64([f64::NEG_INFINITY, f64::NAN][draw.below(2) as usize]);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let x = &case.inputs[0];
        case.outputs[0][0] = match special(x) {
            Some(value) => T::from_f64(value),
            None => {
                let most = x.iter().copied().fold(x[0], |most, x| if x > most { x } else { most });
                let e: Vec<T> = x.iter().map(|x| x.plus(most.negated()).exponential()).collect();
                let total = accumulate(form, self.n, |i, sum: T| sum.plus(e[i]));
                most.plus(total.logarithm())
            }
        };
    }

    /// With `p_i` the share of element `i` in the sum `S` and `d_i` its distance from the largest element: the rounded
    /// distances and two units in the last place of the exponential move the sum by `sum p_i (d_i + 4) <= ln n + 4`, as
    /// the entropy `sum p_i d_i + ln S` of `n` shares is at most `ln n`; adding up moves it by `d`; the logarithm
    /// itself is within two units in the last place of `ln S <= ln n`; the last addition rounds the result.
    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let x = &before.inputs[0];
        let actual = after.outputs[0][0].to_f64();
        if let Some(expected) = special(x) {
            let same = expected == actual || (expected.is_nan() && actual.is_nan());
            return tally.require(same || tally.flushes(), || format!("{actual:e} instead of {expected:e}"));
        }
        let most = x.iter().map(|x| x.to_f64()).fold(f64::NEG_INFINITY, f64::max);
        let power = |x: f64| match x.is_finite() {
            true => (DoubleDouble::from(x) - most.into()).exp(),
            false => DoubleDouble::ZERO,
        };
        let total = x.iter().fold(DoubleDouble::ZERO, |sum, x| sum + power(x.to_f64()));
        let exact = total.ln() + most.into();
        let constant = depth(self.n, form) as f64 + 5.0 + 5.0 * (self.n as f64).ln() + exact.hi.abs();
        let allowed = tally.relative::<T>(constant, 2.0) + tally.underflow::<T>();
        tally.error(|| "result".into(), exact.distance(actual), allowed);
    }
}
