//! Conjugate gradients in `f64` on the host: the textbook loop of Hestenes and Stiefel, preconditioned as in Saad,
//! Iterative Methods for Sparse Linear Systems, algorithm 9.1. Knows nothing of the solver it is compared with.

use crate::csr::Csr;
use std::fmt;

/// What stands for the inverse of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Preconditioner {
    /// The identity.
    None,
    /// The inverse of the diagonal.
    Jacobi,
}

/// When to stop, and how to get there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) preconditioner: Preconditioner,
    /// Of the 2-norm of the residual, relative to that of b.
    pub(crate) tolerance: f64,
    /// At least 1.
    pub(crate) max_iterations: u32,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The residual of the recursion is within the tolerance.
    Converged,
    /// It is not, after the last iteration allowed.
    MaxIterations,
    /// A is not positive definite: p'A p or r'z is not positive.
    Breakdown,
    /// A number is not finite.
    NonFinite,
}

impl fmt::Display for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.preconditioner {
            Preconditioner::None => "conjugate gradients",
            Preconditioner::Jacobi => "conjugate gradients with Jacobi preconditioner",
        };
        write!(
            formatter,
            "{method}, tolerance {:e}, at most {} iterations",
            self.tolerance, self.max_iterations
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Converged => "converged",
            Self::MaxIterations => "not converged",
            Self::Breakdown => "breakdown",
            Self::NonFinite => "not finite",
        })
    }
}

/// What a solve found.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) outcome: Outcome,
    pub(crate) iterations: u32,
    pub(crate) x: Vec<f64>,
}

/// Solves A x = b from x = 0.
pub(crate) fn solve(matrix: &Csr, b: &[f64], options: &Options) -> Solution {
    let inverse_diagonal: Vec<f64> = match options.preconditioner {
        Preconditioner::None => vec![1.0; b.len()],
        Preconditioner::Jacobi => matrix.diagonal().iter().map(|d| 1.0 / d).collect(),
    };
    let precondition =
        |r: &[f64]| -> Vec<f64> { r.iter().zip(&inverse_diagonal).map(|(r, d)| r * d).collect() };
    let wanted = options.tolerance.powi(2) * dot(b, b);

    let mut x = vec![0.0; b.len()];
    let mut r = b.to_vec();
    let mut p = precondition(&r);
    let mut rho = dot(&r, &p);
    let mut outcome = judge(dot(&r, &r), rho, wanted);
    let mut iterations = 0;
    while outcome.is_none() && iterations < options.max_iterations {
        let q = matrix.multiply(&p);
        let curvature = dot(&p, &q);
        let alpha = rho / curvature;
        if !(curvature.is_finite() && curvature > 0.0 && alpha.is_finite()) {
            let is_breakdown = curvature.is_finite() && curvature <= 0.0;
            outcome = Some(if is_breakdown { Outcome::Breakdown } else { Outcome::NonFinite });
            break;
        }
        add(&mut x, alpha, &p);
        add(&mut r, -alpha, &q);
        let z = precondition(&r);
        let next = dot(&r, &z);
        outcome = judge(dot(&r, &r), next, wanted);
        let beta = next / rho;
        for (p, z) in p.iter_mut().zip(z) {
            *p = z + beta * *p;
        }
        rho = next;
        iterations += 1;
    }
    Solution { outcome: outcome.unwrap_or(Outcome::MaxIterations), iterations, x }
}

/// The true residual ||b - A x|| / ||b||.
pub(crate) fn relative_residual(matrix: &Csr, b: &[f64], x: &[f64]) -> f64 {
    let difference: Vec<f64> = b.iter().zip(matrix.multiply(x)).map(|(b, product)| b - product).collect();
    norm(&difference) / norm(b)
}

