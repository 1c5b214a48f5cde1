//! `glass emit`.

use crate::explain::text;
use crate::manifest;
use glass_audit::Failure;
use glass_codegen::Builder;
use std::io::Write;
use std::path::Path;

/// Writes `DIR/<stem of SPEC.toml>.cuh`.
pub(crate) fn run(spec: &Path, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let read = std::fs::read_to_string(spec).map_err(|error| format!("{}: {error}", spec.display()))?;
    let tasks = manifest::parse(&read).map_err(|mistakes| format!("{}:\n{mistakes}", spec.display()))?;
    let stem =
        spec.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| "the file has no name".to_owned())?;
    let mut builder = Builder::new(stem);
    for task in tasks {
        builder = builder.task(&task.name, task.fields);
    }
    let header = builder.device_functions().map_err(|failures| {
        let failures = failures.iter().map(|failure| text(&failure.task, &failure.diagnostics));
        failures.collect::<Vec<_>>().join("\n\n")
    })?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join(&header.file_name);
    std::fs::write(&path, &header.text).map_err(|error| format!("{}: {error}", path.display()))?;
    writeln!(out, "{}", path.display())?;
    for function in &header.functions {
        writeln!(out, "  {function}")?;
    }
    Ok(())
}
