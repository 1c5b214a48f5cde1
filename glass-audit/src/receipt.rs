//! What an audit found, and what it did not look at.

use crate::capture::{Capture, Results};
use crate::checks::{Recomputed, has_clocks, repeated};
use crate::finding::{Finding, Reason};
use crate::statistics::{Class, Ratios, Verdict, p50};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// `receipt.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Receipt {
    /// `glass.receipt.v1`.
    pub schema: &'static str,
    /// `pass` or `fail`.
    pub status: &'static str,
    /// What was measured on, and when.
    pub device: String,
    /// Day of the run.
    pub date: String,
    /// Digest of the auditing program.
    pub auditor_sha256: String,
    /// Digests of the audited files.
    pub results_sha256: BTreeMap<String, String>,
    /// Digest of the declaration.
    pub protocol_sha256: String,
    /// Visits that failed or were repeated.
    pub visits: Visits,
    /// Statements that were examined.
    pub validations: usize,
    /// Why the capture is rejected, causes first.
    pub findings: Vec<Finding>,
    /// In the order of the declaration.
    pub cells: Vec<CellReport>,
    /// Largest distance from 1 of the reference beside itself, by metric.
    pub resolution: BTreeMap<String, f64>,
    /// Cells of each class, by metric, the pair of equals apart.
    pub counts: BTreeMap<String, Counts>,
    /// What became of every way to falsify this capture.
    pub mutations: Vec<MutationReport>,
    /// What was not examined.
    pub limitations: Vec<String>,
    /// What the declaration says is not claimed.
    pub not_claimed: Vec<String>,
}

/// What did not go as declared, and stays in the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Visits {
    /// Rows of the results.
    pub total: usize,
    /// Visits that failed, by cell; a round with one of them counts nowhere.
    pub failed: BTreeMap<String, usize>,
    /// Rounds that were measured again because the clock fell, by cell.
    pub repeated_rounds: BTreeMap<String, Vec<u64>>,
    /// Whether the runner could read clocks at all.
    pub has_clocks: bool,
}

impl Visits {
    fn of(capture: &Capture, results: &Results) -> Visits {
        let mut visits =
            Visits { total: results.rows.len(), has_clocks: has_clocks(&results.rows), ..Visits::default() };
        for row in results.rows.iter().filter(|row| !row.valid) {
            *visits.failed.entry(row.cell.clone()).or_default() += 1;
        }
        for (round, cell_idx) in repeated(capture, &results.rows) {
            let id = capture.declaration.cells[cell_idx].id.clone();
            visits.repeated_rounds.entry(id).or_default().push(round);
        }
        visits
    }
}

impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_failed: usize = self.failed.values().sum();
        let n_repeated: usize = self.repeated_rounds.values().map(Vec::len).sum();
        writeln!(f, "{} visits, {n_failed} failed, {n_repeated} rounds measured again", self.total)?;
        for (cell, n_failed) in &self.failed {
            writeln!(f, "  {cell}: {n_failed} visits failed, their rounds count nowhere")?;
        }
        for (cell, rounds) in &self.repeated_rounds {
            writeln!(f, "  {cell}: rounds {rounds:?} measured again, the clock fell")?;
        }
        Ok(())
    }
}

/// One cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellReport {
    /// Its name.
    pub id: String,
    /// Its regime.
    pub regime: String,
    /// Declared bytes of one call.
    pub bytes: u64,
    /// Nanoseconds of one call by device events, by variant.
    pub call_ns: BTreeMap<String, f64>,
    /// Declared bytes over time over the bandwidth of a copy, by variant; in the cold regime only.
    pub fraction_of_c: BTreeMap<String, f64>,
    /// Reference over candidate.
    pub metrics: BTreeMap<String, Judged>,
    /// Peer over candidate.
    pub peers: BTreeMap<String, BTreeMap<String, Judged>>,
    /// The peer that takes least time.
    pub fastest_peer: Option<String>,
}

/// Ratios with what may be said of them.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The ratios.
    #[serde(flatten)]
    pub ratios: Ratios,
    /// The verdict.
    pub verdict: Verdict,
}

/// Cells by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Every round positive.
    pub all_positive: usize,
    /// Every round negative.
    pub all_negative: usize,
    /// Rounds disagree.
    pub mixed: usize,
}

/// One falsification.
#[derive(Clone, Debug, Serialize)]
pub struct MutationReport {
    /// Its number in the specification.
    pub id: u32,
    /// What was falsified.
    pub what: &'static str,
    /// The reason for which it has to be rejected.
    pub reason: Reason,
    /// Whether it was, for that reason first; `None` where the capture has nothing to falsify so.
    pub rejected: Option<bool>,
    /// The first finding.
    pub finding: Option<Finding>,
}

const LIMITATIONS: [&str; 7] = [
    "outputs were not archived: coverage, errors, guards and poison are the runner's word",
    "no test was run afresh",
    "texts were not rendered again: they are compared with the digests that the declaration froze",
    "machine code was not disassembled: widths of loads and counts of barriers are not examined",
    "no trace of API calls was taken: launches, copies and waits inside an interval are the runner's word",
    "a pick by the tuning table is compared with the declaration, not with the table",
    "JSON is read by the library that the runner writes it with",
];

const NO_CLOCKS: &str = "no row has clocks: whether the clock fell in a round is unknown";

