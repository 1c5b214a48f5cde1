//! Operation counts of kernels: the committed baseline, and what differs from it.

use glass_codegen::kernel::Operations;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts of one kernel by name; one that is absent is 0.
pub type Counts = BTreeMap<String, usize>;

/// The counts of every kernel of a target, by symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(pub BTreeMap<String, Counts>);

const HEAD: &str = "\
# What the workers of one problem execute together, kernel by kernel; counts of 0 are left out.
# fma, mul, add (differences too), other (comparisons, selections, quotients, functions, words), pivot (root and reciprocal): by all workers.
# load, store: elements moved by bodies from and to the device's memory; shared_ and own_: shared memory, arrays of a thread.
# copy_in, copy_out: elements copied by frames between the device's memory and shared memory. shuffle, barrier: of the first worker.
# Written by `cargo xtask bless operations`; the test `operations` fails where a count differs.
";

impl Baseline {
    /// Takes the counts of a kernel.
    pub fn add(&mut self, symbol: String, operations: &Operations) {
        let counts = operations.named().into_iter().filter(|(_, n)| *n > 0);
        self.0.insert(symbol, counts.map(|(name, n)| (name.to_owned(), n)).collect());
    }

    /// The text of a baseline file: one line a kernel, sorted by symbol.
    pub fn text(&self) -> String {
        let names = Operations::default().named().map(|(name, _)| name);
        let mut text = HEAD.to_owned();
        for (symbol, counts) in &self.0 {
            text += symbol;
            for name in names {
                if let Some(n) = counts.get(name) {
                    write!(text, " {n} {name}").expect("a String takes any text");
                }
            }
            text.push('\n');
        }
        text
    }

    /// Reads the text of a baseline file.
    ///
    /// # Errors
    /// If a line is no symbol followed by counts and their names.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let names = Operations::default().named().map(|(name, _)| name);
        let mut baseline = Baseline::default();
        for (line_idx, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let wrong = |what: &str| format!("line {}: {what}: `{line}`", line_idx + 1);
            let words: Vec<_> = line.split(' ').collect();
            let [symbol, counts @ ..] = words.as_slice() else { return Err(wrong("no symbol")) };
            let mut kernel = Counts::new();
            for pair in counts.chunks(2) {
                let [n, name] = pair else { return Err(wrong("a count without a name")) };
                let n = n.parse().map_err(|_| wrong("no number before a name"))?;
                if !names.contains(name) {
                    return Err(wrong(&format!("`{name}` is none of {}", names.join(", "))));
                }
                kernel.insert((*name).to_owned(), n);
            }
            if baseline.0.insert((*symbol).to_owned(), kernel).is_some() {
                return Err(wrong("the second line of a kernel"));
            }
        }
        Ok(baseline)
    }

    /// Every kernel whose counts are not those of this baseline, one line each: what, from what, to what.
    pub fn differences(&self, counted: &Baseline) -> Vec<String> {
        let mut differences = Vec::new();
        for (symbol, now) in &counted.0 {
            let Some(before) = self.0.get(symbol) else {
                differences.push(format!("{symbol}: not in the baseline"));
                continue;
            };
            let of = |counts: &Counts, name: &str| counts.get(name).copied().unwrap_or(0);
            let names = Operations::default().named().map(|(name, _)| name);
            let changed = names.into_iter().filter(|name| of(before, name) != of(now, name));
            let changed: Vec<_> = changed
                .map(|name| format!("{name} from {} to {}", of(before, name), of(now, name)))
                .collect();
            if !changed.is_empty() {
                differences.push(format!("{symbol}: {}", changed.join(", ")));
            }
        }
        let stale = self.0.keys().filter(|symbol| !counted.0.contains_key(*symbol));
        differences.extend(stale.map(|symbol| format!("{symbol}: in the baseline, no longer in the grid")));
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_survives_printing_and_judges() {
        let mut before = Baseline::default();
        let operations = Operations { n_fmas: 98, n_barriers: 1, ..Operations::default() };
        before.add("a".to_owned(), &operations);
        before.add("gone".to_owned(), &operations);
        assert!(before.text().ends_with("\na 98 fma 1 barrier\ngone 98 fma 1 barrier\n"));
        assert_eq!(Baseline::parse(&before.text()), Ok(before.clone()));
        assert_eq!(before.differences(&before), Vec::<String>::new());
        let mut now = Baseline::default();
        now.add("a".to_owned(), &Operations { n_fmas: 99, n_pivots: 2, ..Operations::default() });
        now.add("b".to_owned(), &operations);
        let differences = [
            "a: fma from 98 to 99, pivot from 0 to 2, barrier from 1 to 0",
            "b: not in the baseline",
            "gone: in the baseline, no longer in the grid",
        ];
        assert_eq!(before.differences(&now), differences);
    }

    #[test]
    fn a_broken_line_is_named() {
        let fault = |text: &str| Baseline::parse(text).unwrap_err();
        assert_eq!(fault("# head\na 9 fma 3"), "line 2: a count without a name: `a 9 fma 3`");
        assert_eq!(fault("a nine fma"), "line 1: no number before a name: `a nine fma`");
        assert!(fault("a 9 fmas").starts_with("line 1: `fmas` is none of fma, mul, add, "));
        assert_eq!(fault("a 9 fma\na 9 fma"), "line 2: the second line of a kernel: `a 9 fma`");
    }
}
