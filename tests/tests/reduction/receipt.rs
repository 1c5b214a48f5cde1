//! The kernels of reductions, for the receipt of those that a GPU has confirmed.

use glass::rt::reduction::{ReductionCode, ReductionTask};
use glass_tests::receipt::Confirmed;

/// The receipt of all reductions.
pub(crate) const FILE: &str = "reductions_sm_90.txt";

/// Every kernel of a task.
pub(crate) fn kernels(task: &'static ReductionTask) -> Vec<Confirmed> {
    let of_variant = |code: &'static ReductionCode| match code {
        ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar } => {
            vec![chunk, chunk_to_scalar, fold, fold_to_scalar]
        }
        ReductionCode::OneLaunch(kernel) => vec![kernel],
        ReductionCode::Host { .. } => Vec::new(),
    };
    let each = task.variants.iter().map(|variant| (variant.target(), of_variant(&variant.code)));
    each.flat_map(|(target, kernels)| kernels.into_iter().map(move |kernel| (target, kernel))).collect()
}
