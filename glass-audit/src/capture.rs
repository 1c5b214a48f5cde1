//! The files of a comparison as the auditor reads them: `docs/comparing.md` states the format.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// Everything in a folder of results.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) declaration: Declaration,
    /// Digest of the declaration as stored.
    pub(crate) declaration_sha256: String,
    pub(crate) pilots: Pilots,
    /// Digest of the pilots as stored.
    pub(crate) pilots_sha256: String,
    /// Kernel texts by symbol.
    pub(crate) sources: BTreeMap<String, String>,
    /// Absent while only the pilots have run.
    pub(crate) results: Option<Results>,
}

/// What was fixed before anything was timed.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Declaration {
    pub(crate) schema: String,
    /// Digest of the program that may time.
    pub(crate) binary_sha256: String,
    pub(crate) mode: String,
    pub(crate) order_table: String,
    pub(crate) rounds: u64,
    /// Samples of each metric in a visit.
    pub(crate) samples: usize,
    pub(crate) metrics: Vec<String>,
    pub(crate) options_sha256: String,
    pub(crate) claims: Vec<Claim>,
    pub(crate) not_claimed: Vec<String>,
    pub(crate) cells: Vec<Cell>,
}

/// A gain that the results have to show.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) cell: String,
    /// `A`, the reference, or `peers`, all of them.
    pub(crate) over: String,
    pub(crate) metric: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Cell {
    pub(crate) id: String,
    pub(crate) op: String,
    pub(crate) dims: BTreeMap<String, u64>,
    pub(crate) dtype: String,
    pub(crate) layout: String,
    pub(crate) storage: String,
    pub(crate) batch: u64,
    pub(crate) regime: String,
    pub(crate) bytes: u64,
    pub(crate) flops: u64,
    /// The reference is entered twice; what its ratios differ from 1 is the resolution.
    pub(crate) is_aa: bool,
    pub(crate) a: Variant,
    pub(crate) b: Variant,
    /// `b` is `a` but for these lines.
    pub(crate) control: Option<Control>,
    pub(crate) peers: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Variant {
    pub(crate) mapping: String,
    pub(crate) symbol: String,
    pub(crate) plan: Plan,
    pub(crate) plan_sha256: String,
    pub(crate) source_sha256: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) text: String,
    pub(crate) tier: String,
    pub(crate) threads_per_block: u64,
    pub(crate) problems_per_block: u64,
    pub(crate) shared_bytes: u64,
}

/// First and last line, counted from 1, in which the texts may differ; an empty region ends before it starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    pub(crate) a: [usize; 2],
    pub(crate) b: [usize; 2],
}

