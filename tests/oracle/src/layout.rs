//! Where an element lies in a batch buffer, and conversions between the two layouts.
//!
//! Contiguous: problem after problem. Interleaved: tiles of 32 problems, problem fastest; the last
//! tile is padded to 32 problems.

/// Problems in one interleaved tile.
pub const TILE: usize = 32;

/// Offset of element `e` of problem `b`, contiguous, with `elements` per problem.
pub fn contiguous_offset(b: usize, e: usize, elements: usize) -> usize {
    b * elements + e
}

/// Offset of element `e` of problem `b`, interleaved, with `elements` per problem.
pub fn interleaved_offset(b: usize, e: usize, elements: usize) -> usize {
    ((b / TILE) * elements + e) * TILE + b % TILE
}

/// Length of an interleaved buffer, padding included.
pub fn interleaved_len(elements: usize, n_problems: usize) -> usize {
    n_problems.div_ceil(TILE) * TILE * elements
}

/// Contiguous to interleaved; every padding slot holds `padding`.
pub fn interleave<T: Copy>(contiguous: &[T], elements: usize, padding: T) -> Vec<T> {
    let n_problems = contiguous.len() / elements;
    let mut interleaved = vec![padding; interleaved_len(elements, n_problems)];
    for b in 0..n_problems {
        for e in 0..elements {
            interleaved[interleaved_offset(b, e, elements)] = contiguous[contiguous_offset(b, e, elements)];
        }
    }
    interleaved
}

/// Interleaved to contiguous; padding is dropped.
pub fn deinterleave<T: Copy>(interleaved: &[T], elements: usize, n_problems: usize) -> Vec<T> {
    let mut contiguous = Vec::with_capacity(elements * n_problems);
    for b in 0..n_problems {
        for e in 0..elements {
            contiguous.push(interleaved[interleaved_offset(b, e, elements)]);
        }
    }
    contiguous
}

/// What the padding slots of an interleaved buffer hold, in storage order.
pub fn padding<T: Copy>(interleaved: &[T], elements: usize, n_problems: usize) -> Vec<T> {
    (0..interleaved.len())
        .filter(|offset| (offset / (TILE * elements)) * TILE + offset % TILE >= n_problems)
        .map(|offset| interleaved[offset])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_is_fastest_inside_a_tile() {
        let (elements, n_problems) = (3, 33);
        let contiguous: Vec<usize> = (0..elements * n_problems).collect();
        let interleaved = interleave(&contiguous, elements, usize::MAX);
        assert_eq!(interleaved.len(), 2 * 32 * 3);
        assert_eq!(interleaved[..3], [0, 3, 6]);
        assert_eq!(interleaved[32], 1);
        assert_eq!(interleaved[96], 96, "problem 32 opens the second tile");
        assert_eq!(interleaved[97], usize::MAX);
        assert_eq!(deinterleave(&interleaved, elements, n_problems), contiguous);
    }

    #[test]
    fn padding_is_what_no_problem_owns() {
        for n_problems in [0, 1, 31, 32, 33, 100] {
            let contiguous = vec![1u8; 5 * n_problems];
            let interleaved = interleave(&contiguous, 5, 9);
            let padding = padding(&interleaved, 5, n_problems);
            assert_eq!(padding.len(), interleaved.len() - contiguous.len());
            assert!(padding.iter().all(|&slot| slot == 9));
        }
    }
}
