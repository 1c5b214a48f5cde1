//! Registers, spills and static shared memory of compiled kernels: the compiler's report and the committed
//! baseline.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What one kernel takes of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Registers of one thread.
    pub registers: u32,
    /// Bytes of local memory that one thread writes because its registers ran out.
    pub spill: u32,
    /// Bytes of local memory of one thread: spills and arrays.
    pub stack: u32,
    /// Bytes of static shared memory of one block.
    pub shared: u32,
}

impl Resources {
    /// Reads the report of one kernel: `--ptxas-options=-v` of NVRTC, or `ptxas -v`.
    ///
    /// # Errors
    /// If the report lacks a figure.
    pub fn parse(report: &str) -> Result<Resources, String> {
        // `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`
        // `Used 32 registers, used 0 barriers, 128 bytes smem, 400 bytes cmem[0]`
        let before = |phrase: &str| {
            let text = &report[..report.find(phrase)?];
            text.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        let required =
            |phrase: &str| before(phrase).ok_or_else(|| format!("no `{phrase}` in the report:\n{report}"));
        Ok(Resources {
            registers: required(" registers")?,
            spill: required(" bytes spill stores")?,
            stack: required(" bytes stack frame")?,
            shared: before(" bytes smem").unwrap_or(0),
        })
    }
}

/// The committed figures of one architecture.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of the compiler that the figures come from; another one assigns registers differently.
    pub nvrtc: String,
    /// By symbol.
    pub kernels: BTreeMap<String, Resources>,
}

impl Baseline {
    /// The text of a baseline file: one line a kernel, sorted by symbol.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# Registers, spilled bytes, stack and static shared memory of every CUDA kernel of the grid.\n\
             # Written by `cargo xtask bless`; the test `nvrtc` fails where a kernel takes more than this.\n",
        );
        write!(text, "nvrtc = \"{}\"\n\n[kernels]\n", self.nvrtc).expect("a String takes any text");
        for (symbol, Resources { registers, spill, stack, shared }) in &self.kernels {
            writeln!(
                text,
                "{symbol} = {{ registers = {registers}, spill = {spill}, stack = {stack}, shared = {shared} }}"
            )
            .expect("a String takes any text");
        }
        text
    }

    /// Every way in which the measured kernels exceed or do not match this baseline.
    pub fn faults(&self, measured: &BTreeMap<String, Resources>) -> Vec<String> {
        let mut faults = self.excesses(measured);
        let stale = self.kernels.keys().filter(|symbol| !measured.contains_key(*symbol));
        faults.extend(stale.map(|symbol| format!("{symbol}: in the baseline, no longer in the grid")));
        faults
    }

    /// As [`faults`](Self::faults), of some kernels of the grid.
    pub fn excesses(&self, measured: &BTreeMap<String, Resources>) -> Vec<String> {
        let mut faults = Vec::new();
        for (symbol, now) in measured {
            let Some(before) = self.kernels.get(symbol) else {
                faults.push(format!("{symbol}: not in the baseline"));
                continue;
            };
            let figures = [
                ("registers", before.registers, now.registers),
                ("spilled bytes", before.spill, now.spill),
                ("bytes of stack", before.stack, now.stack),
                ("bytes of shared memory", before.shared, now.shared),
            ];
            for (what, before, now) in figures.into_iter().filter(|(_, before, now)| now > before) {
                faults.push(format!("{symbol}: {now} {what}, {before} in the baseline"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let report = "ptxas info    : 0 bytes gmem\n\
                      ptxas         .     1000 bytes stack frame, 996 bytes spill stores, 1748 bytes spill loads\n\
                      ptxas info    : Used 255 registers, used 1 barriers, 128 bytes smem, 400 bytes cmem[0]\n";
        let resources = Resources { registers: 255, spill: 996, stack: 1000, shared: 128 };
        assert_eq!(Resources::parse(report), Ok(resources));
        assert!(Resources::parse("Used 3 registers").is_err());
    }

    #[test]
    fn a_baseline_survives_printing_and_judges() {
        let small = Resources { registers: 32, ..Resources::default() };
        let kernels = BTreeMap::from([("a".to_owned(), small), ("b".to_owned(), small)]);
        let baseline = Baseline { nvrtc: "12.9".to_owned(), kernels: kernels.clone() };
        assert_eq!(toml::from_str(&baseline.text()), Ok(baseline.clone()));
        assert_eq!(baseline.faults(&kernels), Vec::<String>::new());
        let spilling = Resources { registers: 33, spill: 4, stack: 4, shared: 0 };
        let fewer = Resources { registers: 31, ..small };
        let measured = BTreeMap::from([("a".to_owned(), spilling), ("c".to_owned(), small)]);
        assert_eq!(baseline.faults(&measured).len(), 5);
        assert!(
            baseline.faults(&BTreeMap::from([("a".to_owned(), fewer), ("b".to_owned(), small)])).is_empty()
        );
    }
}
