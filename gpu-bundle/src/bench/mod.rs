//! The figures of the project: the ops of a robot's solver at the sizes users run, both element types and layouts,
//! beside the copy bandwidth of the same run.

mod cuda;
mod wgpu;

use crate::cuda::Gpu;
use crate::options::Bench;
use crate::output;
use crate::provenance::{self, Provenance};
use crate::regime::{self, Regime, Rotation};
use crate::rig::{CopySample, Rig, median};
use glass_codegen::plan::{self, Arch, Mapping, Target};
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::{Request, contract};
use glass_rt::kernel as rt;
use glass_tests::attribute::spec;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is measured, as attributes.
const TASKS: &[&str] = &[
    "contract n_out=7 k=14",
    "contract m=4 n=4 k=4",
    "contract m=6 n=6 k=6",
    "contract m=7 n=7 k=7",
    "contract m=8 n=8 k=8",
    "contract m=12 n=12 k=12",
    "contract m=14 n=14 k=14",
    "potrf n=4",
    "potrf n=6",
    "potrf n=7",
    "potrf n=8",
    "potrf n=12",
    "potrf n=14",
    "potrf n=16",
    "potrf n=24",
    "potrf n=4 packed",
    "potrf n=6 packed",
    "potrf n=7 packed",
    "potrf n=8 packed",
    "potrf n=12 packed",
    "potrf n=14 packed",
    "potrf n=16 packed",
    "potrf n=24 packed",
    "posv n=4 packed",
    "posv n=7 packed",
    "posv n=14 packed",
    "posv n=4",
    "posv n=6",
    "posv n=7",
    "posv n=8",
    "posv n=12",
    "posv n=14",
    "posv n=16",
    "posv n=20",
    "inv n=7",
    "inv n=14",
    "riccati_gain nx=12 nu=4",
    "riccati_gain nx=14 nu=7",
    "riccati_gain nx=36 nu=12",
    "riccati_step nx=12 nu=4",
    "riccati_step nx=14 nu=7",
    "riccati_step nx=36 nu=12",
    "riccati_pass nx=12 nu=4 knots=32",
    "riccati_pass nx=14 nu=7 knots=32",
];

/// A batch far beyond the cache, and two that a solver of many problems has.
const BATCHES: [u64; 3] = [1 << 20, 8192, 4096];

/// The batches of a configuration that a GPU holds.
fn batches(spec: &Spec, layout: Layout) -> impl Iterator<Item = u64> {
    regime::held(spec, layout, &BATCHES)
}

/// Configurations between two samples of the copy bandwidth.
const N_BETWEEN: usize = 8;

/// Samples of every timed kernel, and of every pass over the copies.
const N_SAMPLES: usize = 9;

/// Everything measured, as written.
#[derive(Serialize)]
struct Results {
    schema: &'static str,
    provenance: Provenance,
    clocks: Vec<String>,
    /// Copy bandwidth at the start, between the configurations and at the end.
    copies: Vec<CopySample>,
    /// C: the median of them.
    copy_gbs: f64,
    /// Bandwidth of a stream of reads over 4 GiB. A kernel that writes little may exceed C, never this.
    read_gbs: Vec<f64>,
    /// An empty kernel between two events, launches hidden behind a gate, and as the host issues them.
    empty_kernel_ns: Vec<f64>,
    empty_kernel_ungated_ns: Vec<f64>,
    rows: Vec<Row>,
    failures: Vec<String>,
}

/// One kernel at one batch size.
#[derive(Clone, Debug, Serialize)]
struct Row {
    /// `cuda` or the adapter's name.
    device: String,
    key: String,
    mapping: String,
    /// Content hash of the source.
    hash: String,
    batch: u64,
    regime: Regime,
    declared_bytes: u64,
    n_sets: u64,
    registers: u32,
    local_bytes: u32,
    shared_bytes: u32,
    /// `events`, `timestamps` or `host clock`.
    clock: &'static str,
    n_launches: u64,
    /// Nanoseconds of one launch.
    samples_ns: Vec<f64>,
    /// The same in a second visit, after all cells had their first: how far a time is from its repetition.
    again_ns: Vec<f64>,
    median_ns: f64,
    /// Declared bytes over time, in units of 10^9 bytes per second.
    gbs: f64,
    /// `None` outside the cold regime.
    fraction_of_c: Option<f64>,
    /// Complete output against the oracle, before and after timing.
    check: String,
}

struct Session {
    results: Results,
    path: PathBuf,
}

