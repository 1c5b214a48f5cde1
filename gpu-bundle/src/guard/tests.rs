//! Made captures, and the stored one.

use super::capture::Capture;
use super::judge;
use serde_json::{Value, json};

/// Nine samples around a time, of which the middle half spans a part of it.
fn samples(ns: f64, spread: f64) -> Vec<f64> {
    (0..9).map(|idx| ns * (1.0 + spread * (f64::from(idx) - 4.0) / 4.0)).collect()
}

fn row(key: &str, regime: &str, ns: f64, spread: f64) -> Value {
    json!({
        "device": "cuda", "key": key, "mapping": "thread serial bulk t32", "hash": "ab", "batch": 8192,
        "regime": regime, "declared_bytes": 1_000_000, "clock": "events", "samples_ns": samples(ns, spread),
        "again_ns": samples(ns, spread), "check": "pass"
    })
}

fn capture(rows: &[Value]) -> Value {
    json!({
        "schema": "glass.bench.v1",
        "provenance": {
            "device": "NVIDIA H200", "arch": 90, "driver": "580", "nvrtc": "13.0", "date": "2026-11-30",
            "revision": "ab"
        },
        "copies": [{ "gbs": 4200.0 }, { "gbs": 4200.0 }, { "gbs": 4200.0 }],
        "empty_kernel_ns": [1300.0, 1300.0, 1300.0],
        "rows": rows,
        "failures": []
    })
}

fn parsed(value: &Value) -> Capture {
    Capture::parse(&value.to_string()).expect("a capture of the bench")
}

/// The text of the table, and the faults.
fn guarded(old: &Value, new: &Value) -> (String, Result<(), String>) {
    let judgement = judge(&parsed(old), &parsed(new)).expect("captures of one device");
    (judgement.text(false), judgement.conclusion())
}

fn of_one(regime: &str, ns: f64, spread: f64) -> Value {
    capture(&[row("glass_gemv_f32_m7_k14 interleaved", regime, ns, spread)])
}

#[test]
fn a_loss_counts_beyond_the_spread_and_the_margin() {
    for regime in ["launch", "l2_warm", "dram_cold"] {
        let old = of_one(regime, 2000.0, 0.001);
        let faults = |ns, spread| guarded(&old, &of_one(regime, ns, spread)).1;
        assert_eq!(faults(2000.0, 0.001), Ok(()));
        assert_eq!(faults(1000.0, 0.001), Ok(()), "a gain");
        assert_eq!(faults(2080.0, 0.001), Ok(()), "4 %");
        assert_eq!(faults(2140.0, 0.05), Ok(()), "7 % where the run itself spreads by 5 %");
        let fault = faults(2140.0, 0.001).expect_err("7 %");
        assert!(fault.contains("cuda glass_gemv_f32_m7_k14 interleaved at 8192: "), "{fault}");
        assert!(fault.contains("7.0 % slower, allowed 5.1 %; the same text"), "{fault}");
    }
}

/// The spread of the old capture excuses nothing.
#[test]
fn the_spread_is_that_of_the_new_capture() {
    assert!(guarded(&of_one("launch", 2000.0, 0.1), &of_one("launch", 2140.0, 0.001)).1.is_err());
}

#[test]
fn a_second_visit_tells_the_spread_between_visits() {
    let mut new = of_one("launch", 2140.0, 0.001);
    new["rows"][0]["again_ns"] = json!(samples(2080.0, 0.001));
    assert_eq!(guarded(&of_one("launch", 2000.0, 0.001), &new).1, Ok(()));
}

/// One slow sample of nine leaves the median alone.
#[test]
fn an_outlier_excuses_nothing() {
    let mut new = of_one("launch", 2140.0, 0.001);
    new["rows"][0]["samples_ns"][0] = json!(9000.0);
    assert!(guarded(&of_one("launch", 2000.0, 0.001), &new).1.is_err());
}

