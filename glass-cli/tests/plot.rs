//! Samples that no picture can show are refused with their file and value, and nothing is drawn.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const OPS: &str = "ops_h200.json";
const TUNED: &str = "sm_90_packed_tune_samples.jsonl.gz";

/// The stored samples in a folder of their own.
fn stored(name: &str) -> PathBuf {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/results");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("plot-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(results).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == OPS || name.ends_with("_tune_samples.jsonl.gz") {
            std::fs::copy(&path, folder.join(name)).unwrap();
        }
    }
    folder
}

/// Standard error of a plot that has to fail in order, without a picture.
fn refusal(folder: &Path) -> String {
    let out = folder.join("pictures");
    let output = Command::new(env!("CARGO_BIN_EXE_glass"))
        .arg("plot")
        .arg(folder)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(!message.contains("panicked") && !out.exists(), "{message}");
    message
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn figures_that_are_none_are_refused() {
    let folder = stored("ops");
    let text = std::fs::read_to_string(folder.join(OPS)).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let refused = |message: &str, spoil: &dyn Fn(&mut Value)| {
        let mut ops = whole.clone();
        spoil(&mut ops);
        std::fs::write(folder.join(OPS), ops.to_string()).unwrap();
        let given = refusal(&folder);
        assert!(given.contains(message), "{message}: {given}");
    };
    let key = "ops_h200.json: key `glass_gemv_f32_m7_k14 interleaved`: ";
    let row = |message: &str, field: &str, value: Value| {
        refused(&format!("{key}{message}"), &|ops| ops["rows"][0][field] = value.clone());
    };
    row("samples_ns is empty; allowed: one number or more", "samples_ns", json!([]));
    row("samples_ns is 0; allowed: 1 to ", "samples_ns", json!([5e4, 0.0, 5e4]));
    row("samples_ns is -3; allowed: 1 to ", "samples_ns", json!([-3.0]));
    row("samples_ns is 1000000", "samples_ns", json!([1e300]));
    row("batch is 0; allowed: 1 to 2147483648", "batch", json!(0));
    row("batch is 18446744073709551615", "batch", json!(u64::MAX));
    row("declared_bytes is 0", "declared_bytes", json!(0));
    refused("ops_h200.json: invalid type: null", &|ops| ops["rows"][0]["samples_ns"] = json!([null]));
    refused("key `glass_potrf_f32_n0 interleaved`: not known; allowed: ", &|ops| {
        ops["rows"][0]["key"] = json!("glass_potrf_f32_n0 interleaved");
    });
    refused("ops_h200.json: copies is empty", &|ops| ops["copies"] = json!([]));
    refused("ops_h200.json: copies is 0;", &|ops| ops["copies"] = json!([{"gbs": 0.0}]));
    refused("no sample for `gemm, 1048576 problems", &|ops| ops["rows"] = json!([]));
}

#[test]
fn candidates_without_times_are_refused() {
    let folder = stored("tuned");
    let path = folder.join(TUNED);
    let text = unpacked(&path);
    let refused = |line: &str, message: &str| {
        std::fs::write(&path, [packed(&text), packed(line.as_bytes())].concat()).unwrap();
        let given = refusal(&folder);
        assert!(given.contains(TUNED) && given.contains(message), "{message}: {given}");
    };
    // Each of these lines is in a second member of the file.
    let band = |batch: u64, rounds: &str| {
        format!("{{\"key\": \"gemv f32 contiguous m4 n1 k4\", \"batch\": {batch}, \"rounds\": {rounds}}}\n")
    };
    let timed = |ns: &str| format!("[{{\"mapping\": \"thread serial direct t32\", \"ns\": {ns}}}]");
    refused(&band(1, &timed("[]")), "ns of `thread serial direct t32` is empty");
    refused(&band(1, &timed("[0.0]")), "ns of `thread serial direct t32` is 0; allowed: 1 to ");
    refused(&band(0, &timed("[5.0]")), "key `gemv f32 contiguous m4 n1 k4`: batch is 0");
    refused(&band(1, "[]"), "no rounds");
    std::fs::write(&path, [packed(&text), b"no gzip member".to_vec()].concat()).unwrap();
    assert!(refusal(&folder).contains(TUNED));
}

#[test]
fn orders_of_one_size_have_an_axis() {
    let folder = stored("order");
    let text = std::fs::read_to_string(folder.join(OPS)).unwrap();
    let mut ops: Value = serde_json::from_str(&text).unwrap();
    let is_kept = |row: &Value| {
        let key = row["key"].as_str().unwrap();
        !key.contains("_potrf_") || key.contains("_n4")
    };
    ops["rows"].as_array_mut().unwrap().retain(is_kept);
    std::fs::write(folder.join(OPS), ops.to_string()).unwrap();
    let out = folder.join("pictures");
    let glass =
        Command::new(env!("CARGO_BIN_EXE_glass")).arg("plot").arg(&folder).arg("-o").arg(&out).output();
    assert!(glass.unwrap().status.success());
    let text = std::fs::read_to_string(out.join("ladder_potrf.svg")).unwrap();
    assert!(text.contains("N = 4") && !text.contains("NaN") && !text.contains("inf"));
}
