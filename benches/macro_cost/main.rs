//! What an attribute costs the crate it stands in, with everything as a user builds it: unoptimised.
//!
//! ```text
//! cargo bench --bench macro_cost -- [--save]
//! ```
//!
//! Two figures. Milliseconds of one expansion of `n_out = 7, k = 14`, timed inside the compiler by a procedural
//! macro that wraps the real one. And what a hundred contracts of mixed shapes up to 14 add to `cargo check` of a
//! crate whose dependencies are built: wall time, and processor time, which a busy machine does not inflate. The
//! crates are written below the target folder. `--save` writes every sample to `benches/results/macro_cost.json`.
#![forbid(unsafe_code)]

mod contracts;
mod fixture;
mod record;

use fixture::{Check, Fixture};
use std::error::Error;

/// Expansions of one contract in one compiler process; the first one reads the templates.
const N_EXPANSIONS: usize = 40;

/// Clean checks of each crate.
const N_CHECKS: usize = 5;

const USAGE: &str = "usage: cargo bench --bench macro_cost -- [--save]";

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut save = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("save") => save = true,
            Long("bench") => {} // cargo's own
            other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
        }
    }

    let fixture = Fixture::write()?;
    let load_before = record::load();
    let expansions_ns = fixture.expansions()?;
    let (first, others) = expansions_ns.split_first().ok_or("the macro reported no time")?;
    println!("one expansion of n_out = 7, k = 14, unoptimised, {} samples", others.len());
    println!("  first in a process {:7.2} ms", *first as f64 / 1e6);
    println!("  median             {:7.2} ms", median(others) / 1e6);
    println!("  least              {:7.2} ms", others.iter().copied().min().unwrap_or(0) as f64 / 1e6);

    // One crate after the other in every round: a change of the machine's load meets both.
    let mut checks: [Vec<Check>; 2] = Default::default();
    for _ in 0..N_CHECKS {
        for (checks, package) in checks.iter_mut().zip(Fixture::COMPARED) {
            checks.push(fixture.check(package)?);
        }
    }
    let of =
        |time: fn(&Check) -> u64| checks.each_ref().map(|checks| checks.iter().map(time).collect::<Vec<_>>());
    println!(
        "cargo check of a crate with 0 and with {} contracts, median of {N_CHECKS}",
        contracts::N_CONTRACTS
    );
    for (name, [without, with]) in
        [("wall time", of(|check| check.wall_ns)), ("processor", of(|check| check.cpu_ns))]
    {
        let (without, with) = (median(&without) / 1e9, median(&with) / 1e9);
        println!("  {name:<18} {without:5.2} s and {with:5.2} s: {:5.2} s more", with - without);
    }

    if save {
        record::write(&expansions_ns, &checks, load_before)?;
    }
    Ok(())
}

fn median(samples: &[u64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle] as f64,
        _ => (sorted[middle - 1] + sorted[middle]) as f64 / 2.0,
    }
}
