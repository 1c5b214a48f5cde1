//! Several lanes in one value.

use crate::element::Element;

/// `W` lanes; loops over it become vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Pack<T, const W: usize>(pub(super) [T; W]);

// SAFETY: transparent over an array of a type whose zero bytes are a value.
unsafe impl<T: Element, const W: usize> bytemuck::Zeroable for Pack<T, W> {}
// SAFETY: transparent over an array of a `Pod` type: no padding, every bit pattern is a value.
unsafe impl<T: Element, const W: usize> bytemuck::Pod for Pack<T, W> {}
