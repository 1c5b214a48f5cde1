//! One knot of a backward pass: `K = Quu^-1 Qux`, `d = Quu^-1 Qu`, `Vxx = Qxx - Qux' K`, `Vx = Qx - Qux' d`.

use super::Operation;
use super::cholesky::{Damping, cholesky, gain_constant, is_beyond, is_solved, spoil_diagonal, status};
use super::triangular_solve::{Sweep, solve_column};
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{Check, Reg, Uplo};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::dot;

/// Operands `vxx_next` (nx x nx, symmetric), `vx_next` (nx), `fx` (nx x nx), `fu` (nx x nu), `lxx` (nx x nx, symmetric), `lux`
/// (nu x nx), `luu` (nu x nu, lower), `lx` (nx), `lu` (nu), `k` (nu x nx), `d` (nu), `vxx` (nx x nx), `vx` (nx); word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RiccatiStep {
    /// States.
    pub nx: usize,
    /// Controls.
    pub nu: usize,
    /// Shift of the diagonal of Quu, scalar `rho`.
    pub reg: Reg,
    /// Approximate pivots: bounds only, no bits.
    pub rsqrt: bool,
    /// Whether there is a status.
    pub check: Check,
}

impl RiccatiStep {
    /// No shift, with a status.
    pub fn new(nx: usize, nu: usize) -> Self {
        Self { nx, nu, reg: Reg::None, rsqrt: false, check: Check::On }
    }
}

