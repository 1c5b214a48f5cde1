//! Where the elements of a batch lie in memory.

use std::fmt;

/// Problems of one interleaved tile.
pub const TILE: usize = 32;

/// Storage order of a batch of problems with S elements each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Problem-major: element e of problem b lies at `b*S + e`.
    Contiguous,
    /// Tiles of 32 problems, problem fastest: element e of problem b lies at `((b/32)*S + e)*32 + b%32`.
    /// The unused slots of the last tile are padding.
    Interleaved,
}

impl Layout {
    /// Length in elements of a buffer for `n_problems` problems of `elements` elements, padding included.
    ///
    /// Saturates instead of wrapping, so an impossible size fails at allocation.
    pub const fn buffer_len(self, elements: usize, n_problems: usize) -> usize {
        match self {
            Layout::Contiguous => n_problems.saturating_mul(elements),
            Layout::Interleaved => n_problems.div_ceil(TILE).saturating_mul(TILE).saturating_mul(elements),
        }
    }

    /// Position of element `element_idx` of problem `problem_idx`.
    pub const fn offset(self, elements: usize, problem_idx: usize, element_idx: usize) -> usize {
        match self {
            Layout::Contiguous => problem_idx * elements + element_idx,
            Layout::Interleaved => {
                ((problem_idx / TILE) * elements + element_idx) * TILE + problem_idx % TILE
            }
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Contiguous => "contiguous",
            Layout::Interleaved => "interleaved",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_enumerate_the_buffer_once() {
        for layout in [Layout::Contiguous, Layout::Interleaved] {
            for n_problems in [0, 1, 31, 32, 33, 100] {
                for elements in [1, 7, 14] {
                    let len = layout.buffer_len(elements, n_problems);
                    let mut seen = vec![false; len];
                    for problem_idx in 0..n_problems {
                        for element_idx in 0..elements {
                            let at = layout.offset(elements, problem_idx, element_idx);
                            assert!(!std::mem::replace(&mut seen[at], true), "slot {at} named twice");
                        }
                    }
                    let n_padding = seen.iter().filter(|used| !**used).count();
                    assert_eq!(n_padding, len - elements * n_problems);
                }
            }
        }
    }

    #[test]
    fn lengths_round_up_to_tiles() {
        assert_eq!(Layout::Contiguous.buffer_len(7, 33), 231);
        assert_eq!(Layout::Interleaved.buffer_len(7, 33), 448);
        assert_eq!(Layout::Interleaved.buffer_len(7, 0), 0);
        assert_eq!(Layout::Interleaved.offset(7, 33, 2), (7 + 2) * 32 + 1);
        assert_eq!(Layout::Interleaved.buffer_len(usize::MAX, 2), usize::MAX);
    }
}
