//! Proves the functions behind square roots, reciprocals and pivots on the GPU at hand: floats one by one, doubles by
//! random and hard patterns, against the compiler's correctly rounded ones.

mod tally;
mod text;

use crate::cuda::arena::Arena;
use crate::cuda::module::Module;
use crate::cuda::timer::Timer;
use crate::cuda::{Gpu, nvrtc};
use crate::options::Numerics;
use crate::output::{self, significant};
use crate::provenance::Provenance;
use glass_codegen::spec::DType;
use serde::Serialize;
use std::path::PathBuf;
use tally::{Finding, Tally};
use text::{CONTROL, Family, SWEEPS, Sweep};

/// One sweep of one family.
#[derive(Clone, Debug, Serialize)]
struct Row {
    dtype: &'static str,
    function: &'static str,
    /// Intrinsics of the compiler, `definition` or `bound`.
    reference: String,
    patterns: &'static str,
    n_patterns: u64,
    n_mismatches: u64,
    /// Where the reference is a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_relative_error: Option<f64>,
    /// On the GPU.
    seconds: f64,
    mismatches: Vec<Finding>,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    provenance: Provenance,
    /// Of all sweeps on the GPU.
    seconds: f64,
    rows: Vec<Row>,
    /// Sweeps of a function that is wrong on purpose.
    controls: Vec<Row>,
}

pub(crate) fn run(options: &Numerics) -> Result<(), String> {
    output::folder(&options.out)?;
    let gpu = Gpu::open(0)?;
    let path = options.out.join("numerics.json");
    let provenance = Provenance::of(Some(&gpu))?;
    let report = Report { provenance, seconds: 0.0, rows: Vec::new(), controls: Vec::new() };
    let mut session = Session {
        tally: Arena::new(tally::N_BYTES as u64)?,
        timer: Timer::new()?,
        gpu,
        path,
        report,
        failures: Vec::new(),
    };
    for dtype in [DType::F32, DType::F64] {
        session.sweeps(dtype)?;
    }
    session.print();
    match session.failures.len() {
        0 => Ok(()),
        n_failures => Err(format!("{n_failures} sweeps failed")),
    }
}

struct Session {
    tally: Arena,
    timer: Timer,
    gpu: Gpu,
    path: PathBuf,
    report: Report,
    failures: Vec<String>,
}

impl Session {
    /// All sweeps of one type; the file is whole after each.
    fn sweeps(&mut self, dtype: DType) -> Result<(), String> {
        let cubin = nvrtc::compile(&text::task(dtype), self.gpu.arch)?.cubin;
        for sweep in SWEEPS.into_iter().chain([CONTROL]) {
            let module = Module::load(&cubin, &sweep.kernel(), 0)?;
            let is_control = sweep == CONTROL;
            let families = Family::of(dtype);
            // The control errs so rarely that random patterns need not find it.
            let n_skipped = if is_control { families.len() - 1 } else { 0 };
            for &family in &families[n_skipped..] {
                let (tally, seconds) = self.sweep(&module, dtype, family)?;
                let seconds = significant(seconds, 3);
                self.report.seconds = significant(self.report.seconds + seconds, 3);
                if let Some(failure) = failure(&tally, family.n_patterns(), is_control) {
                    let function = sweep.name;
                    let name = format!("{} {function}, {} patterns", dtype.as_str(), family.as_str());
                    self.failures.push(format!("{name}: {failure}"));
                }
                let row = row(sweep, dtype, family, tally, seconds);
                let rows = if is_control { &mut self.report.controls } else { &mut self.report.rows };
                rows.push(row);
                let text = serde_json::to_string_pretty(&self.report).map_err(|error| error.to_string())?;
                output::replace(&self.path, &(text + "\n"))?;
            }
        }
        Ok(())
    }

    fn sweep(&self, module: &Module, dtype: DType, family: Family) -> Result<(Tally, f64), String> {
        self.tally.set(0, tally::N_BYTES, 0)?;
        let ns = self.timer.time_ungated(&self.gpu, 1, |_| {
            self.gpu.sweep(module, family.number(), family.n_patterns(), self.tally.address())
        })?;
        Ok((Tally::of(&self.tally.read(0, tally::N_BYTES)?, dtype), ns / 1e9))
    }

