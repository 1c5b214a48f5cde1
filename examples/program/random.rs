//! Seeded perturbations.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Uniform in [-1, 1).
pub(crate) fn symmetric(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 * 2f64.powi(-52) - 1.0
}
