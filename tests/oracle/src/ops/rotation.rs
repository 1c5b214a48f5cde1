//! Plane rotations: applying one, and making one.

use super::Operation;
use crate::blend::Sums;
use crate::bound::Arithmetic;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// `x' = fma(c, x, s y)`, `y' = fma(c, y, -(s x))`. Operands `x`, `y`, then out of place `x_out`, `y_out`; scalars `c`, `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rot {
    /// Elements of each vector.
    pub n: usize,
    /// The results replace `x` and `y`.
    pub in_place: bool,
}

impl Rot {
    fn sources<'a, T>(&self, case: &'a Case<T>) -> (&'a [T], &'a [T]) {
        let vectors = if self.in_place { &case.outputs } else { &case.inputs };
        (&vectors[0], &vectors[1])
    }
}

impl Operation for Rot {
    fn operands(&self) -> Vec<Operand> {
        if self.in_place {
            return vec![Operand::updated("x", self.n), Operand::updated("y", self.n)];
        }
        vec![
            Operand::source("x", self.n),
            Operand::source("y", self.n),
            Operand::result("x_out", self.n),
            Operand::result("y_out", self.n),
        ]
    }

    fn scalars(&self) -> Vec<Scalar> {
        vec![Scalar::Cosine, Scalar::Sine]
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let vectors = if self.in_place { &mut case.outputs } else { &mut case.inputs };
        for vector in &mut vectors[..2] {
            vector.iter_mut().for_each(|value| *value = draw.a(flavour.family()));
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let (c, s) = (case.scalars[0], case.scalars[1]);
        for i in 0..self.n {
            let (x, y) = self.sources(case);
            let (x, y) = (x[i], y[i]);
            case.outputs[0][i] = c.fma(x, s.times(y));
            case.outputs[1][i] = c.fma(y, s.times(x).negated());
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        if tally.arithmetic == Arithmetic::Ieee {
            let mut expected = before.clone();
            self.run(form, &mut expected);
            let same = expected.same_results(after);
            tally.require(same.is_ok(), || format!("{same:?}"));
        }
        let (x, y) = self.sources(before);
        let both = Matrix::from_fn(self.n, 2, |i, j| if j == 0 { x[i] } else { y[i] }.to_f64().into());
        let [c, s] = [before.scalars[0], before.scalars[1]].map(|v| DoubleDouble::from(v.to_f64()));
        let rotation = Matrix::from_fn(2, 2, |i, j| match (i, j) {
            (0, 1) => -s,
            (1, 0) => s,
            _ => c,
        });
        let new = Matrix::from_fn(self.n, 2, |i, j| after.outputs[j][i].to_f64().into());
        // The product and the sum round once each.
        Sums::product::<T>(&both, &rotation).check::<T>(tally, 2.0, (1.0, 0.0), (&new, &new), |_, _| true);
    }
}

/// Operands `a`, `b`, results `c`, `s`, `r` with `c a + s b = r`, `c b = s a`, `c^2 + s^2 = 1`; one element each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotg;

impl Operation for Rotg {
    fn operands(&self) -> Vec<Operand> {
        vec![
            Operand::source("a", 1),
            Operand::source("b", 1),
            Operand::result("c", 1),
            Operand::result("s", 1),
            Operand::result("r", 1),
        ]
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let huge = T::from_f64(0.4 / T::SMALLEST_NORMAL);
        for input in &mut case.inputs {
            input[0] = match flavour {
                Flavour::Hard => huge.times(draw.mixed::<T>().times(T::from_f64(2f64.powi(-10)))),
                other => draw.a(other.family()),
            };
        }
        // A tie of the magnitudes.
        if flavour == Flavour::Cancelling {
            case.inputs[1][0] = case.inputs[0][0].negated();
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let (a, b) = (case.inputs[0][0], case.inputs[1][0]);
        let [c, s, r] = rotation(a, b);
        case.outputs = vec![vec![c], vec![s], vec![r]];
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let [a, b] = [0, 1].map(|idx| before.inputs[idx][0].to_f64());
        let [c, s, r] = [0, 1, 2].map(|idx| after.outputs[idx][0].to_f64());
        if tally.flushes() && [a, b].iter().any(|x| T::from_f64(*x).is_subnormal()) {
            // A flushed input is a different rotation.
            return;
        }
        if b == 0.0 || a == 0.0 {
            let expected = if b == 0.0 { [1.0, 0.0, a] } else { [0.0, 1.0, b] };
            return tally.require([c, s, r] == expected, || format!("{:?} for {a:e}, {b:e}", [c, s, r]));
        }
        // Scaled so that squares neither overflow nor vanish.
        let largest = a.abs().max(b.abs());
        let [p, q] = [a, b].map(|x| DoubleDouble::from(x) / largest.into());
        let h = (p * p + q * q).sqrt();
        let h = if (if a.abs() > b.abs() { a } else { b }) < 0.0 { -h } else { h };
        // Quotients and the sum of squares leave h within 3 u; the last operation adds one or two.
        let relative = tally.relative::<T>(6.0, 5.0);
        let floor = 2.0 * tally.underflow::<T>();
        for (name, exact, actual) in [("c", p / h, c), ("s", q / h, s)] {
            tally.error(|| name.into(), exact.distance(actual), relative * exact.abs().hi + floor);
        }
        let exact = h.scale(largest);
        if exact.abs().hi < 0.5 / T::SMALLEST_NORMAL {
            let allowed = relative * exact.abs().hi + floor;
            tally.error(|| "r".into(), exact.distance(r), allowed);
        }
    }
}

fn rotation<T: Real>(a: T, b: T) -> [T; 3] {
    if b == T::ZERO {
        return [T::ONE, T::ZERO, a];
    }
    if a == T::ZERO {
        return [T::ZERO, T::ONE, b];
    }
    let a_leads = a.magnitude() > b.magnitude();
    let leading = if a_leads { a } else { b };
    let w = leading.magnitude();
    let (p, q) = (a.over(w), b.over(w));
    let root = p.fma(p, q.times(q)).root();
    let h = if leading < T::ZERO { root.negated() } else { root };
    [p.over(h), q.over(h), w.times(h)]
}
