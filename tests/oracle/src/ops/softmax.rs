//! Weights that add up to one: `y_i = e^(alpha x_i - m) / sum`.

use super::Operation;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{AlphaChoice, BetaChoice, Epilogue};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::accumulate;

/// Operands `x`, `y` (n). The exponential is the host's: its bits are no contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// Elements.
    pub n: usize,
    /// Factor of `x`.
    pub alpha: AlphaChoice,
}

impl Softmax {
    fn epilogue(&self) -> Epilogue {
        Epilogue { alpha: self.alpha, beta: BetaChoice::Zero }
    }
}

impl Operation for Softmax {
    fn operands(&self) -> Vec<Operand> {
        vec![Operand::source("x", self.n), Operand::result("y", self.n)]
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue().scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let size = if flavour == Flavour::Hard { 40.0 } else { 1.0 };
        for x in &mut case.inputs[0] {
            *x = T::from_f64(size * draw.unit());
        }
        if flavour == Flavour::Failing {
            let at = draw.below(self.n as u64) as usize;
            let value = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN][draw.below(3) as usize];
            case.inputs[0][at] = T::from_f64(value);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let alpha = T::from_f64(self.epilogue().values(&case.scalars).0);
        let t: Vec<T> = case.inputs[0].iter().map(|x| alpha.times(*x)).collect();
        let most = t.iter().copied().fold(t[0], |most, t| if t > most { t } else { most });
        // A NaN compares with nothing; here it must win.
        let most = if t.iter().any(|t| t.is_nan()) { T::NAN } else { most };
        let e: Vec<T> = t.iter().map(|t| t.plus(most.negated()).exponential()).collect();
        let sum = accumulate(form, self.n, |i, sum: T| sum.plus(e[i]));
        case.outputs[0] = e.iter().map(|e| e.over(sum)).collect();
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let alpha = self.epilogue().values(&before.scalars).0;
        let scaled = |x: f64| match x.is_finite() {
            true => DoubleDouble::from(x).scale(alpha),
            false => (alpha * x).into(),
        };
        let t: Vec<DoubleDouble> = before.inputs[0].iter().map(|x| scaled(x.to_f64())).collect();
        let largest = t.iter().map(|t| t.hi).fold(f64::NEG_INFINITY, f64::max);
        let actual: Vec<f64> = after.outputs[0].iter().map(|y| y.to_f64()).collect();
        let is_number = |t: &DoubleDouble| t.hi.is_finite() || t.hi == f64::NEG_INFINITY;
        if !t.iter().all(is_number) || !largest.is_finite() {
            let all = actual.iter().all(|y| y.is_nan());
            return tally.require(all || tally.flushes(), || format!("{actual:?} instead of NaN"));
        }
        let exponential = |t: &DoubleDouble| match t.hi.is_finite() {
            true => (*t - largest.into()).exp(),
            false => DoubleDouble::ZERO,
        };
        let e: Vec<DoubleDouble> = t.iter().map(exponential).collect();
        let sum = e.iter().fold(DoubleDouble::ZERO, |sum, e| sum + *e);
        let size = t.iter().map(|t| t.hi.abs()).filter(|t| t.is_finite()).fold(0.0, f64::max);
        let relative = tally.relative::<T>(self.n as f64 + 12.0 + 6.0 * size, 1.0);
        for (i, (e, actual)) in e.iter().zip(actual).enumerate() {
            let exact = *e / sum;
            let allowed = relative * exact.hi + 2.0 * tally.underflow::<T>();
            tally.error(|| format!("element {i}"), exact.distance(actual), allowed);
        }
    }
}
