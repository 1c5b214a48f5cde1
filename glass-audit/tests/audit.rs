//! A valid capture passes, and everything that can be wrong with one is found for its own reason.

mod hostile;
mod synthetic;

use glass_audit::{Class, Verdict, audit, pilots};
use serde_json::json;
use std::path::Path;
use synthetic::{METRICS, Synthetic, digest, rejected};

#[test]
fn a_valid_capture_passes() {
    let receipt = audit(&Synthetic::new(1.25).write("valid")).expect("the files follow the format");
    assert_eq!(receipt.findings, []);
    assert!(receipt.passes() && receipt.validations > 5000, "{} statements", receipt.validations);
    let cell = &receipt.cells[0];
    let judged = &cell.metrics["event_batch"];
    assert!((judged.ratios.median - 1.25).abs() < 0.01, "{judged:?}");
    assert_eq!((judged.ratios.ratios.len(), judged.verdict), (8, Verdict::Faster));
    assert_eq!(cell.fastest_peer.as_deref(), Some("lower"));
    assert!((cell.peers["upper"]["event_batch"].ratios.median - 7.5).abs() < 0.1);
    // 26 MB in 8 microseconds of 4200 GB/s.
    assert!((cell.fraction_of_c["B"] - 0.772).abs() < 0.01, "{:?}", cell.fraction_of_c);
    assert_eq!(
        receipt.cells[1].metrics["event_batch"].ratios.ratios.len(),
        7,
        "the failed round is no round"
    );
    assert_eq!(receipt.cells[2].metrics["event_batch"].verdict, Verdict::Tie, "equals tie");
    assert_eq!(receipt.counts["event_batch"].all_positive, 1);
    assert!(METRICS.iter().all(|metric| receipt.resolution[*metric] > 0.0));
}

#[test]
fn a_clean_loss_passes() {
    let receipt = audit(&Synthetic::new(0.8).write("loss")).unwrap();
    assert!(receipt.passes(), "{:?}", receipt.findings);
    let judged = &receipt.cells[0].metrics["event_batch"];
    assert_eq!((judged.ratios.class, judged.verdict), (Class::AllNegative, Verdict::Slower));
}

/// The audit falsifies its own input in every listed way.
#[test]
fn every_mutation_is_rejected_for_its_own_reason() {
    let receipt = audit(&Synthetic::new(1.25).write("mutations")).unwrap();
    let expected = [
        (1, "row-missing", "potrf, round 0, visit 0"),
        (2, "ratio-mismatch", "aa, event_batch: published"),
        (3, "divisor", "from 1 calls"),
        (4, "view-ack", "asked for eager, measured graph"),
        (5, "oracle-coverage", "the oracle saw 1 elements of 3276800"),
        (6, "source-hash", "the file of `potrf_t64` is"),
        (7, "duplicate-visit", "rows Some(0) and 0"),
        (8, "order-table", "A with peer first; due is A with own first"),
        (9, "failure-missing", "0 failed rows, 1 retained"),
        (10, "input-hash", "frozen Some(\"potrf 0\")"),
        (11, "artifacts-changed", "files changed during the run"),
        (12, "sample-domain", "e2e_single: a sample of NaN ns"),
        (13, "plan-source", "of `potrf_t64`, declared"),
        (14, "control-diff", "gemm, line 4 outside the region: None and Some(\"// edited\")"),
    ];
    assert_eq!(receipt.mutations.len(), expected.len());
    for (mutation, (id, code, message)) in receipt.mutations.iter().zip(expected) {
        let finding = mutation.finding.as_ref().unwrap_or_else(|| panic!("mutation {id} passes"));
        assert_eq!((mutation.id, finding.reason.code()), (id, code), "{finding}");
        assert!(finding.message.contains(message), "mutation {id}: {finding}");
        assert_eq!(mutation.rejected, Some(true));
    }
}

#[test]
fn another_protocol_or_program_is_rejected() {
    rejected("mode", "protocol", "`pair`; known: `abba`", |c| c.declaration["mode"] = json!("pair"));
    rejected("rounds", "protocol", "6 rounds", |c| c.declaration["rounds"] = json!(6));
    rejected("metrics", "protocol", "allowed", |c| c.declaration["metrics"] = json!(["event_batch"]));
    rejected("aa", "protocol", "0 cells", |c| c.declaration["cells"][2]["is_aa"] = json!(false));
    rejected("binary", "binary", "declared another", |c| c.declaration["binary_sha256"] = json!("another"));
    rejected("library", "artifacts-changed", "nvrtc", |c| {
        c.results["meta"]["artifacts"]["after"]["libnvrtc.so"] = json!("other");
    });
}

