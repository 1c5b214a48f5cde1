//! The saved figures: where they come from, and every raw sample.

use crate::contenders::Contender;
use crate::samples::Samples;
use glass::rt::kernel::{Form, Variant};
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Everything `--save` writes.
pub(crate) struct Record {
    n_problems: usize,
    load_before: Option<String>,
    cases: Vec<Value>,
}

impl Record {
    pub(crate) fn new(n_problems: usize) -> Self {
        Self { n_problems, load_before: load(), cases: Vec::new() }
    }

    pub(crate) fn add(
        &mut self,
        dtype: &str,
        layout: &str,
        variant: &Variant,
        bytes: usize,
        worst_fraction_of_bound: f64,
        samples: &Samples,
    ) {
        let form = match variant.plan.form {
            Form::Serial => "serial".to_owned(),
            Form::Reduced { lanes_per_output } => format!("reduced over {lanes_per_output}"),
        };
        let contenders: Vec<Value> = samples
            .of_each()
            .map(|(contender, samples_ns)| json!({ "name": contender.name(), "samples_ns": samples_ns }))
            .collect();
        let [sum, one_thread, all_threads] =
            [Contender::ParallelSum, Contender::Nalgebra, Contender::NalgebraParallel]
                .map(|contender| samples.ratio(contender));
        self.cases.push(json!({
            "symbol": variant.symbol,
            "source_hash": variant.hash,
            "dtype": dtype,
            "layout": layout,
            "form": form,
            "n_out": 7,
            "k": 14,
            "bytes": bytes,
            "worst_fraction_of_bound": worst_fraction_of_bound,
            "ratio_columns": ["median", "min", "max"],
            "bandwidth_of_parallel_sum": sum,
            "speed_over_nalgebra_one_thread": one_thread,
            "speed_over_nalgebra_all_threads": all_threads,
            "contenders": contenders,
        }));
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let record = json!({
            "bench": "host_gemv",
            "command": format!("cargo bench --bench host_gemv -- --problems {} --save", self.n_problems),
            "machine": {
                "cpu": cpu_model(),
                "threads": rayon::current_num_threads(),
                "load_before": self.load_before,
                "load_after": load(),
            },
            "rustc": output("rustc", &["--version"]),
            "revision": output("git", &["describe", "--always", "--dirty"]),
            "clock": "host monotonic, one pass per sample, contenders interleaved",
            "n_problems": self.n_problems,
            "cases": self.cases,
        });
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, serde_json::to_string_pretty(&record)? + "\n")?;
        Ok(())
    }
}

/// The processor's own name and, since virtual machines shorten it, its family and model numbers.
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim())
    };
    let (family, model) = (field("cpu family").unwrap_or("?"), field("model").unwrap_or("?"));
    Some(format!("{} (family {family}, model {model})", field("model name")?))
}

fn load() -> Option<String> {
    Some(fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.to_owned())
}

/// First line a command prints; `None` where the command is missing or fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned())
}
