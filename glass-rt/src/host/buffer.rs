//! Host storage of a batch, aligned to cache lines.

use std::marker::PhantomData;

use crate::element::Element;

/// One cache line.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A zeroed, cache-line aligned array. The alignment keeps vector loads of interleaved tiles within one line.
pub(crate) struct Buffer<T> {
    lines: Vec<Line>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// `len` zeros, or `None` when memory runs out.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let lines = bytemuck::allocation::try_zeroed_slice_box::<Line>(bytes.div_ceil(64)).ok()?.into_vec();
        Some(Buffer { lines, len, element: PhantomData })
    }

    /// `len` zeros of working memory: small, so running out of memory is fatal as for any `Vec`.
    pub(crate) fn scratch(len: usize) -> Self {
        let lines = bytemuck::allocation::zeroed_vec((len * size_of::<T>()).div_ceil(64));
        Buffer { lines, len, element: PhantomData }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
