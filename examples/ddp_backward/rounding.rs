//! How much rounding a backward pass must be expected to leave, found by rounding at random.
//!
//! A worst-case bound is useless here: the roundings of 32 knots are multiplied by the condition of every Quu, and
//! the bound ends four orders above any error that occurs. So the pass is run [`N_SAMPLES`] times in `f64` with
//! every operation of the chain (one per fused multiply-add) and every input multiplied by 1 + e, e uniform in
//! [-[`UNIT`], [`UNIT`]], independently: Monte Carlo arithmetic. UNIT is small enough for errors to be
//! linear in it, and so large that `f64` itself does not show. The root mean square of the relative error,
//! divided by UNIT, times the unit roundoff u of a type, is the error to expect in that type. A correctly rounded
//! operation errs by at most u, so its error has no larger variance than e times u / UNIT.
//!
//! An error is a sum of very many independent roundings, each times a constant: normally distributed.
//! In one direction (the extreme case: more directions have a shorter tail) g/s, with s the root mean square of
//! M samples, has P(|g| > t s) <= E exp(-t^2 s^2 / 2) = (1 + t^2 / M)^(-M/2): the normal tail bound, averaged over s.
//! [`margin`] is the t at which all figures of a run together exceed theirs with probability [`FALSE_ALARM`].

use crate::check::relative_error;
use crate::problems::{Answers, Problems, Sizes, part};
use crate::program::random::symmetric;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;

/// Passes with random rounding.
const N_SAMPLES: usize = 64;

/// Largest relative error of one operation in them.
const UNIT: f64 = 1.0 / (1u64 << 32) as f64;

/// Probability that correct kernels fail the check of a run.
const FALSE_ALARM: f64 = 1e-6;

/// Multiple of the expected error that none of `n_figures` exceeds, but for a false alarm.
pub(crate) fn margin(n_figures: usize) -> f64 {
    let m = N_SAMPLES as f64;
    (m * ((n_figures as f64 / FALSE_ALARM).powf(2.0 / m) - 1.0)).sqrt()
}

/// Expected relative errors of K, k and V at every problem and knot, in units of the roundoff.
pub(crate) fn expected(problems: &Problems, answers: &Answers) -> Vec<[f64; 3]> {
    let of_problem = |problem_idx: usize| {
        let n_knots = problems.sizes.n_knots;
        let mut squares = vec![[0.0; 3]; n_knots];
        let mut random = Pcg64Mcg::seed_from_u64(problem_idx as u64);
        for _ in 0..N_SAMPLES {
            let mut arithmetic = Rounding { random: &mut random, unit: UNIT };
            arithmetic.pass(problems, problem_idx, |knot, found| {
                let at = problem_idx * n_knots + knot;
                for ((square, found), right) in
                    squares[knot].iter_mut().zip(found).zip(answers.at(problems.sizes, at))
                {
                    *square += relative_error(found, right).powi(2);
                }
            });
        }
        squares.into_iter().map(|squares| squares.map(|square| (square / N_SAMPLES as f64).sqrt() / UNIT))
    };
    (0..problems.len).into_par_iter().flat_map_iter(of_problem).collect()
}

/// Arithmetic that rounds at random.
struct Rounding<'a> {
    random: &'a mut Pcg64Mcg,
    unit: f64,
}