#[test]
fn captures_without_second_visits_are_read() {
    let (old, mut new) = (of_one("launch", 2000.0, 0.001), of_one("launch", 2000.0, 0.001));
    new["rows"][0].as_object_mut().expect("a row").remove("again_ns");
    let (text, outcome) = guarded(&old, &new);
    assert_eq!(outcome, Ok(()));
    assert!(text.contains("No cell of the new capture was visited twice"), "{text}");
}

/// A slow day slows the yardstick too; a cell that slows down on a fast day is lost.
#[test]
fn each_regime_has_the_yardstick_of_its_run() {
    let slower = |regime, copy_gbs: f64, empty_ns: f64| {
        let mut new = of_one(regime, 2200.0, 0.001);
        new["copies"] = json!([{ "gbs": copy_gbs }, { "gbs": copy_gbs }, { "gbs": copy_gbs }]);
        new["empty_kernel_ns"] = json!([empty_ns, empty_ns, empty_ns]);
        guarded(&of_one(regime, 2000.0, 0.001), &new).1
    };
    assert_eq!(slower("dram_cold", 4200.0 / 1.1, 1300.0), Ok(()));
    assert!(slower("dram_cold", 4200.0, 1300.0 * 1.1).is_err());
    assert_eq!(slower("launch", 4200.0, 1300.0 * 1.1), Ok(()));
    assert!(slower("launch", 4200.0 / 1.1, 1300.0).is_err());
    assert!(slower("l2_warm", 4200.0 / 1.1, 1300.0 * 1.1).is_err());
}

#[test]
fn cells_that_are_not_compared_are_listed() {
    let rows = ["gone", "wrong", "other", "mixed", "kept"].map(|key| row(key, "launch", 2000.0, 0.001));
    let mut old = capture(&rows);
    old["rows"][3]["regime"] = json!("mixed");
    let mut new = old.clone();
    new["rows"][0]["key"] = json!("appeared");
    new["rows"][1]["check"] = json!("fail: element 3");
    new["rows"][2]["regime"] = json!("dram_cold");
    let (text, outcome) = guarded(&old, &new);
    let fault = outcome.expect_err("three faults");
    for line in [
        "1 cells compared, 3 faults:",
        "cuda gone at 8192: MISSING from the new capture",
        "cuda wrong at 8192: INVALID: fail: element 3",
        "cuda other at 8192: NOT COMPARABLE: regime DRAM-cold, launch-bound before",
    ] {
        assert!(fault.contains(line), "{line}\n{fault}");
    }
    assert!(text.contains("cuda appeared at 8192") && text.contains("mixed regime, never scored"), "{text}");
}

#[test]
fn what_the_bench_could_not_do_is_a_fault() {
    let old = of_one("launch", 2000.0, 0.001);
    let mut new = old.clone();
    new["failures"] = json!(["cuda glass_potrf: did not compile"]);
    let fault = guarded(&old, &new).1.expect_err("a failure");
    assert!(fault.contains("the bench failed: cuda glass_potrf: did not compile"), "{fault}");
}

#[test]
fn another_text_is_said_and_no_fault() {
    let old = of_one("dram_cold", 2000.0, 0.001);
    let mut new = old.clone();
    new["rows"][0]["hash"] = json!("cd");
    let (text, outcome) = guarded(&old, &new);
    assert_eq!(outcome, Ok(()));
    assert!(text.contains("another text"), "{text}");
    new["rows"][0]["mapping"] = json!("warp serial bulk t32");
    assert!(guarded(&old, &new).0.contains("warp serial bulk t32, thread serial bulk t32 before"));
}

#[test]
fn another_device_is_refused_and_another_driver_is_said() {
    let old = of_one("launch", 2000.0, 0.001);
    let mut new = old.clone();
    new["provenance"]["driver"] = json!("590");
    let (text, outcome) = guarded(&old, &new);
    assert_eq!(outcome, Ok(()));
    assert!(text.contains("ANOTHER driver: 590, 580 before"), "{text}");
    new["provenance"]["device"] = json!("NVIDIA B200");
    let refusal = judge(&parsed(&old), &parsed(&new)).err().expect("two devices");
    assert!(refusal.contains("NVIDIA H200 (sm_90), the new one of NVIDIA B200"), "{refusal}");
}