impl Operation for RiccatiStep {
    fn operands(&self) -> Vec<Operand> {
        let Self { nx, nu, .. } = *self;
        let mut operands = vec![
            Operand::source("vxx_next", nx * nx),
            Operand::source("vx_next", nx),
            Operand::source("fx", nx * nx),
            Operand::source("fu", nx * nu),
            Operand::source("lxx", nx * nx),
            Operand::source("lux", nu * nx),
            Operand::source("luu", nu * nu),
            Operand::source("lx", nx),
            Operand::source("lu", nu),
            Operand::result("k", nu * nx),
            Operand::result("d", nu),
            Operand::result("vxx", nx * nx),
            Operand::result("vx", nx),
        ];
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.reg.scalars(Scalar::Rho)
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let Self { nx, nu, .. } = *self;
        let condition = if flavour == Flavour::Hard { 1e4 } else { 20.0 };
        let [vxx, vx, fx, fu, lxx, lux, luu, lx, lu] = &mut case.inputs[..] else { panic!("nine inputs") };
        draw.spd(nx, condition, 8.0).store(vxx, |_, _| true);
        draw.general(nx, 1, 4.0).store(vx, |_, _| true);
        draw.general(nx, nx, 1.0).store(fx, |_, _| true);
        draw.general(nx, nu, 2.0).store(fu, |_, _| true);
        // A cost that is convex in states and controls together leaves a convex value.
        let cost = draw.spd(nx + nu, condition, 2.0);
        let part = |(row, rows): (usize, usize), (col, cols): (usize, usize)| {
            Matrix::from_fn(rows, cols, |i, j| cost.at(row + i, col + j))
        };
        let (states, controls) = ((0, nx), (nx, nu));
        part(states, states).store(lxx, |_, _| true);
        part(controls, states).store(lux, |_, _| true);
        part(controls, controls).store(luu, |i, j| i >= j);
        draw.general(nx, 1, 4.0).store(lx, |_, _| true);
        draw.general(nu, 1, 4.0).store(lu, |_, _| true);
        if flavour == Flavour::Failing {
            spoil_diagonal(nu, luu, draw);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let Self { nx, nu, .. } = *self;
        let [vxx, vx, fx, fu, lxx, lux, luu, lx, lu] = &case.inputs[..] else { panic!("nine inputs") };
        // `left' right` over the nx rows of both.
        let over_states = |left: &[T], i: usize, right: &[T], j: usize| {
            dot(form, nx, |t| (left[t + i * nx], right[t + j * nx]))
        };
        let times_value = |right: &[T], n_cols: usize| -> Vec<T> {
            let element = |at: usize| {
                let (i, j) = (at % nx, at / nx);
                dot(Form::Serial, nx, |t| (vxx[i + t * nx], right[t + j * nx]))
            };
            (0..nx * n_cols).map(element).collect()
        };
        let (w, t) = (times_value(fu, nu), times_value(fx, nx));
        let mut quu = vec![T::ZERO; nu * nu];
        for j in 0..nu {
            for i in j..nu {
                quu[i + j * nu] = luu[i + j * nu].plus(over_states(fu, i, &w, j));
            }
            quu[j + j * nu] = self.reg.shifted(&case.scalars, quu[j + j * nu]);
        }
        let mut y: Vec<T> = (0..nu * nx)
            .map(|at| lux[at].plus(over_states(&w, at % nu, fx, at / nu)))
            .chain((0..nu).map(|i| lu[i].plus(over_states(fu, i, vx, 0))))
            .collect();
        let mut value_xx = vec![T::ZERO; nx * nx];
        for j in 0..nx {
            for i in j..nx {
                let sum = over_states(fx, i, &t, j);
                value_xx[i + j * nx] = lxx[i + j * nx].plus(sum);
                value_xx[j + i * nx] = lxx[j + i * nx].plus(sum);
            }
        }
        let mut value_x: Vec<T> = (0..nx).map(|i| lx[i].plus(over_states(fx, i, vx, 0))).collect();

        let pivots = cholesky(nu, &mut quu, self.rsqrt);
        let sweep = |y: &mut [T], trans| {
            for column in y.chunks_exact_mut(nu) {
                solve_column(nu, &quu, Sweep { uplo: Uplo::Lower, trans }, Some(&pivots.reciprocals), column);
            }
        };
        sweep(&mut y, false);
        let taken = |i: usize, j: usize| dot(form, nu, |t| (y[t + i * nu].negated(), y[t + j * nu]));
        for j in 0..nx {
            for i in j..nx {
                let sum = taken(i, j);
                value_xx[i + j * nx] = value_xx[i + j * nx].plus(sum);
                if i != j {
                    value_xx[j + i * nx] = value_xx[j + i * nx].plus(sum);
                }
            }
        }
        for (i, value) in value_x.iter_mut().enumerate() {
            *value = value.plus(taken(i, nx));
        }
        sweep(&mut y, true);
        pivots.report(&mut case.words);
        let d = y.split_off(nu * nx);
        case.outputs = vec![y, d, value_xx, value_x];
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let Self { nx, nu, .. } = *self;
        let inputs = &before.inputs;
        let matrix = |idx: usize, rows: usize, cols: usize| Matrix::packed(&inputs[idx], rows, cols);
        let (vxx, vx, fx, fu) = (matrix(0, nx, nx), matrix(1, nx, 1), matrix(2, nx, nx), matrix(3, nx, nu));
        let (lxx, lux, luu) = (matrix(4, nx, nx), matrix(5, nu, nx), matrix(6, nu, nu).mirrored());
        let (lx, lu) = (matrix(7, nx, 1), matrix(8, nu, 1));
        if is_beyond(tally, &luu) {
            return;
        }
        let (fx_transposed, fu_transposed) = (fx.transposed(), fu.transposed());
        let unshifted = luu.plus(&fu_transposed.times(&vxx).times(&fu));
        let damping = Damping::new(self.reg, &before.scalars);
        let quu = damping.of(&unshifted);
        if !is_solved::<T>(tally, &quu, status(self.check, after)) {
            return;
        }
        let qux = lux.plus(&fu_transposed.times(&vxx).times(&fx));
        let qu = lu.plus(&fu_transposed.times(&vx));
        let qxx = lxx.plus(&fx_transposed.times(&vxx).times(&fx));
        let qx = lx.plus(&fx_transposed.times(&vx));
        let result = |idx: usize, rows: usize, cols: usize| Matrix::packed(&after.outputs[idx], rows, cols);
        let (k, d) = (result(0, nu, nx), result(1, nu, 1));

        // The residuals of a solve, as for a gain; what a value takes from them has the size of the gain besides.
        let relative = tally.relative::<T>(gain_constant(nx, nu, self.rsqrt), 4.0);
        let quu_size = damping.norm(luu.norm() + fu.norm().powi(2) * vxx.norm(), nu);
        let qux_size = lux.norm() + fu.norm() * vxx.norm() * fx.norm();
        let qu_size = lu.norm() + fu.norm() * vx.norm();
        let (of_k, of_d) = (quu_size * k.norm() + qux_size, quu_size * d.norm() + qu_size);
        let mut hold = |what: &str, rest: Matrix, size: f64| {
            tally.error(|| what.into(), rest.norm(), relative * size);
        };
        hold("|Quu K - Qux|", quu.times(&k).minus(&qux), of_k);
        hold("|Quu d - Qu|", quu.times(&d).minus(&qu), of_d);
        let qxx_size = lxx.norm() + fx.norm().powi(2) * vxx.norm();
        let value = qxx.minus(&qux.transposed().times(&k));
        hold("|Vxx - (Qxx - Qux' K)|", result(2, nx, nx).minus(&value), qxx_size + 2.0 * of_k * k.norm());
        let qx_size = lx.norm() + fx.norm() * vx.norm();
        let value = qx.minus(&k.transposed().times(&qu));
        let size = qx_size + of_d * k.norm() + of_k * d.norm();
        hold("|Vx - (Qx - K' Qu)|", result(3, nx, 1).minus(&value), size);
        let written = result(2, nx, nx);
        tally.require(written.minus(&written.transposed()).norm() == 0.0, || "Vxx is not symmetric".into());
    }
}

/// All knots of a horizon, from the last one to the first. Operands as those of [`RiccatiStep`], with `vxx_end` and `vx_end` for
/// the value behind the last knot; all others hold one part a knot, one after the other. Word `status`: pivots are numbered
/// on from knot to knot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RiccatiPass {
    /// Each knot.
    pub step: RiccatiStep,
    /// How many there are.
    pub knots: usize,
}

