//! Arithmetic on independent lanes.
//!
//! Cases are told apart by selection: no lane decides what another one executes, and the loops over lanes stay
//! free of branches, so that they become vector instructions.

mod one;
mod pack;
mod width;

use one::{double, single};
use std::array;
use std::ops::{Index, IndexMut};
use width::noted;

pub use pack::Pack;
pub use width::Width;

/// A value of one or more independent lanes, each holding a problem's `T`.
///
/// Every operation is a single correctly rounded one, lane by lane, unless said otherwise. `f32` and `f64` are
/// one lane wide.
pub trait Lanes<T>: Width {
    /// The same value in every lane.
    fn splat(value: T) -> Self;
    /// `self * b + c`, rounded once.
    #[must_use]
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self + other`.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    #[must_use]
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    #[must_use]
    fn mul(self, other: Self) -> Self;
    /// `-self`.
    #[must_use]
    fn neg(self) -> Self;
    /// `self` without its sign.
    #[must_use]
    fn abs(self) -> Self;
    /// The larger one, the other one where one is NaN. `+0` is larger than `-0`.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The larger one, NaN where either is NaN. `+0` is larger than `-0`.
    #[must_use]
    fn maximum(self, other: Self) -> Self;
    /// The smaller one, NaN where either is NaN. `-0` is smaller than `+0`.
    #[must_use]
    fn minimum(self, other: Self) -> Self;
    /// `limit` where `self` is larger, else `self`.
    #[must_use]
    fn at_most(self, limit: Self) -> Self;
    /// `limit` where `self` is smaller, else `self`.
    #[must_use]
    fn at_least(self, limit: Self) -> Self;
    /// 1 where `self < other`, else 0.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// 1 where `self <= other`, else 0.
    #[must_use]
    fn less_equal(self, other: Self) -> Self;
    /// 1 where `self == other`, else 0.
    #[must_use]
    fn equal(self, other: Self) -> Self;
    /// 1 where `self != other`, else 0.
    #[must_use]
    fn not_equal(self, other: Self) -> Self;
    /// 1 where neither is 0, else 0.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// 1 where `self` is 0, else 0.
    #[must_use]
    fn not(self) -> Self;
    /// `then` where `self` is not 0, else `otherwise`.
    #[must_use]
    fn select(self, then: Self, otherwise: Self) -> Self;
    /// `self`, 1 where it is NaN.
    #[must_use]
    fn or_one(self) -> Self;
    /// `self`, `other` where it is NaN.
    #[must_use]
    fn or_other(self, other: Self) -> Self;
    /// `self / other`.
    #[must_use]
    fn div(self, other: Self) -> Self;
    /// `e^self` by the host's library: its last bits are no contract.
    #[must_use]
    fn exp(self) -> Self;
    /// The natural logarithm by the host's library: its last bits are no contract.
    #[must_use]
    fn ln(self) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// `1 / self`.
    #[must_use]
    fn recip(self) -> Self;
    /// `2^e` of `self >= 0`, with its binary exponent `e` clamped so that `2^e` and `2^-e` are normal numbers. NaN
    /// and infinity have the largest exponent.
    #[must_use]
    fn exponent_scale(self) -> Self;
    /// `2^-e` of the same `e`.
    #[must_use]
    fn inverse_exponent_scale(self) -> Self;
    /// The cosine `c` of the Givens rotation that turns `(self, b)` into `(r, 0)`: of `p = a / w`, `q = b / w` with
    /// `w = max(|a|, |b|)` it is `p / h`, where `h = sqrt(fma(p, p, q * q))` has the sign of the larger of the two
    /// (of `b` on a tie). 1 where `b` is zero, else `+0` where `self` is.
    #[must_use]
    fn rotg_cos(self, b: Self) -> Self;
    /// The sine of [`Lanes::rotg_cos`]: `q / h`. `+0` where `b` is zero, else 1 where `self` is.
    #[must_use]
    fn rotg_sin(self, b: Self) -> Self;
    /// The radius of [`Lanes::rotg_cos`]: `w * h`. `self` where `b` is zero, else `b` where `self` is.
    #[must_use]
    fn rotg_radius(self, b: Self) -> Self;
    /// A pivot `sqrt(self)` and its reciprocal `1 / sqrt(self)`, each rounded once.
    ///
    /// Where `self` is not positive or not finite both are NaN, and `status` takes `number` if it is still 0. The
    /// number 0 leaves `status` alone.
    #[must_use]
    fn cholesky_pivot(self, number: u32, status: &mut Self::Words) -> (Self, Self);
    /// [`Lanes::cholesky_pivot`] by the reciprocal square root: the pivot is `self` times the reciprocal. Its bits
    /// are outside the contract, here and on every device.
    #[must_use]
    fn rsqrt_pivot(self, number: u32, status: &mut Self::Words) -> (Self, Self);
    /// A pivot `self` and its reciprocal. Bad where it is 0 or not finite, with the consequences of
    /// [`Lanes::cholesky_pivot`].
    #[must_use]
    fn general_pivot(self, number: u32, status: &mut Self::Words) -> (Self, Self);
    /// `largest` becomes `self` and `word` becomes `index` in the lanes where `self > largest`, or where `largest` is NaN
    /// and `self` is not.
    fn take_larger(self, index: u32, largest: &mut Self, word: &mut Self::Words);
    /// `kept` becomes `self` in the lanes where `word == index`.
    fn take_at(self, index: u32, word: &Self::Words, kept: &mut Self);
    /// Element `place * stride + offset` of an array, in each lane by its own place.
    #[must_use]
    fn gather<A>(array: &A, places: Self::Words, stride: usize, offset: usize) -> Self
    where
        A: Index<usize, Output = Self> + ?Sized;
    /// Writes element `place * stride + offset` of an array in the lanes where `fault` is 0, in each by its own place.
    fn scatter<Y>(self, array: &mut Y, places: Self::Words, stride: usize, offset: usize, fault: Self::Words)
    where
        Y: IndexMut<usize, Output = Self> + ?Sized;
    /// `kept` becomes `word` in the lanes where `self` is not 0.
    fn take_word(self, word: &Self::Words, kept: &mut Self::Words);
    /// `word`, all its bits inverted in the lanes where `self` is not 0.
    #[must_use]
    fn complement(self, word: &Self::Words) -> Self::Words;
    /// 1 where `word` is negative as an `i32`, else 0.
    #[must_use]
    fn is_negative(word: &Self::Words) -> Self;
    /// One more in the words of the lanes where `self` is above zero.
    fn count_positive(self, words: &mut Self::Words);
    /// One more in the words of the lanes where `self` is below zero.
    fn count_negative(self, words: &mut Self::Words);
    /// One more in the words of the lanes where `self` is zero.
    fn count_zero(self, words: &mut Self::Words);
}

macro_rules! lanes {
    ($float:ident, $one:ident) => {
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
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$float>::abs(self)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $one::max(self, other)
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                $one::maximum(self, other)
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                $one::minimum(self, other)
            }
            #[inline(always)]
            fn at_most(self, limit: Self) -> Self {
                if self > limit { limit } else { self }
            }
            #[inline(always)]
            fn at_least(self, limit: Self) -> Self {
                if self < limit { limit } else { self }
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                $one::flag(self < other)
            }
            #[inline(always)]
            fn less_equal(self, other: Self) -> Self {
                $one::flag(self <= other)
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                $one::flag(self == other)
            }
            #[inline(always)]
            fn not_equal(self, other: Self) -> Self {
                $one::flag(self != other)
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                $one::flag((self != 0.0) & (other != 0.0))
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn not(self) -> Self {
                $one::flag(self == 0.0)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                <$float>::exp(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                <$float>::ln(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$float>::sqrt(self)
            }
            #[inline(always)]
            fn recip(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn exponent_scale(self) -> Self {
                $one::scale(self)
            }
            #[inline(always)]
            fn inverse_exponent_scale(self) -> Self {
                $one::inverse_scale(self)
            }
            #[inline(always)]
            fn rotg_cos(self, b: Self) -> Self {
                let (p, _, _, h) = $one::rotation(self, b);
                $one::selected(self, b, p / h, 1.0, 0.0)
            }
            #[inline(always)]
            fn rotg_sin(self, b: Self) -> Self {
                let (_, q, _, h) = $one::rotation(self, b);
                $one::selected(self, b, q / h, 0.0, 1.0)
            }
            #[inline(always)]
            fn rotg_radius(self, b: Self) -> Self {
                let (_, _, w, h) = $one::rotation(self, b);
                $one::selected(self, b, w * h, self, b)
            }
            #[inline(always)]
            fn cholesky_pivot(self, number: u32, status: &mut u32) -> (Self, Self) {
                let is_good = $one::is_positive(self);
                *status = noted(*status, is_good, number);
                let pivot = <$float>::sqrt($one::or_nan(self, is_good));
                (pivot, 1.0 / pivot)
            }
            #[inline(always)]
            fn rsqrt_pivot(self, number: u32, status: &mut u32) -> (Self, Self) {
                let (_, reciprocal) = self.cholesky_pivot(number, status);
                (self * reciprocal, reciprocal)
            }
            #[inline(always)]
            fn general_pivot(self, number: u32, status: &mut u32) -> (Self, Self) {
                let is_good = $one::is_invertible(self);
                *status = noted(*status, is_good, number);
                let pivot = $one::or_nan(self, is_good);
                (pivot, 1.0 / pivot)
            }
            #[inline(always)]
            fn select(self, then: Self, otherwise: Self) -> Self {
                if self != 0.0 { then } else { otherwise }
            }
            #[inline(always)]
            fn or_one(self) -> Self {
                if self.is_nan() { 1.0 } else { self }
            }
            #[inline(always)]
            fn or_other(self, other: Self) -> Self {
                if self.is_nan() { other } else { self }
            }
            #[inline(always)]
            fn take_larger(self, index: u32, largest: &mut Self, word: &mut u32) {
                let is_larger = $one::is_larger(self, *largest);
                *word = if is_larger { index } else { *word };
                *largest = if is_larger { self } else { *largest };
            }
            #[inline(always)]
            fn take_at(self, index: u32, word: &u32, kept: &mut Self) {
                *kept = if *word == index { self } else { *kept };
            }
            #[inline(always)]
            fn gather<A>(array: &A, place: u32, stride: usize, offset: usize) -> Self
            where
                A: Index<usize, Output = Self> + ?Sized,
            {
                array[place as usize * stride + offset]
            }
            #[inline(always)]
            fn scatter<Y>(self, array: &mut Y, place: u32, stride: usize, offset: usize, fault: u32)
            where
                Y: IndexMut<usize, Output = Self> + ?Sized,
            {
                if fault == 0 {
                    array[place as usize * stride + offset] = self;
                }
            }
            #[inline(always)]
            fn take_word(self, word: &u32, kept: &mut u32) {
                *kept = if self != 0.0 { *word } else { *kept };
            }
            #[inline(always)]
            fn complement(self, word: &u32) -> u32 {
                if self != 0.0 { !*word } else { *word }
            }
            #[inline(always)]
            fn is_negative(word: &u32) -> Self {
                $one::flag(*word > i32::MAX as u32)
            }
            #[inline(always)]
            fn count_positive(self, words: &mut u32) {
                *words += u32::from(self > 0.0);
            }
            #[inline(always)]
            fn count_negative(self, words: &mut u32) {
                *words += u32::from(self < 0.0);
            }
            #[inline(always)]
            fn count_zero(self, words: &mut u32) {
                *words += u32::from(self == 0.0);
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
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |a, b| a * b)
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.map(|a| -a)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.map(<$float>::abs)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.zip(other, $one::max)
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                self.zip(other, $one::maximum)
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                self.zip(other, $one::minimum)
            }
            #[inline(always)]
            fn at_most(self, limit: Self) -> Self {
                self.zip(limit, |a, b| if a > b { b } else { a })
            }
            #[inline(always)]
            fn at_least(self, limit: Self) -> Self {
                self.zip(limit, |a, b| if a < b { b } else { a })
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                self.zip(other, |a, b| $one::flag(a < b))
            }
            #[inline(always)]
            fn less_equal(self, other: Self) -> Self {
                self.zip(other, |a, b| $one::flag(a <= b))
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                self.zip(other, |a, b| $one::flag(a == b))
            }
            #[inline(always)]
            fn not_equal(self, other: Self) -> Self {
                self.zip(other, |a, b| $one::flag(a != b))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self.zip(other, |a, b| $one::flag((a != 0.0) & (b != 0.0)))
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self.zip(other, |a, b| a / b)
            }
            #[inline(always)]
            fn not(self) -> Self {
                self.map(|a| $one::flag(a == 0.0))
            }
            #[inline(always)]
            fn exp(self) -> Self {
                self.map(<$float>::exp)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                self.map(<$float>::ln)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map(<$float>::sqrt)
            }
            #[inline(always)]
            fn recip(self) -> Self {
                self.map(|a| 1.0 / a)
            }
            #[inline(always)]
            fn exponent_scale(self) -> Self {
                self.map($one::scale)
            }
            #[inline(always)]
            fn inverse_exponent_scale(self) -> Self {
                self.map($one::inverse_scale)
            }
            #[inline(always)]
            fn rotg_cos(self, b: Self) -> Self {
                self.zip(b, Lanes::rotg_cos)
            }
            #[inline(always)]
            fn rotg_sin(self, b: Self) -> Self {
                self.zip(b, Lanes::rotg_sin)
            }
            #[inline(always)]
            fn rotg_radius(self, b: Self) -> Self {
                self.zip(b, Lanes::rotg_radius)
            }
            #[inline(always)]
            fn cholesky_pivot(self, number: u32, status: &mut Pack<u32, W>) -> (Self, Self) {
                self.note($one::is_positive, number, status);
                let pivot = self.map(|a| $one::or_nan(a, $one::is_positive(a)).sqrt());
                (pivot, pivot.recip())
            }
            #[inline(always)]
            fn rsqrt_pivot(self, number: u32, status: &mut Pack<u32, W>) -> (Self, Self) {
                let (_, reciprocal) = self.cholesky_pivot(number, status);
                (self.mul(reciprocal), reciprocal)
            }
            #[inline(always)]
            fn general_pivot(self, number: u32, status: &mut Pack<u32, W>) -> (Self, Self) {
                self.note($one::is_invertible, number, status);
                let pivot = self.map(|a| $one::or_nan(a, $one::is_invertible(a)));
                (pivot, pivot.recip())
            }
            #[inline(always)]
            fn select(mut self, then: Self, otherwise: Self) -> Self {
                for lane in 0..W {
                    self.0[lane] = if self.0[lane] != 0.0 { then.0[lane] } else { otherwise.0[lane] };
                }
                self
            }
            #[inline(always)]
            fn or_one(self) -> Self {
                self.map(|a| if a.is_nan() { 1.0 } else { a })
            }
            #[inline(always)]
            fn or_other(self, other: Self) -> Self {
                self.zip(other, |a, b| if a.is_nan() { b } else { a })
            }
            #[inline(always)]
            fn take_larger(self, index: u32, largest: &mut Self, word: &mut Pack<u32, W>) {
                for lane in 0..W {
                    let is_larger = $one::is_larger(self.0[lane], largest.0[lane]);
                    word.0[lane] = if is_larger { index } else { word.0[lane] };
                }
                *largest = self.zip(*largest, |a, b| if $one::is_larger(a, b) { a } else { b });
            }
            #[inline(always)]
            fn take_at(self, index: u32, word: &Pack<u32, W>, kept: &mut Self) {
                for lane in 0..W {
                    let is_taken = word.0[lane] == index;
                    kept.0[lane] = if is_taken { self.0[lane] } else { kept.0[lane] };
                }
            }
            #[inline(always)]
            fn gather<A>(array: &A, places: Pack<u32, W>, stride: usize, offset: usize) -> Self
            where
                A: Index<usize, Output = Self> + ?Sized,
            {
                Pack(array::from_fn(|lane| array[places.0[lane] as usize * stride + offset].0[lane]))
            }
            #[inline(always)]
            fn scatter<Y>(
                self,
                array: &mut Y,
                places: Pack<u32, W>,
                stride: usize,
                offset: usize,
                fault: Pack<u32, W>,
            ) where
                Y: IndexMut<usize, Output = Self> + ?Sized,
            {
                for lane in 0..W {
                    let element = &mut array[places.0[lane] as usize * stride + offset].0[lane];
                    *element = if fault.0[lane] == 0 { self.0[lane] } else { *element };
                }
            }
            #[inline(always)]
            fn take_word(self, word: &Pack<u32, W>, kept: &mut Pack<u32, W>) {
                for lane in 0..W {
                    let is_taken = self.0[lane] != 0.0;
                    kept.0[lane] = if is_taken { word.0[lane] } else { kept.0[lane] };
                }
            }
            #[inline(always)]
            fn complement(self, word: &Pack<u32, W>) -> Pack<u32, W> {
                let mut inverted = *word;
                for lane in 0..W {
                    let is_inverted = self.0[lane] != 0.0;
                    inverted.0[lane] = if is_inverted { !word.0[lane] } else { word.0[lane] };
                }
                inverted
            }
            #[inline(always)]
            fn is_negative(word: &Pack<u32, W>) -> Self {
                Pack(word.0.map(|word| $one::flag(word > i32::MAX as u32)))
            }
            #[inline(always)]
            fn count_positive(self, words: &mut Pack<u32, W>) {
                self.count(words, |a| a > 0.0);
            }
            #[inline(always)]
            fn count_negative(self, words: &mut Pack<u32, W>) {
                self.count(words, |a| a < 0.0);
            }
            #[inline(always)]
            fn count_zero(self, words: &mut Pack<u32, W>) {
                self.count(words, |a| a == 0.0);
            }
        }
    };
}

lanes!(f32, single);
lanes!(f64, double);

#[cfg(test)]
mod tests;
