//! A visitor without a device: the order, the files and the summary of a run, held against the independent auditor.

use super::super::capture::{Check, Facts, Pilot, Sets};
use super::super::cells::declare;
use super::super::declaration::METRICS;
use super::super::order::Variant;
use super::super::summary::per_call;
use super::*;
use crate::digest::{declared, sha256};
use std::collections::BTreeMap;

const PEER: &str = "cusolver potrfBatched lower";

/// Kernels take what they are told, with a pattern of half a percent.
struct Fake {
    declaration: Declaration,
    n_visits: u64,
    /// Visits that fail, and visits with a low clock, by number.
    failing: Option<u64>,
    slow: Option<u64>,
}

fn facts(declaration: &Declaration, cell: &Cell, variant: Variant) -> Facts {
    let variant = if variant == Variant::A { &cell.a } else { &cell.b };
    let threads = variant.plan.threads_per_block;
    Facts {
        plan_sha256: variant.plan_sha256.clone(),
        source_sha256: variant.source_sha256.clone(),
        options_sha256: declaration.options_sha256.clone(),
        module_sha256: sha256(&variant.symbol),
        registers: 64,
        local_bytes: 0,
        shared_bytes: variant.plan.shared_bytes as u32,
        module_bytes: 1000,
        grid: [cell.batch.div_ceil(variant.plan.problems_per_block), 1, 1],
        block: [threads, 1, 1],
        dynamic_bytes: variant.plan.shared_bytes,
        launches: 1,
    }
}

fn check(elements: u64) -> Check {
    Check { elements, worst: Some(0.1), guards_ok: true, poison_left: 0 }
}

impl Fake {
    fn lane(
        &self,
        name: &str,
        ns: f64,
        (cell, round): (&Cell, u64),
        (n, bytes, outputs): (u64, u64, u64),
    ) -> Lane {
        let noise = |at: u64| 1.0 + ((self.n_visits * 7 + at * 3) % 11) as f64 / 2000.0;
        let reps: BTreeMap<String, u64> =
            ["e2e_batch", "event_batch"].map(|metric| (metric.to_owned(), 10)).into();
        let samples = |metric: &str| {
            let n_calls = reps.get(metric).copied().unwrap_or(1) as f64;
            (0..self.declaration.samples as u64).map(|at| (ns * n_calls * noise(at)).round()).collect()
        };
        let samples_ns: BTreeMap<String, Vec<f64>> =
            METRICS.map(|metric| (metric.to_owned(), samples(metric))).into();
        Lane {
            name: name.to_owned(),
            facts: None,
            input_sha256: format!("{} {round}", cell.id),
            sets: Sets { n, bytes: cell.batch * bytes, pointers_distinct: true, is_restored: name != "own" },
            warmup_us: 1000.0,
            per_call_ns: per_call(&samples_ns, &reps),
            reps,
            samples_ns,
            before: check(cell.batch * outputs),
            after: check(cell.batch * outputs),
        }
    }
}

impl Visitor for Fake {
    fn visit(&mut self, cell_idx: usize, round: u64, visit: Visit) -> Visited {
        let cell = &self.declaration.cells[cell_idx];
        let number = self.n_visits;
        let ns = if visit.variant == Variant::A || cell.is_aa { 12_000.0 } else { 9_000.0 };
        let mut own = self.lane("own", ns, (cell, round), (10, 396, 50));
        own.facts = Some(facts(&self.declaration, cell, visit.variant));
        let peers = cell.peers.iter().map(|peer| self.lane(peer, 90_000.0, (cell, round), (19, 200, 29)));
        let peers = peers.collect();
        let mhz = if self.slow == Some(number) { 1000 } else { 1980 };
        self.n_visits += 1;
        Visited {
            own: Some(own),
            peers,
            clocks: Some(Clocks { sm_before: mhz, sm_after: 1980, mem_before: 3201, mem_after: 3201 }),
            error: (self.failing == Some(number)).then(|| "CUDA driver: an invented fault".to_owned()),
        }
    }

    fn ceilings(&mut self, ceilings: &mut Ceilings) -> Result<(), String> {
        ceilings.copy_gbs.push(4200.0);
        ceilings.read_gbs.push(4600.0);
        for metric in METRICS {
            ceilings.empty_kernel_ns.entry(metric.to_owned()).or_default().push(1400.0);
        }
        Ok(())
    }

    fn artifacts(&self) -> Result<Artifacts, String> {
        Ok(Artifacts::from([("glass-gpu".to_owned(), "binary".to_owned())]))
    }
}

