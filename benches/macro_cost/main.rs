//! What an attribute costs the crate it stands in, with everything as a user builds it: unoptimised.
//!
//! ```text
//! cargo bench --bench macro_cost -- [--save]
//! ```
//!
//! Three figures. Milliseconds of one expansion of `n_out = 7, k = 14`, timed inside the compiler by a procedural macro
//! that wraps the real one. What a hundred ops of mixed kinds and sizes up to 14 add to `cargo check` of a crate whose
//! dependencies are built: wall time, and processor time, which a busy machine does not inflate. And which of the
//! hundred expand slowest. The crates are written below the target folder. `--save` writes every sample to `benches/results/macro_cost.json`.
#![forbid(unsafe_code)]

mod attributes;
mod fixture;
mod record;

use fixture::{Check, Expansion, Fixture};
use std::error::Error;

/// Expansions of one contract in one compiler process; the first one reads the templates.
const N_EXPANSIONS: usize = 40;

/// Expansions of each attribute of the mixed crate: the least of them is kept, which the machine's load delayed least.
const N_ROUNDS: usize = 3;

/// How many of the slowest expansions are shown.
const N_SLOWEST: usize = 10;

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
    let repeated = fixture.expansions("repeated")?;
    let (first, others) = repeated.split_first().ok_or("the macro reported no time")?;
    let others: Vec<_> = others.iter().map(|expansion| expansion.wall_ns).collect();
    println!("one expansion of n_out = 7, k = 14, unoptimised, {} samples", others.len());
    println!("  first in a process {:7.2} ms", first.wall_ns as f64 / 1e6);
    println!("  median             {:7.2} ms", median(&others) / 1e6);
    println!("  least              {:7.2} ms", others.iter().copied().min().unwrap_or(0) as f64 / 1e6);
    let mixed = least(&fixture)?;
    let mut slowest: Vec<_> = mixed.iter().collect();
    slowest.sort_by_key(|expansion| std::cmp::Reverse(expansion.wall_ns));
    println!("the slowest of {} mixed expansions, least of {N_ROUNDS}", mixed.len());
    for Expansion { wall_ns, attribute } in slowest.into_iter().take(N_SLOWEST) {
        println!("  {:7.2} ms  {attribute}", *wall_ns as f64 / 1e6);
    }

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
        "cargo check of a crate with 0 and with {} attributes, median of {N_CHECKS}",
        attributes::N_ATTRIBUTES
    );
    for (name, [without, with]) in
        [("wall time", of(|check| check.wall_ns)), ("processor", of(|check| check.cpu_ns))]
    {
        let (without, with) = (median(&without) / 1e9, median(&with) / 1e9);
        println!("  {name:<18} {without:5.2} s and {with:5.2} s: {:5.2} s more", with - without);
    }

    if save {
        record::write(&repeated, &mixed, &checks, load_before)?;
    }
    Ok(())
}

/// Every attribute of the mixed crate with its fastest expansion.
fn least(fixture: &Fixture) -> Result<Vec<Expansion>, Box<dyn Error>> {
    let mut least = fixture.expansions("mixed")?;
    for _ in 1..N_ROUNDS {
        for (least, again) in least.iter_mut().zip(fixture.expansions("mixed")?) {
            least.wall_ns = least.wall_ns.min(again.wall_ns);
        }
    }
    Ok(least)
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
