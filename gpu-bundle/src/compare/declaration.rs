//! What is fixed before anything is timed. `docs/comparing.md` states the format.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Metrics that stay apart, in this order.
pub(super) const METRICS: [&str; 4] = ["e2e_batch", "e2e_single", "event_batch", "event_single"];

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declaration {
    pub(super) schema: String,
    /// Digest of the program that declares, and that alone may time.
    pub(super) binary_sha256: String,
    pub(super) mode: String,
    pub(super) order_table: String,
    pub(super) rounds: u64,
    pub(super) samples: usize,
    pub(super) sample_us: u64,
    pub(super) warmup_ms: u64,
    pub(super) seed: u64,
    pub(super) metrics: Vec<String>,
    pub(super) options_sha256: String,
    pub(super) math_policy: String,
    pub(super) allocation_policy: String,
    pub(super) tolerances: Vec<String>,
    pub(super) exceptions: Vec<String>,
    pub(super) claims: Vec<Claim>,
    pub(super) not_claimed: Vec<String>,
    pub(super) cells: Vec<Cell>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) cell: String,
    /// `A`, the reference, or `peers`, all of them.
    pub(super) over: String,
    pub(super) metric: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cell {
    pub(super) id: String,
    /// The attribute that makes the task.
    pub(super) task: String,
    pub(super) key: String,
    pub(super) op: String,
    pub(super) dims: BTreeMap<String, u64>,
    pub(super) dtype: String,
    pub(super) layout: String,
    pub(super) storage: String,
    pub(super) batch: u64,
    pub(super) regime: String,
    pub(super) bytes: u64,
    pub(super) flops: u64,
    pub(super) is_aa: bool,
    pub(super) a: Variant,
    pub(super) b: Variant,
    pub(super) control: Option<Control>,
    pub(super) peers: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    /// `stated`, or `table`: what the tuning table picks for the batch.
    pub(super) pick: String,
    pub(super) mapping: String,
    pub(super) symbol: String,
    pub(super) plan: Plan,
    pub(super) plan_sha256: String,
    pub(super) source_sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) text: String,
    pub(super) tier: String,
    pub(super) threads_per_block: u64,
    pub(super) problems_per_block: u64,
    pub(super) shared_bytes: u64,
}

/// First and last line, from 1, of the part in which a control differs from its reference, names of kernels apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    pub(super) a: [usize; 2],
    pub(super) b: [usize; 2],
}

impl Declaration {
    /// For people, with the digest of what machines read.
    pub(super) fn text(&self, protocol: &str) -> String {
        let Declaration { rounds, samples, sample_us, warmup_ms, seed, mode, order_table, .. } = self;
        let mut text = format!(
            "protocol {protocol}\nbinary {}\n{rounds} rounds, {mode} by {order_table}, {samples} samples of {sample_us} us, \
             {warmup_ms} ms of warm-up, seed {seed}\n{}\n{}\n",
            self.binary_sha256, self.math_policy, self.allocation_policy
        );
        // Writing to a string cannot fail.
        for cell in &self.cells {
            let twice = if cell.is_aa { ", the reference twice" } else { "" };
            let _ = write!(text, "\n{} x {}, {}{twice}\n", cell.id, cell.batch, cell.regime);
            for (name, variant) in [("A", &cell.a), ("B", &cell.b)] {
                let _ = writeln!(
                    text,
                    "  {name} {} ({}) {}",
                    variant.mapping, variant.pick, variant.source_sha256
                );
            }
            for peer in &cell.peers {
                let _ = writeln!(text, "  peer {peer}");
            }
        }
        text.push('\n');
        for Claim { cell, over, metric } in &self.claims {
            let _ = writeln!(text, "claim: {cell}, B over {over}, {metric}");
        }
        let lists = [
            ("tolerance", &self.tolerances),
            ("exception", &self.exceptions),
            ("not claimed", &self.not_claimed),
        ];
        for (name, lines) in lists {
            for line in lines {
                let _ = writeln!(text, "{name}: {line}");
            }
        }
        text
    }
}
