//! A small comparison that never ran: three cells, eight rounds, one failed visit, a control pair and two peers.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub(crate) const METRICS: [&str; 4] = ["e2e_batch", "e2e_single", "event_batch", "event_single"];
const BATCH: u64 = 65_536;
const ROUNDS: usize = 8;
const N_SAMPLES: usize = 9;

/// The four files as values, to be falsified before they are written.
#[derive(Clone)]
pub(crate) struct Synthetic {
    pub(crate) declaration: Value,
    pub(crate) sources: Value,
    pub(crate) pilots: Value,
    pub(crate) results: Value,
}

pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Texts of a control pair: the same but for the third line.
fn text(symbol: &str) -> String {
    match symbol {
        "gemm_t32" => "// body of gemm_t32\nc = a * b;\nbounds(32)\n}\n".to_owned(),
        "gemm_t64" => "// body of gemm_t64\nc = a * b;\nbounds(64)\n}\n".to_owned(),
        _ => format!("// {symbol}\nl = root(a);\n"),
    }
}

fn variant(symbol: &str, threads: u64) -> Value {
    let plan = format!("T = {threads}");
    json!({
        "pick": "stated", "mapping": format!("thread serial direct t{threads}"), "symbol": symbol,
        "plan": {"text": plan, "tier": "thread", "threads_per_block": threads, "problems_per_block": threads, "shared_bytes": 0},
        "plan_sha256": digest(&format!("{symbol}\n{plan}")), "source_sha256": digest(&text(symbol)),
    })
}

fn facts(variant: &Value) -> Value {
    let threads = variant["plan"]["threads_per_block"].as_u64().unwrap();
    json!({
        "plan_sha256": variant["plan_sha256"], "source_sha256": variant["source_sha256"], "options_sha256": "options",
        "module_sha256": format!("module of {}", variant["symbol"]), "registers": 95, "local_bytes": 0, "shared_bytes": 0,
        "module_bytes": 9000, "grid": [BATCH / threads, 1, 1], "block": [threads, 1, 1], "dynamic_bytes": 0, "launches": 1,
    })
}

fn cell(id: &str, op: &str, peers: &[&str], (a, b): (Value, Value)) -> Value {
    let (dims, bytes, flops) = match op {
        "potrf" => (json!({"n": 7}), 4 * 98 + 4, 114),
        _ => (json!({"m": 7, "n": 7, "k": 7}), 4 * 147, 686),
    };
    json!({
        "id": id, "task": op, "key": id, "op": op, "dims": dims, "dtype": "f32", "layout": "aos", "storage": "full",
        "batch": BATCH, "regime": "dram_cold", "bytes": BATCH * bytes, "flops": BATCH * flops, "is_aa": id == "aa",
        "a": a, "b": b, "control": null, "peers": peers,
    })
}

fn declaration() -> Value {
    let potrf = || variant("potrf_t32", 32);
    let mut cells = [
        cell("potrf", "potrf", &["lower", "upper", "absent"], (variant("potrf_t64", 64), potrf())),
        cell("gemm", "gemm", &[], (variant("gemm_t32", 32), variant("gemm_t64", 64))),
        cell("aa", "potrf", &[], (potrf(), potrf())),
    ];
    cells[1]["control"] = json!({"a": [3, 3], "b": [3, 3]});
    json!({
        "schema": "glass.declaration.v1", "binary_sha256": "binary", "mode": "abba", "order_table": "cross4", "rounds": ROUNDS,
        "samples": N_SAMPLES, "sample_us": 2000, "warmup_ms": 20, "seed": 1, "metrics": METRICS, "options_sha256": "options",
        "math_policy": "", "allocation_policy": "", "tolerances": [], "exceptions": [],
        "claims": [
            {"cell": "potrf", "over": "A", "metric": "event_batch"},
            {"cell": "potrf", "over": "peers", "metric": "event_batch"}
        ],
        "not_claimed": ["anything about a card that does not exist"], "cells": cells,
    })
}

/// A deterministic number within half a percent of 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0 + ((self.0 >> 33) as f64 / 2f64.powi(31) - 0.5) / 100.0
    }
}

