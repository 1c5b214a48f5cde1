//! Stored samples: `ops_h200.json` of `glass-gpu bench`, and the candidates of `glass-gpu tune`.

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::RangeInclusive;
use std::path::Path;

/// Captures of the tuning table, earlier ones first: a cell that was measured again is taken from the last.
const TUNED: [&str; 5] = [
    "sm_90_tune_samples.jsonl.gz",
    "sm_90_factors_tune_samples.jsonl.gz",
    "sm_90_tiles_tune_samples.jsonl.gz",
    "sm_90_packed_tune_samples.jsonl.gz",
    "sm_90_groups_tune_samples.jsonl.gz",
];

/// What a picture has room for, and a device could have done.
const EXTENTS: RangeInclusive<u64> = 1..=1024;
const BATCHES: RangeInclusive<u64> = 1..=(1 << 31);
const BYTES: RangeInclusive<f64> = 1.0..=1e13;
const SAMPLES_NS: RangeInclusive<f64> = 1.0..=1e13;
const COPIES_GBS: RangeInclusive<f64> = 1.0..=1e6;

/// A task with its layout, read off a key of either spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) op: String,
    pub(crate) dtype: String,
    pub(crate) layout: String,
    pub(crate) dims: Vec<(String, u64)>,
    /// What differs from the plain op.
    pub(crate) flags: Vec<String>,
}

impl Cell {
    /// `glass_gemm_f32_m4_n4_k4 interleaved`, or `gemm f32 interleaved m4 n4 k4`.
    pub(crate) fn parse(key: &str) -> Option<Cell> {
        let (op, dtype, layout, rest): (String, &str, &str, Vec<&str>) = match key.strip_prefix("glass_") {
            Some(key) => {
                let (symbol, layout) = key.split_once(' ')?;
                let words: Vec<&str> = symbol.split('_').collect();
                let at = words.iter().position(|word| ["f32", "f64"].contains(word))?;
                (words[..at].join("_"), words[at], layout, words[at + 1..].to_vec())
            }
            None => {
                let words: Vec<&str> = key.split(' ').collect();
                let [op, dtype, layout, rest @ ..] = words.as_slice() else { return None };
                ((*op).to_owned(), dtype, layout, rest.to_vec())
            }
        };
        let (mut dims, mut flags) = (Vec::new(), Vec::new());
        for word in rest {
            let at = word.find(|letter: char| letter.is_ascii_digit()).unwrap_or(word.len());
            match word[at..].parse() {
                Ok(extent) if EXTENTS.contains(&extent) => dims.push((word[..at].to_owned(), extent)),
                Ok(_) => return None,
                Err(_) => flags.push(word.to_owned()),
            }
        }
        // Packed storage moves other bytes: an op of its own.
        let n_flags = flags.len();
        flags.retain(|flag| flag != "packed");
        let op = if flags.len() < n_flags { format!("{op}_packed") } else { op };
        Some(Cell { op, dtype: dtype.to_owned(), layout: layout.to_owned(), dims, flags })
    }

    pub(crate) fn dim(&self, name: &str) -> Option<u64> {
        self.dims.iter().find(|(other, _)| other == name).map(|(_, extent)| *extent)
    }

    /// The order of a square problem.
    pub(crate) fn order(&self) -> Option<u64> {
        let (_, first) = self.dims.first()?;
        let is_square = self.dims.iter().all(|(_, extent)| extent == first);
        is_square.then_some(*first)
    }

    /// Multiplications and additions of one problem, for the ops of the roofline.
    pub(crate) fn flops(&self) -> Option<f64> {
        let n = self.dim("n").unwrap_or(1) as f64;
        match self.op.as_str() {
            "gemm" | "gemv" => Some(2.0 * self.dim("m")? as f64 * n * self.dim("k")? as f64),
            "potrf" | "potrf_packed" => Some(n * n * n / 3.0),
            "posv" | "posv_packed" => Some(n * n * n / 3.0 + 2.0 * n * n),
            _ => None,
        }
    }
}

/// The kernel that a struct picks, in the project's own figures.
#[derive(Clone, Debug)]
pub(super) struct Picked {
    pub(super) cell: Cell,
    pub(super) batch: u64,
    pub(super) bytes: f64,
    /// Nanoseconds of one problem, the median of the samples.
    pub(super) ns: f64,
    /// Of the copy bandwidth of the same run; in the cold regime only.
    pub(super) fraction: Option<f64>,
}

#[derive(Deserialize)]
struct Ops {
    copies: Vec<Copy>,
    rows: Vec<OpsRow>,
}

#[derive(Deserialize)]
struct Copy {
    gbs: f64,
}

#[derive(Deserialize)]
struct OpsRow {
    device: String,
    key: String,
    batch: u64,
    regime: String,
    declared_bytes: f64,
    samples_ns: Vec<f64>,
    check: String,
}

