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

/// Lines of one failed test that the end of a run repeats: the last ones, where a panic stands.
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
    /// What each failed test printed last, under its name, and test binaries that ended without a result.
    pub(crate) fn failures(&self) -> Vec<String> {
        binaries(&self.output).iter().flat_map(|binary| failures(binary)).collect()
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
        count.n_failed += binaries(&output).iter().filter(|binary| !has_result(binary)).count();
        count.output = output;
        count
    }
}

/// The lines of each test binary, from its first one on.
fn binaries(output: &str) -> Vec<Vec<&str>> {
    let is_first = |line: &str| {
        let count = line.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
        count.is_some_and(|(count, _)| count.parse::<usize>().is_ok())
    };
    let mut binaries: Vec<Vec<&str>> = Vec::new();
    for line in output.lines() {
        if is_first(line) {
            binaries.push(Vec::new());
        }
        if let Some(binary) = binaries.last_mut() {
            binary.push(line);
        }
    }
    binaries
}

fn has_result(binary: &[&str]) -> bool {
    binary.iter().any(|line| line.starts_with("test result: "))
}

/// Of one binary. The failed tests are listed last, after the sections of what they printed.
fn failures(binary: &[&str]) -> Vec<String> {
    if !has_result(binary) {
        let last =
            binary.iter().rev().find(|line| line.starts_with("test ")).unwrap_or(&"before its first test");
        return vec![format!("failed: a test binary ended without a result, after: {last}")];
    }
    let Some(list) = binary.iter().rposition(|line| *line == "failures:") else { return Vec::new() };
    let names: Vec<_> = binary[list + 1..].iter().map_while(|line| line.strip_prefix("    ")).collect();
    let heading_of = |name: &str| format!("---- {name} stdout ----");
    let headings: Vec<_> = names.iter().map(|name| heading_of(name)).collect();
    let section = |name: &&str| {
        let heading = binary[..list].iter().rposition(|line| *line == heading_of(name));
        let printed = heading.map_or(&[][..], |heading| &binary[heading + 1..list]);
        let own = printed.iter().take_while(|line| !headings.iter().any(|heading| heading == *line));
        let own: Vec<_> = own.filter(|line| !line.is_empty()).collect();
        let last = own[own.len().saturating_sub(MAX_PRINTED)..].iter();
        last.fold(format!("failed: {name}"), |section, line| format!("{section}\n    {line}"))
    };
    names.iter().map(section).collect()
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

    const PASSED: &str = "running 2 tests\n\
                          test works ... ok\n\
                          successes:\n\
                          ---- works stdout ----\n\
                          I am another one\n\
                          successes:\n\
                          \x20   works\n\
                          test result: ok. 2 passed; 0 failed; 0 ignored\n";
    const FAILED: &str = "running 2 tests\n\
                          test works ... FAILED\n\
                          test sp - should panic ... FAILED\n\
                          failures:\n\
                          \n\
                          ---- works stdout ----\n\
                          before\n\
                          failures:\n\
                          thread 'works' panicked\n\
                          ---- sp stdout ----\n\
                          note: test did not panic as expected\n\
                          \n\
                          failures:\n\
                          \x20   works\n\
                          \x20   sp\n\
                          \n\
                          test result: FAILED. 0 passed; 2 failed; 0 ignored\n";
    const ABORTED: &str = "running 3 tests\ntest first ... ok\n";

    #[test]
    fn failed_tests_are_quoted_and_aborted_binaries_named() {
        let count = Count::read([PASSED, FAILED, ABORTED].concat());
        assert_eq!((count.n_passed, count.n_failed), (2, 3));
        let expected = [
            "failed: works\n    before\n    failures:\n    thread 'works' panicked",
            "failed: sp\n    note: test did not panic as expected",
            "failed: a test binary ended without a result, after: test first ... ok",
        ];
        assert_eq!(count.failures(), expected);
    }

    #[test]
    fn of_much_the_end_is_quoted() {
        let lines: String = (0..30).map(|line| format!("line {line}\n")).collect();
        let output = format!(
            "running 1 test\nfailures:\n\n---- a stdout ----\n{lines}panicked\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed;\n"
        );
        let failures = Count::read(output).failures();
        assert!(failures[0].ends_with("\n    line 29\n    panicked"), "{failures:?}");
        assert_eq!(failures[0].lines().count(), 1 + MAX_PRINTED);
    }
}
