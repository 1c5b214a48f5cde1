//! The backward pass in `f64` on the CPU, written independently of every kernel.

use crate::problems::{Answers, Problems, Sizes, part};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// A control Hessian that is not positive definite: the pass has no answer there.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("problem {problem_idx}, knot {knot}: Quu is not positive definite")]
pub(crate) struct Indefinite {
    problem_idx: usize,
    knot: usize,
}

/// Solves every problem.
pub(crate) fn solve(problems: &Problems) -> Result<Answers, Indefinite> {
    let answers: Result<Vec<Answers>, Indefinite> =
        (0..problems.len).into_par_iter().map(|problem_idx| one(problems, problem_idx)).collect();
    let answers = answers?;
    let all = |field: fn(&Answers) -> &Vec<f64>| answers.iter().flat_map(field).copied().collect();
    Ok(Answers {
        feedback: all(|answers| &answers.feedback),
        feedforward: all(|answers| &answers.feedforward),
        value: all(|answers| &answers.value),
    })
}

fn one(problems: &Problems, problem_idx: usize) -> Result<Answers, Indefinite> {
    let Problems { sizes: Sizes { nx, nu, n_knots }, cost, .. } = problems;
    let (nx, nu, n_knots) = (*nx, *nu, *n_knots);
    let matrix = |values: &[f64], at, rows, cols| {
        DMatrix::from_column_slice(rows, cols, part(values, at, rows * cols))
    };
    let vector = |values: &[f64], at, n| DVector::from_column_slice(part(values, at, n));
    let mut answers = Answers {
        feedback: vec![0.0; n_knots * nu * nx],
        feedforward: vec![0.0; n_knots * nu],
        value: vec![0.0; n_knots * nx * nx],
    };
    let mut value_xx = matrix(&cost.terminal_xx, problem_idx, nx, nx);
    let mut value_x = vector(&cost.terminal_x, problem_idx, nx);
    for knot in (0..n_knots).rev() {
        let at = problem_idx * n_knots + knot;
        let dynamics_at = problems.dynamics_at(problem_idx, knot);
        let fx = matrix(&problems.fx, dynamics_at, nx, nx);
        let fu = matrix(&problems.fu, dynamics_at, nx, nu);
        let qxx = matrix(&cost.xx, at, nx, nx) + fx.transpose() * &value_xx * &fx;
        let qux = matrix(&cost.ux, at, nu, nx) + fu.transpose() * &value_xx * &fx;
        let quu = matrix(&cost.uu, at, nu, nu) + fu.transpose() * &value_xx * &fu;
        let qx = vector(&cost.x, at, nx) + fx.transpose() * &value_x;
        let qu = vector(&cost.u, at, nu) + fu.transpose() * &value_x;
        let factor = quu.cholesky().ok_or(Indefinite { problem_idx, knot })?;
        let (feedback, feedforward) = (factor.solve(&qux), factor.solve(&qu));
        value_xx = qxx - qux.transpose() * &feedback;
        value_xx = (&value_xx + value_xx.transpose()) * 0.5;
        value_x = qx - qux.transpose() * &feedforward;
        answers.feedback[knot * nu * nx..][..nu * nx].copy_from_slice(feedback.as_slice());
        answers.feedforward[knot * nu..][..nu].copy_from_slice(feedforward.as_slice());
        answers.value[knot * nx * nx..][..nx * nx].copy_from_slice(value_xx.as_slice());
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::relative_errors;
    use std::path::Path;

    #[test]
    fn the_shipped_answers_are_found() {
        // What a plain NumPy recursion leaves at its worst knot is 7e-15, 3e-14, 9e-16 (arm) and 2e-12, 1e-12,
        // 6e-13 (quadrotor). Another order of the sums leaves as much, give or take a factor of three.
        for (file, usual) in
            [("talos_arm_ddp.npz", [7e-15, 3e-14, 9e-16]), ("iris_ddp.npz", [2e-12, 1e-12, 6e-13])]
        {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
            let (problems, answers) = Problems::read(&path).unwrap();
            let errors = relative_errors(problems.sizes, &solve(&problems).unwrap(), &answers);
            for (quantity, usual) in usual.into_iter().enumerate() {
                let worst = errors.iter().map(|errors| errors[quantity]).fold(0.0, f64::max);
                println!("{file}, {quantity}: {worst:e}");
                assert!(worst < 3.0 * usual, "{file}, {quantity}: {worst:e}");
            }
        }
    }

    #[test]
    fn an_indefinite_control_hessian_is_located() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/talos_arm_ddp.npz");
        let (mut problems, _) = Problems::read(&path).unwrap();
        problems.cost.uu[(3 * 32 + 5) * 49] = -1e6;
        assert_eq!(solve(&problems).unwrap_err(), Indefinite { problem_idx: 3, knot: 5 });
    }
}