/// CUDA rows whose results were right, and C, from the raw samples.
pub(super) fn ops(folder: &Path) -> Result<(Vec<Picked>, f64), String> {
    let path = folder.join("ops_h200.json");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let ops: Ops = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let place = |error: String| format!("{}: {error}", path.display());
    let copies: Vec<f64> = ops.copies.iter().map(|copy| copy.gbs).collect();
    let copy_gbs = median("copies", copies, &COPIES_GBS).map_err(place)?;
    let rows = ops.rows.into_iter().filter(|row| row.device == "cuda" && row.check == "pass");
    let picked = rows.map(|row| {
        let place = |error: String| format!("{}: key `{}`: {error}", path.display(), row.key);
        let cell = Cell::parse(&row.key).ok_or_else(|| place(unknown_key()))?;
        within("batch", row.batch, &BATCHES).map_err(place)?;
        within("declared_bytes", row.declared_bytes, &BYTES).map_err(place)?;
        let ns = median("samples_ns", row.samples_ns, &SAMPLES_NS).map_err(place)?;
        let fraction = (row.regime == "dram_cold").then_some(row.declared_bytes / ns / copy_gbs);
        let per_problem = 1.0 / row.batch as f64;
        Ok(Picked {
            cell,
            batch: row.batch,
            bytes: row.declared_bytes * per_problem,
            ns: ns * per_problem,
            fraction,
        })
    });
    Ok((picked.collect::<Result<_, String>>()?, copy_gbs))
}

/// Medians of all candidates of a cell at one batch size, by mapping, nanoseconds of one problem.
pub(super) type Candidates = BTreeMap<(Cell, u64), BTreeMap<String, f64>>;

#[derive(Deserialize)]
struct Band {
    key: Option<String>,
    batch: Option<u64>,
    #[serde(default)]
    rounds: Vec<Samples>,
}

#[derive(Deserialize)]
struct Samples {
    mapping: String,
    ns: Vec<f64>,
}

pub(super) fn candidates(folder: &Path) -> Result<Candidates, String> {
    let mut candidates = Candidates::new();
    for name in TUNED {
        let path = folder.join(name);
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
            let line = line.map_err(|error| format!("{}: {error}", path.display()))?;
            let band: Band =
                serde_json::from_str(&line).map_err(|error| format!("{}: {error}", path.display()))?;
            let (Some(key), Some(batch)) = (band.key, band.batch) else { continue };
            let place = |error: String| format!("{}: key `{key}`: {error}", path.display());
            let cell = Cell::parse(&key).ok_or_else(|| place(unknown_key()))?;
            within("batch", batch, &BATCHES).map_err(place)?;
            if band.rounds.is_empty() {
                return Err(place("no rounds; allowed: one for each candidate".to_owned()));
            }
            let timed = band.rounds.into_iter().map(|Samples { mapping, ns }| {
                let ns = median(&format!("ns of `{mapping}`"), ns, &SAMPLES_NS).map_err(place)?;
                Ok((mapping, ns / batch as f64))
            });
            let timed = timed.collect::<Result<_, String>>()?;
            candidates.insert((cell, batch), timed);
        }
    }
    Ok(candidates)
}

fn unknown_key() -> String {
    format!(
        "not known; allowed: op, element type, layout and extents from {} to {}",
        EXTENTS.start(),
        EXTENTS.end()
    )
}

fn within<T: PartialOrd + Display>(what: &str, given: T, allowed: &RangeInclusive<T>) -> Result<(), String> {
    if allowed.contains(&given) {
        return Ok(());
    }
    Err(format!("{what} is {given}; allowed: {} to {}", allowed.start(), allowed.end()))
}

/// The middle of numbers that are all allowed, and of one at least.
fn median(what: &str, samples: Vec<f64>, allowed: &RangeInclusive<f64>) -> Result<f64, String> {
    if samples.is_empty() {
        return Err(format!("{what} is empty; allowed: one number or more"));
    }
    for sample in &samples {
        within(what, *sample, allowed)?;
    }
    Ok(middle(samples))
}

/// The median; the mean of the middle pair for an even number.
pub(crate) fn middle(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    match samples.len().is_multiple_of(2) {
        true => 0.5 * (samples[middle - 1] + samples[middle]),
        false => samples[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_key_are_the_same_cell() {
        let new = Cell::parse("glass_gemm_f32_m4_n4_k4 interleaved").unwrap();
        assert_eq!(Some(&new), Cell::parse("gemm f32 interleaved m4 n4 k4").as_ref());
        assert_eq!((new.order(), new.flops()), (Some(4), Some(128.0)));
        let gain = Cell::parse("glass_riccati_gain_f64_nx12_nu4 contiguous").unwrap();
        assert_eq!((gain.op.as_str(), gain.dim("nu"), gain.order()), ("riccati_gain", Some(4), None));
        let transposed = Cell::parse("gemv f32 contiguous m6 n1 k12 alpha beta").unwrap();
        assert_eq!(transposed.flags, ["alpha", "beta"]);
        let packed = Cell::parse("glass_potrf_f32_n7_packed interleaved").unwrap();
        assert_eq!((packed.op.as_str(), packed.flags.is_empty()), ("potrf_packed", true));
        assert_eq!(Cell::parse("nothing"), None);
        assert_eq!(Cell::parse("glass_potrf_f32_n0 interleaved"), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median("ns", vec![3.0, 1.0, 2.0], &SAMPLES_NS), Ok(2.0));
        assert_eq!(median("ns", vec![4.0, 1.0, 2.0, 3.0], &SAMPLES_NS), Ok(2.5));
    }
}
