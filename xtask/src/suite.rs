//! The test suites, and the count of one.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Tests of one package under one set of features.
#[derive(Debug)]
pub(crate) struct Suite {
    /// Package.
    pub(crate) package: &'static str,
    /// Arguments of `cargo test` after the package.
    pub(crate) arguments: &'static [&'static str],
}

/// Every suite. Features are spelled per package: a build of the whole workspace would unify them.
pub(crate) const SUITES: &[Suite] = &[
    Suite { package: "xtask", arguments: &[] },
    Suite { package: "glass-oracle", arguments: &[] },
    Suite { package: "glass-codegen", arguments: &[] },
    Suite { package: "glass-macros", arguments: &[] },
    Suite { package: "glass-cli", arguments: &[] },
    Suite { package: "glass-audit", arguments: &[] },
    Suite { package: "glass-ui-tests", arguments: &[] },
    Suite { package: "glass-tests", arguments: &["--features", "wgpu"] },
    Suite { package: "glass-rt", arguments: &["--features", "cuda,wgpu"] },
    Suite { package: "glass-kernels", arguments: &["--features", "wgpu"] },
    Suite { package: "glass-solve", arguments: &["--features", "wgpu"] },
    Suite { package: "glass-gpu-bundle", arguments: &["--features", "cuda,wgpu"] },
];

/// What came of a suite.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) n_passed: usize,
    pub(crate) n_failed: usize,
    /// Lines in which tests say what they did not do, and why.
    pub(crate) skipped: Vec<String>,
    /// Everything the tests printed.
    pub(crate) output: String,
    pub(crate) wall: Duration,
}

/// Lines of one failed test that the end of a run repeats.
const MAX_PRINTED: usize = 20;

impl Suite {
    /// Runs the suite to its end, whatever fails.
    pub(crate) fn run(&self, prepare: impl FnOnce(&mut Command)) -> Result<Count, String> {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--no-fail-fast", "--package", self.package]).args(self.arguments);
        command.args(["--", "--show-output"]).stderr(Stdio::inherit());
        prepare(&mut command);
        let output = command.output().map_err(|error| format!("cargo: {error}"))?;
        let mut count = Count::read(String::from_utf8_lossy(&output.stdout).into_owned());
        count.wall = start.elapsed();
        if !output.status.success() && count.n_failed == 0 {
            // It did not compile, or a test took the process down.
            count.n_failed = 1;
        }
        Ok(count)
    }
}

impl Count {
    /// What each failed test printed, under its name; of a long one the beginning.
    pub(crate) fn failures(&self) -> Vec<String> {
        let lines: Vec<_> = self.output.lines().collect();
        let names = lines.iter().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let section = |name: &str| {
            let heading = format!("---- {name} stdout ----");
            let printed = lines.iter().skip_while(|line| **line != heading);
            let own = printed.skip(1).take_while(|line| !line.starts_with("---- ") && **line != "failures:");
            let own = own.filter(|line| !line.is_empty()).take(MAX_PRINTED);
            own.fold(format!("failed: {name}"), |section, line| format!("{section}\n    {line}"))
        };
        names.map(section).collect()
    }

    fn read(output: String) -> Count {
        let mut count = Count::default();
        for line in output.lines() {
            if let Some(reason) = line.strip_prefix("skipped: ") {
                count.skipped.push(reason.to_owned());
            }
            if let Some(result) = line.strip_prefix("test result: ") {
                count.n_passed += number_before(result, " passed");
                count.n_failed += number_before(result, " failed");
            }
        }
        count.output = output;
        count
    }
}

fn number_before(text: &str, word: &str) -> usize {
    let before = text.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_binaries_add_up() {
        let output = "running 2 tests\n\
                      test a ... ok\n\
                      ---- b stdout ----\n\
                      skipped: CUDA device: no driver\n\
                      test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                      test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let count = Count::read(output.to_owned());
        assert_eq!((count.n_passed, count.n_failed), (12, 3));
        assert_eq!(count.skipped, ["CUDA device: no driver"]);
    }

    #[test]
    fn a_failed_test_is_quoted() {
        let output = "test a ... ok\n\
                      test b::c ... FAILED\n\
                      successes:\n\
                      ---- a stdout ----\n\
                      fine\n\
                      failures:\n\
                      \n\
                      ---- b::c stdout ----\n\
                      \n\
                      thread 'b::c' panicked\n\
                      left: 1\n\
                      failures:\n\
                      \x20   b::c\n\
                      test result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        let count = Count::read(output.to_owned());
        assert_eq!(count.failures(), ["failed: b::c\n    thread 'b::c' panicked\n    left: 1"]);
    }
}
