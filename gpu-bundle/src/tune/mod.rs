//! Captures the tuning table of the GPU at hand.
//!
//! Every candidate of every cell is compiled and checked first; what spills, compiles slowly or computes other bits
//! is recorded and never timed. Then cell by cell and band by band the rest is timed in interleaved rounds, the
//! choice meets its fastest rival once more, and the rule of [`rule`] decides.

pub(crate) mod candidates;
pub(crate) mod cells;
mod rule;
pub(crate) mod session;
mod table;

use crate::cuda::Gpu;
use crate::options::Tune;
use crate::output::{self, Lines};
use crate::provenance::{self, Provenance};
use crate::regime::Rotation;
use crate::rig::{CopySample, Rig, median};
use crate::worker::{self, Depth};
use candidates::{Candidate, Prepared};
use cells::{BATCHES, Cell};
use serde::Serialize;
use session::{Band, Loaded};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::CellRows;

/// Cells between two samples of the copy bandwidth and two states of the table on disk.
const N_CELLS_BETWEEN: usize = 60;

pub(crate) fn run(options: &Tune) -> Result<(), String> {
    let mut cells = cells::cells();
    if let Some(texts) = &options.cells {
        cells.retain(|cell| texts.split(',').any(|text| cell.key.contains(text)));
    }
    if options.new {
        cells.retain(|cell| glass_codegen::table::lookup(&cell.spec, cell.layout).is_empty());
    }
    if cells.is_empty() {
        return Err("nothing to tune: no cell matches `--cells` and `--new`".to_owned());
    }
    let images = std::env::temp_dir().join(format!("glass-gpu-images-{}", std::process::id()));
    let mut candidates: Vec<Vec<Candidate>> =
        cells.iter().map(|cell| candidates::of(cell, &images)).collect();
    if options.dry_run {
        return dry_run(options, &cells, &mut candidates);
    }
    let started = Instant::now();
    output::folder(&options.out)?;
    output::folder(&images)?;
    let gpu = Gpu::open(0)?;
    let provenance = Provenance::of(Some(&gpu))?;
    let mut lines = Lines::create(options.out.join("tune_candidates.jsonl"))?;
    lines.push(&provenance)?;
    let prepared =
        candidates::prepare(&cells, &mut candidates, "cuda", Depth::Gate, options.n_jobs, &mut lines)?;
    if prepared.n_accepted == 0 {
        return Err(format!("{prepared}\n{}", prepared.failures.first().map_or("", String::as_str)));
    }
    let compile_s = started.elapsed().as_secs_f64();

    let rotations = cells
        .iter()
        .flat_map(|cell| cell.batches().map(|batch| Rotation::new(&cell.spec, cell.layout, batch)));
    let mut capture = Capture::new(Rig::new(gpu, rotations)?, provenance, &options.out)?;
    for (cell_idx, (cell, candidates)) in cells.iter().zip(&candidates).enumerate() {
        if cell_idx % N_CELLS_BETWEEN == 0 {
            capture.checkpoint()?;
            let seconds = started.elapsed().as_secs();
            eprintln!("cell {cell_idx}/{} after {seconds} s: {}", cells.len(), cell.key);
        }
        if let Err(reason) = capture.cell(cell, candidates) {
            eprintln!("{}: {reason}", cell.key);
            capture.failures.push(format!("{}: {reason}", cell.key));
            capture.samples.push(&Failure { key: &cell.key, failure: &reason })?;
        }
    }
    capture.checkpoint()?;
    // Images are of no use once everything is measured.
    let _ = std::fs::remove_dir_all(&images);
    capture.report(&prepared, compile_s, started.elapsed().as_secs_f64());
    Ok(())
}

/// What has been measured so far, in memory and on disk.
struct Capture {
    rig: Rig,
    provenance: Provenance,
    table_path: PathBuf,
    samples: Lines,
    copies: Vec<CopySample>,
    rows: Vec<CellRows>,
    failures: Vec<String>,
    /// Bands in which each mapping was chosen.
    wins: BTreeMap<String, [usize; BATCHES.len()]>,
}

#[derive(Serialize)]
struct Failure<'a> {
    key: &'a str,
    failure: &'a str,
}

/// State of the machine between cells.
#[derive(Serialize)]
struct Checkpoint<'a> {
    copies: &'a [CopySample],
    empty_kernel_ns: Vec<f64>,
    clocks: String,
}

impl Capture {
    fn new(rig: Rig, provenance: Provenance, out: &Path) -> Result<Capture, String> {
        let mut samples = Lines::create(out.join("tune_samples.jsonl"))?;
        samples.push(&provenance)?;
        Ok(Capture {
            rig,
            table_path: out.join(format!("sm_{}.toml", provenance.arch)),
            provenance,
            samples,
            copies: Vec::new(),
            rows: Vec::new(),
            failures: Vec::new(),
            wins: BTreeMap::new(),
        })
    }

