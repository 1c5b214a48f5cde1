//! The repository's own chores: `cargo xtask test | bless | tidy | gpu-bundle`.
#![forbid(unsafe_code)]

mod bless;
mod bundle;
mod environment;
mod suite;
mod test;
mod tidy;

use lexopt::{Arg, ValueExt};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask test [SUITE...]   install or find what the tests need, run them all (or some), count what ran
cargo xtask bless [WHAT...]   rewrite snapshots, operations, resources, ui, packages (or all of them); read the diff
cargo xtask tidy              check the rules of the repository
cargo xtask gpu-bundle        build the directory that runs on a GPU machine";

fn main() -> ExitCode {
    match arguments().and_then(|words| run(&words)) {
        Ok(true) => ExitCode::SUCCESS,
        // The chore has said what is wrong.
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Vec<String>, String> {
    let mut parser = lexopt::Parser::from_env();
    let mut words = Vec::new();
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => words.insert(0, "help".to_owned()),
            Arg::Value(word) => words.push(word.string().map_err(|error| error.to_string())?),
            _ => return Err(format!("{}\n{HELP}", argument.unexpected())),
        }
    }
    Ok(words)
}

/// Runs a chore; whether it succeeded.
fn run(words: &[String]) -> Result<bool, String> {
    let root = root();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test", suites @ ..] => test::run(root, suites),
        ["bless", parts @ ..] => bless::run(root, parts).map(|()| true),
        ["tidy"] => tidy::run(root),
        ["gpu-bundle"] => bundle::run(root).map(|()| true),
        [] | ["help", ..] => {
            println!("{HELP}");
            Ok(true)
        }
        _ => Err(format!("`{}` is not a chore\n{HELP}", words.join(" "))),
    }
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the root")
}