#[test]
fn rows_out_of_place_are_rejected() {
    rejected("unknown", "row-missing", "gemm, round 0", |c| {
        c.results["rows"][4]["cell"] = json!("trsm");
    });
    rejected("late", "order-table", "comes where", |c| {
        let rows = c.results["rows"].as_array_mut().unwrap();
        rows.swap(0, 4);
        rows[0]["seq"] = json!(0);
        rows[4]["seq"] = json!(4);
    });
    rejected("regime", "regime", "l2_warm", |c| c.results["rows"][0]["regime"] = json!("l2_warm"));
    rejected("clock", "clock", "1500 MHz", |c| c.results["rows"][9]["clocks"]["sm_after"] = json!(1500));
}

/// A round with a low clock is good once it was measured again; both attempts stay.
#[test]
fn a_slow_round_is_replaced_by_its_second_attempt() {
    let mut synthetic = Synthetic::new(1.25);
    let rows = synthetic.results["rows"].as_array_mut().unwrap();
    for idx in 0..4 {
        let mut again = rows[idx].clone();
        rows[idx]["clocks"]["sm_before"] = json!(900);
        again["attempt"] = json!(1);
        again["seq"] = json!(rows.len());
        rows.push(again);
    }
    let receipt = audit(&synthetic.write("again")).unwrap();
    assert_eq!(receipt.findings, []);
    synthetic.results["rows"].as_array_mut().unwrap().pop();
    let receipt = audit(&synthetic.write("half")).unwrap();
    assert_eq!(receipt.findings[0].reason.code(), "row-missing");
    assert!(receipt.findings[0].message.contains("visit 3, attempt 1"));
}

#[test]
fn samples_and_checks_are_examined() {
    rejected("negative", "sample-domain", "-3 ns", |c| {
        c.results["rows"][0]["peers"][1]["samples_ns"]["event_single"][4] = json!(-3.0);
    });
    rejected("few", "sample-domain", "8 samples, declared 9", |c| {
        c.results["rows"][0]["own"]["samples_ns"]["event_batch"].as_array_mut().unwrap().pop();
    });
    rejected("call", "divisor", "published", |c| {
        c.results["rows"][0]["own"]["per_call_ns"]["e2e_batch"] = json!(1.0);
    });
    rejected("error", "oracle", "Some(1.5)", |c| c.results["rows"][0]["own"]["before"]["worst"] = json!(1.5));
    rejected("nan", "oracle", "None of its bound", |c| {
        c.results["rows"][0]["own"]["after"]["worst"] = json!(null)
    });
    rejected("poison", "oracle", "2 elements not written", |c| {
        c.results["rows"][0]["peers"][0]["after"]["poison_left"] = json!(2);
    });
    rejected("peer", "peer-missing", "due [\"lower\", \"upper\"]", |c| {
        c.results["rows"][0]["peers"].as_array_mut().unwrap().pop();
    });
}

#[test]
fn texts_and_kernels_are_examined() {
    rejected("file", "source-hash", "potrf_t64", |c| c.sources["potrf_t64"] = json!("// another\n"));
    rejected("plan", "plan-hash", "the plan's digest", |c| {
        c.declaration["cells"][0]["a"]["plan"]["text"] = json!("T = 1")
    });
    rejected("options", "options-hash", "fast-math", |c| {
        c.results["rows"][0]["own"]["facts"]["options_sha256"] = json!("fast-math");
    });
    rejected("module", "module-hash", "other", |c| {
        c.results["rows"][0]["own"]["facts"]["module_sha256"] = json!("other");
    });
    rejected("tensor", "tensor-core", "`wgmma`", |c| {
        let text = "wgmma.mma_async;";
        c.sources["gemm_t32"] = json!(text);
        c.declaration["cells"][1]["control"] = json!(null);
        c.declaration["cells"][1]["a"]["source_sha256"] = json!(digest(text));
        c.pilots["kernels"][2]["facts"]["source_sha256"] = json!(digest(text));
    });
    rejected("aa-twice", "control-diff", "is not the same kernel", |c| {
        c.declaration["cells"][2]["b"] = c.declaration["cells"][0]["a"].clone();
        c.pilots["kernels"][5]["facts"] = c.pilots["kernels"][0]["facts"].clone();
    });
    rejected("spill", "resources", "8 bytes of local memory", |c| {
        c.pilots["kernels"][0]["facts"]["local_bytes"] = json!(8);
    });
    rejected("grid", "ownership", "has 0 owners", |c| {
        c.pilots["kernels"][0]["facts"]["grid"] = json!([1000, 1, 1]);
    });
    rejected("pilot", "oracle", "pilots: it failed", |c| c.pilots["failures"] = json!(["it failed"]));
}

