//! Numbers that a declaration may hold: what is counted from them fits 64 bits, and visits fit the memory.

use crate::capture::Declaration;

const MAX_ROUNDS: u64 = 256;
const MAX_CELLS: u64 = 256;
const MAX_SAMPLES: u64 = 10_000;
/// Blocks of a launch in one dimension.
const MAX_BATCH: u64 = (1 << 31) - 1;
const MAX_EXTENT: u64 = 1024;

/// # Errors
/// The first number beyond its limit: what it is, itself, and what is allowed.
pub(crate) fn check(declaration: &Declaration) -> Result<(), String> {
    let within = |what: &str, given: u64, most: u64| match (1..=most).contains(&given) {
        true => Ok(()),
        false => Err(format!("{what} is {given}; allowed: 1 to {most}")),
    };
    within("rounds", declaration.rounds, MAX_ROUNDS)?;
    within("samples", declaration.samples as u64, MAX_SAMPLES)?;
    within("the number of cells", declaration.cells.len() as u64, MAX_CELLS)?;
    for cell in &declaration.cells {
        within(&format!("{}: batch", cell.id), cell.batch, MAX_BATCH)?;
        for (name, extent) in &cell.dims {
            within(&format!("{}: {name}", cell.id), *extent, MAX_EXTENT)?;
        }
    }
    Ok(())
}
