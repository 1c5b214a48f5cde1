//! Several lanes in one value.

use super::width::noted;
use crate::element::Element;

/// `W` lanes; loops over it become vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Pack<T, const W: usize>(pub(super) [T; W]);

// SAFETY: transparent over an array of a type whose zero bytes are a value.
unsafe impl<T: Element, const W: usize> bytemuck::Zeroable for Pack<T, W> {}
// SAFETY: transparent over an array of a `Pod` type: no padding, every bit pattern is a value.
unsafe impl<T: Element, const W: usize> bytemuck::Pod for Pack<T, W> {}

macro_rules! packs {
    ($float:ident) => {
        impl<const W: usize> Pack<$float, W> {
            #[inline(always)]
            pub(super) fn map(mut self, of: impl Fn($float) -> $float) -> Self {
                for lane in 0..W {
                    self.0[lane] = of(self.0[lane]);
                }
                self
            }

            #[inline(always)]
            pub(super) fn zip(mut self, other: Self, of: impl Fn($float, $float) -> $float) -> Self {
                for lane in 0..W {
                    self.0[lane] = of(self.0[lane], other.0[lane]);
                }
                self
            }

            #[inline(always)]
            pub(super) fn count(self, words: &mut Pack<u32, W>, is_counted: impl Fn($float) -> bool) {
                for lane in 0..W {
                    words.0[lane] += u32::from(is_counted(self.0[lane]));
                }
            }

            /// One loop for each result keeps loops over one width of element.
            #[inline(always)]
            pub(super) fn note(
                self,
                is_good: impl Fn($float) -> bool,
                number: u32,
                status: &mut Pack<u32, W>,
            ) {
                for lane in 0..W {
                    status.0[lane] = noted(status.0[lane], is_good(self.0[lane]), number);
                }
            }
        }
    };
}

packs!(f32);
packs!(f64);