/// Runs a declaration of one cell and its pair of equals; where its files are.
fn ran(name: &str, failing: Option<u64>, slow: Option<u64>) -> (PathBuf, Results) {
    let entry = |candidate: &str, more: &str| {
        format!(
            "[[cell]]\ntask = \"potrf n=7\"\ndtype = \"f32\"\nlayout = \"contiguous\"\nbatch = 65536\n\
             reference = \"thread serial direct t64\"\ncandidate = \"{candidate}\"\n{more}"
        )
    };
    let text = format!(
        "rounds = 8\nsamples = 9\nsample_us = 10\nwarmup_ms = 1\nseed = 1\nnot_claimed = []\n{}{}",
        entry("table", &format!("peers = [\"{PEER}\"]\nclaims = [\"A\", \"peers\"]\n")),
        entry("reference", "")
    );
    let (declaration, sources) = declare(&text, "binary".to_owned()).unwrap();
    let out = std::env::temp_dir().join(format!("glass-gpu-replay-{name}-{}", std::process::id()));
    output::folder(&out).unwrap();
    let write = |file: &str, text: String| {
        std::fs::write(out.join(file), &text).unwrap();
        sha256(text)
    };
    let protocol = write("declaration.json", serde_json::to_string(&declaration).unwrap());
    write("sources.json", serde_json::to_string(&sources).unwrap());
    let mut kernels = Vec::new();
    for cell in &declaration.cells {
        for variant in [Variant::A, Variant::B] {
            kernels.push(Pilot {
                cell: cell.id.clone(),
                variant: variant.as_str(),
                facts: facts(&declaration, cell, variant),
                check: check(cell.batch * 50),
                host_samples_ns: vec![1.0; 3],
            });
        }
    }
    let inputs = |cell: &Cell| (0..8).map(|round| format!("{} {round}", cell.id)).collect();
    let mut fake = Fake { declaration: declaration.clone(), n_visits: 0, failing, slow };
    let pilots = Pilots {
        schema: "glass.pilots.v1",
        protocol_sha256: protocol.clone(),
        artifacts: fake.artifacts().unwrap(),
        peers: BTreeMap::from([(PEER.to_owned(), "12.0".to_owned())]),
        input_sha256: declaration.cells.iter().map(|cell| (cell.id.clone(), inputs(cell))).collect(),
        kernels,
        failures: Vec::new(),
    };
    let pilots_sha256 = write("pilots.json", serde_json::to_string(&pilots).unwrap());
    let run = Run {
        declaration: &declaration,
        protocol_sha256: &protocol,
        pilots: &pilots,
        pilots_sha256,
        provenance: Provenance::of(None).unwrap(),
    };
    let results = replay(run, &mut fake, &out).unwrap();
    (out, results)
}

#[test]
fn the_auditor_reads_what_is_written_and_recomputes_the_same() {
    let (out, results) = ran("plain", None, None);
    assert_eq!(results.rows.len(), 8 * 2 * 4);
    assert!(results.meta.artifacts.unchanged && results.meta.failures_retained == 0);
    assert_eq!(glass_audit::pilots(&out).unwrap(), []);
    let receipt = glass_audit::audit(&out).unwrap();
    assert_eq!(receipt.findings, []);
    assert!(receipt.passes());
    let judged = &receipt.cells[0].metrics["event_batch"];
    assert!((judged.ratios.median - 4.0 / 3.0).abs() < 0.01);
    let by_runner = &results.summary["glass_potrf_f32_n7_contiguous"];
    assert_eq!(by_runner.variants["event_batch"].ratios, judged.ratios.ratios);
    assert_eq!(by_runner.fastest_peer.as_deref(), Some(PEER));
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn a_failure_stays_and_the_rest_runs() {
    // Round 0 of the pair of equals.
    let (out, results) = ran("failing", Some(5), None);
    assert_eq!((results.rows.len(), results.meta.failures_retained), (64, 1));
    assert!(!results.rows[5].valid && results.rows[5].own.is_some(), "its samples are kept");
    let receipt = glass_audit::audit(&out).unwrap();
    // Without that round the resolution is not what was declared, and nothing can be claimed.
    assert!(receipt.findings.iter().all(|finding| finding.reason == glass_audit::Reason::Claim));
    assert_eq!(receipt.findings.len(), 2, "{:?}", receipt.findings);
    let rounds = |cell: usize| receipt.cells[cell].metrics["event_batch"].ratios.ratios.len();
    assert_eq!([rounds(0), rounds(1)], [8, 7]);
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn a_round_with_a_low_clock_is_measured_again() {
    let (out, results) = ran("slow", None, Some(9));
    assert_eq!(results.rows.len(), 64 + 4);
    assert!(results.rows[64..].iter().all(|row| row.attempt == 1 && row.round == 1));
    assert_eq!(results.rows[64].cell, results.rows[9].cell);
    let receipt = glass_audit::audit(&out).unwrap();
    assert_eq!(receipt.findings, []);
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn another_declaration_is_not_timed() {
    let (out, _) = ran("other", None, None);
    let path = out.join("declaration.json");
    let protocol = sha256(std::fs::read(&path).unwrap());
    assert!(declared::<Declaration>(&path, &protocol).is_ok());
    let refusal = declared::<Declaration>(&path, &sha256("another")).unwrap_err();
    assert!(refusal.contains("nothing is timed"), "{refusal}");
    std::fs::remove_dir_all(out).unwrap();
}
