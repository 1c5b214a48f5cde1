//! Which kernels of long vectors has a GPU confirmed? Where the variable `GLASS_RECEIPT` names a folder, the tests of graphs
//! leave a line there for every kernel that has passed on a GPU: its target, symbol and hash. Sorted and committed, the lines
//! are a file of `receipts`.

use crate::case;
use glass_rt::Device;
use glass_rt::kernel::Target;
use glass_rt::reduction::ReductionKernel;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A kernel and what it is for.
pub type Confirmed = (Target, &'static ReductionKernel);

/// Notes that those kernels of a task that are for a device have passed on it.
///
/// # Panics
/// If the note cannot be written.
pub fn note(device: &Device, task: &str, kernels: &[Confirmed]) {
    let Some(folder) = std::env::var_os("GLASS_RECEIPT").filter(|_| !device.is_software()) else { return };
    let own = kernels.iter().filter(|(target, _)| *target == device.target());
    let text: String = own.map(|kernel| line(kernel) + "\n").collect();
    if text.is_empty() {
        return;
    }
    // Tasks that differ in options alone share a name.
    let first = kernels.first().map_or("", |(_, kernel)| kernel.hash);
    let path = PathBuf::from(folder).join(format!("{}_{task}_{first}.txt", device.target()));
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Fails for every kernel without a line in a receipt.
///
/// # Panics
/// For that reason, and if the receipt cannot be read.
pub fn check(file: &str, kernels: &[Confirmed]) {
    let path = case::package().join("receipts").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let passed: BTreeSet<_> = text.lines().collect();
    let missing: Vec<_> = kernels.iter().map(line).filter(|line| !passed.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "never passed on a GPU:\n{}", missing.join("\n"));
}

fn line((target, kernel): &Confirmed) -> String {
    format!("{target} {} {}", kernel.symbol, kernel.hash)
}