/// The driver in an adapter's name is no part of the cell.
#[test]
fn an_adapter_is_the_same_under_another_driver() {
    let mut old = of_one("launch", 2000.0, 0.001);
    old["rows"][0]["device"] = json!("wgpu:NVIDIA H200 (DiscreteGpu, Vulkan, NVIDIA 580)");
    let mut new = old.clone();
    new["rows"][0]["device"] = json!("wgpu:NVIDIA H200 (DiscreteGpu, Vulkan, NVIDIA 590)");
    assert_eq!(guarded(&old, &new).1, Ok(()));
}

#[test]
fn samples_that_are_no_times_are_refused() {
    let good = of_one("launch", 2000.0, 0.001);
    let refusal = |path: &str, value: Value| {
        let mut capture = good.clone();
        *capture.pointer_mut(path).expect("a part of a capture") = value;
        Capture::parse(&capture.to_string()).expect_err("no times")
    };
    let name = "cuda glass_gemv_f32_m7_k14 interleaved at 8192";
    for sample in [0.0, -1.0] {
        let refusal = refusal("/rows/0/samples_ns/4", json!(sample));
        assert_eq!(refusal, format!("{name}: a sample of {sample}, allowed: above 0 and finite"));
    }
    assert!(refusal("/rows/0/again_ns/4", json!(0.0)).starts_with(&format!("{name}, second visit: ")));
    assert!(refusal("/copies/0/gbs", json!(0.0)).starts_with("copies: a sample of 0"));
    assert!(refusal("/empty_kernel_ns", json!([])).starts_with("empty_kernel_ns: 0 samples"));
    assert!(refusal("/rows/0/samples_ns", json!([1.0])).contains("1 samples, at least 3"));
    // JSON has no NaN: this is how a serializer spells it.
    assert!(refusal("/rows/0/samples_ns/4", Value::Null).contains("invalid type: null"));
    assert!(refusal("/rows/0/declared_bytes", json!(0)).contains("declares no bytes"));
    assert!(refusal("/schema", json!("glass.compare.v1")).contains("allowed: `glass.bench.v1`"));
    let mut twice = good.clone();
    twice["rows"] = json!([good["rows"][0], good["rows"][0]]);
    assert_eq!(Capture::parse(&twice.to_string()).err(), Some(format!("{name}: there twice")));
}

#[test]
fn a_file_that_is_no_capture_is_named() {
    for text in ["", "[1, 2", "{}", "\u{0}", "{\"schema\": \"glass.bench.v1\", \"rows\": NaN}"] {
        let fault = Capture::parse(text).expect_err("no capture");
        assert!(fault.starts_with("no capture of `glass-gpu bench`: "), "{fault}");
    }
    let fault = Capture::read("no/such/capture.json".as_ref()).expect_err("no file");
    assert!(fault.starts_with("no/such/capture.json: "), "{fault}");
}

#[test]
fn losses_come_first_where_asked() {
    let old = capture(&["a", "b", "c"].map(|key| row(key, "launch", 2000.0, 0.001)));
    let mut new = old.clone();
    new["rows"][1]["samples_ns"] = json!(samples(2600.0, 0.001));
    new["rows"][1]["again_ns"] = json!(samples(2600.0, 0.001));
    new["rows"][2]["key"] = json!("d");
    let judgement = judge(&parsed(&old), &parsed(&new)).expect("one device");
    let keys = |losses_first| -> Vec<String> {
        let text = judgement.text(losses_first);
        let rows = text.lines().filter_map(|line| line.strip_prefix("cuda "));
        rows.map(|row| row.chars().take(1).collect()).collect()
    };
    assert_eq!(keys(false), ["a", "b", "c", "d"]);
    assert_eq!(keys(true), ["c", "b", "a", "d"]);
}

/// What the bench has written loses nothing against itself.
#[test]
fn the_stored_capture_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/results/ops_h200.json");
    let stored = Capture::read(path.as_ref()).expect("the capture behind the figures");
    let judgement = judge(&stored, &stored).expect("one device");
    assert_eq!(judgement.conclusion(), Ok(()));
    assert!(judgement.verdicts.len() > 400);
}
