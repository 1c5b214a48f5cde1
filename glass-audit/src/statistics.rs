//! Medians, ratios and their classes.

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The middle of the samples; between two of them, the mean.
pub(crate) fn p50(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|left, right| left.total_cmp(right));
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (n, middle) if n % 2 == 1 => sorted[middle],
        (_, middle) => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// Which side of 1 the ratios of all rounds lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Every round favours the numerator's rival: the second variant, or our kernel over a peer.
    AllPositive,
    /// No round does.
    AllNegative,
    /// Rounds disagree.
    Mixed,
}

/// What the rules allow to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All rounds positive, beyond the resolution, with rounds enough.
    Faster,
    /// All rounds negative, beyond the resolution.
    Slower,
    /// Everything else.
    Tie,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Tie => "tie",
        })
    }
}

/// Ratios of one cell in one metric, one for each round that is valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratios {
    /// Time of the first over time of the second, within one round.
    pub ratios: Vec<f64>,
    /// Their median; of no round, NaN.
    #[serde(deserialize_with = "number")]
    pub median: f64,
    /// The least.
    #[serde(deserialize_with = "number")]
    pub min: f64,
    /// The largest.
    #[serde(deserialize_with = "number")]
    pub max: f64,
    /// Which side of 1 they lie on.
    pub class: Class,
}

/// JSON has no NaN and no infinity: a writer's `null` is one.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Rounds that any claim takes, and that a claim below ten percent takes.
const ROUNDS: usize = 4;
const ROUNDS_OF_SMALL_GAINS: usize = 8;
const SMALL_GAIN: f64 = 0.1;

impl Ratios {
    pub(crate) fn new(ratios: Vec<f64>) -> Ratios {
        let min = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let max = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let class = match (min > 1.0, max < 1.0) {
            (true, _) => Class::AllPositive,
            (_, true) => Class::AllNegative,
            _ => Class::Mixed,
        };
        Ratios { median: p50(&ratios), min, max, class, ratios }
    }

    /// Largest distance from 1: what the same kernel twice differs by.
    pub(crate) fn resolution(&self) -> f64 {
        self.ratios.iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Of all rounds that were declared: one that failed is not left out of a gain.
    pub(crate) fn verdict(&self, resolution: f64, n_declared: usize) -> Verdict {
        let gain = (self.median - 1.0).abs();
        let n_needed = if gain < SMALL_GAIN { ROUNDS_OF_SMALL_GAINS } else { ROUNDS };
        if gain <= resolution || self.ratios.len() < n_needed.max(n_declared) {
            return Verdict::Tie;
        }
        match self.class {
            Class::AllPositive => Verdict::Faster,
            Class::AllNegative => Verdict::Slower,
            Class::Mixed => Verdict::Tie,
        }
    }

    /// The same figures, as far as printed decimals tell.
    pub(crate) fn agrees(&self, other: &Ratios) -> bool {
        let pairs = self.ratios.iter().zip(&other.ratios);
        let ends = [(self.median, other.median), (self.min, other.min), (self.max, other.max)];
        let is_empty = self.ratios.is_empty() && other.ratios.is_empty();
        is_empty
            || self.class == other.class
                && self.ratios.len() == other.ratios.len()
                && pairs
                    .map(|(left, right)| (*left, *right))
                    .chain(ends)
                    .all(|(left, right)| close(left, right))
    }
}

/// Equal but for the rounding of a few operations.
pub(crate) fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_interpolate() {
        assert_eq!(p50(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(p50(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(p50(&[]).is_nan());
    }

    #[test]
    fn verdicts_follow_the_rules() {
        let verdict =
            |ratios: &[f64], resolution| Ratios::new(ratios.to_vec()).verdict(resolution, ratios.len());
        assert_eq!(verdict(&[1.2; 4], 0.01), Verdict::Faster);
        assert_eq!(verdict(&[1.2; 3], 0.01), Verdict::Tie, "three rounds are too few");
        assert_eq!(verdict(&[1.05; 4], 0.01), Verdict::Tie, "under ten percent takes eight");
        assert_eq!(verdict(&[1.05; 8], 0.01), Verdict::Faster);
        assert_eq!(verdict(&[1.05; 8], 0.06), Verdict::Tie, "inside the resolution");
        assert_eq!(verdict(&[1.2, 1.2, 1.2, 0.99], 0.01), Verdict::Tie, "rounds disagree");
        assert_eq!(verdict(&[0.8; 4], 0.01), Verdict::Slower);
        assert_eq!(Ratios::new(vec![1.2; 7]).verdict(0.01, 8), Verdict::Tie, "a declared round is absent");
    }

    #[test]
    fn the_resolution_is_the_largest_distance() {
        assert!((Ratios::new(vec![1.01, 0.97, 1.0]).resolution() - 0.03).abs() < 1e-12);
    }
}
