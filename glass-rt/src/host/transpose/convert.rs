//! Converts a whole batch between layouts.

use rayon::prelude::*;

use super::{Portable, Transpose, from_tile, into_tile};
use crate::element::Element;
use crate::layout::{Layout, TILE};

/// Tiles of one unit of parallel work.
const CHUNK_TILES: usize = 64;

/// Writes `to` (in the other layout) from `from`. Padding of an interleaved `to` keeps its values.
pub(crate) fn convert<T: Element>(
    from: &[T],
    from_layout: Layout,
    elements: usize,
    n_problems: usize,
    to: &mut [T],
) {
    // Without problems both are empty, and `elements` may be any number.
    if n_problems == 0 {
        return;
    }
    let chunk_len = elements.saturating_mul(CHUNK_TILES * TILE);
    to.par_chunks_mut(chunk_len).zip(from.par_chunks(chunk_len)).enumerate().for_each(
        |(chunk_idx, (to, from))| {
            let first_problem = chunk_idx * CHUNK_TILES * TILE;
            let n_problems = (n_problems - first_problem).min(CHUNK_TILES * TILE);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: AVX2 was detected.
                return unsafe { chunk_avx2(from, from_layout, elements, n_problems, to) };
            }
            chunk::<T, Portable>(from, from_layout, elements, n_problems, to);
        },
    );
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn chunk_avx2<T: Element>(from: &[T], layout: Layout, elements: usize, n_problems: usize, to: &mut [T]) {
    chunk::<T, T::Wide>(from, layout, elements, n_problems, to);
}

#[inline(always)]
fn chunk<T: Element, M: Transpose<T>>(
    from: &[T],
    from_layout: Layout,
    elements: usize,
    n_problems: usize,
    to: &mut [T],
) {
    let tile_len = TILE * elements;
    for (tile_idx, (from, to)) in from.chunks(tile_len).zip(to.chunks_mut(tile_len)).enumerate() {
        let n_valid = (n_problems - tile_idx * TILE).min(TILE);
        match from_layout {
            Layout::Contiguous => into_tile::<T, M>(from, n_valid, elements, to),
            Layout::Interleaved => from_tile::<T, M>(from, n_valid, elements, to),
        }
    }
}
