//! The bound that the true residual of a solution must keep.
//!
//! The loop stops by the residual of its recursion, r, which roundings drive away from b - A x. With u the unit
//! roundoff, d the most elements of a row, and c the norms of the rows of A (which is symmetric, so of its columns too):
//!
//! - rounding x leaves u |x| in each element, so u ||c x|| in A x, once an iteration; rounding A to u does it once more;
//! - each product A p adds d roundings to r. The steps alpha p add up to x and no two point against each other, so the
//!   sum of their squares is no more than that of x: all products leave d roundings of size u ||c x||;
//! - rounding r leaves u ||r||, about u ||b|| at most, once an iteration.
//!
//! Roundings are taken as independent and evenly spread up to u, so k iterations are expected to leave
//! `u sqrt(((k + d + 1) ||c x||^2 + k ||b||^2) / 3)`. The bound is the tolerance and a margin times that, both relative
//! to ||b||. It is about what arithmetic of this precision can reach: a lower tolerance ends the recursion later and
//! leaves the true residual where it is.

use crate::reference::{Options, Outcome, Solution, norm, relative_residual};
use crate::systems::System;

/// What the worst case of a rounding is above the expected one, and room for roundings that are not independent.
const MARGIN: f64 = 3.0;

/// A solution with its true residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    pub(crate) iterations: u32,
    /// ||b - A x|| / ||b||, in `f64`.
    pub(crate) residual: f64,
    /// The most it may be.
    pub(crate) bound: f64,
}

/// Why a solution is wrong.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("{outcome} after {iterations} iterations")]
    Outcome { outcome: Outcome, iterations: u32 },
    #[error("true residual {residual:.2e}; allowed: {bound:.2e}")]
    Residual { residual: f64, bound: f64 },
}

impl Checked {
    /// Checks a solution that was found in arithmetic of this unit roundoff.
    pub(crate) fn new(system: &System, solution: &Solution, options: &Options, unit_roundoff: f64) -> Self {
        let System { matrix, b, .. } = system;
        let &Solution { outcome, iterations, ref x } = solution;
        let scaled: Vec<f64> = matrix.row_norms().iter().zip(x).map(|(norm, x)| norm * x).collect();
        let n_roundings = f64::from(iterations) + matrix.longest_row() as f64 + 1.0;
        let squares = n_roundings * norm(&scaled).powi(2) + f64::from(iterations) * norm(b).powi(2);
        let expected = unit_roundoff * (squares / 3.0).sqrt() / norm(b);
        let bound = options.tolerance + MARGIN * expected;
        Self { outcome, iterations, residual: relative_residual(matrix, b, x), bound }
    }

    /// Whether it has converged, and really; a NaN never passes.
    pub(crate) fn verdict(&self) -> Result<(), Wrong> {
        let &Self { outcome, iterations, residual, bound } = self;
        if outcome != Outcome::Converged {
            return Err(Wrong::Outcome { outcome, iterations });
        }
        if residual <= bound { Ok(()) } else { Err(Wrong::Residual { residual, bound }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Source;
    use crate::reference::{Preconditioner, solve};
    use crate::systems;

    const F32_ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

    fn options(preconditioner: Preconditioner) -> Options {
        Options { preconditioner, tolerance: 1e-6, max_iterations: 500 }
    }

    #[test]
    fn solutions_of_the_reference_pass_and_nothing_near_them_does() {
        let options = options(Preconditioner::Jacobi);
        for system in systems::prepare(&Source::Generated { size: 6 }).unwrap() {
            let right = solve(&system.matrix, &system.b, &options);
            assert_eq!(Checked::new(&system, &right, &options, F32_ROUNDOFF).verdict(), Ok(()));
            for wrong in [1.001 * right.x[9], f64::NAN] {
                let mut solution = right.clone();
                solution.x[9] = wrong;
                let verdict = Checked::new(&system, &solution, &options, F32_ROUNDOFF).verdict();
                assert!(matches!(verdict, Err(Wrong::Residual { .. })), "{}: {verdict:?}", system.name);
            }
        }
    }

    #[test]
    fn other_outcomes_are_wrong_whatever_the_residual() {
        let options = options(Preconditioner::None);
        let system = &systems::prepare(&Source::Generated { size: 2 }).unwrap()[0];
        let right = solve(&system.matrix, &system.b, &options);
        let solution = Solution { outcome: Outcome::MaxIterations, ..right };
        let wrong = Checked::new(system, &solution, &options, F32_ROUNDOFF).verdict().unwrap_err();
        assert_eq!(wrong.to_string(), "not converged after 1 iterations");
    }

    /// The same loop in `f32`, with a tolerance far below what it can reach.
    #[test]
    fn rounding_takes_up_some_of_the_bound_and_not_all() {
        let (size, max_iterations) = (10, 60);
        for system in systems::prepare(&Source::Generated { size }).unwrap() {
            let options = Options { tolerance: 1e-9, max_iterations, ..options(Preconditioner::None) };
            let x = solve_in_f32(&system, max_iterations);
            let solution = Solution { outcome: Outcome::Converged, iterations: max_iterations, x };
            let Checked { residual, bound, .. } = Checked::new(&system, &solution, &options, F32_ROUNDOFF);
            assert!((0.05..0.5).contains(&(residual / bound)), "{}: {residual:e}, {bound:e}", system.name);
        }
    }

    fn solve_in_f32(system: &System, n_iterations: u32) -> Vec<f64> {
        let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut r: Vec<f32> = system.b.iter().map(|&b| b as f32).collect();
        let (mut x, mut p) = (vec![0.0; r.len()], r.clone());
        for _ in 0..n_iterations {
            let product = |row| system.matrix.row(row).map(|(column, value)| value as f32 * p[column]).sum();
            let q: Vec<f32> = (0..r.len()).map(product).collect();
            let rr = dot(&r, &r);
            let alpha = rr / dot(&p, &q);
            for i in 0..r.len() {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            let beta = dot(&r, &r) / rr;
            for i in 0..r.len() {
                p[i] = r[i] + beta * p[i];
            }
        }
        x.into_iter().map(f64::from).collect()
    }
}
