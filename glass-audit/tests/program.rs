//! The program around the audit: nobody reads its output, or the device is full.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The stored comparison in a folder of its own, without its receipt.
fn capture(name: &str) -> PathBuf {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/results/compare_small_ops_h200");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["declaration.json", "pilots.json.gz", "sources.json.gz", "results.json.gz"] {
        std::fs::copy(stored.join(name), folder.join(name)).unwrap();
    }
    let _ = std::fs::remove_file(folder.join("receipt.json"));
    folder
}

fn audited(folder: &Path, stdout: impl Into<Stdio>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_glass-audit")).arg(folder).stdout(stdout).output().unwrap()
}

fn has_whole_receipt(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("receipt.json")).expect("the receipt is not lost");
    let receipt: serde_json::Value = serde_json::from_str(&text).expect("the receipt is whole");
    assert_eq!(receipt["status"], "pass");
    assert_eq!(receipt["visits"]["failed"], serde_json::json!({}));
}

#[test]
fn a_closed_pipe_ends_quietly_and_leaves_the_receipt() {
    let folder = capture("closed");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = audited(&folder, writer);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), b"".as_slice()));
    has_whole_receipt(&folder);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_an_error_and_leaves_the_receipt() {
    let folder = capture("full");
    let output = audited(&folder, File::options().write(true).open("/dev/full").unwrap());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(message.starts_with("the output cannot be written: "), "{message}");
    has_whole_receipt(&folder);
}

#[test]
fn a_receipt_is_never_written_over() {
    let folder = capture("receipt");
    std::fs::write(folder.join("receipt.json"), "mine").unwrap();
    let output = audited(&folder, Stdio::piped());
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("stays as it is"));
    assert_eq!(std::fs::read_to_string(folder.join("receipt.json")).unwrap(), "mine");
}
