//! Moves a tile of problems between contiguous and interleaved order.
//!
//! A tile is cut into blocks of `LANES` problems by `STEP` elements. A remainder is served by a block that overlaps
//! its neighbour and moves some elements twice, so vector code never touches memory outside the problems; what
//! is smaller than one block is moved element by element.

#![expect(unreachable_pub, reason = "named by the sealed supertrait of `Element`, which is public")]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod convert;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
pub(crate) use convert::convert;

use crate::element::Element;
use crate::layout::TILE;

/// The moves of one instruction set. A tile has one row of `TILE` lanes per element.
pub trait Transpose<T> {
    /// Problems of a strip.
    const LANES: usize;
    /// Elements of a block; strips have at least this many.
    const STEP: usize;

    /// Reads `LANES` contiguous problems and writes their lanes to the start of every row of `tile`.
    fn gather(problems: &[T], elements: usize, tile: &mut [T]);

    /// The inverse of `gather`.
    fn scatter(tile: &[T], elements: usize, problems: &mut [T]);
}

/// Plain Rust, one element at a time.
pub struct Portable;

impl<T: Copy> Transpose<T> for Portable {
    const LANES: usize = 1;
    const STEP: usize = 1;

    #[inline(always)]
    fn gather(problems: &[T], elements: usize, tile: &mut [T]) {
        for (row, value) in tile.chunks_mut(TILE).zip(&problems[..elements]) {
            row[0] = *value;
        }
    }

    #[inline(always)]
    fn scatter(tile: &[T], elements: usize, problems: &mut [T]) {
        for (row, value) in tile.chunks(TILE).zip(&mut problems[..elements]) {
            *value = row[0];
        }
    }
}

/// Writes lanes `0..n_valid` of `tile` from contiguous `problems`; other lanes keep their values.
#[inline(always)]
pub(super) fn into_tile<T: Element, M: Transpose<T>>(
    problems: &[T],
    n_valid: usize,
    elements: usize,
    tile: &mut [T],
) {
    if n_valid < M::LANES || elements < M::STEP {
        return into_tile::<T, Portable>(problems, n_valid, elements, tile);
    }
    for lane in starts(n_valid, M::LANES) {
        M::gather(&problems[lane * elements..], elements, &mut tile[lane..]);
    }
}

/// Writes contiguous `problems` from lanes `0..n_valid` of `tile`.
#[inline(always)]
pub(super) fn from_tile<T: Element, M: Transpose<T>>(
    tile: &[T],
    n_valid: usize,
    elements: usize,
    problems: &mut [T],
) {
    if n_valid < M::LANES || elements < M::STEP {
        return from_tile::<T, Portable>(tile, n_valid, elements, problems);
    }
    for lane in starts(n_valid, M::LANES) {
        M::scatter(&tile[lane..], elements, &mut problems[lane * elements..]);
    }
}

/// Where blocks of `step` start so that they cover `0..len`, `len >= step`: the last one may overlap.
#[inline(always)]
fn starts(len: usize, step: usize) -> impl Iterator<Item = usize> {
    (0..len.div_ceil(step)).map(move |block_idx| (block_idx * step).min(len - step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every instruction set against the definition of the layouts, on ragged sizes.
    fn check<T: Element + PartialEq, M: Transpose<T>>(value: impl Fn(usize) -> T) {
        for elements in (1..20).chain([49, 98, 127]) {
            for n_valid in 1..=TILE {
                let problems: Vec<T> = (0..n_valid * elements).map(|i| value(i + 1)).collect();
                let poison = value(999_999);
                let mut tile = vec![poison; TILE * elements];
                into_tile::<T, M>(&problems, n_valid, elements, &mut tile);
                for element_idx in 0..elements {
                    for lane in 0..TILE {
                        let wanted =
                            if lane < n_valid { problems[lane * elements + element_idx] } else { poison };
                        assert!(tile[element_idx * TILE + lane] == wanted, "{elements} {n_valid}");
                    }
                }
                let mut back = vec![poison; n_valid * elements];
                from_tile::<T, M>(&tile, n_valid, elements, &mut back);
                assert!(back == problems, "{elements} {n_valid}");
            }
        }
    }

    #[test]
    fn portable_moves_every_element() {
        check::<f32, Portable>(|i| i as f32);
        check::<f64, Portable>(|i| i as f64);
        check::<u32, Portable>(|i| i as u32);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_moves_every_element() {
        if !is_x86_feature_detected!("avx2") {
            eprintln!("skipped: this processor has no AVX2");
            return;
        }
        check::<f32, Avx2>(|i| i as f32);
        check::<f64, Avx2>(|i| i as f64);
        // Among them quiet and signalling NaNs, were they floats.
        check::<u32, Avx2>(|i| (i as u32).wrapping_mul(0x7f80_1235));
    }
}
