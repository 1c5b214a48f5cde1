//! Errors of a device's answers, and the bound they must keep.
//!
//! The relative error of K, k or V at one problem and knot is the Frobenius norm of the difference over that of the
//! right answer. Its bound is `margin * (u + u64) * expected`: what rounding must be expected to leave at that
//! very place ([`rounding`](crate::rounding)) in the device's type (u) and in the `f64` of the right answer (u64),
//! times a margin that all figures of a run keep, but for one run in a million.
//!
//! u is 2^-24 or 2^-53 on CUDA and the host, where every operation is correctly rounded. WGSL allows a fused
//! multiply-add to round twice, and more ulps for roots and quotients: u is doubled there.

use crate::problems::{Answers, Sizes};
use crate::rounding;
use glass::Target;
use glass::rt::kernel::DType;

/// What is compared.
pub(crate) const QUANTITIES: [&str; 3] = ["K", "k", "V"];

/// The right answers, and how near a device must come.
pub(crate) struct Right<'a> {
    pub(crate) sizes: Sizes,
    pub(crate) answers: &'a Answers,
    /// Of the sources, see [`rounding::expected`]. A perturbed problem takes that of its source: costs that differ
    /// by a thousandth change it by about as little, and the perturbation is the same at every precision.
    pub(crate) expected: &'a [[f64; 3]],
}

/// The largest errors of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Worst {
    /// Relative errors of K, k and V.
    pub(crate) errors: [f64; 3],
    /// Largest error as a fraction of its bound; at most 1.
    pub(crate) fraction: f64,
}

/// An error beyond its bound.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error(
    "problem {problem_idx}, knot {knot}: relative error of {quantity} is {error:.2e}, its bound {bound:.2e}"
)]
pub(crate) struct Exceeded {
    pub(crate) problem_idx: usize,
    pub(crate) knot: usize,
    pub(crate) quantity: &'static str,
    error: f64,
    bound: f64,
}

/// Frobenius norm of the difference, relative to that of the right values.
pub(crate) fn relative_error(found: &[f64], right: &[f64]) -> f64 {
    let add_square = |sum: f64, value: f64| sum + value * value;
    let difference = found.iter().zip(right).map(|(found, right)| found - right).fold(0.0, add_square);
    let norm = right.iter().copied().fold(0.0, add_square);
    // Equal values have no error, not even where they are all 0.
    if difference == 0.0 { 0.0 } else { (difference / norm).sqrt() }
}

/// Errors of K, k and V of every problem and knot.
pub(crate) fn relative_errors(sizes: Sizes, found: &Answers, right: &Answers) -> Vec<[f64; 3]> {
    let n_places = right.feedforward.len() / sizes.nu;
    let error = |at: usize| {
        let (found, right) = (found.at(sizes, at), right.at(sizes, at));
        std::array::from_fn(|quantity| relative_error(found[quantity], right[quantity]))
    };
    (0..n_places).map(error).collect()
}

impl Right<'_> {
    /// Checks K, k and V of every problem and knot; a NaN never passes.
    pub(crate) fn check(&self, found: &Answers, target: Target, dtype: DType) -> Result<Worst, Exceeded> {
        let errors = relative_errors(self.sizes, found, self.answers);
        let roundoff = unit_roundoff(target, dtype) + unit_roundoff(Target::Host, DType::F64);
        let margin = rounding::margin(errors.len() * QUANTITIES.len());
        let mut worst = Worst::default();
        for (at, errors) in errors.iter().enumerate() {
            let expected = self.expected[at % self.expected.len()];
            for (quantity, (&error, expected)) in errors.iter().zip(expected).enumerate() {
                let bound = margin * roundoff * expected;
                // Where the right answer is nothing at all, neither is a number.
                if !error.is_finite() || error > bound {
                    let (problem_idx, knot) = (at / self.sizes.n_knots, at % self.sizes.n_knots);
                    return Err(Exceeded { problem_idx, knot, quantity: QUANTITIES[quantity], error, bound });
                }
                worst.errors[quantity] = worst.errors[quantity].max(error);
                worst.fraction = worst.fraction.max(error / bound);
            }
        }
        Ok(worst)
    }
}

fn unit_roundoff(target: Target, dtype: DType) -> f64 {
    let roundoff = match dtype {
        DType::F32 => f64::from(f32::EPSILON) / 2.0,
        DType::F64 => f64::EPSILON / 2.0,
    };
    match target {
        Target::Wgpu => 2.0 * roundoff,
        Target::Cuda | Target::Host => roundoff,
    }
}

#[cfg(test)]
mod tests;
