//! Runs every kernel of the grid, and the layout conversions, on the devices at hand.

mod receipt;

use crate::cuda::Gpu;
use crate::kernel_id::KernelId;
use crate::options::Check;
use crate::output::{self, Lines};
use crate::pool::Pool;
use crate::provenance::Provenance;
use crate::worker::{Answer, Depth, Job};
use glass_codegen::plan::Target;
use glass_tests::grid;
use receipt::Row;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest wait for one kernel: compilers of pipelines are slow with long texts, and all cores are busy.
const JOB_LIMIT: Duration = Duration::from_secs(90);

/// One kernel in so many is compiled by the run time itself and travels through its cache on disk; the others are
/// loaded as images, as a program with embedded machine code does.
const BY_RUN_TIME_EVERY: usize = 8;

/// Elements per problem of the converted batches.
const CONVERTED_ELEMENTS: [usize; 9] = [1, 2, 7, 14, 32, 33, 64, 98, 1024];

/// Rows between two states of the receipt on disk.
const N_ROWS_BETWEEN: usize = 100;

pub(crate) fn run(options: &Check) -> Result<(), String> {
    output::folder(&options.out)?;
    let gpu = if options.cuda { Some(Gpu::open(0)?) } else { None };
    let provenance = Provenance::of(gpu.as_ref())?;
    // Workers have contexts of their own; this one was only asked for its name.
    drop(gpu);
    let arch = provenance.arch;
    let name = if arch == 0 { "no_cuda.json".to_owned() } else { format!("sm_{arch}.json") };
    let mut lines = Lines::create(options.out.join("check.jsonl"))?;
    lines.push(&provenance)?;
    let receipt_path = options.out.join(name);
    let mut session = Session {
        lines,
        receipt_path,
        provenance,
        rows: Vec::new(),
        tallies: Vec::new(),
        failures: Vec::new(),
    };
    if options.cuda {
        session.device("cuda", Target::Cuda, options)?;
    }
    if let Some(device) = &options.wgpu {
        session.device(device, Target::Wgsl, options)?;
    }
    session.report()
}

struct Session {
    lines: Lines,
    receipt_path: PathBuf,
    provenance: Provenance,
    rows: Vec<Row>,
    tallies: Vec<Tally>,
    failures: Vec<String>,
}

/// What was done on one device.
struct Tally {
    device: String,
    n_kernels: usize,
    n_conversions: usize,
    n_failed: usize,
    n_spilling: usize,
    n_launches: u64,
    worst_fraction: f64,
    compile_s: f64,
    wall_s: f64,
}

/// One line of `check.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    device: &'a str,
    job: &'a Job,
    #[serde(flatten)]
    answer: &'a Answer,
}

impl Session {
    /// All jobs of one device; a device that cannot be opened fails each of them.
    fn device(&mut self, device: &str, target: Target, options: &Check) -> Result<(), String> {
        let jobs = jobs(target, options.only.as_deref());
        eprintln!("{device}: {} jobs", jobs.len());
        let started = Instant::now();
        let mut tally = Tally {
            device: device.into(),
            n_kernels: 0,
            n_conversions: 0,
            n_failed: 0,
            n_spilling: 0,
            n_launches: 0,
            worst_fraction: 0.0,
            compile_s: 0.0,
            wall_s: 0.0,
        };
        let mut outcome = Ok(());
        Pool::workers(device, options.n_jobs, JOB_LIMIT)?.run(
            &jobs,
            |answer: &Answer| answer.spoilt,
            |job_idx, answer| {
                let answer =
                    answer.unwrap_or_else(|lost| Answer { failure: Some(lost), ..Answer::default() });
                if outcome.is_ok() {
                    outcome = self.record(&jobs[job_idx], answer, &mut tally);
                }
                let n_done = tally.n_kernels + tally.n_conversions;
                if n_done.is_multiple_of(200) || n_done == jobs.len() {
                    let seconds = started.elapsed().as_secs();
                    eprintln!("{device}: {n_done}/{} in {seconds} s, {} failed", jobs.len(), tally.n_failed);
                }
            },
        );
        outcome?;
        tally.wall_s = started.elapsed().as_secs_f64();
        self.tallies.push(tally);
        self.save()
    }

