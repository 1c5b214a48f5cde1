//! `glass emit`.

use crate::explain::text;
use crate::manifest;
use glass_codegen::Builder;
use std::path::Path;

/// Writes `DIR/<stem of SPEC.toml>.cuh`.
pub(crate) fn run(spec: &Path, out: &Path) -> Result<(), String> {
    let read = std::fs::read_to_string(spec).map_err(|error| format!("{}: {error}", spec.display()))?;
    let tasks = manifest::parse(&read).map_err(|mistakes| format!("{}:\n{mistakes}", spec.display()))?;
    let stem = spec.file_stem().and_then(|stem| stem.to_str()).ok_or("the file has no name")?;
    let mut builder = Builder::new(stem);
    for task in tasks {
        builder = builder.task(&task.name, task.fields);
    }
    let header = builder.device_functions().map_err(|failures| {
        let failures = failures.iter().map(|failure| text(&failure.task, &failure.diagnostics));
        failures.collect::<Vec<_>>().join("\n\n")
    })?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let path = out.join(&header.file_name);
    std::fs::write(&path, &header.text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}", path.display());
    for function in &header.functions {
        println!("  {function}");
    }
    Ok(())
}
