//! Solves a system on one device.

use crate::check::Checked;
use crate::reference::{Options, Outcome, Preconditioner, Solution, norm};
use crate::systems::System;
use glass::{Csr, Device, Target, Vector};
use glass_solve::ConjugateGradient;
use std::error::Error;
use std::time::Instant;

/// What one device did.
pub(crate) struct Measured {
    pub(crate) checked: Checked,
    /// Median of a solve, per iteration; `None` on a software adapter.
    pub(crate) seconds: Option<f64>,
}

/// Solves once and checks; solves `repeat` times more for the time.
pub(crate) fn solve(
    device: &Device,
    system: &System,
    options: &Options,
    repeat: usize,
) -> Result<Measured, Box<dyn Error>> {
    let System { matrix, b, .. } = system;
    let values: Vec<f32> = matrix.values.iter().map(|&value| value as f32).collect();
    let a = Csr::upload(device, matrix.n_rows(), &matrix.offsets, &matrix.columns, &values)?;
    let b_values: Vec<f32> = b.iter().map(|&value| value as f32).collect();
    let right_hand_side = Vector::upload(device, &b_values)?;
    let preconditioner = match options.preconditioner {
        Preconditioner::None => glass_solve::Preconditioner::None,
        Preconditioner::Jacobi => {
            glass_solve::Preconditioner::jacobi(device, &matrix.offsets, &matrix.columns, &values)?
        }
    };
    let start = |max_iterations| -> Result<_, Box<dyn Error>> {
        let x = Vector::filled(device, b.len(), 0.0)?;
        let options = glass_solve::Options {
            max_iterations,
            tolerance_squared: (options.tolerance * norm(b)).powi(2) as f32,
            preconditioner: preconditioner.clone(),
        };
        Ok((ConjugateGradient::new(device, &a, &right_hand_side, &x, &options)?, x))
    };

    let (solver, x) = start(options.max_iterations)?;
    solver.solve()?;
    let report = solver.report()?;
    let outcome = match report.outcome {
        glass_solve::Outcome::Converged => Outcome::Converged,
        glass_solve::Outcome::MaxIterations => Outcome::MaxIterations,
        glass_solve::Outcome::Breakdown => Outcome::Breakdown,
        glass_solve::Outcome::NonFinite => Outcome::NonFinite,
    };
    let x = x.download()?.into_iter().map(f64::from).collect();
    let solution = Solution { outcome, iterations: report.iterations, x };
    let checked = Checked::new(system, &solution, options, unit_roundoff(device.target()));
    if device.is_software() || report.iterations == 0 {
        return Ok(Measured { checked, seconds: None });
    }

    // No more iterations than it takes: the rest would pass by closed gates, and count as time.
    let (solver, x) = start(report.iterations)?;
    let zeros = vec![0.0; b.len()];
    let time = || -> Result<f64, Box<dyn Error>> {
        x.write(&zeros)?;
        device.synchronize()?;
        let start = Instant::now();
        solver.solve()?;
        solver.report()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(report.iterations))
    };
    // The first solve is recorded.
    time()?;
    let mut samples = (0..repeat).map(|_| time()).collect::<Result<Vec<_>, _>>()?;
    samples.sort_by(f64::total_cmp);
    Ok(Measured { checked, seconds: Some(samples[repeat / 2]) })
}

/// Of `f32`. WGSL may round a fused multiply-add twice.
fn unit_roundoff(target: Target) -> f64 {
    let roundoff = f64::from(f32::EPSILON) / 2.0;
    match target {
        Target::Wgpu => 2.0 * roundoff,
        Target::Cuda | Target::Host => roundoff,
    }
}