pub(crate) fn run(options: &Bench) -> Result<(), String> {
    output::folder(&options.out)?;
    let gpu = Gpu::open(0)?;
    let provenance = Provenance::of(Some(&gpu))?;
    let configurations = configurations();
    let rotations: Vec<Rotation> = configurations
        .iter()
        .flat_map(|(spec, layout)| batches(spec, *layout).map(|batch| Rotation::new(spec, *layout, batch)))
        .collect();
    let mut rig = Rig::new(gpu, rotations.into_iter())?;
    let mut session = Session::new(provenance, &options.out);
    let compiled = cuda::compile(rig.gpu.arch, &configurations, &mut session);
    session.ceilings(&rig)?;
    for visit in [cuda::measure, cuda::measure_again] {
        for (idx, (spec, layout)) in configurations.iter().enumerate() {
            if let Err(reason) = visit(&mut rig, &mut session, (spec, *layout), &compiled) {
                session.fail(format!("cuda {}: {reason}", glass_codegen::table::key(spec, *layout)));
            }
            if idx % N_BETWEEN == N_BETWEEN - 1 {
                session.ceilings(&rig)?;
            }
        }
        session.ceilings(&rig)?;
    }
    // The other backend gets the memory and the device to itself.
    drop(rig);
    if let Some(device) = &options.wgpu
        && let Err(reason) = wgpu::measure(&mut session, device)
    {
        session.fail(format!("{device}: {reason}"));
    }
    session.save()?;
    session.report();
    Ok(())
}

/// Factors of interleaved problems leave the opposite triangle alone: there each of its elements is a line of its own.
fn configurations() -> Vec<(Spec, Layout)> {
    let mut configurations = Vec::new();
    for task in TASKS {
        for dtype in [DType::F32, DType::F64] {
            for layout in [Layout::Interleaved, Layout::Contiguous] {
                let has_holes = task.starts_with("potrf") && !task.ends_with("packed");
                let is_sparse = has_holes && layout == Layout::Interleaved;
                let options = if is_sparse { " fill=untouched" } else { "" };
                configurations.push((spec(&format!("{task}{options}"), dtype), layout));
            }
        }
    }
    configurations
}

impl Session {
    fn new(provenance: Provenance, out: &Path) -> Session {
        let path = out.join("ops_h200.json");
        let results = Results {
            schema: "glass.bench.v1",
            provenance,
            clocks: Vec::new(),
            copies: Vec::new(),
            copy_gbs: f64::NAN,
            read_gbs: Vec::new(),
            empty_kernel_ns: Vec::new(),
            empty_kernel_ungated_ns: Vec::new(),
            rows: Vec::new(),
            failures: Vec::new(),
        };
        Session { results, path }
    }

    /// Samples the copy bandwidth and the launch floor; everything so far goes to disk.
    fn ceilings(&mut self, rig: &Rig) -> Result<(), String> {
        let results = &mut self.results;
        results.copies.extend(rig.copy_bandwidth(N_SAMPLES)?);
        results.read_gbs.extend(rig.read_bandwidth(N_SAMPLES)?);
        for _ in 0..N_SAMPLES {
            results.empty_kernel_ns.push(rig.time_empty(40)?);
            results.empty_kernel_ungated_ns.push(rig.time_empty_ungated(200)?);
        }
        results.clocks.push(provenance::clocks());
        let gbs: Vec<f64> = results.copies.iter().map(|copy| copy.gbs).collect();
        results.copy_gbs = median(&gbs);
        self.save()
    }

    /// Adds the samples of a second visit to the row of the first, if that was measured.
    fn add_second_visit(&mut self, device: &str, key: &str, batch: u64, again_ns: Vec<f64>) {
        let of_cell =
            |row: &&mut Row| (row.device.as_str(), row.key.as_str(), row.batch) == (device, key, batch);
        if let Some(row) = self.results.rows.iter_mut().find(of_cell) {
            row.again_ns = again_ns;
        }
    }

    fn fail(&mut self, reason: String) {
        eprintln!("{reason}");
        self.results.failures.push(reason);
    }

    /// Writes the file, with the fractions for C as known now.
    fn save(&mut self) -> Result<(), String> {
        let copy_gbs = self.results.copy_gbs;
        for row in &mut self.results.rows {
            row.fraction_of_c = (row.regime == Regime::DramCold).then_some(row.gbs / copy_gbs);
        }
        let text = serde_json::to_string_pretty(&self.results).map_err(|error| error.to_string())?;
        output::replace(&self.path, &format!("{text}\n"))
    }

