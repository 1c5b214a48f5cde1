//! A capture of `glass-gpu crossover`, as read: raw samples, nothing else is taken from it.

use crate::plot::stored::{Cell, middle};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const SCHEMA: &str = "glass.crossover.v1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum View {
    OneBlock,
    FullGpu,
}

impl View {
    pub(super) const ALL: [View; 2] = [View::OneBlock, View::FullGpu];

    pub(super) fn name(self) -> &'static str {
        match self {
            View::OneBlock => "one problem alone",
            View::FullGpu => "full GPU",
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Header {
    schema: String,
    pub(super) protocol_sha256: String,
    pub(super) provenance: Provenance,
    n_views: usize,
    pub(super) reference: String,
    pub(super) published: Vec<Published>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Provenance {
    pub(super) device: String,
    pub(super) date: String,
}

/// One reading of a label of the published sweep.
#[derive(Debug, Deserialize)]
pub(super) struct Published {
    pub(super) label: String,
    pub(super) meaning: String,
    pub(super) key: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    key: String,
    view: View,
    pick: String,
    timed: Vec<Samples>,
    twice: Option<Samples>,
    failed: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Samples {
    mapping: String,
    ns: Vec<f64>,
}

#[derive(Debug, Deserialize)]
struct Checkpoint {
    empty_kernel_ns: Vec<f64>,
}

/// One task in one view, times as medians of the samples.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) key: String,
    pub(super) cell: Cell,
    pub(super) view: View,
    pub(super) pick: String,
    /// Nanoseconds of a launch, by mapping.
    pub(super) ns: BTreeMap<String, f64>,
    /// The reference once more.
    pub(super) twice_ns: Option<f64>,
    pub(super) failed: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct Capture {
    pub(super) header: Header,
    pub(super) rows: Vec<Timed>,
    pub(super) empty_kernel_ns: Vec<f64>,
}

impl Capture {
    /// Views that were declared and are not there.
    pub(super) fn n_missing(&self) -> usize {
        self.header.n_views.saturating_sub(self.rows.len())
    }

    /// Reads a file, plain or as `.gz`.
    ///
    /// # Errors
    /// The file and line that are not in the format.
    pub(super) fn read(path: &Path) -> Result<Capture, String> {
        let located = |error: std::io::Error| format!("{}: {error}", path.display());
        let (mut file, mut text) = (File::open(path).map_err(located)?, String::new());
        let is_packed = path.extension().is_some_and(|extension| extension == "gz");
        if is_packed {
            MultiGzDecoder::new(file).read_to_string(&mut text)
        } else {
            file.read_to_string(&mut text)
        }
        .map_err(located)?;
        Capture::parse(&text).map_err(|reason| format!("{}, {reason}", path.display()))
    }

    pub(super) fn parse(text: &str) -> Result<Capture, String> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or("line 1: the file is empty")?;
        let header: Header = from(value(first, 1)?, 1)?;
        if header.schema != SCHEMA {
            return Err(format!("line 1: schema `{}`\nallowed: {SCHEMA}", header.schema));
        }
        let (mut rows, mut empty_kernel_ns) = (Vec::<Timed>::new(), Vec::new());
        for (idx, line) in lines {
            let at = idx + 1;
            let value = value(line, at)?;
            if value.get("view").is_some() {
                let row = timed(from(value, at)?).map_err(|reason| format!("line {at}: {reason}"))?;
                if rows.iter().any(|other| (&other.key, other.view) == (&row.key, row.view)) {
                    return Err(format!("line {at}: {}, {} is there twice", row.key, row.view.name()));
                }
                rows.push(row);
            } else if value.get("empty_kernel_ns").is_some() {
                empty_kernel_ns.extend(from::<Checkpoint>(value, at)?.empty_kernel_ns);
            } else if value.get("n_failed").is_none() {
                return Err(format!("line {at}: no view, no state of the machine and no end"));
            }
        }
        Ok(Capture { header, rows, empty_kernel_ns })
    }
}

fn value(line: &str, at: usize) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("line {at}: {error}"))
}

fn from<T: DeserializeOwned>(value: Value, at: usize) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("line {at}: {error}"))
}

fn timed(row: Row) -> Result<Timed, String> {
    let of = |samples: &Samples| {
        let are_times = samples.ns.iter().all(|ns| ns.is_finite() && *ns > 0.0);
        if samples.ns.is_empty() || !are_times {
            return Err(format!("{}: samples {:?} are no times", samples.mapping, samples.ns));
        }
        Ok(middle(samples.ns.clone()))
    };
    let cell = Cell::parse(&row.key).filter(|cell| cell.dim("m").is_some() && cell.dim("k").is_some());
    let cell = cell.ok_or_else(|| format!("`{}` is no product", row.key))?;
    let mut ns = BTreeMap::new();
    for samples in &row.timed {
        if row.failed.contains_key(&samples.mapping)
            || ns.insert(samples.mapping.clone(), of(samples)?).is_some()
        {
            return Err(format!("{} is there twice", samples.mapping));
        }
    }
    let twice_ns = row.twice.as_ref().map(of).transpose()?;
    let Row { key, view, pick, failed, .. } = row;
    Ok(Timed { key, cell, view, pick, ns, twice_ns, failed })
}
