//! A large batch made from the few gains of a file: problem p takes source p modulo the number of
//! sources, perturbs its gains a little, and gets a state of its own.

use crate::gains::Gains;
use crate::program::random::symmetric;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use std::collections::TryReserveError;

/// Seed of the perturbations.
pub(crate) const SEED: u64 = 20_240_607;

/// Relative perturbation of every gain.
const GAIN_PERTURBATION: f64 = 1e-3;

/// Largest deviation of a state component from its reference: radians, metres and their rates.
const STATE_DEVIATION: f64 = 0.1;

/// Most bytes the operands of a batch may take.
const MAX_BYTES: usize = 4 << 30;

/// Operands of the batch, one problem after the other, already rounded to `f32`.
#[derive(Debug)]
pub(crate) struct Problems {
    /// Controls.
    pub(crate) nu: usize,
    /// States.
    pub(crate) nx: usize,
    /// Problems.
    pub(crate) len: usize,
    /// Gains in the file.
    pub(crate) n_sources: usize,
    /// Every `K`, nu x nx, column-major.
    pub(crate) feedback: Vec<f32>,
    /// Every `dx`, nx.
    pub(crate) deviation: Vec<f32>,
    /// Every `k`, nu.
    pub(crate) feedforward: Vec<f32>,
}

/// Why a batch cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BatchError {
    #[error("--batch {len}: the operands of so many {nu} x {nx} problems exceed {} GiB", MAX_BYTES >> 30)]
    TooLarge { len: usize, nu: usize, nx: usize },
    #[error("--batch: {0}")]
    Memory(#[from] TryReserveError),
}

impl Problems {
    /// `len` perturbed problems.
    pub(crate) fn perturb(gains: &Gains, len: usize) -> Result<Self, BatchError> {
        let Gains { nu, nx, .. } = *gains;
        let n_values = nu * nx + nx + nu;
        if len.checked_mul(n_values * size_of::<f32>()).is_none_or(|bytes| bytes > MAX_BYTES) {
            return Err(BatchError::TooLarge { len, nu, nx });
        }
        let (mut feedback, mut deviation, mut feedforward) = (Vec::new(), Vec::new(), Vec::new());
        feedback.try_reserve_exact(len * nu * nx)?;
        deviation.try_reserve_exact(len * nx)?;
        feedforward.try_reserve_exact(len * nu)?;

        let n_sources = gains.feedforward.len() / nu;
        let mut random = Pcg64Mcg::seed_from_u64(SEED);
        for problem_idx in 0..len {
            let source = problem_idx % n_sources;
            let (gain, offset) = (&gains.feedback[source * nu * nx..], &gains.feedforward[source * nu..]);
            let mut perturb =
                |value: &f64| (value * (1.0 + GAIN_PERTURBATION * symmetric(&mut random))) as f32;
            feedback.extend(gain[..nu * nx].iter().map(&mut perturb));
            feedforward.extend(offset[..nu].iter().map(&mut perturb));
            deviation.extend((0..nx).map(|_| (STATE_DEVIATION * symmetric(&mut random)) as f32));
        }
        Ok(Self { nu, nx, len, n_sources, feedback, deviation, feedforward })
    }

    /// Bytes a launch must move per problem: K, dx and the old result read, the new result written.
    pub(crate) fn bytes_per_problem(&self) -> usize {
        (self.nu * self.nx + self.nx + 2 * self.nu) * size_of::<f32>()
    }
}
