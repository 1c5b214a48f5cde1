//! `cargo xtask test`: everything this machine can run, and a last line that counts.

use crate::environment::Environment;
use crate::suite::{Count, SUITES, Suite};
use std::path::Path;
use std::time::Instant;

/// What arbitrary tests draw from.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs the named suites, or all; whether everything passed.
pub(crate) fn run(root: &Path, names: &[&str]) -> Result<bool, String> {
    let known: Vec<_> = SUITES.iter().map(|suite| suite.package).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!("`{unknown}` is not a suite; there are {}", known.join(", ")));
    }
    let suites: Vec<_> =
        SUITES.iter().filter(|suite| names.is_empty() || names.contains(&suite.package)).collect();
    let environment = Environment::prepare(root);
    let start = Instant::now();
    let mut counts = Vec::new();
    for suite in suites {
        println!("== {} {}", suite.package, suite.arguments.join(" "));
        let count = suite.run(|command| {
            // Snapshots are compared with their metadata, and never written here.
            command.current_dir(root).env("INSTA_UPDATE", "no").env("INSTA_REQUIRE_FULL_MATCH", "1");
            command.env("RUST_BACKTRACE", "0");
            // What a commit is judged by depends on it alone; another seed looks for more.
            if std::env::var_os(SEED).is_none() {
                command.env(SEED, "1");
            }
            environment.apply(command);
        })?;
        report(suite, &count);
        counts.push(count);
    }
    Ok(conclude(&environment, &counts, start.elapsed().as_secs()))
}

fn report(suite: &Suite, count: &Count) {
    if count.n_failed > 0 {
        println!("{}", count.output);
    }
    for reason in &count.skipped {
        println!("   skipped: {reason}");
    }
    println!(
        "   {}: {} passed, {} failed, {} skipped in {:.0} s\n",
        suite.package,
        count.n_passed,
        count.n_failed,
        count.skipped.len(),
        count.wall.as_secs_f64()
    );
}

/// Prints the closing lines; whether everything passed.
fn conclude(environment: &Environment, counts: &[Count], seconds: u64) -> bool {
    let sum = |part: fn(&Count) -> usize| counts.iter().map(part).sum::<usize>();
    let mut reasons: Vec<_> = counts.iter().flat_map(|count| &count.skipped).cloned().collect();
    reasons.sort_unstable();
    reasons.dedup();
    let listed = |what: &[String]| if what.is_empty() { "nothing".to_owned() } else { what.join("; ") };
    println!(
        "ran {} suites in {} min {:02} s, with {}; missing: {}; skipped: {}",
        counts.len(),
        seconds / 60,
        seconds % 60,
        listed(&environment.found),
        listed(&environment.missing),
        listed(&reasons)
    );
    for failure in counts.iter().flat_map(Count::failures) {
        println!("{failure}");
    }
    let n_failed = sum(|count| count.n_failed);
    let n_skipped = sum(|count| count.skipped.len());
    println!("{} passed, {n_failed} failed, {n_skipped} skipped", sum(|count| count.n_passed));
    n_failed == 0
}
