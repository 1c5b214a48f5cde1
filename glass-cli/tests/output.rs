//! Nobody reads what a command prints, or the device is full.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Every command that prints without a device.
fn commands() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output");
    let at = |path: &str| root.join(path).display().to_string();
    let out = out.display().to_string();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    vec![
        words(&[]),
        words(&["list", "--help"]),
        words(&["list"]),
        words(&["doctor"]),
        words(&["explain", "posv"]),
        words(&["explain", "posv", "n=7"]),
        words(&["emit", &at("examples/dynamics.toml"), "-o", &out]),
        words(&["audit", &at("benches/results/compare_small_ops_h200")]),
        words(&["plot", &at("benches/results"), "-o", &out]),
    ]
}

fn glass(arguments: &[String], stdout: impl Into<Stdio>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_glass")).args(arguments).stdout(stdout).output().unwrap()
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for arguments in commands() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = glass(&arguments, writer);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), message.as_ref()), (Some(1), ""), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_an_error_of_every_command() {
    for arguments in commands() {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = glass(&arguments, full);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(message.starts_with("the output cannot be written: "), "{arguments:?}: {message}");
    }
}
