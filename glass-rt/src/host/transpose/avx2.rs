//! Block moves with 256-bit registers: each register pairs 128-bit pieces of two problems, so one level of
//! in-lane shuffles finishes the block.

use std::arch::x86_64::*;

use super::Transpose;
use crate::layout::TILE;

/// 256-bit moves. Used only where AVX2 has been detected.
pub struct Avx2;

impl Transpose<f32> for Avx2 {
    const LANES: usize = 8;
    const STEP: usize = 4;

    #[inline(always)]
    fn gather(problems: &[f32], stride: usize, tile: &mut [f32]) {
        assert!(problems.len() >= 7 * stride + 4 && tile.len() >= 3 * TILE + 8);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { gather_f32(problems.as_ptr(), stride, tile.as_mut_ptr()) }
    }

    #[inline(always)]
    fn scatter(tile: &[f32], problems: &mut [f32], stride: usize) {
        assert!(problems.len() >= 7 * stride + 4 && tile.len() >= 3 * TILE + 8);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { scatter_f32(tile.as_ptr(), problems.as_mut_ptr(), stride) }
    }
}

impl Transpose<f64> for Avx2 {
    const LANES: usize = 4;
    const STEP: usize = 2;

    #[inline(always)]
    fn gather(problems: &[f64], stride: usize, tile: &mut [f64]) {
        assert!(problems.len() >= 3 * stride + 2 && tile.len() >= TILE + 4);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { gather_f64(problems.as_ptr(), stride, tile.as_mut_ptr()) }
    }

    #[inline(always)]
    fn scatter(tile: &[f64], problems: &mut [f64], stride: usize) {
        assert!(problems.len() >= 3 * stride + 2 && tile.len() >= TILE + 4);
        // SAFETY: lengths are checked above; callers run only where AVX2 was detected.
        unsafe { scatter_f64(tile.as_ptr(), problems.as_mut_ptr(), stride) }
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
/// 4 elements are readable at each of 8 multiples of `stride` from `problems`; 8 are writable at each of 4
/// multiples of `TILE` from `tile`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gather_f32(problems: *const f32, stride: usize, tile: *mut f32) {
    // SAFETY: by the contract of this function.
    unsafe {
        let pair = |row: usize| {
            let low = _mm_loadu_ps(problems.add(row * stride));
            let high = _mm_loadu_ps(problems.add((row + 4) * stride));
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        };
        let columns = transpose_halves([pair(0), pair(1), pair(2), pair(3)]);
        for (element_idx, column) in columns.into_iter().enumerate() {
            _mm256_storeu_ps(tile.add(element_idx * TILE), column);
        }
    }
}

/// # Safety
/// As [`gather_f32`], with reading and writing exchanged.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn scatter_f32(tile: *const f32, problems: *mut f32, stride: usize) {
    // SAFETY: by the contract of this function.
    unsafe {
        let row = |element_idx: usize| _mm256_loadu_ps(tile.add(element_idx * TILE));
        let columns = transpose_halves([row(0), row(1), row(2), row(3)]);
        for (lane, column) in columns.into_iter().enumerate() {
            _mm_storeu_ps(problems.add(lane * stride), _mm256_castps256_ps128(column));
            _mm_storeu_ps(problems.add((lane + 4) * stride), _mm256_extractf128_ps::<1>(column));
        }
    }
}

/// # Safety
/// 2 elements are readable at each of 4 multiples of `stride` from `problems`; 4 are writable at `tile` and at
/// `tile + TILE`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gather_f64(problems: *const f64, stride: usize, tile: *mut f64) {
    // SAFETY: by the contract of this function.
    unsafe {
        let pair = |row: usize| {
            let low = _mm_loadu_pd(problems.add(row * stride));
            let high = _mm_loadu_pd(problems.add((row + 2) * stride));
            _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high)
        };
        let (r0, r1) = (pair(0), pair(1));
        _mm256_storeu_pd(tile, _mm256_unpacklo_pd(r0, r1));
        _mm256_storeu_pd(tile.add(TILE), _mm256_unpackhi_pd(r0, r1));
    }
}

/// # Safety
/// As [`gather_f64`], with reading and writing exchanged.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn scatter_f64(tile: *const f64, problems: *mut f64, stride: usize) {
    // SAFETY: by the contract of this function.
    unsafe {
        let (r0, r1) = (_mm256_loadu_pd(tile), _mm256_loadu_pd(tile.add(TILE)));
        for (lane, pair) in [_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1)].into_iter().enumerate() {
            _mm_storeu_pd(problems.add(lane * stride), _mm256_castpd256_pd128(pair));
            _mm_storeu_pd(problems.add((lane + 2) * stride), _mm256_extractf128_pd::<1>(pair));
        }
    }
}
