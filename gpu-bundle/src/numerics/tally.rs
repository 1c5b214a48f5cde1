//! What a sweep leaves in device memory.

use glass_codegen::spec::DType;
use serde::Serialize;

const MAX_FINDINGS: usize = 8;
const WORDS_PER_FINDING: usize = 6;
const N_WORDS: usize = 4 + MAX_FINDINGS * WORDS_PER_FINDING;

/// Bytes of the kernels' `Tally`.
pub(super) const N_BYTES: usize = 8 * N_WORDS;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tally {
    pub(super) n_checked: u64,
    pub(super) n_mismatches: u64,
    /// Largest relative error where a bound is checked, otherwise 0.
    pub(super) worst_error: f64,
    /// Some of the mismatches.
    pub(super) findings: Vec<Finding>,
}

/// A pattern whose results are not those wanted, as hexadecimal bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) input: String,
    /// Value or pivot, reciprocal or 0.
    pub(super) given: [String; 2],
    pub(super) wanted: [String; 2],
    pub(super) given_bad: bool,
    pub(super) wanted_bad: bool,
}

impl Tally {
    /// Reads the kernels' layout: 64-bit words.
    pub(super) fn of(bytes: &[u8], dtype: DType) -> Tally {
        let words: Vec<u64> =
            bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect();
        let n_findings = usize::try_from(words[3]).map_or(MAX_FINDINGS, |count| count.min(MAX_FINDINGS));
        let digits = 2 * dtype.bytes();
        let hex = |word: u64| format!("{word:0digits$x}");
        let finding = |words: &[u64]| Finding {
            input: hex(words[0]),
            given: [hex(words[1]), hex(words[2])],
            wanted: [hex(words[3]), hex(words[4])],
            given_bad: words[5] & 2 != 0,
            wanted_bad: words[5] & 1 != 0,
        };
        Tally {
            n_checked: words[0],
            n_mismatches: words[1],
            worst_error: f64::from_bits(words[2]),
            findings: words[4..].chunks_exact(WORDS_PER_FINDING).take(n_findings).map(finding).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(first: &[u64]) -> Vec<u8> {
        let mut words = first.to_vec();
        words.resize(N_WORDS, 0);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_clean_tally() {
        let tally = Tally::of(&bytes(&[1 << 32, 0, 0.25_f64.to_bits(), 0]), DType::F32);
        assert_eq!(
            tally,
            Tally { n_checked: 1 << 32, n_mismatches: 0, worst_error: 0.25, findings: Vec::new() }
        );
    }

    #[test]
    fn findings_have_the_digits_of_their_type() {
        let words = [9, 1, 0, 1, 0x3f80_0000, 0x3f80_0001, 0, 0x3f80_0000, 0, 2];
        let tally = Tally::of(&bytes(&words), DType::F32);
        assert_eq!(tally.findings.len(), 1);
        let finding = &tally.findings[0];
        assert_eq!(finding.input, "3f800000");
        assert_eq!(finding.given, ["3f800001", "00000000"]);
        assert_eq!((finding.given_bad, finding.wanted_bad), (true, false));
        assert_eq!(Tally::of(&bytes(&words), DType::F64).findings[0].input, "000000003f800000");
    }

    #[test]
    fn more_findings_than_fit_are_only_counted() {
        let tally = Tally::of(&bytes(&[100, 50, 0, 50]), DType::F64);
        assert_eq!((tally.n_mismatches, tally.findings.len()), (50, MAX_FINDINGS));
    }

    #[test]
    fn the_kernels_have_the_same_layout() {
        let text = include_str!("sweep.cu");
        assert!(text.contains(&format!("MAX_FINDINGS = {MAX_FINDINGS};")));
        let body = |name: &str| {
            let start = text.split_once(&format!("struct {name} {{\n")).expect("the struct").1;
            start.split_once("};").expect("its end").0
        };
        assert_eq!(body("Finding").matches("unsigned long long ").count(), WORDS_PER_FINDING);
        assert_eq!(body("Tally").matches("unsigned long long ").count(), 4);
    }
}