fn check(elements: u64) -> Value {
    json!({"elements": elements, "worst": 0.25, "guards_ok": true, "poison_left": 0})
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// One contender that takes `ns` a call.
fn lane(
    name: &str,
    ns: f64,
    (sets, bytes, n_outputs): (u64, u64, u64),
    input: &str,
    noise: &mut Noise,
) -> Value {
    let (mut samples, mut calls) = (json!({}), json!({}));
    for metric in METRICS {
        let reps = if metric.ends_with("_batch") { 20.0 } else { 1.0 };
        let taken: Vec<f64> = (0..N_SAMPLES).map(|_| (ns * reps * noise.next()).round()).collect();
        calls[metric] = json!(median(&taken) / reps);
        samples[metric] = json!(taken);
    }
    json!({
        "name": name, "facts": null, "input_sha256": input,
        "sets": {"n": sets, "bytes": BATCH * bytes, "pointers_distinct": true, "is_restored": name != "own" },
        "warmup_us": 20_500.0, "reps": {"e2e_batch": 20, "event_batch": 20}, "samples_ns": samples, "per_call_ns": calls,
        "before": check(BATCH * n_outputs), "after": check(BATCH * n_outputs),
    })
}

/// Variant and first lane of a visit, from bits instead of a table.
fn due(round: usize, cell_idx: usize, visit: usize) -> (&'static str, [&'static str; 2]) {
    let k = (round + cell_idx) % 4;
    let starts_with_b = (k % 2 == 1) != (visit == 1 || visit == 2);
    let is_late = visit >= 2;
    let peer_first = (k >= 2) != is_late;
    (if starts_with_b { "B" } else { "A" }, if peer_first { ["peer", "own"] } else { ["own", "peer"] })
}

fn rows(declaration: &Value, speed_of_b: f64) -> Vec<Value> {
    let (mut noise, mut rows) = (Noise(7), Vec::new());
    for round in 0..ROUNDS {
        for turn in 0..3 {
            let cell_idx = (turn + round) % 3;
            let cell = &declaration["cells"][cell_idx];
            let id = cell["id"].as_str().unwrap();
            for visit in 0..4 {
                let (variant, lane_order) = due(round, cell_idx, visit);
                let input = format!("{id} {round}");
                let ns = match (id, variant) {
                    ("potrf", "A") => 10_000.0,
                    ("potrf", _) => 10_000.0 / speed_of_b,
                    _ => 12_000.0,
                };
                let (sets, bytes, outputs) = if id == "gemm" { (7, 588, 49) } else { (10, 396, 50) };
                let mut own = lane("own", ns, (sets, bytes, outputs), &input, &mut noise);
                own["facts"] = facts(&cell[variant.to_lowercase()]);
                let peers: Vec<Value> = match id {
                    "potrf" => [("lower", 50_000.0), ("upper", 60_000.0)]
                        .map(|(name, ns)| lane(name, ns, (19, 200, 29), &input, &mut noise))
                        .to_vec(),
                    _ => Vec::new(),
                };
                let fails = id == "gemm" && round == 3 && visit == 2;
                rows.push(json!({
                    "seq": rows.len(), "round": round, "attempt": 0, "visit": visit, "cell": id, "variant": variant,
                    "lane_order": lane_order, "regime": "dram_cold", "requested_view": "eager", "acknowledged_view": "eager",
                    "valid": !fails, "error": if fails { json!("CUDA driver: an invented fault") } else { Value::Null },
                    "clocks": {"sm_before": 1980, "sm_after": 1980, "mem_before": 3201, "mem_after": 3201},
                    "own": if fails { Value::Null } else { own }, "peers": peers,
                }));
            }
        }
    }
    rows
}

fn ratios(upper: &[f64], lower: &[f64]) -> Value {
    let ratios: Vec<f64> = upper.iter().zip(lower).map(|(upper, lower)| upper / lower).collect();
    let (min, max) =
        ratios.iter().fold((f64::MAX, 0.0f64), |(min, max), ratio| (min.min(*ratio), max.max(*ratio)));
    let mut sorted = ratios.clone();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    let class = if min > 1.0 {
        "all_positive"
    } else if max < 1.0 {
        "all_negative"
    } else {
        "mixed"
    };
    json!({"ratios": ratios, "median": (low + high) / 2.0, "min": min, "max": max, "class": class})
}

fn summary(rows: &[Value]) -> Value {
    let mut summary = json!({});
    for id in ["potrf", "gemm", "aa"] {
        let of_round =
            |round: usize| rows.iter().filter(move |row| row["cell"] == id && row["round"] == round);
        let rounds: Vec<usize> =
            (0..ROUNDS).filter(|round| of_round(*round).all(|row| row["valid"] == true)).collect();
        let times = |variant: &str, lane: &str, metric: &str| -> Vec<f64> {
            let time = |row: &Value| {
                let peer = row["peers"].as_array().unwrap().iter().find(|peer| peer["name"] == lane);
                let lane = if lane == "own" { &row["own"] } else { peer.unwrap() };
                lane["per_call_ns"][metric].as_f64().unwrap()
            };
            let round = |round: &usize| {
                let times: Vec<f64> =
                    of_round(*round).filter(|row| row["variant"] == variant).map(time).collect();
                (times[0] + times[1]) / 2.0
            };
            rounds.iter().map(round).collect()
        };
        let (mut variants, mut peers) = (json!({}), json!({}));
        for metric in METRICS {
            variants[metric] = ratios(&times("A", "own", metric), &times("B", "own", metric));
            for peer in ["lower", "upper"].into_iter().filter(|_| id == "potrf") {
                peers[peer][metric] = ratios(&times("B", peer, metric), &times("B", "own", metric));
            }
        }
        let fastest = if id == "potrf" { json!("lower") } else { Value::Null };
        summary[id] = json!({"variants": variants, "peers": peers, "fastest_peer": fastest});
    }
    summary
}

