//! Published ratios: within a round, never across.

use super::capture::{CellSummary, Lane, Ratios, Row};
use super::declaration::{Declaration, METRICS};
use super::order::VISITS;
use crate::rig::median;
use std::collections::BTreeMap;

/// Nanoseconds of one call in one visit.
pub(super) fn per_call(
    samples_ns: &BTreeMap<String, Vec<f64>>,
    reps: &BTreeMap<String, u64>,
) -> BTreeMap<String, f64> {
    let call = |(metric, samples): (&String, &Vec<f64>)| {
        let n_calls = reps.get(metric).copied().unwrap_or(1);
        (metric.clone(), median(samples) / n_calls as f64)
    };
    samples_ns.iter().map(call).collect()
}

/// Every cell of the declaration, won or lost.
pub(super) fn summary(declaration: &Declaration, rows: &[Row]) -> BTreeMap<String, CellSummary> {
    declaration.cells.iter().map(|cell| (cell.id.clone(), of_cell(rows, &cell.id))).collect()
}

fn of_cell(rows: &[Row], cell: &str) -> CellSummary {
    let mut rounds: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.cell == cell) {
        let of_round = rounds.entry(row.round).or_default();
        // A second attempt replaces the first.
        of_round.retain(|other| other.attempt == row.attempt);
        of_round.push(row);
    }
    rounds.retain(|_, rows| rows.len() == VISITS && rows.iter().all(|row| row.valid));
    let rounds: Vec<Vec<&Row>> = rounds.into_values().collect();
    let mut names: Vec<&String> = Vec::new();
    for lane in rows.iter().filter(|row| row.cell == cell).flat_map(|row| &row.peers) {
        if !names.contains(&&lane.name) {
            names.push(&lane.name);
        }
    }
    let all = |of: &dyn Fn(&str) -> Ratios| {
        METRICS.iter().map(|metric| ((*metric).to_owned(), of(metric))).collect::<BTreeMap<_, _>>()
    };
    let own = |variant, metric: &str| times(&rounds, variant, |row| row.own.as_ref(), metric);
    let peer = |name: &str, metric: &str| {
        times(&rounds, "B", |row| row.peers.iter().find(|lane| lane.name == name), metric)
    };
    let time_of = |name: &&&String| median(&peer(name, "event_batch"));
    CellSummary {
        variants: all(&|metric| ratios(own("A", metric), own("B", metric))),
        peers: names
            .iter()
            .map(|name| ((*name).clone(), all(&|metric| ratios(peer(name, metric), own("B", metric)))))
            .collect(),
        fastest_peer: names
            .iter()
            .min_by(|left, right| time_of(left).total_cmp(&time_of(right)))
            .map(|name| (*name).clone()),
    }
}

/// A round's time of a lane beside a variant: the mean over that variant's visits.
fn times<'a>(
    rounds: &[Vec<&'a Row>],
    variant: &str,
    lane: impl Fn(&'a Row) -> Option<&'a Lane>,
    metric: &str,
) -> Vec<f64> {
    let of_round = |rows: &Vec<&'a Row>| {
        let visits = rows.iter().filter(|row| row.variant == variant);
        let times: Vec<f64> =
            visits.map(|row| lane(row).map_or(f64::NAN, |lane| lane.per_call_ns[metric])).collect();
        times.iter().sum::<f64>() / times.len() as f64
    };
    rounds.iter().map(of_round).collect()
}

fn ratios(upper: Vec<f64>, lower: Vec<f64>) -> Ratios {
    let ratios: Vec<f64> = upper.iter().zip(&lower).map(|(upper, lower)| upper / lower).collect();
    let (min, max) = ratios
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), ratio| (min.min(*ratio), max.max(*ratio)));
    let class = match (min > 1.0, max < 1.0) {
        (true, _) => "all_positive",
        (_, true) => "all_negative",
        _ => "mixed",
    };
    Ratios { median: median(&ratios), min, max, class, ratios }
}