impl Receipt {
    pub(crate) fn new(
        capture: &Capture,
        recomputed: &Recomputed,
        results: &Results,
        files: impl IntoIterator<Item = (String, String)>,
    ) -> Receipt {
        let meta = &results.meta;
        let visits = Visits::of(capture, results);
        let clocks = if visits.has_clocks { None } else { Some(NO_CLOCKS) };
        let copy_gbs = p50(&meta.ceilings.copy_gbs);
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        let mut cells = Vec::new();
        for cell in &capture.declaration.cells {
            let Some(ratios) = recomputed.cells.get(&cell.id) else { continue };
            let call_ns: BTreeMap<String, f64> =
                recomputed.call_ns(&cell.id).map(|(variant, ns)| (variant.clone(), ns)).collect();
            let is_cold = cell.regime == "dram_cold";
            let fraction = |ns: &f64| cell.bytes as f64 / ns / copy_gbs;
            let judged = |verdict: Option<Verdict>, ratios: &Ratios| Judged {
                ratios: ratios.clone(),
                verdict: verdict.unwrap_or(Verdict::Tie),
            };
            for (metric, ratios) in ratios.variants.iter().filter(|_| !cell.is_aa) {
                let count = counts.entry(metric.clone()).or_default();
                match ratios.class {
                    Class::AllPositive => count.all_positive += 1,
                    Class::AllNegative => count.all_negative += 1,
                    Class::Mixed => count.mixed += 1,
                }
            }
            let metrics = ratios.variants.iter().map(|(metric, ratios)| {
                (metric.clone(), judged(recomputed.verdict(&cell.id, metric), ratios))
            });
            let peers = ratios.peers.iter().map(|(peer, metrics)| {
                let metrics = metrics.iter().map(|(metric, ratios)| {
                    (metric.clone(), judged(recomputed.verdict_of_peer(&cell.id, peer, metric), ratios))
                });
                (peer.clone(), metrics.collect())
            });
            cells.push(CellReport {
                id: cell.id.clone(),
                regime: cell.regime.clone(),
                bytes: cell.bytes,
                fraction_of_c: match is_cold {
                    true => call_ns.iter().map(|(variant, ns)| (variant.clone(), fraction(ns))).collect(),
                    false => BTreeMap::new(),
                },
                call_ns,
                metrics: metrics.collect(),
                peers: peers.collect(),
                fastest_peer: ratios.fastest_peer.clone(),
            });
        }
        Receipt {
            schema: "glass.receipt.v1",
            status: "fail",
            device: meta.provenance.device.clone(),
            date: meta.provenance.date.clone(),
            auditor_sha256: String::new(),
            results_sha256: files.into_iter().collect(),
            protocol_sha256: capture.declaration_sha256.clone(),
            visits,
            validations: 0,
            findings: Vec::new(),
            cells,
            resolution: recomputed.resolution.clone(),
            counts,
            mutations: Vec::new(),
            limitations: LIMITATIONS.iter().chain(&clocks).map(|text| (*text).to_owned()).collect(),
            not_claimed: capture.declaration.not_claimed.clone(),
        }
    }

    /// Whether nothing was found, and every falsification was.
    pub fn passes(&self) -> bool {
        self.status == "pass"
    }
}

/// Findings shown; the rest is counted.
const MAX_SHOWN: usize = 12;

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metric = "event_batch";
        writeln!(f, "{}, {}", self.device, self.date)?;
        writeln!(
            f,
            "by device events, one call; ratios are medians with their range over rounds, above 1 for the candidate"
        )?;
        for cell in &self.cells {
            writeln!(f, "{} ({})", cell.id, cell.regime)?;
            for (variant, ns) in &cell.call_ns {
                let fraction = cell.fraction_of_c.get(variant);
                let fraction = fraction.map(|fraction| format!(", {fraction:.3} of C")).unwrap_or_default();
                writeln!(f, "  {variant} {:>10.3} us{fraction}", ns / 1e3)?;
            }
            let peers = cell.peers.iter().map(|(peer, metrics)| (peer.as_str(), metrics));
            for (rival, metrics) in [("A", &cell.metrics)].into_iter().chain(peers) {
                if let Some(Judged { ratios, verdict }) = metrics.get(metric) {
                    let Ratios { median, min, max, .. } = ratios;
                    writeln!(f, "  {rival} / B {median:.3} ({min:.3} .. {max:.3}), {verdict}")?;
                }
            }
        }
        for (metric, resolution) in &self.resolution {
            writeln!(f, "resolution, {metric}: {resolution:.4}")?;
        }
        write!(f, "{}", self.visits)?;
        for text in &self.not_claimed {
            writeln!(f, "not claimed: {text}")?;
        }
        for text in &self.limitations {
            writeln!(f, "not examined: {text}")?;
        }
        for mutation in &self.mutations {
            let outcome = match mutation.rejected {
                Some(true) => "rejected",
                Some(false) => "NOT REJECTED",
                None => "nothing to falsify",
            };
            writeln!(
                f,
                "mutation {:>2}, {}: {outcome} ({})",
                mutation.id,
                mutation.what,
                mutation.reason.code()
            )?;
        }
        for finding in self.findings.iter().take(MAX_SHOWN) {
            writeln!(f, "FAIL {finding}")?;
        }
        writeln!(
            f,
            "{}: {} statements examined, {} do not hold",
            self.status,
            self.validations,
            self.findings.len()
        )
    }
}