    fn report(&self) {
        let Results { provenance, copies, rows, failures, .. } = &self.results;
        println!("\n{} on {}", provenance.command, provenance.device);
        let spread = |samples: &[f64]| {
            let (low, high) =
                samples.iter().fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(*x), high.max(*x)));
            format!("{:.1} ({low:.1} to {high:.1})", median(samples))
        };
        let gbs: Vec<f64> = copies.iter().map(|copy| copy.gbs).collect();
        println!("C {} GB/s, {} samples", spread(&gbs), gbs.len());
        println!("reads {} GB/s", spread(&self.results.read_gbs));
        println!("empty kernel, gated {} ns", spread(&self.results.empty_kernel_ns));
        println!("empty kernel, as issued {} ns", spread(&self.results.empty_kernel_ungated_ns));
        for batch in BATCHES {
            println!("\n{batch} problems: ns per problem, GB/s, fraction of C");
            for row in rows.iter().filter(|row| row.batch == batch) {
                let fraction = row.fraction_of_c.map_or("     ".into(), |fraction| format!("{fraction:.3}"));
                let device = if row.device == "cuda" { "cuda" } else { "wgpu" };
                println!(
                    "{device} {:<46} {:<27} {:>9.4} {:>7.0} {fraction} {}",
                    row.key,
                    row.mapping,
                    row.median_ns / batch as f64,
                    row.gbs,
                    if row.check == "pass" { "" } else { row.check.as_str() }
                );
            }
        }
        for (row, same) in self.pairs() {
            let ratio = same.median_ns / row.median_ns;
            println!(
                "wgpu / cuda speed, {} {} at {}: {ratio:.3} ({})",
                row.key, row.mapping, row.batch, row.clock
            );
        }
        for failure in failures {
            println!("FAIL {failure}");
        }
    }

    /// Every row of another device with the CUDA row of the same plan.
    fn pairs(&self) -> Vec<(&Row, &Row)> {
        let rows = &self.results.rows;
        let same = |row: &Row| {
            rows.iter().find(|other| {
                other.device == "cuda"
                    && (&other.key, &other.mapping, other.batch) == (&row.key, &row.mapping, row.batch)
            })
        };
        rows.iter().filter(|row| row.device != "cuda").filter_map(|row| Some((row, same(row)?))).collect()
    }
}

/// The mapping that the run time chooses for a batch.
pub(crate) fn chosen_mapping(
    spec: &Spec,
    layout: Layout,
    target: Target,
    arch: Option<u32>,
    batch: u64,
) -> Option<Mapping> {
    let request =
        Request { spec: spec.clone(), layout, targets: vec![target], forced: contract::Forced::default() };
    let planned = plan::choices(&request);
    let rows: Vec<rt::Choice> = planned.iter().enumerate().map(|(idx, choice)| row(idx, choice)).collect();
    let chosen = rt::Choice::serving(&rows, target_of(target), arch, batch)?;
    Some(planned[chosen.variant_idx].mapping)
}

/// A planned choice as a row of the run time.
fn row(variant_idx: usize, choice: &plan::Choice) -> rt::Choice {
    let arch = match choice.arch {
        Arch::Any => rt::Arch::Any,
        Arch::AtLeast(arch) => rt::Arch::AtLeast(arch),
        Arch::Exact(arch) => rt::Arch::Exact(arch),
    };
    let plan::Choice { target, min_batch, .. } = choice;
    rt::Choice { target: target_of(*target), arch, min_batch: *min_batch, variant_idx, reason: "planned" }
}

fn target_of(target: Target) -> rt::Target {
    match target {
        Target::Cuda => rt::Target::Cuda,
        Target::Wgsl => rt::Target::Wgpu,
        Target::Host => rt::Target::Host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard;
    use crate::options::Guard;

    /// What a session writes is what the guard reads.
    #[test]
    fn a_second_visit_joins_its_cell_and_the_guard_reads_both() {
        let folder = std::env::temp_dir().join(format!("glass-bench-{}", std::process::id()));
        output::folder(&folder).unwrap();
        let mut session = Session::new(Provenance::of(None).unwrap(), &folder);
        session.results.copies = vec![CopySample { source_bytes: 1 << 30, gbs: 4200.0 }; 3];
        session.results.copy_gbs = 4200.0;
        session.results.empty_kernel_ns = vec![1300.0; 3];
        session.results.rows = BATCHES.map(row).to_vec();
        session.add_second_visit("cuda", "glass_gemv_f32_m7_k14 interleaved", 8192, vec![2100.0; 3]);
        session.add_second_visit("cuda", "glass_gemv_f32_m7_k14 contiguous", 8192, vec![1.0; 3]);
        let visited: Vec<usize> = session.results.rows.iter().map(|row| row.again_ns.len()).collect();
        assert_eq!(visited, [0, 3, 0]);
        session.save().unwrap();
        let written = || session.path.clone();
        let outcome = guard::run(&Guard { old: written(), new: written(), losses_first: false });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(outcome, Ok(()));
    }

    fn row(batch: u64) -> Row {
        Row {
            device: "cuda".into(),
            key: "glass_gemv_f32_m7_k14 interleaved".into(),
            mapping: "thread serial direct t32".into(),
            hash: "ab".into(),
            batch,
            regime: Regime::DramCold,
            declared_bytes: 476 * batch,
            n_sets: 2,
            registers: 64,
            local_bytes: 0,
            shared_bytes: 0,
            clock: "events",
            n_launches: 9,
            samples_ns: vec![2000.0; 3],
            again_ns: Vec::new(),
            median_ns: 2000.0,
            gbs: 238.0,
            fraction_of_c: None,
            check: "pass".into(),
        }
    }
}