/// Files of the machine and their digests.
pub(crate) type Artifacts = BTreeMap<String, String>;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pilots {
    pub(crate) schema: String,
    pub(crate) protocol_sha256: String,
    pub(crate) artifacts: Artifacts,
    /// Versions of the peers that the machine has.
    pub(crate) peers: BTreeMap<String, String>,
    /// Digest of the inputs, by cell and round.
    pub(crate) input_sha256: BTreeMap<String, Vec<String>>,
    pub(crate) kernels: Vec<Pilot>,
    pub(crate) failures: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pilot {
    pub(crate) cell: String,
    pub(crate) variant: String,
    pub(crate) facts: Facts,
    pub(crate) check: Check,
    /// Never used, kept all the same.
    #[serde(rename = "host_samples_ns", deserialize_with = "numbers")]
    pub(crate) _host_samples_ns: Vec<f64>,
}

/// What a loaded kernel is and how it is launched.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    pub(crate) plan_sha256: String,
    pub(crate) source_sha256: String,
    pub(crate) options_sha256: String,
    pub(crate) module_sha256: String,
    pub(crate) registers: u64,
    pub(crate) local_bytes: u64,
    pub(crate) shared_bytes: u64,
    pub(crate) module_bytes: u64,
    pub(crate) grid: [u64; 3],
    pub(crate) block: [u64; 3],
    pub(crate) dynamic_bytes: u64,
    pub(crate) launches: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Results {
    pub(crate) schema: String,
    pub(crate) meta: Meta,
    pub(crate) rows: Vec<Row>,
    pub(crate) summary: BTreeMap<String, CellSummary>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Meta {
    pub(crate) provenance: Provenance,
    pub(crate) protocol_sha256: String,
    pub(crate) pilots_sha256: String,
    pub(crate) artifacts: Fingerprints,
    pub(crate) ceilings: Ceilings,
    pub(crate) rows_expected: usize,
    pub(crate) failures_retained: usize,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Provenance {
    pub(crate) device: String,
    pub(crate) date: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fingerprints {
    pub(crate) before: Artifacts,
    pub(crate) after: Artifacts,
    pub(crate) unchanged: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ceilings {
    #[serde(deserialize_with = "numbers")]
    pub(crate) copy_gbs: Vec<f64>,
    #[serde(deserialize_with = "numbers")]
    pub(crate) read_gbs: Vec<f64>,
    pub(crate) empty_kernel_ns: BTreeMap<String, Vec<f64>>,
}

/// One visit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) seq: usize,
    pub(crate) round: u64,
    /// 0, or 1 where the clock was low and the round of the cell was measured again.
    pub(crate) attempt: u64,
    pub(crate) visit: usize,
    pub(crate) cell: String,
    pub(crate) variant: String,
    pub(crate) lane_order: [String; 2],
    pub(crate) regime: String,
    pub(crate) requested_view: String,
    pub(crate) acknowledged_view: String,
    pub(crate) valid: bool,
    pub(crate) error: Option<String>,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) own: Option<Lane>,
    pub(crate) peers: Vec<Lane>,
}

/// Megahertz before and after a visit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clocks {
    pub(crate) sm_before: u64,
    pub(crate) sm_after: u64,
    #[serde(rename = "mem_before")]
    pub(crate) _mem_before: u64,
    #[serde(rename = "mem_after")]
    pub(crate) _mem_after: u64,
}

/// One contender of a visit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lane {
    /// `own`, or the peer's name.
    pub(crate) name: String,
    /// Of our kernels only.
    pub(crate) facts: Option<Facts>,
    pub(crate) input_sha256: String,
    pub(crate) sets: Sets,
    #[serde(rename = "warmup_us")]
    pub(crate) _warmup_us: f64,
    /// Calls of one sample, for the two batched metrics.
    pub(crate) reps: BTreeMap<String, u64>,
    /// Nanoseconds of whole samples, by metric.
    #[serde(deserialize_with = "samples")]
    pub(crate) samples_ns: BTreeMap<String, Vec<f64>>,
    /// Nanoseconds of one call, as the runner has it.
    pub(crate) per_call_ns: BTreeMap<String, f64>,
    pub(crate) before: Check,
    pub(crate) after: Check,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sets {
    pub(crate) n: u64,
    /// Distinct bytes that one call touches.
    pub(crate) bytes: u64,
    pub(crate) pointers_distinct: bool,
    /// Operands are restored outside the interval, and the cache is swept.
    pub(crate) is_restored: bool,
}

/// A complete output against the exact one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// Elements that were compared.
    pub(crate) elements: u64,
    /// Largest error as a fraction of its bound.
    pub(crate) worst: Option<f64>,
    pub(crate) guards_ok: bool,
    pub(crate) poison_left: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellSummary {
    /// Time of `a` over time of `b`, by metric.
    pub(crate) variants: BTreeMap<String, crate::Ratios>,
    /// Time of a peer over time of `b` in the same visits, by peer and metric.
    pub(crate) peers: BTreeMap<String, BTreeMap<String, crate::Ratios>>,
    /// The peer that takes least time per call by device events.
    pub(crate) fastest_peer: Option<String>,
}

/// JSON has no NaN: a writer's `null` is one.
fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let numbers = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

fn samples<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
    let samples = BTreeMap::<String, Vec<Option<f64>>>::deserialize(deserializer)?;
    let known =
        |numbers: Vec<Option<f64>>| numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect();
    Ok(samples.into_iter().map(|(metric, numbers)| (metric, known(numbers))).collect())
}

impl Cell {
    pub(crate) fn variant(&self, name: &str) -> Option<&Variant> {
        match name {
            "A" => Some(&self.a),
            "B" => Some(&self.b),
            _ => None,
        }
    }
}

impl Row {
    /// Where the row stands, for messages.
    pub(crate) fn place(&self) -> String {
        let attempt = if self.attempt > 0 { format!(", attempt {}", self.attempt) } else { String::new() };
        format!("{}, round {}, visit {}{attempt}", self.cell, self.round, self.visit)
    }

    pub(crate) fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.own.iter().chain(&self.peers)
    }
}
