//! `glass crossover`: pictures and tables of a capture of `glass-gpu crossover`. The same samples give the same bytes.

mod capture;
mod summary;
mod table;
#[cfg(test)]
mod tests;

use crate::plot;
use capture::Capture;
use glass_audit::Failure;
use std::io::Write;
use std::path::Path;
use summary::Memory;

/// Draws the map of each memory and writes the tables.
///
/// # Errors
/// The capture is absent or not in its format, or a file cannot be written.
pub(crate) fn run(capture: &Path, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let capture = Capture::read(capture)?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in files(&capture)? {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Names and texts.
fn files(capture: &Capture) -> Result<[(&'static str, String); 3], String> {
    Ok([
        ("crossover_in_place.svg", plot::map_svg(&summary::map(capture, Memory::InPlace))?),
        ("crossover_shared.svg", plot::map_svg(&summary::map(capture, Memory::Shared))?),
        ("crossover.md", table::markdown(capture)),
    ])
}
