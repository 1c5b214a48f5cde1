//! Asks for memory before it is needed: tiles are read in strides that hardware prefetchers follow badly, while
//! the tiles themselves lie one behind the other.

/// How far reading runs ahead, in bytes. Far, and into the second-level cache, because the first level tracks
/// too few outstanding lines to hide the latency of memory.
pub(super) const AHEAD: usize = 32768;

/// Requests the cache line `bytes` behind `at`, which may lie outside any object.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn line<T>(at: *const T, bytes: usize) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    // SAFETY: SSE is part of x86-64, and a prefetch has no effect on memory, wherever it points.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast::<i8>().wrapping_add(bytes)) }
}
