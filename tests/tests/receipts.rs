//! Which kernels has a GPU confirmed? Every kernel of the grid, as its text is now, needs a passing line in the
//! receipt that the GPU bundle writes: `cargo xtask gpu-bundle`, run it on the machine, commit the receipt.

use glass_codegen::plan::Target;
use glass_tests::case;
use glass_tests::grid;
use glass_tests::resources::Baseline;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Receipt {
    schema: u32,
    device: String,
    driver: String,
    nvrtc: String,
    date: String,
    kernels: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    symbol: String,
    target: String,
    hash: String,
    registers: u32,
    local_bytes: u32,
    shared_bytes: u32,
    status: String,
}

#[test]
fn every_kernel_has_passed_on_a_gpu() {
    let path = case::package().join("receipts/sm_90.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let receipt: Receipt =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let Receipt { schema, device, driver, nvrtc, date, kernels } = &receipt;
    assert_eq!(*schema, 1, "an unknown form of receipt");
    println!("{} kernels on {device}, driver {driver}, NVRTC {nvrtc}, {date}", kernels.len());
    let rows: HashMap<_, _> =
        kernels.iter().map(|row| ((row.target.as_str(), row.symbol.as_str()), row)).collect();
    assert_eq!(rows.len(), kernels.len(), "a kernel has two lines");

    let path = case::package().join("resources/sm_90.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let baseline: Baseline =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));

    let mut faults = Vec::new();
    for entry in grid::confirmed().iter().filter(|entry| entry.target != Target::Host) {
        let variant = entry.variant();
        let (target, symbol, hash) = (entry.target.as_str(), &variant.symbol, &variant.sources[0].hash);
        let mut fault = |what: String| faults.push(format!("{target} {symbol}: {what}"));
        let Some(row) = rows.get(&(target, symbol.as_str())) else {
            fault("never ran on a GPU".to_owned());
            continue;
        };
        if row.hash != *hash {
            fault(format!("ran as {}, its text is now {hash}", row.hash));
        }
        if row.status != "pass" {
            fault(row.status.clone());
        }
        // Arrays of a thread, and the spills that are known with their reasons, are in the baseline of the compiler.
        let is_known = baseline.kernels.get(symbol).is_some_and(|known| known.stack > 0 || known.spill > 0);
        if entry.target == Target::Cuda && (row.registers == 0 || (row.local_bytes > 0 && !is_known)) {
            fault(format!("{} registers, {} B of local memory", row.registers, row.local_bytes));
        }
        if usize::try_from(row.shared_bytes).is_ok_and(|bytes| bytes > variant.plan.shared_bytes) {
            fault(format!("{} B of shared memory, planned {}", row.shared_bytes, variant.plan.shared_bytes));
        }
    }
    assert!(faults.is_empty(), "{} kernels without a passing receipt:\n{}", faults.len(), faults.join("\n"));
}
