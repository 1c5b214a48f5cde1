//! `(J' J + D) dq = J' r`.

use super::Operation;
use super::cholesky::{Damping, approximation, cholesky, cholesky_solve, is_solved, status};
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{Check, Reg};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::dot;

/// Operands `jac` (m x n), `r` (m), `dq` (n); word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GnStep {
    /// Residuals.
    pub m: usize,
    /// Unknowns.
    pub n: usize,
    /// `D`: lambda, the scalar `rho`, as a shift.
    pub reg: Reg,
    /// Approximate pivots: bounds only, no bits.
    pub rsqrt: bool,
    /// Whether there is a status.
    pub check: Check,
}

impl GnStep {
    /// Damped by a plain shift, with a status.
    pub fn new(m: usize, n: usize) -> Self {
        Self { m, n, reg: Reg::Shift, rsqrt: false, check: Check::On }
    }
}

impl Operation for GnStep {
    fn operands(&self) -> Vec<Operand> {
        let mut operands = vec![
            Operand::source("jac", self.m * self.n),
            Operand::source("r", self.m),
            Operand::result("dq", self.n),
        ];
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.reg.scalars(Scalar::Rho)
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let Self { m, n, .. } = *self;
        let mut jacobian = draw.general(m, n, 1.0);
        // Away from rank deficiency where there are enough rows.
        for i in 0..m.min(n) {
            jacobian.set(i, i, jacobian.at(i, i) + 2.0.into());
        }
        jacobian.store(&mut case.inputs[0], |_, _| true);
        draw.general(m, 1, 4.0).store(&mut case.inputs[1], |_, _| true);
        if flavour == Flavour::Failing {
            // A column of zeros, or one that is no number.
            let column = draw.below(n as u64) as usize;
            let value = T::from_f64([0.0, f64::NAN][draw.below(2) as usize]);
            case.inputs[0][column * m..][..m].fill(value);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let Self { m, n, .. } = *self;
        let [jacobian, r] = &case.inputs[..] else { panic!("operands jac, r") };
        let mut h = vec![T::ZERO; n * n];
        for j in 0..n {
            for i in j..n {
                h[i + j * n] = dot(form, m, |t| (jacobian[t + i * m], jacobian[t + j * m]));
            }
            h[j + j * n] = self.reg.shifted(&case.scalars, h[j + j * n]);
        }
        let mut dq: Vec<T> = (0..n).map(|i| dot(form, m, |t| (jacobian[t + i * m], r[t]))).collect();
        let pivots = cholesky(n, &mut h, self.rsqrt);
        cholesky_solve(n, &h, &pivots.reciprocals, &mut dq);
        pivots.report(&mut case.words);
        case.outputs[0] = dq;
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let Self { m, n, .. } = *self;
        if tally.flushes() && !before.inputs[0].iter().all(|value| value.is_finite()) {
            return;
        }
        let jacobian = Matrix::packed(&before.inputs[0], m, n);
        let r = Matrix::packed(&before.inputs[1], m, 1);
        let dq = Matrix::packed(&after.outputs[0], n, 1);
        let lambda = before.scalars.first().map_or(0.0, |lambda| lambda.to_f64());
        let square = jacobian.transposed().times(&jacobian);
        let h = Damping::new(self.reg, &before.scalars).of(&square);
        if !is_solved::<T>(tally, &h, status(self.check, after)) {
            return;
        }
        let rest = h.times(&dq).minus(&jacobian.transposed().times(&r)).norm();
        let constant = m as f64 + 3.0 * n as f64 * (n as f64).sqrt() + 11.0 + approximation(self.rsqrt);
        let size = jacobian.norm();
        let mut scale = (1.0 + lambda) * size * size * dq.norm() + size * r.norm();
        if self.reg == Reg::Shift {
            scale += lambda * dq.norm();
        }
        tally.error(|| "|H dq - J' r|".into(), rest, tally.relative::<T>(constant, 4.0) * scale);
    }
}
