//! Batches and scalars under which a kernel is launched.

use glass_codegen::spec::Spec;
use glass_oracle::{Case, Real, Task, layout};
use std::fmt;

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct Launch<T> {
    pub(super) n_problems: usize,
    /// Run-time scalars in launch order.
    pub(super) scalars: Vec<T>,
}

impl<T: Real> fmt::Display for Launch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problem(s)", self.n_problems)?;
        let scalars: Vec<_> = self.scalars.iter().map(|scalar| scalar.to_f64()).collect();
        if scalars.is_empty() { Ok(()) } else { write!(f, ", scalars {scalars:?}") }
    }
}

impl<T: Real> Launch<T> {
    /// The problems, with poison wherever the op may not look.
    pub(super) fn cases(&self, task: &Task) -> Vec<Case<T>> {
        task.batch(self.n_problems, &self.scalars)
    }
}

/// Batches around tile edges.
const BATCHES: [usize; 7] = [0, 1, 31, 32, 33, 100, 1000];

/// The batch on which all scalars are tried: a whole tile and one problem.
const SCALAR_BATCH: usize = 33;

/// Multiply-adds of one launch beyond which the largest batch is left out: the oracle evaluates each on a core.
const MAX_FMAS: usize = 8_000_000;

/// The gate in front of a timer: five tiles and a bit, so that every block size has a ragged last block.
pub(super) fn gate<T: Real>(task: &Task) -> Vec<Launch<T>> {
    vec![Launch { n_problems: 5 * layout::TILE + 4, scalars: task.scalar_values(0) }]
}

/// Everything a kernel promises.
pub(super) fn full<T: Real>(spec: &Spec, task: &Task) -> Vec<Launch<T>> {
    let mut launches: Vec<_> = BATCHES
        .into_iter()
        .filter(|n_problems| n_problems * spec.n_fmas() <= MAX_FMAS || *n_problems <= SCALAR_BATCH)
        .map(|n_problems| Launch { n_problems, scalars: task.scalar_values(n_problems) })
        .collect();
    let n_values = task.n_scalar_values();
    if n_values > 1 {
        let every =
            (0..n_values).map(|pick| Launch { n_problems: SCALAR_BATCH, scalars: task.scalar_values(pick) });
        launches.extend(every);
    }
    launches
}

#[cfg(test)]
mod tests {
    use super::*;
    use glass_codegen::spec::DType;
    use glass_tests::attribute::spec;

    fn launches(attribute: &str) -> Vec<Launch<f32>> {
        let spec = spec(attribute, DType::F32);
        full(&spec, &glass_tests::task::of(&spec))
    }

    #[test]
    fn every_pair_of_scalars_is_tried() {
        assert_eq!(launches("contract n_out=7 k=14").len(), BATCHES.len());
        assert_eq!(launches("contract m=4 n=4 k=4 alpha=runtime").len(), BATCHES.len() + 6);
        assert_eq!(launches("contract n_out=7 k=14 alpha=runtime beta=runtime").len(), BATCHES.len() + 36);
    }

    #[test]
    fn large_tasks_leave_out_large_batches() {
        let large = launches("contract m=64 n=64 k=64");
        assert!(large.iter().all(|launch| launch.n_problems <= 33) && large.len() >= 5);
    }
}