/// Inputs that every knot has a part of.
const PER_KNOT: std::ops::Range<usize> = 2..9;

impl RiccatiPass {
    /// No shift, with a status.
    pub fn new(nx: usize, nu: usize, knots: usize) -> Self {
        Self { step: RiccatiStep::new(nx, nu), knots }
    }

    /// What a knot is given, as the knot behind it has left the value.
    fn knot<T: Real>(&self, case: &Case<T>, knot: usize) -> Case<T> {
        let mut own = Case::poisoned(&self.step.operands(), &case.scalars);
        let [n_xx, n_x] = [0, 1].map(|idx| own.inputs[idx].len());
        (own.inputs[0], own.inputs[1]) = match knot + 1 < self.knots {
            true => (
                case.outputs[2][(knot + 1) * n_xx..][..n_xx].to_vec(),
                case.outputs[3][(knot + 1) * n_x..][..n_x].to_vec(),
            ),
            false => (case.inputs[0].clone(), case.inputs[1].clone()),
        };
        for idx in PER_KNOT {
            let n = own.inputs[idx].len();
            own.inputs[idx] = case.inputs[idx][knot * n..][..n].to_vec();
        }
        own
    }
}

impl Operation for RiccatiPass {
    fn operands(&self) -> Vec<Operand> {
        let mut operands = self.step.operands();
        for (idx, operand) in operands.iter_mut().enumerate() {
            match idx {
                0 => operand.name = "vxx_end",
                1 => operand.name = "vx_end",
                2..13 => operand.elements *= self.knots,
                _ => {}
            }
        }
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.step.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let bad = draw.below(self.knots as u64) as usize;
        for knot in 0..self.knots {
            let flavour = match flavour {
                Flavour::Failing if knot != bad => Flavour::Mixed,
                _ => flavour,
            };
            let mut own = Case::poisoned(&self.step.operands(), &case.scalars);
            self.step.fill(&mut own, draw, flavour);
            // Dynamics that a horizon does not blow up.
            own.inputs[2].iter_mut().for_each(|fx| *fx = fx.times(T::from_f64(0.5)));
            for idx in PER_KNOT {
                let n = own.inputs[idx].len();
                case.inputs[idx][knot * n..][..n].copy_from_slice(&own.inputs[idx]);
            }
            if knot == 0 {
                (case.inputs[0], case.inputs[1]) = (own.inputs[0].clone(), own.inputs[1].clone());
            }
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let mut status = 0;
        for (pass, knot) in (0..self.knots).rev().enumerate() {
            let mut own = self.knot(case, knot);
            self.step.run(form, &mut own);
            for (all, part) in case.outputs.iter_mut().zip(&own.outputs) {
                all[knot * part.len()..][..part.len()].copy_from_slice(part);
            }
            let own_status = own.words.first().map_or(0, |word| word[0]);
            if status == 0 && own_status != 0 {
                status = (pass * self.step.nu) as u32 + own_status;
            }
        }
        if let Some(word) = case.words.first_mut() {
            word[0] = status;
        }
    }

    /// Knot by knot, each from the value that was written behind it.
    fn measure<T: Real>(&self, form: Form, _before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let nu = self.step.nu as u32;
        let status = status(self.step.check, after);
        for (pass, knot) in (0..self.knots).rev().enumerate() {
            let given = self.knot(after, knot);
            let mut own = given.clone();
            for (idx, part) in own.outputs.iter_mut().enumerate() {
                let n = part.len();
                part.copy_from_slice(&after.outputs[idx][knot * n..][..n]);
            }
            let earlier = pass as u32 * nu;
            let is_bad = status.is_some_and(|status| status > earlier && status <= earlier + nu);
            if let Some(word) = own.words.first_mut() {
                word[0] = if is_bad { status.unwrap_or(0) - earlier } else { 0 };
            }
            self.step.measure(form, &given, &own, tally);
            if is_bad {
                return;
            }
        }
        tally.require(status.unwrap_or(0) == 0, || format!("status {status:?} of {} knots", self.knots));
    }
}
