//! `glass list`, `glass explain`, `glass emit`, `glass doctor`: the generator without a Rust program around it. `glass audit`, `glass plot` and
//! `glass crossover`: what was measured.
#![forbid(unsafe_code)]

mod crossover;
mod doctor;
mod emit;
mod explain;
mod list;
mod manifest;
mod plot;

use glass_audit::Failure;
use lexopt::Parser;
use lexopt::prelude::{Long, Short, Value};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
glass list                     every op: sizes, options, tiers, forms
glass explain OP [FIELD...]    an op; with its sizes (`glass explain potrf n=7 dtype=f64`) its plans and their costs
glass emit SPEC.toml -o DIR    C++ device functions of the ops that SPEC.toml names, one self-contained .cuh
glass doctor                   the devices of this machine, and why others cannot be used
glass audit DIR                recomputes a comparison from its raw samples; rejects it, with reasons, or leaves a receipt
glass plot RESULTS -o DIR      pictures of stored samples
glass crossover CAPTURE -o DIR pictures and tables of serial against reduced sums, from a capture of `glass-gpu crossover`
";

fn main() -> ExitCode {
    let out = &mut std::io::stdout().lock();
    match run(out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(out: &mut dyn Write) -> Result<(), Failure> {
    let mut parser = Parser::from_env();
    let command = match next(&mut parser)? {
        Some(Argument::Positional(command)) => command,
        Some(Argument::Help) | None => {
            return Ok(write!(out, "{USAGE}")?);
        }
        Some(Argument::Out(_)) => {
            return Err(format!(
                "`-o` belongs to `glass emit`, `glass plot` and `glass crossover`\n\n{USAGE}"
            )
            .into());
        }
    };
    let (mut positional, mut folder) = (Vec::new(), None);
    while let Some(argument) = next(&mut parser)? {
        match argument {
            Argument::Positional(text) => positional.push(text),
            Argument::Out(given) => folder = Some(given),
            Argument::Help => {
                return Ok(write!(out, "{USAGE}")?);
            }
        }
    }
    match (command.as_str(), positional.as_slice(), folder) {
        ("list", [], None) => list::run(out),
        ("explain", [op, fields @ ..], None) => explain::run(op, fields, out),
        ("emit", [spec], Some(folder)) => emit::run(spec.as_ref(), &folder, out),
        ("doctor", [], None) => doctor::run(out),
        ("audit", [_], None) => glass_audit::run(&positional, out),
        ("plot", [results], Some(folder)) => plot::run(results.as_ref(), &folder, out),
        ("crossover", [capture], Some(folder)) => crossover::run(capture.as_ref(), &folder, out),
        (command, ..) => {
            Err(format!("`glass {command}` with these arguments is not known\n\n{USAGE}").into())
        }
    }
}

enum Argument {
    Positional(String),
    Out(PathBuf),
    Help,
}

fn next(parser: &mut Parser) -> Result<Option<Argument>, String> {
    let text = |error: lexopt::Error| error.to_string();
    Ok(match parser.next().map_err(text)? {
        None => None,
        Some(Value(value)) => {
            let value = value.into_string().map_err(|value| format!("{} is no text", value.display()))?;
            Some(Argument::Positional(value))
        }
        Some(Short('o') | Long("out")) => Some(Argument::Out(parser.value().map_err(text)?.into())),
        Some(Short('h') | Long("help")) => Some(Argument::Help),
        Some(other) => return Err(format!("{}\n\n{USAGE}", other.unexpected())),
    })
}
