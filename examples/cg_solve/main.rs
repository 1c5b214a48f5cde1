//! Solves sparse symmetric positive definite systems by conjugate gradients on every device of this machine, checks every
//! solution by its true residual, and prints a table.
//!
//! ```text
//! cargo run --release --example cg_solve -- [FILE.mtx | --size M] [--jacobi] [--tolerance T] [--iterations N] [--repeat K]
//! ```
//!
//! The matrix comes from a Matrix Market file. Without one, two systems on M x M x M grids are solved: Poisson's
//! equation, and diffusion in layers whose thickness grows 64-fold (`systems.rs`).
//!
//! Exit code 0: every solver converged within its bound; 1: one did not, or the table could not be written; 2: the
//! arguments or the file are unusable.
#![forbid(unsafe_code)]

mod arguments;
mod check;
#[path = "../program/columns.rs"]
mod columns;
mod csr;
mod devices;
#[path = "../program/exit.rs"]
mod exit;
mod matrix_market;
mod reference;
mod systems;
mod table;

use arguments::Arguments;
use check::Checked;
use devices::Measured;
use exit::Failure;
use glass::Device;
use reference::Options;
use std::io::{self, Write};
use std::process::ExitCode;
use systems::System;
use table::Row;

fn main() -> ExitCode {
    exit::code("cg_solve", run(lexopt::Parser::from_env(), &mut io::stdout().lock()))
}

/// Writes the help or the table; whether every solver is right.
fn run(parser: lexopt::Parser, out: &mut impl Write) -> Result<bool, Failure> {
    let Some(arguments) = Arguments::parse(parser).map_err(Failure::Unusable)? else {
        writeln!(out, "{}", arguments::USAGE)?;
        out.flush()?;
        return Ok(true);
    };
    let systems = systems::prepare(&arguments.source).map_err(|error| Failure::Unusable(error.into()))?;
    let options = &arguments.options;
    writeln!(out, "{options}")?;

    let (devices, skipped) = Device::all();
    let mut is_right = true;
    for system in &systems {
        let mut rows = vec![reference_row(system, options)];
        rows.extend(devices.iter().map(|device| {
            let outcome = devices::solve(device, system, options, arguments.repeat);
            Row { solver: device.target().to_string(), outcome }
        }));
        table::write_system(out, system, &rows)?;
        is_right &= rows.iter().all(|row| row.failure().is_none());
    }
    table::write_notes(out, &devices, &skipped)?;
    out.flush()?;
    Ok(is_right)
}

fn reference_row(system: &System, options: &Options) -> Row {
    let solution = reference::solve(&system.matrix, &system.b, options);
    let checked = Checked::new(system, &solution, options, f64::EPSILON / 2.0);
    Row { solver: "reference, f64".into(), outcome: Ok(Measured { checked, seconds: None }) }
}

#[cfg(test)]
mod tests;