impl Synthetic {
    /// Publishes the ratios that the rows say.
    pub(crate) fn summarise(&mut self) {
        self.results["summary"] = summary(self.results["rows"].as_array().unwrap());
    }

    /// The candidate of the first cell is faster than its reference by this factor.
    pub(crate) fn new(speed_of_b: f64) -> Synthetic {
        let mut declaration = declaration();
        if speed_of_b < 1.0 {
            declaration["claims"] = json!([]);
        }
        let artifacts = json!({"glass-gpu": "binary", "libnvrtc.so": "nvrtc"});
        let (mut sources, mut kernels) = (json!({}), Vec::new());
        for cell in declaration["cells"].as_array().unwrap() {
            for (name, key) in [("A", "a"), ("B", "b")] {
                let symbol = cell[key]["symbol"].as_str().unwrap();
                sources[symbol] = json!(text(symbol));
                let outputs = if cell["op"] == "gemm" { 49 } else { 50 };
                kernels.push(json!({
                    "cell": cell["id"], "variant": name, "facts": facts(&cell[key]), "check": check(BATCH * outputs),
                    "host_samples_ns": [1e4, 1e4, 1e4],
                }));
            }
        }
        let inputs = |id: &str| (0..ROUNDS).map(|round| format!("{id} {round}")).collect::<Vec<_>>();
        let pilots = json!({
            "schema": "glass.pilots.v1", "protocol_sha256": "", "artifacts": artifacts, "peers": {"lower": "1.0", "upper": "1.0"},
            "input_sha256": {"potrf": inputs("potrf"), "gemm": inputs("gemm"), "aa": inputs("aa")},
            "kernels": kernels, "failures": [],
        });
        let rows = rows(&declaration, speed_of_b);
        let empty: serde_json::Map<String, Value> =
            METRICS.iter().map(|metric| ((*metric).to_owned(), json!([1400.0, 1410.0, 1390.0]))).collect();
        let results = json!({
            "schema": "glass.compare.v1",
            "meta": {
                "provenance": {"device": "none", "date": "2026-01-01"}, "protocol_sha256": "", "pilots_sha256": "",
                "load": {"before": 0.1, "after": null},
                "artifacts": {"before": artifacts, "after": artifacts, "unchanged": true},
                "ceilings": {"copy_gbs": [4200.0, 4210.0, 4190.0], "read_gbs": [4600.0, 4610.0, 4590.0], "empty_kernel_ns": empty},
                "rows_expected": rows.len(), "failures_retained": 1,
            },
            "summary": summary(&rows), "rows": rows,
        });
        Synthetic { declaration, sources, pilots, results }
    }

    /// Writes the files into a folder of this test, with the digests by which they name each other.
    pub(crate) fn write(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder of the tests can be written");
        let (mut pilots, mut results) = (self.pilots.clone(), self.results.clone());
        let put = |name: &str, value: &Value| {
            let text = serde_json::to_string(value).expect("values are JSON");
            std::fs::write(folder.join(name), &text).expect("the folder of the tests can be written");
            digest(&text)
        };
        let protocol = put("declaration.json", &self.declaration);
        pilots["protocol_sha256"] = json!(protocol);
        results["meta"]["protocol_sha256"] = json!(protocol);
        results["meta"]["pilots_sha256"] = json!(put("pilots.json", &pilots));
        put("sources.json", &self.sources);
        put("results.json", &results);
        folder
    }
}

/// Falsifies a valid capture; the first finding has to be of the given kind.
pub(crate) fn rejected(name: &str, code: &str, message: &str, falsify: impl FnOnce(&mut Synthetic)) {
    let mut synthetic = Synthetic::new(1.25);
    falsify(&mut synthetic);
    let receipt = glass_audit::audit(&synthetic.write(name)).unwrap();
    let finding = receipt.findings.first().unwrap_or_else(|| panic!("{name} passes"));
    assert_eq!(finding.reason.code(), code, "{name}: {finding}");
    assert!(finding.message.contains(message), "{name}: {finding}");
    assert!(!receipt.passes());
}
