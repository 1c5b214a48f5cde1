//! `K = (R + B' P B)^-1 B' P A`.

use super::Operation;
use super::cholesky::{
    Damping, cholesky, cholesky_solve, gain_constant, is_beyond, is_solved, measure_factor,
    require_zeros_above, spoil_diagonal, status,
};
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{Check, Opposite, Reg};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::dot;

/// Operands `p` (nx x nx, symmetric), `a` (nx x nx), `b` (nx x nu), `r` (nu x nu, lower), `k` (nu x nx) and, if
/// asked for, `l` (nu x nu), the factor of the shifted `R + B' P B`; word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Riccati {
    /// States.
    pub nx: usize,
    /// Controls.
    pub nu: usize,
    /// Shift of the diagonal of `R + B' P B`, scalar `rho`.
    pub reg: Reg,
    /// Whether the factor is an output.
    pub factor: bool,
    /// Approximate pivots: bounds only, no bits.
    pub rsqrt: bool,
    /// Whether there is a status.
    pub check: Check,
}

impl Riccati {
    /// No shift, no factor, with a status.
    pub fn new(nx: usize, nu: usize) -> Self {
        Self { nx, nu, reg: Reg::None, factor: false, rsqrt: false, check: Check::On }
    }
}

impl Operation for Riccati {
    fn operands(&self) -> Vec<Operand> {
        let Self { nx, nu, .. } = *self;
        let mut operands = vec![
            Operand::source("p", nx * nx),
            Operand::source("a", nx * nx),
            Operand::source("b", nx * nu),
            Operand::source("r", nu * nu),
            Operand::result("k", nu * nx),
        ];
        operands.extend(self.factor.then(|| Operand::result("l", nu * nu)));
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.reg.scalars(Scalar::Rho)
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let Self { nx, nu, .. } = *self;
        let condition = if flavour == Flavour::Hard { 1e4 } else { 20.0 };
        draw.spd(nx, condition, 8.0).store(&mut case.inputs[0], |_, _| true);
        draw.general(nx, nx, 1.0).store(&mut case.inputs[1], |_, _| true);
        draw.general(nx, nu, 2.0).store(&mut case.inputs[2], |_, _| true);
        let r = &mut case.inputs[3];
        draw.spd(nu, condition, 1.0).store(r, |i, j| i >= j);
        if flavour == Flavour::Failing {
            spoil_diagonal(nu, r, draw);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let Self { nx, nu, .. } = *self;
        let [p, a, b, r] = &case.inputs[..] else { panic!("operands p, a, b, r") };
        let mut w = Vec::with_capacity(nx * nu);
        for j in 0..nu {
            for n in 0..nx {
                w.push(dot(Form::Serial, nx, |t| (p[n + t * nx], b[t + j * nx])));
            }
        }
        let mut s = vec![T::ZERO; nu * nu];
        for j in 0..nu {
            for i in j..nu {
                let sum = dot(form, nx, |n| (b[n + i * nx], w[n + j * nx]));
                s[i + j * nu] = r[i + j * nu].plus(sum);
            }
            s[j + j * nu] = self.reg.shifted(&case.scalars, s[j + j * nu]);
        }
        let mut k = Vec::with_capacity(nu * nx);
        for x in 0..nx {
            for u in 0..nu {
                k.push(dot(form, nx, |n| (w[n + u * nx], a[n + x * nx])));
            }
        }
        let pivots = cholesky(nu, &mut s, self.rsqrt);
        cholesky_solve(nu, &s, &pivots.reciprocals, &mut k);
        pivots.report(&mut case.words);
        case.outputs[0] = k;
        if self.factor {
            case.outputs[1] = s;
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let Self { nx, nu, .. } = *self;
        let p = Matrix::packed(&before.inputs[0], nx, nx);
        let a = Matrix::packed(&before.inputs[1], nx, nx);
        let b = Matrix::packed(&before.inputs[2], nx, nu);
        let r = Matrix::packed(&before.inputs[3], nu, nu).mirrored();
        if is_beyond(tally, &r) {
            return;
        }
        let b_transposed = b.transposed();
        let w = p.times(&b);
        let unshifted = r.plus(&b_transposed.times(&w));
        let damping = Damping::new(self.reg, &before.scalars);
        let s = damping.of(&unshifted);
        let status = status(self.check, after);
        if self.factor {
            // S carries the roundings of two products, the sum with R and the shift.
            let constant = (nx + depth(nx, form) + 6) as f64;
            let relative = tally.relative::<T>(constant, 0.0) * damping.grown;
            let size = r.abs().plus(&b_transposed.abs().times(&p.abs()).times(&b.abs()));
            let extra = size.map(|size| (size + damping.added.into()).scale(relative));
            measure_factor(tally, (&s, Some(&extra)), &after.outputs[1], (status, self.rsqrt));
            require_zeros_above(nu, &after.outputs[1], Opposite::Zero, tally);
        }
        if !is_solved::<T>(tally, &s, status) {
            return;
        }
        let k = Matrix::packed(&after.outputs[0], nu, nx);
        let f = w.transposed().times(&a);
        let rest = s.times(&k).minus(&f).norm();
        // The reciprocals of the pivots enter the factor, and each of the two sweeps once more.
        let relative = tally.relative::<T>(gain_constant(nx, nu, self.rsqrt), 4.0);
        // The bound is stated without a shift, which adds to R.
        let s_norm = damping.norm(r.norm() + b.norm().powi(2) * p.norm(), nu);
        let allowed = relative * (s_norm * k.norm() + b.norm() * p.norm() * a.norm());
        tally.error(|| "|S K - F|".into(), rest, allowed);
    }
}
