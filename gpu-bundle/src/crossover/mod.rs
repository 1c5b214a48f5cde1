//! Where a sum shared by lanes beats a serial one, declared first: a map of outputs by terms, and both readings of a
//! published sweep whose labels and kernels disagree.

mod capture;
mod declaration;
mod estimate;
mod mappings;
pub(crate) mod shapes;
mod view;

use crate::cuda::Gpu;
use crate::digest::{declared, sha256};
use crate::options;
use crate::output::{self, Lines};
use crate::provenance::Provenance;
use crate::regime::Rotation;
use crate::rig::Rig;
use crate::tasks;
use crate::tune::candidates::{self, Candidate, candidate};
use crate::tune::cells::Cell;
use crate::worker::Depth;
use capture::{Capture, Header};
use declaration::{ARCH, Declaration, Task};
use std::path::Path;

/// Writes a declaration, and beside it what a person reads; prints the digest to commit and what it costs.
pub(crate) fn declare(options: &options::DeclareCrossover) -> Result<(), String> {
    let declaration = declaration::declare()?;
    let text = serde_json::to_string_pretty(&declaration).map_err(|error| error.to_string())? + "\n";
    let protocol = sha256(&text);
    let head = estimate::head(&declaration, &protocol)?;
    if let Some(folder) = options.file.parent() {
        output::folder(folder)?;
    }
    output::replace(&options.file, &text)?;
    output::replace(&options.file.with_extension("txt"), &estimate::text(&declaration, &head))?;
    print!("{head}");
    Ok(())
}

/// Measures what the declaration says.
pub(crate) fn run(options: &options::Crossover) -> Result<(), String> {
    let declaration: Declaration = declared(&options.declaration, &options.protocol)?;
    declaration.agrees_with(&declaration::declare()?)?;
    let images = std::env::temp_dir().join(format!("glass-gpu-crossover-{}", std::process::id()));
    let (cells, mut contenders) = contenders(&declaration.tasks, &images)?;
    let gpu = Gpu::open(0)?;
    if gpu.arch != ARCH {
        return Err(format!("the device is sm_{}\nallowed: sm_{ARCH}, whose picks are declared", gpu.arch));
    }
    output::folder(&options.out)?;
    output::folder(&images)?;
    let provenance = Provenance::of(Some(&gpu))?;
    let mut lines = Lines::create(options.out.join("crossover_kernels.jsonl"))?;
    lines.push(&provenance)?;
    // A struct launches what the table picks, whether that spills or not.
    let prepared =
        candidates::prepare(&cells, &mut contenders, "cuda", Depth::Batch, options.n_jobs, &mut lines)?;
    if prepared.n_accepted == 0 {
        return Err(format!("{prepared}\n{}", prepared.failures.first().map_or("", String::as_str)));
    }
    let header = Header::new(&options.protocol, provenance, &declaration);
    let rotations = declaration.tasks.iter().zip(&cells).flat_map(|(task, cell)| {
        task.batches.values().map(|batch| Rotation::new(&cell.spec, cell.layout, *batch))
    });
    let mut capture = Capture::new(Rig::new(gpu, rotations)?, header, &options.out)?;
    for (task, contenders) in declaration.tasks.iter().zip(&contenders) {
        capture.task(task, contenders)?;
    }
    // Images are of no use once everything is measured.
    let _ = std::fs::remove_dir_all(&images);
    println!("{prepared}");
    for failure in &prepared.failures {
        println!("FAIL {failure}");
    }
    let n_broken = prepared.failures.len() + capture.close()?;
    if n_broken == 0 { Ok(()) } else { Err(format!("{n_broken} kernels or views failed; they are rows")) }
}

/// Every task as a cell of the tuner with its declared kernels, not yet tried.
fn contenders(declared: &[Task], images: &Path) -> Result<(Vec<Cell>, Vec<Vec<Candidate>>), String> {
    let (mut cells, mut contenders) = (Vec::new(), Vec::new());
    for task in declared {
        let (spec, layout) = tasks::of_key(&task.key)?;
        let cell = Cell { key: task.key.clone(), spec, layout };
        let of_task = task.kernels.keys().map(|mapping| Ok(candidate(&cell, &mapping.parse()?, images)));
        contenders.push(of_task.collect::<Result<Vec<_>, String>>()?);
        cells.push(cell);
    }
    Ok((cells, contenders))
}
