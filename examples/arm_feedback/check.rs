//! An evaluation of the policy in `f64`, written independently of every kernel, and the error bound.
//!
//! With `d` the depth of the sum (nx serial, ceil(nx/p) + log2 p over p lanes), u = 2^-24 and eta the
//! smallest positive subnormal, a correct kernel stays within
//! `(d + 3) u (sum |K||dx| + |k|) + (nx + 3) eta`. WGSL doubles u and may flush subnormals, so eta is the
//! smallest normal number there.

use crate::problems::Problems;
use glass::rt::kernel::{Form, Target};

const UNIT_ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

/// The largest errors of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Worst {
    /// As a fraction of the element's own bound; at most 1.
    pub(crate) fraction: f64,
    /// Absolute.
    pub(crate) absolute: f64,
}

/// An element outside its bound.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("problem {problem_idx}, du[{row}]: {given:e} given, {expected:e} expected, error bound {bound:e}")]
pub(crate) struct Wrong {
    problem_idx: usize,
    row: usize,
    given: f32,
    expected: f64,
    bound: f64,
}

/// Checks every element of every problem; a NaN never passes.
pub(crate) fn policy(problems: &Problems, du: &[f32], target: Target, form: Form) -> Result<Worst, Wrong> {
    let Problems { nu, nx, .. } = *problems;
    assert_eq!(du.len(), problems.feedforward.len(), "length of the downloaded result");
    let depth = match form {
        Form::Serial => nx,
        Form::Reduced { lanes_per_output } => {
            nx.div_ceil(lanes_per_output as usize) + lanes_per_output.ilog2() as usize
        }
    };
    let (unit_roundoff, underflow) = match target {
        Target::Wgpu => (2.0 * UNIT_ROUNDOFF, f64::from(f32::MIN_POSITIVE)),
        Target::Cuda | Target::Host => (UNIT_ROUNDOFF, f64::from(f32::from_bits(1))),
    };
    let mut worst = Worst::default();
    for (at, (&given, &k)) in du.iter().zip(&problems.feedforward).enumerate() {
        let (problem_idx, row) = (at / nu, at % nu);
        let gain = problems.feedback[problem_idx * nu * nx..][..nu * nx].iter().skip(row).step_by(nu);
        let deviation = &problems.deviation[problem_idx * nx..][..nx];
        let (mut expected, mut magnitude) = (-f64::from(k), f64::from(k).abs());
        for (&gain, &dx) in gain.zip(deviation) {
            let term = f64::from(gain) * f64::from(dx);
            expected -= term;
            magnitude += term.abs();
        }
        let bound = (depth + 3) as f64 * unit_roundoff * magnitude + (nx + 3) as f64 * underflow;
        let error = (f64::from(given) - expected).abs();
        if error.is_nan() || error > bound {
            return Err(Wrong { problem_idx, row, given, expected, bound });
        }
        worst.absolute = worst.absolute.max(error);
        worst.fraction = worst.fraction.max(error / bound);
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two problems of two controls and three states.
    fn problems() -> Problems {
        Problems {
            nu: 2,
            nx: 3,
            len: 2,
            n_sources: 1,
            feedback: vec![1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.],
            deviation: vec![1., 10., 100., -1., 0., 2.],
            feedforward: vec![0.5, -0.5, 1., 2.],
        }
    }

    const DU: [f32; 4] = [-531.5, -641.5, -16., -18.];

    #[test]
    fn a_result_by_hand_passes() {
        let worst = policy(&problems(), &DU, Target::Host, Form::Serial);
        assert_eq!(worst, Ok(Worst { fraction: 0.0, absolute: 0.0 }));
    }

    #[test]
    fn every_element_is_looked_at() {
        for at in 0..DU.len() {
            for wrong in [DU[at] * (1.0 + 1e-5), f32::NAN, f32::NEG_INFINITY, 0.0] {
                let mut du = DU;
                du[at] = wrong;
                let error = policy(&problems(), &du, Target::Wgpu, Form::Serial).unwrap_err();
                assert_eq!((error.problem_idx, error.row), (at / 2, at % 2));
            }
        }
    }
}