    fn record(&mut self, job: &Job, mut answer: Answer, tally: &mut Tally) -> Result<(), String> {
        match job {
            Job::Kernel { id, .. } => {
                tally.n_kernels += 1;
                if answer.hash.is_empty() {
                    // The worker was lost before it could say what it was working on.
                    let generated = id.generate()?;
                    answer.symbol.clone_from(&generated.variant.symbol);
                    answer.hash.clone_from(&generated.variant.sources[0].hash);
                }
                self.rows.push(row(id, &answer));
            }
            Job::Conversion { dtype, elements } => {
                tally.n_conversions += 1;
                answer.symbol = format!("layout conversion {dtype}, {elements} elements");
            }
        }
        self.lines.push(&Line { device: &tally.device, job, answer: &answer })?;
        tally.n_launches += u64::from(answer.n_launches);
        tally.n_spilling += usize::from(answer.local_bytes > 0);
        tally.worst_fraction = tally.worst_fraction.max(answer.worst_fraction);
        tally.compile_s += answer.compile_ms / 1e3;
        if let Some(failure) = answer.failure {
            tally.n_failed += 1;
            self.failures.push(format!("{} {}: {failure}", tally.device, answer.symbol));
        }
        if self.rows.len().is_multiple_of(N_ROWS_BETWEEN) { self.save() } else { Ok(()) }
    }

    fn save(&self) -> Result<(), String> {
        output::replace(&self.receipt_path, &receipt::json(&self.provenance, &self.rows)?)
    }

    fn report(&self) -> Result<(), String> {
        if self.tallies.iter().all(|tally| tally.n_kernels + tally.n_conversions == 0) {
            return Err("nothing was checked: `--only` matches no kernel".to_owned());
        }
        println!("\n{} on {}", self.provenance.command, self.provenance.device);
        for failure in self.failures.iter().take(25) {
            println!("FAIL {}", failure.chars().take(400).collect::<String>());
        }
        println!(
            "{:<16} {:>8} {:>11} {:>7} {:>9} {:>9} {:>12} {:>10} {:>7}",
            "device",
            "kernels",
            "conversions",
            "failed",
            "spilling",
            "launches",
            "worst/bound",
            "compile s",
            "wall s"
        );
        for tally in &self.tallies {
            let Tally { device, n_kernels, n_conversions, n_failed, n_spilling, n_launches, .. } = tally;
            let worst = if tally.worst_fraction > 0.0 {
                format!("{:.3}", tally.worst_fraction)
            } else {
                "bits".into()
            };
            println!(
                "{device:<16} {n_kernels:>8} {n_conversions:>11} {n_failed:>7} {n_spilling:>9} {n_launches:>9} \
                 {worst:>12} {:>10.1} {:>7.1}",
                tally.compile_s, tally.wall_s
            );
        }
        if self.failures.is_empty() { Ok(()) } else { Err(format!("{} checks failed", self.failures.len())) }
    }
}

fn row(id: &KernelId, answer: &Answer) -> Row {
    let status = match &answer.failure {
        None => "pass".to_owned(),
        Some(failure) => format!("fail: {failure}"),
    };
    Row {
        symbol: answer.symbol.clone(),
        target: id.target.clone(),
        hash: answer.hash.clone(),
        registers: answer.registers,
        local_bytes: answer.local_bytes,
        shared_bytes: answer.shared_bytes,
        status,
    }
}

fn jobs(target: Target, only: Option<&str>) -> Vec<Job> {
    let kernels = grid::of(target).into_iter().enumerate().map(|(entry_idx, entry)| Job::Kernel {
        id: KernelId::new(&entry.spec, entry.layout, entry.target, &entry.mapping),
        depth: Depth::Full,
        image: None,
        by_run_time: entry_idx.is_multiple_of(BY_RUN_TIME_EVERY),
    });
    let dtypes: &[&str] = if target == Target::Cuda { &["f32", "f64"] } else { &["f32"] };
    let conversions = dtypes.iter().flat_map(|dtype| {
        CONVERTED_ELEMENTS.map(|elements| Job::Conversion { dtype: (*dtype).to_owned(), elements })
    });
    let mut jobs: Vec<Job> = kernels.chain(conversions).collect();
    if let Some(text) = only {
        jobs.retain(|job| match job {
            Job::Kernel { id, .. } => format!("{} {} {}", id.key, id.target, id.mapping).contains(text),
            Job::Conversion { dtype, elements } => format!("conversion {dtype} {elements}").contains(text),
        });
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_the_grid_is_a_job_and_can_be_rebuilt() {
        for target in [Target::Cuda, Target::Wgsl] {
            let entries = grid::of(target);
            let jobs = jobs(target, None);
            assert!(entries.len() > 100 && jobs.len() > entries.len());
            for (entry, job) in entries.iter().zip(&jobs) {
                let Job::Kernel { id, .. } = job else { panic!("kernels come first") };
                let (spec, layout) = crate::tasks::of_key(&id.key).unwrap();
                assert_eq!((&spec, layout), (&entry.spec, entry.layout));
                assert_eq!(id.mapping.parse(), Ok(entry.mapping));
            }
        }
    }

    #[test]
    fn a_filter_leaves_what_contains_it() {
        let jobs = jobs(Target::Wgsl, Some("gemv_f32_m7_k14 interleaved wgsl thread"));
        assert!(!jobs.is_empty() && jobs.len() < 20);
    }
}
