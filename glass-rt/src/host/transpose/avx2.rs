//! Moves with 256-bit registers: each register pairs 128-bit pieces of two problems, so one level of in-lane
//! shuffles transposes a block.

use std::arch::x86_64::*;

use super::{Transpose, starts};
use crate::host::prefetch;
use crate::layout::TILE;

/// 256-bit moves. Used only where AVX2 has been detected.
pub struct Avx2;

/// Panics unless a strip of `lanes` problems lies inside both slices.
#[inline(always)]
fn check(n_problems: usize, n_tile: usize, elements: usize, lanes: usize, step: usize) {
    assert!(elements >= step && n_problems >= lanes * elements && n_tile >= (elements - 1) * TILE + lanes);
}

impl Transpose<f32> for Avx2 {
    const LANES: usize = 8;
    const STEP: usize = 4;

    #[inline(always)]
    fn gather(problems: &[f32], elements: usize, tile: &mut [f32]) {
        check(problems.len(), tile.len(), elements, 8, 4);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { gather_f32(problems.as_ptr(), elements, tile.as_mut_ptr()) }
    }

    #[inline(always)]
    fn scatter(tile: &[f32], elements: usize, problems: &mut [f32]) {
        check(problems.len(), tile.len(), elements, 8, 4);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { scatter_f32(tile.as_ptr(), elements, problems.as_mut_ptr()) }
    }
}

/// Words move as the floats of the same bits: no instruction here computes.
impl Transpose<u32> for Avx2 {
    const LANES: usize = <Avx2 as Transpose<f32>>::LANES;
    const STEP: usize = <Avx2 as Transpose<f32>>::STEP;

    #[inline(always)]
    fn gather(problems: &[u32], elements: usize, tile: &mut [u32]) {
        <Avx2 as Transpose<f32>>::gather(
            bytemuck::cast_slice(problems),
            elements,
            bytemuck::cast_slice_mut(tile),
        );
    }

    #[inline(always)]
    fn scatter(tile: &[u32], elements: usize, problems: &mut [u32]) {
        <Avx2 as Transpose<f32>>::scatter(
            bytemuck::cast_slice(tile),
            elements,
            bytemuck::cast_slice_mut(problems),
        );
    }
}

impl Transpose<f64> for Avx2 {
    const LANES: usize = 4;
    const STEP: usize = 2;

    #[inline(always)]
    fn gather(problems: &[f64], elements: usize, tile: &mut [f64]) {
        check(problems.len(), tile.len(), elements, 4, 2);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { gather_f64(problems.as_ptr(), elements, tile.as_mut_ptr()) }
    }

    #[inline(always)]
    fn scatter(tile: &[f64], elements: usize, problems: &mut [f64]) {
        check(problems.len(), tile.len(), elements, 4, 2);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { scatter_f64(tile.as_ptr(), elements, problems.as_mut_ptr()) }
    }
}

/// Four rows of eight become, per half register, the columns of a 4 x 4 block.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose_halves(rows: [__m256; 4]) -> [__m256; 4] {
    let [r0, r1, r2, r3] = rows;
    let (a0, a1) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
    let (b0, b1) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
    [
        _mm256_shuffle_ps::<0x44>(a0, b0),
        _mm256_shuffle_ps::<0xee>(a0, b0),
        _mm256_shuffle_ps::<0x44>(a1, b1),
        _mm256_shuffle_ps::<0xee>(a1, b1),
    ]
}

/// # Safety
/// `elements` >= 4; 8 problems are readable from `problems`; 8 lanes are writable in each of `elements` rows.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gather_f32(problems: *const f32, elements: usize, tile: *mut f32) {
    let mut ahead = prefetch::AHEAD;
    for element_idx in starts(elements, 4) {
        // A block consumes two lines' worth of the strip.
        prefetch::line(problems, ahead);
        prefetch::line(problems, ahead + 64);
        ahead += 128;
        // SAFETY: blocks stay inside `elements`; the rest by the contract of this function.
        unsafe {
            let from = problems.add(element_idx);
            let pair = |row: usize| {
                let low = _mm_loadu_ps(from.add(row * elements));
                let high = _mm_loadu_ps(from.add((row + 4) * elements));
                _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
            };
            let [c0, c1, c2, c3] = transpose_halves([pair(0), pair(1), pair(2), pair(3)]);
            let to = tile.add(element_idx * TILE);
            _mm256_storeu_ps(to, c0);
            _mm256_storeu_ps(to.add(TILE), c1);
            _mm256_storeu_ps(to.add(2 * TILE), c2);
            _mm256_storeu_ps(to.add(3 * TILE), c3);
        }
    }
}

/// # Safety
/// As [`gather_f32`], with reading and writing exchanged.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn scatter_f32(tile: *const f32, elements: usize, problems: *mut f32) {
    for element_idx in starts(elements, 4) {
        // SAFETY: blocks stay inside `elements`; the rest by the contract of this function.
        unsafe {
            let row = |row_idx: usize| _mm256_loadu_ps(tile.add((element_idx + row_idx) * TILE));
            let columns = transpose_halves([row(0), row(1), row(2), row(3)]);
            let to = problems.add(element_idx);
            for (lane, column) in columns.into_iter().enumerate() {
                _mm_storeu_ps(to.add(lane * elements), _mm256_castps256_ps128(column));
                _mm_storeu_ps(to.add((lane + 4) * elements), _mm256_extractf128_ps::<1>(column));
            }
        }
    }
}

/// # Safety
/// `elements` >= 2; 4 problems are readable from `problems`; 4 lanes are writable in each of `elements` rows.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gather_f64(problems: *const f64, elements: usize, tile: *mut f64) {
    let mut ahead = prefetch::AHEAD;
    for element_idx in starts(elements, 2) {
        // A block consumes one line's worth of the strip.
        prefetch::line(problems, ahead);
        ahead += 64;
        // SAFETY: blocks stay inside `elements`; the rest by the contract of this function.
        unsafe {
            let from = problems.add(element_idx);
            let pair = |row: usize| {
                let low = _mm_loadu_pd(from.add(row * elements));
                let high = _mm_loadu_pd(from.add((row + 2) * elements));
                _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high)
            };
            let (r0, r1) = (pair(0), pair(1));
            let to = tile.add(element_idx * TILE);
            _mm256_storeu_pd(to, _mm256_unpacklo_pd(r0, r1));
            _mm256_storeu_pd(to.add(TILE), _mm256_unpackhi_pd(r0, r1));
        }
    }
}

/// # Safety
/// As [`gather_f64`], with reading and writing exchanged.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn scatter_f64(tile: *const f64, elements: usize, problems: *mut f64) {
    for element_idx in starts(elements, 2) {
        // SAFETY: blocks stay inside `elements`; the rest by the contract of this function.
        unsafe {
            let from = tile.add(element_idx * TILE);
            let (r0, r1) = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(TILE)));
            let to = problems.add(element_idx);
            for (lane, pair) in
                [_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1)].into_iter().enumerate()
            {
                _mm_storeu_pd(to.add(lane * elements), _mm256_castpd256_pd128(pair));
                _mm_storeu_pd(to.add((lane + 2) * elements), _mm256_extractf128_pd::<1>(pair));
            }
        }
    }
}