    /// Samples C and the launch floor, and writes the table as it stands.
    fn checkpoint(&mut self) -> Result<(), String> {
        let copies = self.rig.copy_bandwidth(3)?;
        let empty_kernel_ns = (0..5).map(|_| self.rig.time_empty(40)).collect::<Result<_, _>>()?;
        let clocks = provenance::clocks();
        self.samples.push(&Checkpoint { copies: &copies, empty_kernel_ns, clocks })?;
        self.copies.extend(copies);
        let gbs: Vec<f64> = self.copies.iter().map(|copy| copy.gbs).collect();
        output::replace(&self.table_path, &table::toml(&self.provenance, &gbs, &BATCHES, &self.rows))
    }

    fn cell(&mut self, cell: &Cell, candidates: &[Candidate]) -> Result<(), String> {
        let mut loaded = Vec::new();
        for (candidate_idx, candidate) in candidates.iter().enumerate() {
            if candidate.rejected.is_none() {
                loaded.push(Loaded::new(candidate_idx, candidate)?);
            }
        }
        let mut rows = Vec::new();
        let mut chosen = Vec::new();
        for batch in cell.batches() {
            let Band { row, .. } = {
                let band = session::band(&mut self.rig, &cell.key, &loaded, batch)?;
                self.samples.push(&band)?;
                band
            };
            let row = row.ok_or("no serial candidate is left")?;
            chosen.push(row.mapping.clone());
            rows.push(row);
        }
        for (band_idx, mapping) in chosen.into_iter().enumerate() {
            self.wins.entry(mapping).or_default()[band_idx] += 1;
        }
        self.rows.push(CellRows { key: cell.key.clone(), rows });
        Ok(())
    }

    fn report(&self, prepared: &Prepared, compile_s: f64, total_s: f64) {
        println!("\n{} on {}", self.provenance.command, self.provenance.device);
        println!("cells chosen by mapping and batch {BATCHES:?}:");
        for (mapping, wins) in &self.wins {
            let counts: String = wins.iter().map(|count| format!("{count:>7}")).collect();
            println!("  {mapping:<28}{counts}");
        }
        println!("examples, nanoseconds per problem by batch:");
        let shown = ["_m7_k14 ", "posv_f32_n14 ", "riccati_gain_f32_nx14_nu7 "];
        let is_shown = |cell: &&CellRows| shown.iter().any(|text| cell.key.contains(text));
        for CellRows { key, rows } in self.rows.iter().filter(is_shown) {
            println!("  {key}");
            for (batch, row) in BATCHES.iter().zip(rows) {
                println!(
                    "    {batch:>8}  {:<28} {:>10.4}  serial {:>10.4}",
                    row.mapping, row.ns, row.serial_ns
                );
            }
        }
        let gbs: Vec<f64> = self.copies.iter().map(|copy| copy.gbs).collect();
        let (low, high) =
            gbs.iter().fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(*x), high.max(*x)));
        println!("C = {:.0} GB/s, {} samples, {low:.0} to {high:.0}", median(&gbs), gbs.len());
        for failure in self.failures.iter().chain(&prepared.failures).take(20) {
            println!("FAIL {}", failure.chars().take(300).collect::<String>());
        }
        println!("{prepared}");
        let (n_cells, n_failed) = (self.rows.len(), self.failures.len());
        println!("{n_cells} cells, {n_failed} failed; compiling {compile_s:.0} s, in all {total_s:.0} s");
    }
}

/// Lists what a run would do and, if asked to, compiles it, which takes NVRTC but no GPU.
fn dry_run(options: &Tune, cells: &[Cell], candidates: &mut [Vec<Candidate>]) -> Result<(), String> {
    for (cell, candidates) in cells.iter().zip(candidates.iter()) {
        let largest = cell.batches().last().expect("a GPU holds one problem");
        let gigabytes = Rotation::new(&cell.spec, cell.layout, largest).bytes_per_call() as f64 / 1e9;
        println!(
            "{:<44} {:>3} candidates, {gigabytes:>7.2} GB at the largest batch",
            cell.key,
            candidates.len()
        );
    }
    let n_candidates: usize = candidates.iter().map(Vec::len).sum();
    println!("{} cells, {n_candidates} candidates, batches {BATCHES:?}", cells.len());
    if options.compile {
        output::folder(&options.out)?;
        let mut lines = Lines::create(options.out.join("tune_compiled.jsonl"))?;
        let started = Instant::now();
        let prepared = candidates::prepare(
            cells,
            candidates,
            worker::COMPILER,
            Depth::Gate,
            options.n_jobs,
            &mut lines,
        )?;
        for failure in &prepared.failures {
            println!("FAIL {failure}");
        }
        let seconds = started.elapsed().as_secs_f64();
        println!("{prepared}; {seconds:.0} s on {} workers", options.n_jobs);
    }
    Ok(())
}
