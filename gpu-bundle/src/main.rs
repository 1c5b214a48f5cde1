//! Checks, tunes and measures the kernels of glass on a machine with a GPU.
//!
//! One stripped binary that needs a driver and NVRTC there, and neither cargo nor a toolkit. Every subcommand
//! writes its results as it goes, records a failure as a row, and prints a short table last.

mod bench;
mod check;
mod compare;
mod crossover;
mod cuda;
mod digest;
mod embed;
mod guard;
mod kernel_id;
mod numerics;
mod options;
mod output;
mod pool;
mod problems;
mod provenance;
mod regime;
mod rig;
mod tasks;
mod tune;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = options::parse().and_then(|command| match command {
        options::Command::Check(options) => check::run(&options),
        options::Command::Tune(options) => tune::run(&options),
        options::Command::Bench(options) => bench::run(&options),
        options::Command::Numerics(options) => numerics::run(&options),
        options::Command::Declare(options) => compare::declare(&options),
        options::Command::Compare(options) => compare::run(&options),
        options::Command::Guard(options) => guard::run(&options),
        options::Command::DeclareCrossover(options) => crossover::declare(&options),
        options::Command::Crossover(options) => crossover::run(&options),
        options::Command::Worker { kind } => worker::main(&kind),
        options::Command::Help => {
            print!("{}", options::USAGE);
            Ok(())
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("glass-gpu: {error}");
            ExitCode::FAILURE
        }
    }
}
