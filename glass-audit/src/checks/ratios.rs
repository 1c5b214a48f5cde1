//! Ratios of all cells, metrics and peers, from the raw samples.

use super::METRICS;
use crate::Ratios;
use crate::capture::{Capture, Cell, Lane, Results, Row};
use crate::finding::{Findings, Reason};
use crate::statistics::{Verdict, p50};
use std::collections::BTreeMap;

/// What the samples say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recomputed {
    pub(crate) cells: BTreeMap<String, CellRatios>,
    /// Of the cell in which the reference meets itself, by metric.
    pub(crate) resolution: BTreeMap<String, f64>,
    /// Declared rounds, and those of them in which the reference met itself.
    pub(crate) n_rounds: usize,
    pub(crate) n_rounds_of_equals: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CellRatios {
    pub(crate) variants: BTreeMap<String, Ratios>,
    pub(crate) peers: BTreeMap<String, BTreeMap<String, Ratios>>,
    pub(crate) fastest_peer: Option<String>,
    /// Nanoseconds of one call by device events, medians over rounds, by variant.
    call_ns: BTreeMap<String, f64>,
    n_valid_rounds: usize,
}

impl Recomputed {
    /// What may be said of the candidate beside the reference.
    pub(crate) fn verdict(&self, cell: &str, metric: &str) -> Option<Verdict> {
        self.judge(self.cells.get(cell)?.variants.get(metric)?, metric)
    }

    /// What may be said of the candidate beside a peer.
    pub(crate) fn verdict_of_peer(&self, cell: &str, peer: &str, metric: &str) -> Option<Verdict> {
        self.judge(self.cells.get(cell)?.peers.get(peer)?.get(metric)?, metric)
    }

    /// Nothing where rounds of the reference beside itself are absent: the resolution might have been larger.
    fn judge(&self, ratios: &Ratios, metric: &str) -> Option<Verdict> {
        let resolution = *self.resolution.get(metric)?;
        (self.n_rounds_of_equals == self.n_rounds).then(|| ratios.verdict(resolution, self.n_rounds))
    }

    /// Rounds of a cell in which no visit failed.
    pub(crate) fn n_valid_rounds(&self, cell: &str) -> usize {
        self.cells.get(cell).map_or(0, |cell| cell.n_valid_rounds)
    }

    pub(crate) fn call_ns(&self, cell: &str) -> impl Iterator<Item = (&String, f64)> {
        self.cells.get(cell).into_iter().flat_map(|cell| cell.call_ns.iter().map(|(name, ns)| (name, *ns)))
    }
}

pub(super) fn recompute(capture: &Capture, results: &Results) -> Recomputed {
    let n_rounds = capture.declaration.rounds as usize;
    let mut recomputed = Recomputed { n_rounds, ..Recomputed::default() };
    for cell in &capture.declaration.cells {
        let ratios = of_cell(capture, results, cell);
        if cell.is_aa {
            recomputed.n_rounds_of_equals = ratios.n_valid_rounds;
            let resolutions = ratios.variants.iter();
            recomputed.resolution =
                resolutions.map(|(metric, ratios)| (metric.clone(), ratios.resolution())).collect();
        }
        recomputed.cells.insert(cell.id.clone(), ratios);
    }
    recomputed
}

fn of_cell(capture: &Capture, results: &Results, cell: &Cell) -> CellRatios {
    let rounds: Vec<Vec<&Row>> =
        (0..capture.declaration.rounds).map(|round| valid_round(results, cell, round)).collect();
    // Values of one lane in one metric, a round each.
    let values = |variant: &'static str, lane: &str, metric: &str| -> Vec<Option<f64>> {
        rounds.iter().map(|rows| value(rows, variant, lane, metric)).collect()
    };
    let ratios = |upper: Vec<Option<f64>>, lower: Vec<Option<f64>>| {
        let pairs = upper.into_iter().zip(lower);
        Ratios::new(pairs.filter_map(|(upper, lower)| Some(upper? / lower?)).collect())
    };
    let median = |values: Vec<Option<f64>>| p50(&values.into_iter().flatten().collect::<Vec<_>>());
    let by_metric = |of: &dyn Fn(&str) -> Ratios| {
        METRICS.iter().map(|metric| ((*metric).to_owned(), of(metric))).collect::<BTreeMap<_, _>>()
    };
    let mut peers = BTreeMap::new();
    let mut fastest: Option<(f64, &String)> = None;
    for peer in cell.peers.iter().filter(|peer| capture.pilots.peers.contains_key(*peer)) {
        let of = |metric: &str| ratios(values("B", peer, metric), values("B", "own", metric));
        peers.insert(peer.clone(), by_metric(&of));
        let ns = median(values("B", peer, "event_batch"));
        if fastest.is_none_or(|(least, _)| ns < least) {
            fastest = Some((ns, peer));
        }
    }
    CellRatios {
        variants: by_metric(&|metric| ratios(values("A", "own", metric), values("B", "own", metric))),
        peers,
        fastest_peer: fastest.map(|(_, peer)| peer.clone()),
        call_ns: ["A", "B"]
            .map(|variant| (variant.to_owned(), median(values(variant, "own", "event_batch"))))
            .into(),
        n_valid_rounds: rounds.iter().filter(|rows| !rows.is_empty()).count(),
    }
}

