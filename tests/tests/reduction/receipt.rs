//! Which kernels of reductions has a GPU confirmed? Where the variable `GLASS_RECEIPT` names a folder, the tests of graphs
//! leave a line there for every kernel that has passed on a GPU: its target, symbol and hash. Sorted and committed, the lines are
//! `receipts/reductions_sm_90.txt`.

use glass::rt::Device;
use glass::rt::kernel::Target;
use glass::rt::reduction::{ReductionCode, ReductionKernel, ReductionTask, ReductionVariant};
use glass_tests::case;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Notes that the kernels of a task have passed on a device.
pub(crate) fn note(device: &Device, task: &ReductionTask) {
    let Some(folder) = std::env::var_os("GLASS_RECEIPT").filter(|_| !device.is_software()) else { return };
    let lines: Vec<_> = lines(task).filter(|(target, _)| *target == device.target()).collect();
    if lines.is_empty() {
        return;
    }
    let text: String = lines.into_iter().map(|(_, line)| line + "\n").collect();
    let path = PathBuf::from(folder).join(format!("{}_{}.txt", device.target(), task.symbol));
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Fails for every kernel of a task without a line in the receipt.
pub(crate) fn check(task: &ReductionTask) {
    let path = case::package().join("receipts/reductions_sm_90.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let passed: BTreeSet<_> = text.lines().collect();
    let missing: Vec<_> =
        lines(task).map(|(_, line)| line).filter(|line| !passed.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "never passed on a GPU:\n{}", missing.join("\n"));
}

/// Every kernel with its line.
fn lines(task: &ReductionTask) -> impl Iterator<Item = (Target, String)> {
    let of_variant = |variant: &'static ReductionVariant| {
        let target = variant.target();
        let line =
            move |kernel: &ReductionKernel| (target, format!("{target} {} {}", kernel.symbol, kernel.hash));
        kernels(variant).into_iter().map(line)
    };
    task.variants.iter().flat_map(of_variant)
}

fn kernels(variant: &ReductionVariant) -> Vec<&ReductionKernel> {
    match &variant.code {
        ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar } => {
            vec![chunk, chunk_to_scalar, fold, fold_to_scalar]
        }
        ReductionCode::OneLaunch(kernel) => vec![kernel],
        ReductionCode::Host { .. } => Vec::new(),
    }
}
