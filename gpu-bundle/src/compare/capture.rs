//! The files that a run leaves: pilots and results. `docs/comparing.md` states the format.

use crate::provenance::Provenance;
use serde::Serialize;
use std::collections::BTreeMap;

/// Files of the machine and their digests.
pub(super) type Artifacts = BTreeMap<String, String>;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Pilots {
    pub(super) schema: &'static str,
    pub(super) protocol_sha256: String,
    pub(super) artifacts: Artifacts,
    /// Versions of the peers that the machine has.
    pub(super) peers: BTreeMap<String, String>,
    /// Digest of the inputs, by cell and round.
    pub(super) input_sha256: BTreeMap<String, Vec<String>>,
    pub(super) kernels: Vec<Pilot>,
    pub(super) failures: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Pilot {
    pub(super) cell: String,
    pub(super) variant: &'static str,
    pub(super) facts: Facts,
    pub(super) check: Check,
    /// Never used, not even to pick a winner.
    pub(super) host_samples_ns: Vec<f64>,
}

/// What a loaded kernel is and how it is launched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Facts {
    pub(super) plan_sha256: String,
    pub(super) source_sha256: String,
    pub(super) options_sha256: String,
    pub(super) module_sha256: String,
    pub(super) registers: u32,
    pub(super) local_bytes: u32,
    pub(super) shared_bytes: u32,
    pub(super) module_bytes: usize,
    pub(super) grid: [u64; 3],
    pub(super) block: [u64; 3],
    pub(super) dynamic_bytes: u64,
    pub(super) launches: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Results {
    pub(super) schema: &'static str,
    pub(super) meta: Meta,
    pub(super) rows: Vec<Row>,
    pub(super) summary: BTreeMap<String, CellSummary>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Meta {
    pub(super) provenance: Provenance,
    pub(super) protocol_sha256: String,
    pub(super) pilots_sha256: String,
    pub(super) load: Load,
    pub(super) artifacts: Fingerprints,
    pub(super) ceilings: Ceilings,
    pub(super) rows_expected: usize,
    pub(super) failures_retained: usize,
}

/// Processes that waited over a minute.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Load {
    pub(super) before: Option<f64>,
    pub(super) after: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Fingerprints {
    pub(super) before: Artifacts,
    pub(super) after: Artifacts,
    pub(super) unchanged: bool,
}

/// What the device does at best, sampled between rounds.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Ceilings {
    pub(super) copy_gbs: Vec<f64>,
    pub(super) read_gbs: Vec<f64>,
    /// An empty kernel, by metric.
    pub(super) empty_kernel_ns: BTreeMap<String, Vec<f64>>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) seq: usize,
    pub(super) round: u64,
    /// 1 where the clock was low and the round of the cell was measured again.
    pub(super) attempt: u64,
    pub(super) visit: usize,
    pub(super) cell: String,
    pub(super) variant: &'static str,
    pub(super) lane_order: [&'static str; 2],
    pub(super) regime: String,
    pub(super) requested_view: &'static str,
    pub(super) acknowledged_view: &'static str,
    pub(super) valid: bool,
    pub(super) error: Option<String>,
    pub(super) clocks: Option<Clocks>,
    pub(super) own: Option<Lane>,
    pub(super) peers: Vec<Lane>,
}

/// Megahertz before and after a visit.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Clocks {
    pub(super) sm_before: u32,
    pub(super) sm_after: u32,
    pub(super) mem_before: u32,
    pub(super) mem_after: u32,
}

/// One contender of a visit.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) facts: Option<Facts>,
    pub(super) input_sha256: String,
    pub(super) sets: Sets,
    pub(super) warmup_us: f64,
    pub(super) reps: BTreeMap<String, u64>,
    pub(super) samples_ns: BTreeMap<String, Vec<f64>>,
    pub(super) per_call_ns: BTreeMap<String, f64>,
    pub(super) before: Check,
    pub(super) after: Check,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Sets {
    pub(super) n: u64,
    /// Distinct bytes that one call touches.
    pub(super) bytes: u64,
    pub(super) pointers_distinct: bool,
    pub(super) is_restored: bool,
}

/// A complete output against the exact one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Check {
    pub(super) elements: u64,
    /// Largest error as a fraction of its bound; `None` for a NaN.
    pub(super) worst: Option<f64>,
    pub(super) guards_ok: bool,
    pub(super) poison_left: u64,
}

impl Check {
    pub(super) fn passes(&self) -> bool {
        self.worst.is_some_and(|worst| worst <= 1.0) && self.guards_ok && self.poison_left == 0
    }
}

/// Ratios of one cell in one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Ratios {
    pub(super) ratios: Vec<f64>,
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) class: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct CellSummary {
    /// Reference over candidate.
    pub(super) variants: BTreeMap<String, Ratios>,
    /// Peer over candidate, in the candidate's visits.
    pub(super) peers: BTreeMap<String, BTreeMap<String, Ratios>>,
    pub(super) fastest_peer: Option<String>,
}