/// The 2-norm.
pub(crate) fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// How it ends with these r'r and r'z; `None`: it goes on. A residual of 0 has r'z = 0 too and is no breakdown.
fn judge(rr: f64, rho: f64, wanted: f64) -> Option<Outcome> {
    if !rr.is_finite() || !rho.is_finite() {
        Some(Outcome::NonFinite)
    } else if rr <= wanted {
        Some(Outcome::Converged)
    } else if rho <= 0.0 {
        Some(Outcome::Breakdown)
    } else {
        None
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// y += alpha x.
fn add(y: &mut [f64], alpha: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::Element;

    fn matrix(n: usize, rows: &[f64]) -> Csr {
        let place = |at: usize| ((at / n) as u32, (at % n) as u32);
        let elements = rows.iter().enumerate().map(|(at, &value)| {
            let (row, column) = place(at);
            Element { row, column, value }
        });
        Csr::from_elements(n, elements.collect())
    }

    fn options(preconditioner: Preconditioner, max_iterations: u32) -> Options {
        Options { preconditioner, tolerance: 1e-12, max_iterations }
    }

    fn assert_near(found: &[f64], right: &[f64]) {
        assert!(found.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}, {right:?}");
    }

    /// By hand: r'r = 85, p'A p = 375, alpha = 17/75, beta = 121/5625, alpha = 75/187; with Jacobi alpha = 76/97, 291/209.
    #[test]
    fn two_unknowns_take_the_steps_calculated_by_hand() {
        let (a, b) = (matrix(2, &[4.0, 1.0, 1.0, 3.0]), [6.0, 7.0]);
        let first = solve(&a, &b, &options(Preconditioner::None, 1));
        assert_eq!((first.outcome, first.iterations), (Outcome::MaxIterations, 1));
        assert_near(&first.x, &[34.0 / 25.0, 119.0 / 75.0]);
        let first = solve(&a, &b, &options(Preconditioner::Jacobi, 1));
        assert_near(&first.x, &[76.0 / 97.0 * 6.0 / 4.0, 76.0 / 97.0 * 7.0 / 3.0]);
        for preconditioner in [Preconditioner::None, Preconditioner::Jacobi] {
            let solution = solve(&a, &b, &options(preconditioner, 50));
            assert_eq!((solution.outcome, solution.iterations), (Outcome::Converged, 2));
            assert_near(&solution.x, &[1.0, 2.0]);
            assert!(relative_residual(&a, &b, &solution.x) < 1e-15);
        }
    }

    #[test]
    fn other_ends_are_told_apart_and_leave_x_finite() {
        for (a, b, outcome, iterations) in [
            (matrix(1, &[0.0]), [1.0], Outcome::Breakdown, 0),
            (matrix(1, &[-1.0]), [1.0], Outcome::Breakdown, 0),
            (matrix(1, &[1.0]), [0.0], Outcome::Converged, 0),
            (matrix(1, &[1.0]), [f64::NAN], Outcome::NonFinite, 0),
            (matrix(1, &[1.0]), [1e200], Outcome::NonFinite, 0),
            (matrix(1, &[1e-320]), [1.0], Outcome::NonFinite, 0),
        ] {
            let solution = solve(&a, &b, &options(Preconditioner::None, 50));
            assert_eq!((solution.outcome, solution.iterations), (outcome, iterations), "{a:?}, {b:?}");
            assert_eq!(solution.x, [0.0]);
        }
        // Indefinite: the second direction has negative curvature.
        let solution =
            solve(&matrix(2, &[1.0, 0.0, 0.0, -0.5]), &[2.0, 1.0], &options(Preconditioner::None, 50));
        assert_eq!((solution.outcome, solution.iterations), (Outcome::Breakdown, 1));
    }

    #[test]
    fn jacobi_solves_a_diagonal_in_one_step_and_the_identity_in_one_for_each_eigenvalue() {
        let b = [1.0, -2.0, 0.5];
        let diagonal = matrix(3, &[2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 8.0]);
        let jacobi = solve(&diagonal, &b, &options(Preconditioner::Jacobi, 50));
        assert_eq!((jacobi.outcome, jacobi.iterations), (Outcome::Converged, 1));
        assert_near(&jacobi.x, &[0.5, -0.5, 0.0625]);
        let plain = solve(&diagonal, &b, &options(Preconditioner::None, 50));
        assert_eq!((plain.outcome, plain.iterations), (Outcome::Converged, 3));
        assert_near(&plain.x, &jacobi.x);
    }
}
