//! The backward pass of differential dynamic programming on a real robot, of a batch of problems: as a chain
//! of small ops, as one kernel a knot and as one kernel for all knots, on every device of this machine, with every
//! answer checked.
//!
//! ```text
//! cargo run --release --example ddp_backward -- [--data FILE.npz] [--batch N] [--dtype f32|f64|both]
//! ```
//!
//! From the last knot to the first, with V and v the expansion of the value at the next one:
//!
//! ```text
//! Qxx = Lxx + Fx'V Fx    Qxu = Lxu + Fx'V Fu    Quu = Luu + Fu'V Fu
//! Qx = Lx + Fx'v         Qu = Lu + Fu'v
//! K = Quu^-1 Qxu'        k = Quu^-1 Qu
//! V = sym(Qxx - Qxu K)   v = Qx - Qxu k
//! ```
//!
//! `robots.rs` has the ops, `chain.rs` and `fused.rs` the loops over the knots.
//!
//! Exit code 0: every device that ran is right, whatever it refused; 1: a device failed or left the error bound, or the
//! table could not be written; 2: the arguments or the file are unusable.
#![forbid(unsafe_code)]

mod arguments;
mod chain;
mod check;
mod evaluate;
mod fused;
mod passes;
mod problems;
#[path = "../program/mod.rs"]
mod program;
mod reference;
mod robots;
mod rounding;
mod table;

use arguments::Arguments;
use check::Right;
use evaluate::Batch;
use glass::Device;
use glass::rt::kernel::DType;
use problems::{Answers, Problems};
use program::exit::{self, Failure};
use robots::{Robot, Way};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use table::Row;

fn main() -> ExitCode {
    exit::code("ddp_backward", run(lexopt::Parser::from_env(), &mut io::stdout().lock()))
}

/// Problems, their right answers, and the ways to solve them.
struct Prepared {
    recorded: Problems,
    recorded_answers: Answers,
    perturbed: Problems,
    perturbed_answers: Answers,
    expected: Vec<[f64; 3]>,
    robots: Vec<(DType, Robot)>,
}

/// Writes the help or the table; whether every device that ran is right.
fn run(parser: lexopt::Parser, out: &mut impl Write) -> Result<bool, Failure> {
    let Some(arguments) = Arguments::parse(parser).map_err(Failure::Unusable)? else {
        writeln!(out, "{}", arguments::USAGE)?;
        out.flush()?;
        return Ok(true);
    };
    let prepared = prepare(&arguments).map_err(Failure::Unusable)?;
    let sizes = prepared.recorded.sizes;
    writeln!(
        out,
        "{}: {} problems of {} knots, nx = {}, nu = {}; perturbed: {}, cost by {:e}, seed {}",
        arguments.data.display(),
        prepared.recorded.len,
        sizes.n_knots,
        sizes.nx,
        sizes.nu,
        prepared.perturbed.len,
        problems::PERTURBATION,
        problems::SEED,
    )?;

    let (devices, skipped) = Device::all();
    let mut rows = Vec::new();
    for device in &devices {
        for (dtype, robot) in &prepared.robots {
            rows.extend(robot.iter().map(|way| evaluate(device, *dtype, way, &prepared)));
        }
    }
    table::write(out, &rows, &skipped)?;
    out.flush()?;
    Ok(rows.iter().all(Row::is_right))
}

fn prepare(arguments: &Arguments) -> Result<Prepared, Box<dyn Error>> {
    let data = &arguments.data;
    let (recorded, recorded_answers) =
        Problems::read(data).map_err(|error| format!("{}: {error}", data.display()))?;
    let robot = |&dtype: &DType| Ok((dtype, robots::named(recorded.sizes.nx, recorded.sizes.nu, dtype)?));
    let robots = arguments.dtypes.iter().map(robot).collect::<Result<_, String>>()?;
    let perturbed = recorded.perturb(arguments.batch)?;
    let perturbed_answers = reference::solve(&perturbed)?;
    let expected = rounding::expected(&recorded, &recorded_answers);
    Ok(Prepared { recorded, recorded_answers, perturbed, perturbed_answers, expected, robots })
}

/// Both batches on one device, in one way.
fn evaluate(device: &Device, dtype: DType, way: &Way, prepared: &Prepared) -> Row {
    let mut row = Row::new(device, dtype, way.name);
    if let Some(misfit) = way.misfit(prepared.recorded.sizes) {
        row.lack = Some(misfit);
        return row;
    }
    let Some(plans) = table::plans(way.tasks, device, prepared.perturbed.len) else {
        row.lack = Some(format!("has no {dtype}"));
        return row;
    };
    row.plans = plans;
    for (name, problems, answers) in [
        ("file", &prepared.recorded, &prepared.recorded_answers),
        ("perturbed", &prepared.perturbed, &prepared.perturbed_answers),
    ] {
        let right = Right { sizes: problems.sizes, answers, expected: &prepared.expected };
        let outcome = (way.evaluate)(device, &Batch { problems, right });
        row.batches.push((name, problems.len, outcome));
    }
    row
}

#[cfg(test)]
mod tests;