/// A round's time of a lane beside a variant: the mean of its visits' medians, where every visit is there.
fn value(rows: &[&Row], variant: &str, lane: &str, metric: &str) -> Option<f64> {
    let named =
        |row: &Row| row.lanes().find(|candidate| candidate.name == lane).and_then(|lane| call(lane, metric));
    let of_variant = rows.iter().filter(|row| row.variant == variant);
    let visits: Vec<f64> = of_variant.map(|row| named(row)).collect::<Option<_>>()?;
    (!visits.is_empty()).then(|| visits.iter().sum::<f64>() / visits.len() as f64)
}

/// The rows of a round of a cell, of its last attempt; none if one of them failed.
fn valid_round<'a>(results: &'a Results, cell: &Cell, round: u64) -> Vec<&'a Row> {
    let of_round = || results.rows.iter().filter(move |row| row.round == round && row.cell == cell.id);
    let last = of_round().map(|row| row.attempt).max().unwrap_or(0);
    let rows: Vec<&Row> = of_round().filter(|row| row.attempt == last).collect();
    if rows.iter().all(|row| row.valid) { rows } else { Vec::new() }
}

/// Nanoseconds of one call in one visit.
fn call(lane: &Lane, metric: &str) -> Option<f64> {
    let samples = lane.samples_ns.get(metric)?;
    let reps = if metric.ends_with("_batch") { *lane.reps.get(metric)? } else { 1 };
    Some(p50(samples) / reps as f64)
}

/// What was published against what the samples say.
pub(super) fn published(recomputed: &Recomputed, results: &Results, findings: &mut Findings) {
    for (id, cell) in &recomputed.cells {
        let Some(summary) = results.summary.get(id) else {
            findings.require(Reason::RatioMismatch, false, || format!("{id}: not in the summary"));
            continue;
        };
        let published =
            summary.variants.keys().eq(cell.variants.keys()) && summary.peers.keys().eq(cell.peers.keys());
        findings.require(Reason::RatioMismatch, published, || {
            format!(
                "{id}: published metrics {:?} and peers {:?}",
                summary.variants.keys(),
                summary.peers.keys()
            )
        });
        for (metric, ratios) in &cell.variants {
            agree(&format!("{id}, {metric}"), ratios, summary.variants.get(metric), findings);
        }
        for (peer, metrics) in &cell.peers {
            for (metric, ratios) in metrics {
                let published = summary.peers.get(peer).and_then(|metrics| metrics.get(metric));
                agree(&format!("{id}, {peer}, {metric}"), ratios, published, findings);
            }
        }
        findings.require(Reason::PeerFastest, summary.fastest_peer == cell.fastest_peer, || {
            format!("{id}: {:?} is named, {:?} is the fastest", summary.fastest_peer, cell.fastest_peer)
        });
    }
    let n_cells = recomputed.cells.len();
    findings.require(Reason::RatioMismatch, results.summary.len() == n_cells, || {
        format!("{} cells in the summary, {n_cells} declared", results.summary.len())
    });
}

fn agree(place: &str, ratios: &Ratios, published: Option<&Ratios>, findings: &mut Findings) {
    findings.require(
        Reason::RatioMismatch,
        published.is_some_and(|published| published.agrees(ratios)),
        || format!("{place}: published {published:?}, recomputed {ratios:?}"),
    );
}
