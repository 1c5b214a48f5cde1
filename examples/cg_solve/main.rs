//! Solves sparse symmetric positive definite systems by conjugate gradients, checks every solution by its true residual,
//! and prints a table.
//!
//! ```text
//! cargo run --release --example cg_solve -- [FILE.mtx | --size M] [--jacobi] [--tolerance T] [--iterations N]
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
#[path = "../program/exit.rs"]
mod exit;
mod matrix_market;
mod reference;
mod systems;
mod table;

use arguments::Arguments;
use check::Checked;
use exit::Failure;
use reference::Options;
use std::io::{self, Write};
use std::process::ExitCode;
use systems::System;

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

    let mut is_right = true;
    for system in &systems {
        let rows = [reference_row(system, options)];
        table::write_system(out, system, &rows)?;
        is_right &= rows.iter().all(|(_, checked)| checked.verdict().is_ok());
    }
    table::write_notes(out)?;
    out.flush()?;
    Ok(is_right)
}

fn reference_row(system: &System, options: &Options) -> (String, Checked) {
    let solution = reference::solve(&system.matrix, &system.b, options);
    ("reference, f64".into(), Checked::new(system, &solution, options, f64::EPSILON / 2.0))
}

#[cfg(test)]
mod tests;