    fn print(&self) {
        let Report { provenance, seconds, rows, controls } = &self.report;
        println!("\n{} on {}, driver {}", provenance.command, provenance.device, provenance.driver);
        for failure in &self.failures {
            println!("FAIL {failure}");
        }
        println!(
            "{:<5} {:<24} {:<8} {:>11} {:>11} {:>10} {:>8}  reference",
            "dtype", "function", "patterns", "number", "mismatches", "worst", "s"
        );
        for row in rows.iter().chain(controls) {
            let worst = row.worst_relative_error.map_or(String::new(), |worst| format!("{worst:.3e}"));
            println!(
                "{:<5} {:<24} {:<8} {:>11} {:>11} {worst:>10} {:>8.3}  {}",
                row.dtype,
                row.function,
                row.patterns,
                row.n_patterns,
                row.n_mismatches,
                row.seconds,
                row.reference
            );
            for found in &row.mismatches {
                if row.function != CONTROL.name {
                    println!("      {}", shown(found));
                }
            }
        }
        println!("{seconds:.2} s on the GPU; {} is wrong on purpose", CONTROL.name);
    }
}

fn row(sweep: Sweep, dtype: DType, family: Family, tally: Tally, seconds: f64) -> Row {
    Row {
        dtype: dtype.as_str(),
        function: sweep.name,
        reference: sweep.reference(dtype),
        patterns: family.as_str(),
        n_patterns: tally.n_checked,
        n_mismatches: tally.n_mismatches,
        worst_relative_error: sweep.is_bounded().then(|| significant(tally.worst_error, 4)),
        seconds,
        mismatches: tally.findings,
    }
}

/// Why a sweep proves nothing, or the opposite.
fn failure(tally: &Tally, n_patterns: u64, is_control: bool) -> Option<String> {
    if tally.n_checked != n_patterns {
        return Some(format!("{} of {n_patterns} patterns were checked", tally.n_checked));
    }
    match (tally.n_mismatches, is_control) {
        (0, true) => Some("a function that is wrong on purpose passed".into()),
        (1.., false) => Some(format!("{} mismatches", tally.n_mismatches)),
        _ => None,
    }
}

fn shown(found: &Finding) -> String {
    let Finding { input, given, wanted, given_bad, wanted_bad } = found;
    let results = |values: &[String; 2], is_bad: &bool| {
        format!("{} {}{}", values[0], values[1], if *is_bad { " bad" } else { "" })
    };
    format!("{input}: {}, not {}", results(given, given_bad), results(wanted, wanted_bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(n_checked: u64, n_mismatches: u64) -> Tally {
        Tally { n_checked, n_mismatches, worst_error: 1.25e-7, findings: Vec::new() }
    }

    #[test]
    fn a_sweep_fails_by_mismatches_or_patterns_left_out() {
        assert_eq!(failure(&tally(8, 0), 8, false), None);
        assert_eq!(failure(&tally(8, 2), 8, false).unwrap(), "2 mismatches");
        assert_eq!(failure(&tally(7, 0), 8, false).unwrap(), "7 of 8 patterns were checked");
        assert_eq!(failure(&tally(0, 0), 8, true).unwrap(), "0 of 8 patterns were checked");
    }

    #[test]
    fn a_control_fails_by_passing() {
        assert_eq!(failure(&tally(8, 3), 8, true), None);
        assert!(failure(&tally(8, 0), 8, true).unwrap().contains("on purpose"));
    }

    #[test]
    fn errors_are_reported_where_a_bound_is_checked() {
        for sweep in SWEEPS {
            let row = row(sweep, DType::F32, Family::All, tally(8, 0), 0.5);
            let json = serde_json::to_value(&row).unwrap();
            assert_eq!(json.get("worst_relative_error").is_some(), sweep.name == "rsqrt_pivot", "{json}");
            assert_eq!(json["n_patterns"], 8);
            assert_eq!(json["reference"], sweep.reference(DType::F32));
        }
    }

    #[test]
    fn a_finding_is_shown_with_its_flags() {
        let hex = |text: &str| [text.to_owned(), "0".to_owned()];
        let found = Finding {
            input: "80000000".into(),
            given: hex("80000000"),
            wanted: hex("7f800001"),
            given_bad: false,
            wanted_bad: true,
        };
        assert_eq!(shown(&found), "80000000: 80000000 0, not 7f800001 0 bad");
    }
}
