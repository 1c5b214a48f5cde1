//! A capture of `glass-gpu bench`, read back. Raw samples count, not what the file makes of them.

use crate::rig::median;
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

/// What the bench writes first.
const SCHEMA: &str = "glass.bench.v1";

/// Fewer samples have no spread.
const MIN_SAMPLES: usize = 3;

/// A capture whose numbers are all times and bandwidths.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Capture {
    schema: String,
    pub(super) provenance: Provenance,
    copies: Vec<CopySample>,
    empty_kernel_ns: Vec<f64>,
    /// In the order in which they were measured.
    #[serde(rename = "rows")]
    pub(super) cells: Vec<Cell>,
    pub(super) failures: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Provenance {
    pub(super) device: String,
    pub(super) arch: u32,
    pub(super) driver: String,
    pub(super) nvrtc: String,
    pub(super) date: String,
    pub(super) revision: String,
}

#[derive(Clone, Debug, Deserialize)]
struct CopySample {
    gbs: f64,
}

/// One kernel at one batch size.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Cell {
    device: String,
    key: String,
    batch: u64,
    pub(super) mapping: String,
    pub(super) hash: String,
    pub(super) regime: Regime,
    pub(super) declared_bytes: u64,
    pub(super) clock: String,
    samples_ns: Vec<f64>,
    /// Of a second visit; captures made before there was one have none.
    #[serde(default)]
    again_ns: Vec<f64>,
    pub(super) check: String,
}

/// Never compared with one another.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Regime {
    Launch,
    L2Warm,
    DramCold,
    /// Neither in cache nor out of it: kept, never scored.
    Mixed,
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Regime::Launch => "launch-bound",
            Regime::L2Warm => "L2-warm",
            Regime::DramCold => "DRAM-cold",
            Regime::Mixed => "mixed",
        })
    }
}

impl Capture {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is none of the bench, repeats a cell, or holds a sample that is no time.
    pub(super) fn read(path: &Path) -> Result<Capture, String> {
        let at = |reason: String| format!("{}: {reason}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
        Capture::parse(&text).map_err(at)
    }

    pub(super) fn parse(text: &str) -> Result<Capture, String> {
        let capture: Capture = serde_json::from_str(text)
            .map_err(|error| format!("no capture of `glass-gpu bench`: {error}"))?;
        if capture.schema != SCHEMA {
            return Err(format!("schema `{}`, allowed: `{SCHEMA}`", capture.schema));
        }
        let copies: Vec<f64> = capture.copies.iter().map(|copy| copy.gbs).collect();
        positive("copies", &copies)?;
        positive("empty_kernel_ns", &capture.empty_kernel_ns)?;
        let mut seen = HashSet::new();
        for cell in &capture.cells {
            let name = cell.name();
            positive(&name, &cell.samples_ns)?;
            if !cell.again_ns.is_empty() {
                positive(&format!("{name}, second visit"), &cell.again_ns)?;
            }
            if cell.declared_bytes == 0 {
                return Err(format!("{name}: declares no bytes"));
            }
            if !seen.insert(name.clone()) {
                return Err(format!("{name}: there twice"));
            }
        }
        Ok(capture)
    }

    /// C, in units of 10^9 bytes per second.
    pub(super) fn copy_gbs(&self) -> f64 {
        let copies: Vec<f64> = self.copies.iter().map(|copy| copy.gbs).collect();
        median(&copies)
    }

    pub(super) fn empty_ns(&self) -> f64 {
        median(&self.empty_kernel_ns)
    }

    /// The same cell of this capture.
    pub(super) fn cell(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.name() == name)
    }
}

impl Cell {
    /// Device, task, layout and batch: what makes it the same cell in another capture. An adapter's name has its driver
    /// in brackets, which is no part of that.
    pub(super) fn name(&self) -> String {
        let device = self.device.split(" (").next().unwrap_or_default();
        format!("{device} {} at {}", self.key, self.batch)
    }

    /// Nanoseconds of a launch.
    pub(super) fn ns(&self) -> f64 {
        median(&self.samples_ns)
    }

    pub(super) fn has_second_visit(&self) -> bool {
        !self.again_ns.is_empty()
    }

    /// How far a time of this run is from another one of the same kernel, as a part of it: the larger one of how far the
    /// second visit is from the first, and of what the middle half of a visit's samples spans. One slow sample moves no
    /// median and does not count.
    pub(super) fn spread(&self) -> f64 {
        let within = |samples: &[f64]| (quantile(samples, 0.75) - quantile(samples, 0.25)) / median(samples);
        let first = within(&self.samples_ns);
        if !self.has_second_visit() {
            return first;
        }
        let between = (median(&self.again_ns) / self.ns() - 1.0).abs();
        first.max(within(&self.again_ns)).max(between)
    }
}

/// With linear interpolation.
fn quantile(samples: &[f64], part: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() - 1) as f64 * part;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

fn positive(of: &str, samples: &[f64]) -> Result<(), String> {
    if samples.len() < MIN_SAMPLES {
        return Err(format!("{of}: {} samples, at least {MIN_SAMPLES} have a spread", samples.len()));
    }
    match samples.iter().find(|sample| !(sample.is_finite() && **sample > 0.0)) {
        Some(sample) => Err(format!("{of}: a sample of {sample}, allowed: above 0 and finite")),
        None => Ok(()),
    }
}
