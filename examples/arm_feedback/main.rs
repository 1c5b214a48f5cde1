//! Evaluates the feedback policy `du = -K dx - k` of a real robot for a large batch of states on every
//! device of this machine, checks every number, and prints a table.
//!
//! ```text
//! cargo run --release --example arm_feedback -- [--data FILE.npz] [--batch N]
//! ```
//!
//! Exit code 0: every device that ran is right; 1: a device failed or left the error bound; 2: the
//! arguments or the file are unusable.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod evaluate;
mod gains;
mod policy;
mod problems;
mod table;

use arguments::Arguments;
use gains::Gains;
use problems::Problems;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::parse() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => return refuse(error.as_ref()),
    };
    let prepared = Gains::read(&arguments.data)
        .map_err(|error| format!("{}: {error}", arguments.data.display()).into())
        .and_then(|gains| prepare(&gains, arguments.batch));
    let (problems, evaluate) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return refuse(error.as_ref()),
    };
    println!(
        "{}: {} gains; du = -K dx - k with K {} x {}; {} states, seed {}",
        arguments.data.display(),
        problems.n_sources,
        problems.nu,
        problems.nx,
        problems.len,
        problems::SEED,
    );

    let (devices, skipped) = glass::Device::all();
    let rows: Vec<_> = devices.iter().map(|device| (device, evaluate(device, &problems))).collect();
    table::print(&rows, &skipped);
    if rows.iter().all(|(_, outcome)| outcome.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn prepare(gains: &Gains, batch: usize) -> Result<(Problems, policy::Evaluate), Box<dyn Error>> {
    let evaluate = policy::for_shape(gains.nu, gains.nx)?;
    Ok((Problems::perturb(gains, batch)?, evaluate))
}

fn refuse(error: &dyn Error) -> ExitCode {
    eprintln!("arm_feedback: {error}");
    ExitCode::from(2)
}