#[test]
fn bytes_and_ceilings_are_recomputed() {
    rejected("bytes", "bytes", "potrf: 1 bytes", |c| c.declaration["cells"][0]["bytes"] = json!(1));
    rejected("set", "bytes", "a set of 1 bytes", |c| c.results["rows"][0]["own"]["sets"]["bytes"] = json!(1));
    rejected("warm", "regime", "1 sets", |c| c.results["rows"][0]["own"]["sets"]["n"] = json!(1));
    rejected("same", "regime", "distinct: false", |c| {
        c.results["rows"][0]["own"]["sets"]["pointers_distinct"] = json!(false);
    });
    rejected("ceiling", "ceiling", "potrf, variant B", |c| {
        c.results["meta"]["ceilings"]["copy_gbs"] = json!([3000.0, 3000.0, 3000.0]);
    });
}

#[test]
fn figures_and_claims_are_recomputed() {
    rejected("peer-ratio", "ratio-mismatch", "lower, e2e_single", |c| {
        c.results["summary"]["potrf"]["peers"]["lower"]["e2e_single"]["median"] = json!(99.0);
    });
    rejected("class", "ratio-mismatch", "gemm", |c| {
        c.results["summary"]["gemm"]["variants"]["event_batch"]["class"] = json!("all_positive");
    });
    rejected("fastest", "peer-fastest", "Some(\"upper\") is named, Some(\"lower\")", |c| {
        c.results["summary"]["potrf"]["fastest_peer"] = json!("upper");
    });
    rejected("claim", "claim", "the samples say [Some(Tie)]", |c| {
        c.declaration["claims"] = json!([{"cell": "gemm", "over": "A", "metric": "event_batch"}]);
    });
}

#[test]
fn pilots_are_audited_alone() {
    let mut synthetic = Synthetic::new(1.25);
    assert_eq!(pilots(&synthetic.write("pilots")).unwrap(), []);
    synthetic.pilots["kernels"][1]["facts"]["block"] = json!([64, 1, 1]);
    let findings = pilots(&synthetic.write("pilots")).unwrap();
    assert_eq!(findings[0].reason.code(), "ownership");
    synthetic.pilots["kernels"].as_array_mut().unwrap().pop();
    assert!(
        pilots(&synthetic.write("pilots"))
            .unwrap()
            .iter()
            .any(|finding| finding.reason.code() == "row-missing")
    );
}

#[test]
fn files_that_do_not_follow_the_format_are_named() {
    let mut synthetic = Synthetic::new(1.25);
    synthetic.results["rows"][0]["surprise"] = json!(1);
    let error = audit(&synthetic.write("format")).unwrap_err().to_string();
    assert!(error.contains("results.json") && error.contains("surprise"), "{error}");
    let error = audit(Path::new("nowhere")).unwrap_err().to_string();
    assert!(error.contains("declaration.json"), "{error}");
}

/// The stored comparison of small products, factors and solves, and the receipt beside it.
#[test]
fn the_stored_capture_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/results/compare_small_ops_h200");
    let receipt = audit(&folder).expect("the stored files follow the format");
    assert_eq!(receipt.findings, []);
    let missed: Vec<_> =
        receipt.mutations.iter().filter(|mutation| mutation.rejected != Some(true)).collect();
    let [missed] = missed.as_slice() else { panic!("{missed:?}") };
    assert_eq!((missed.id, missed.rejected), (9, None), "no visit failed, so no failure can be deleted");
    let text = std::fs::read_to_string(folder.join("receipt.json")).expect("the receipt is stored");
    let stored: serde_json::Value = serde_json::from_str(&text).expect("a receipt is JSON");
    assert_eq!(
        (&stored["status"], &stored["protocol_sha256"]),
        (&json!("pass"), &json!(receipt.protocol_sha256))
    );
    assert_eq!(stored["cells"], serde_json::to_value(&receipt.cells).unwrap());
}