impl Rounding<'_> {
    fn round(&mut self, value: f64) -> f64 {
        value * (1.0 + self.unit * symmetric(self.random))
    }

    fn vector(&mut self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| self.round(*value)).collect()
    }

    /// A symmetric matrix is rounded symmetrically.
    fn symmetric(&mut self, values: &[f64], n: usize) -> Vec<f64> {
        let mut rounded = self.vector(values);
        for (i, j) in (0..n * n).map(|at| (at % n, at / n)) {
            rounded[i.min(j) + i.max(j) * n] = rounded[i.max(j) + i.min(j) * n];
        }
        rounded
    }

    /// X'Y of X n x p and Y n x q.
    fn product(&mut self, x: &[f64], y: &[f64], n: usize) -> Vec<f64> {
        let mut product = Vec::with_capacity(x.len() / n * (y.len() / n));
        for y in y.chunks_exact(n) {
            for x in x.chunks_exact(n) {
                product.push(x.iter().zip(y).fold(0.0, |sum, (x, y)| self.round(x * y + sum)));
            }
        }
        product
    }

    fn sum(&mut self, a: &[f64], b: &[f64], sign: f64) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| self.round(a + sign * b)).collect()
    }

    /// Q X = B for every column of B, by a Cholesky factor of Q.
    fn solve(&mut self, q: &[f64], b: &[f64], n: usize) -> Vec<f64> {
        let (mut factor, mut reciprocals) = (q.to_vec(), vec![0.0; n]);
        for j in 0..n {
            for i in j..n {
                let mut entry = factor[i + j * n];
                for t in 0..j {
                    entry = self.round(entry - factor[i + t * n] * factor[j + t * n]);
                }
                factor[i + j * n] = if i == j {
                    let pivot = self.round(entry.sqrt());
                    reciprocals[j] = self.round(1.0 / pivot);
                    pivot
                } else {
                    self.round(entry * reciprocals[j])
                };
            }
        }
        let mut x = b.to_vec();
        for x in x.chunks_exact_mut(n) {
            for i in 0..n {
                let s = (0..i).fold(x[i], |s, j| self.round(s - factor[i + j * n] * x[j]));
                x[i] = self.round(s * reciprocals[i]);
            }
            for i in (0..n).rev() {
                let s = (i + 1..n).rev().fold(x[i], |s, j| self.round(s - factor[j + i * n] * x[j]));
                x[i] = self.round(s * reciprocals[i]);
            }
        }
        x
    }

    /// The chain of one problem; `found` gets knot and K, k, V.
    fn pass(&mut self, problems: &Problems, problem_idx: usize, mut found: impl FnMut(usize, [&[f64]; 3])) {
        let Problems { sizes: Sizes { nx, nu, n_knots }, cost, .. } = problems;
        let (nx, nu) = (*nx, *nu);
        let mut value_xx = self.symmetric(part(&cost.terminal_xx, problem_idx, nx * nx), nx);
        let mut value_x = self.vector(part(&cost.terminal_x, problem_idx, nx));
        for knot in (0..*n_knots).rev() {
            let at = problem_idx * n_knots + knot;
            let dynamics_at = problems.dynamics_at(problem_idx, knot);
            let fx = self.vector(part(&problems.fx, dynamics_at, nx * nx));
            let fu = self.vector(part(&problems.fu, dynamics_at, nx * nu));
            let lxx = self.symmetric(part(&cost.xx, at, nx * nx), nx);
            let lux = self.vector(part(&cost.ux, at, nu * nx));
            let luu = self.symmetric(part(&cost.uu, at, nu * nu), nu);
            let lx = self.vector(part(&cost.x, at, nx));
            let lu = self.vector(part(&cost.u, at, nu));

            // V is symmetric, so V Fx = V'Fx.
            let (along_x, along_u) = (self.product(&value_xx, &fx, nx), self.product(&value_xx, &fu, nx));
            let [xx, ux, uu] = [(&fx, &along_x), (&fu, &along_x), (&fu, &along_u)]
                .map(|(f, along)| self.product(f, along, nx));
            let [x, u] = [&fx, &fu].map(|f| self.product(f, &value_x, nx));
            let (qxx, qux, quu) =
                (self.sum(&lxx, &xx, 1.0), self.sum(&lux, &ux, 1.0), self.sum(&luu, &uu, 1.0));
            let (qx, qu) = (self.sum(&lx, &x, 1.0), self.sum(&lu, &u, 1.0));
            let (feedback, feedforward) = (self.solve(&quu, &qux, nu), self.solve(&quu, &qu, nu));
            let reduced_xx = self.product(&qux, &feedback, nu);
            let reduced_x = self.product(&qux, &feedforward, nu);
            let unsymmetric = self.sum(&qxx, &reduced_xx, -1.0);
            value_x = self.sum(&qx, &reduced_x, -1.0);
            let transposed = |at: usize| unsymmetric[at / nx + at % nx * nx];
            value_xx = (0..nx * nx).map(|at| 0.5 * (unsymmetric[at] + transposed(at))).collect();
            value_xx = self.symmetric(&value_xx, nx);
            found(knot, [&feedback, &feedforward, &value_xx]);
        }
    }
}

#[cfg(test)]
mod tests;
