//! What a list of cells may hold; the audit of its results has the same limits, in its own words.

use std::ops::RangeInclusive;

pub(super) const MAX_ROUNDS: u64 = 256;
pub(super) const MAX_CELLS: u64 = 256;
pub(super) const MAX_SAMPLES: u64 = 10_000;
pub(super) const MAX_SAMPLE_US: u64 = 10_000_000;
pub(super) const MAX_WARMUP_MS: u64 = 60_000;
/// Blocks of a launch in one dimension; with the extents, bytes and operations of a call fit 64 bits.
pub(super) const MAX_BATCH: u64 = (1 << 31) - 1;
pub(super) const MAX_EXTENT: u64 = 1024;

/// # Errors
/// A number outside its range.
pub(super) fn within(what: &str, given: u64, allowed: RangeInclusive<u64>) -> Result<(), String> {
    if allowed.contains(&given) {
        return Ok(());
    }
    Err(format!("{what} is {given}\nallowed: {} to {}", allowed.start(), allowed.end()))
}

/// # Errors
/// A word that is not known, or is there twice.
pub(super) fn choices(what: &str, given: &[String], known: &[&str]) -> Result<(), String> {
    for (idx, word) in given.iter().enumerate() {
        if !known.contains(&word.as_str()) {
            let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
            return Err(format!("{what} `{word}`\nallowed: {known}"));
        }
        if given[..idx].contains(word) {
            return Err(format!("{what} `{word}` is there twice\nallowed: once"));
        }
    }
    Ok(())
}
