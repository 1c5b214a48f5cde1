//! Every wrong attribute, beside what the compiler says about it.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The compiler that wrote the expected answers; another one words its own part differently.
const WRITTEN_BY: &str = "rustc 1.95.0";

const FOLDERS: [&str; 11] = [
    "fields",
    "op",
    "shape",
    "index_string",
    "options",
    "dtype",
    "tier_and_form",
    "targets",
    "item",
    "reduce",
    "vector",
];

#[test]
fn mistakes_are_explained() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().expect("the compiler tells its version");
    let version = String::from_utf8(version.stdout).expect("a version is text");
    if !version.starts_with(&format!("{WRITTEN_BY} ")) {
        println!("skipped: ui: the expected answers are those of {WRITTEN_BY}, this is {}", version.trim());
        return;
    }
    let cases = trybuild::TestCases::new();
    for folder in FOLDERS {
        cases.compile_fail(format!("{folder}/*.rs"));
    }
}

/// Every message that the attribute can give appears in some expected answer.
#[test]
fn every_message_has_a_case() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let answers: Vec<String> = FOLDERS
        .iter()
        .flat_map(|folder| fs::read_dir(package.join(folder)).expect("the folder exists"))
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .map(|path| fs::read_to_string(path).expect("the answer is text"))
        .collect();
    let mut n_messages = 0;
    for folder in ["glass-codegen/src/contract", "glass-macros/src/contract"] {
        for entry in fs::read_dir(package.join("../..").join(folder)).expect("the folder exists") {
            let path = entry.expect("the folder is readable").path();
            // An image of the wrong kind needs a folder of images, which the test of images has.
            let is_elsewhere = path.is_dir() || path.ends_with("images.rs");
            if is_elsewhere {
                continue;
            }
            let source = fs::read_to_string(&path).expect("the source is text");
            for message in messages(&source) {
                n_messages += 1;
                let is_shown =
                    answers.iter().flat_map(|answer| answer.lines()).any(|line| contains(line, &message));
                assert!(is_shown, "{}: no case shows `{}`", path.display(), message.join("{}"));
            }
        }
    }
    assert!(n_messages > 40, "the search finds only {n_messages} messages");
}

/// First lines of the literals that begin with `glass: `, cut at their placeholders.
fn messages(source: &str) -> Vec<Vec<&str>> {
    let starts = source.match_indices("\"glass: ").map(|(start, _)| &source[start + 1..]);
    starts
        .map(|rest| {
            let line = &rest[..rest.find(['"', '\\']).expect("a literal ends")];
            line.split(['{', '}']).step_by(2).collect()
        })
        .collect()
}

/// Whether a line holds the parts in their order.
fn contains(line: &str, parts: &[&str]) -> bool {
    let mut rest = line;
    parts.iter().all(|part| match rest.find(part) {
        Some(start) => {
            rest = &rest[start + part.len()..];
            true
        }
        None => false,
    })
}
