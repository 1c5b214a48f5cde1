//! The kernels of vector operations, for the receipt of those that a GPU has confirmed.

use glass::rt::vector_op::{VectorCode, VectorTask};
use glass_tests::receipt::Confirmed;

/// The receipt of all vector operations.
pub(crate) const FILE: &str = "vectors_sm_90.txt";

/// Every kernel of a task.
pub(crate) fn kernels(task: &'static VectorTask) -> Vec<Confirmed> {
    let of_variant = |code: &'static VectorCode| match code {
        VectorCode::OneLaunch(kernel) => vec![kernel],
        VectorCode::TwoLaunches { chunk, finish } => vec![chunk, finish],
        VectorCode::Host { .. } => Vec::new(),
    };
    let each = task.variants.iter().map(|variant| (variant.target(), of_variant(&variant.code)));
    each.flat_map(|(target, kernels)| kernels.into_iter().map(move |kernel| (target, kernel))).collect()
}
