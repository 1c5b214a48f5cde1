//! Arithmetic on independent lanes.

use crate::element::Element;

/// A value of one or more independent lanes, each holding a problem's `T`.
///
/// Every operation is a single correctly rounded one, lane by lane. `f32` and `f64` are one lane wide.
pub trait Lanes<T>: Copy {
    /// The same value in every lane.
    fn splat(value: T) -> Self;
    /// `self * b + c`, rounded once.
    #[must_use]
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self + other`.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// `self * other`.
    #[must_use]
    fn mul(self, other: Self) -> Self;
}

/// `W` lanes; loops over it become vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Pack<T, const W: usize>([T; W]);

// SAFETY: transparent over an array of a type whose zero bytes are a value.
unsafe impl<T: Element, const W: usize> bytemuck::Zeroable for Pack<T, W> {}
// SAFETY: transparent over an array of a `Pod` type: no padding, every bit pattern is a value.
unsafe impl<T: Element, const W: usize> bytemuck::Pod for Pack<T, W> {}

macro_rules! lanes {
    ($float:ty) => {
        impl Lanes<$float> for $float {
            #[inline(always)]
            fn splat(value: $float) -> Self {
                value
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                <$float>::mul_add(self, b, c)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
        }

        impl<const W: usize> Lanes<$float> for Pack<$float, W> {
            #[inline(always)]
            fn splat(value: $float) -> Self {
                Pack([value; W])
            }
            #[inline(always)]
            fn mul_add(mut self, b: Self, c: Self) -> Self {
                for lane in 0..W {
                    self.0[lane] = self.0[lane].mul_add(b.0[lane], c.0[lane]);
                }
                self
            }
            #[inline(always)]
            fn add(mut self, other: Self) -> Self {
                for lane in 0..W {
                    self.0[lane] += other.0[lane];
                }
                self
            }
            #[inline(always)]
            fn mul(mut self, other: Self) -> Self {
                for lane in 0..W {
                    self.0[lane] *= other.0[lane];
                }
                self
            }
        }
    };
}

lanes!(f32);
lanes!(f64);
