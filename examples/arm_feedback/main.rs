//! Evaluates the feedback policy `du = -K dx - k` of a real robot for a large batch of states on every
//! device of this machine, checks every number, and prints a table.
//!
//! ```text
//! cargo run --release --example arm_feedback -- [--data FILE.npz] [--batch N]
//! ```
//!
//! Exit code 0: every device that ran is right; 1: a device failed or left the error bound, or the
//! table could not be written; 2: the arguments or the file are unusable.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod evaluate;
mod gains;
mod policy;
mod problems;
#[path = "../program/mod.rs"]
mod program;
mod table;

use arguments::Arguments;
use gains::Gains;
use problems::Problems;
use program::exit::{self, Failure};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::code("arm_feedback", run(lexopt::Parser::from_env(), &mut io::stdout().lock()))
}

/// Writes the help or the table; whether every device that ran is right.
fn run(parser: lexopt::Parser, out: &mut impl Write) -> Result<bool, Failure> {
    let Some(arguments) = Arguments::parse(parser).map_err(Failure::Unusable)? else {
        writeln!(out, "{}", arguments::USAGE)?;
        out.flush()?;
        return Ok(true);
    };
    let (problems, evaluate) = prepare(&arguments).map_err(Failure::Unusable)?;
    writeln!(
        out,
        "{}: {} gains; du = -K dx - k with K {} x {}; {} states, seed {}",
        arguments.data.display(),
        problems.n_sources,
        problems.nu,
        problems.nx,
        problems.len,
        problems::SEED,
    )?;

    let (devices, skipped) = glass::Device::all();
    let rows: Vec<_> = devices.iter().map(|device| (device, evaluate(device, &problems))).collect();
    table::write(out, &rows, &skipped)?;
    out.flush()?;
    Ok(rows.iter().all(|(_, outcome)| outcome.is_ok()))
}

fn prepare(arguments: &Arguments) -> Result<(Problems, policy::Evaluate), Box<dyn Error>> {
    let data = &arguments.data;
    let gains = Gains::read(data).map_err(|error| format!("{}: {error}", data.display()))?;
    let evaluate = policy::for_shape(gains.nu, gains.nx)?;
    Ok((Problems::perturb(&gains, arguments.batch)?, evaluate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::exit::full::Full;

    #[test]
    fn output_that_cannot_be_written_is_an_error_and_a_closed_pipe_a_quiet_one() {
        for (arguments, room) in [(&["--help"][..], 10), (&["--batch", "1"], 0), (&["--batch", "1"], 200)] {
            for (kind, is_quiet) in [(io::ErrorKind::StorageFull, false), (io::ErrorKind::BrokenPipe, true)] {
                let parser = lexopt::Parser::from_args(arguments);
                let failure = run(parser, &mut Full { room, kind }).unwrap_err();
                assert!(matches!(&failure, Failure::Output(error) if error.kind() == kind), "{failure:?}");
                let (message, code) = failure.report();
                assert_eq!((message.is_none(), code), (is_quiet, 1));
            }
        }
    }

    #[test]
    fn unusable_arguments_write_nothing() {
        let mut out = Vec::new();
        let parser = lexopt::Parser::from_args(["--data", "examples/data"]);
        let (message, code) = run(parser, &mut out).unwrap_err().report();
        assert_eq!(message.as_deref(), Some("examples/data: is no regular file"));
        assert_eq!((out.len(), code), (0, 2));
    }
}
