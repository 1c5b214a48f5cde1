//! The two element types: one rounding per method, and the constants error bounds need.

use std::fmt::Debug;

/// An IEEE 754 binary type whose operations round once, to nearest even.
pub trait Real: Copy + Debug + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// Positive zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// Unit roundoff: 2^-24 or 2^-53.
    const UNIT_ROUNDOFF: f64;
    /// Smallest positive subnormal.
    const SMALLEST_SUBNORMAL: f64;
    /// Smallest positive normal number.
    const SMALLEST_NORMAL: f64;
    /// Bits of the fraction field: 23 or 52.
    const FRACTION_BITS: u32;
    /// Hexadecimal digits of the bit pattern: 8 or 16.
    const HEX_DIGITS: usize;

    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `self + b`, rounded.
    fn plus(self, b: Self) -> Self;
    /// `self * b`, rounded.
    fn times(self, b: Self) -> Self;
    /// `self / b`, rounded.
    fn over(self, b: Self) -> Self;
    /// The square root, rounded.
    fn root(self) -> Self;
    /// `-self`, exact.
    fn negated(self) -> Self;
    /// `|self|`, exact.
    fn magnitude(self) -> Self;
    /// `e^self` of the host's library: no promise on its last bit.
    fn exponential(self) -> Self;
    /// The natural logarithm of the host's library: no promise on its last bit.
    fn logarithm(self) -> Self;
    /// The same number as `f64`; exact for both types.
    fn to_f64(self) -> f64;
    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// The bit pattern, in the low bits.
    fn to_pattern(self) -> u64;
    /// The number with this bit pattern.
    fn from_pattern(pattern: u64) -> Self;

    /// `1 / self`, rounded.
    fn reciprocal(self) -> Self {
        Self::ONE.over(self)
    }

    /// Whether this is neither infinite nor a NaN.
    fn is_finite(self) -> bool {
        self.to_f64().is_finite()
    }

    /// Whether this is a non-zero number that a device may flush to zero.
    fn is_subnormal(self) -> bool {
        let magnitude = self.to_f64().abs();
        magnitude > 0.0 && magnitude < Self::SMALLEST_NORMAL
    }

    /// Whether this is not a number.
    fn is_nan(self) -> bool {
        self.to_f64().is_nan()
    }
}

macro_rules! impl_real {
    ($float:ident, $pattern:ident) => {
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $float::NAN;
            const UNIT_ROUNDOFF: f64 = $float::EPSILON as f64 / 2.0;
            const SMALLEST_SUBNORMAL: f64 = $float::from_bits(1) as f64;
            const SMALLEST_NORMAL: f64 = $float::MIN_POSITIVE as f64;
            const FRACTION_BITS: u32 = $float::MANTISSA_DIGITS - 1;
            const HEX_DIGITS: usize = $pattern::BITS as usize / 4;

            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            fn plus(self, b: Self) -> Self {
                self + b
            }
            fn times(self, b: Self) -> Self {
                self * b
            }
            fn over(self, b: Self) -> Self {
                self / b
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn negated(self) -> Self {
                -self
            }
            fn magnitude(self) -> Self {
                self.abs()
            }
            fn exponential(self) -> Self {
                self.exp()
            }
            fn logarithm(self) -> Self {
                self.ln()
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            fn to_pattern(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn from_pattern(pattern: u64) -> Self {
                $float::from_bits(pattern as $pattern)
            }
        }
    };
}

impl_real!(f32, u32);
impl_real!(f64, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_specification() {
        assert_eq!(f32::UNIT_ROUNDOFF, 2f64.powi(-24));
        assert_eq!(f64::UNIT_ROUNDOFF, 2f64.powi(-53));
        assert_eq!(f32::SMALLEST_SUBNORMAL, 2f64.powi(-149));
        assert_eq!(f64::SMALLEST_SUBNORMAL, f64::from_bits(1));
        assert_eq!((f32::FRACTION_BITS, f64::FRACTION_BITS), (23, 52));
        assert_eq!((f32::HEX_DIGITS, f64::HEX_DIGITS), (8, 16));
    }

    #[test]
    fn fma_rounds_once() {
        // (1 + 2^-12)^2 - 1 needs 25 bits: a product rounded first loses the last one.
        let x = 1.0f32 + 2f32.powi(-12);
        assert_eq!(Real::fma(x, x, -1.0), 2f32.powi(-11) + 2f32.powi(-24));
        assert_ne!(x.times(x).plus(-1.0), 2f32.powi(-11) + 2f32.powi(-24));
    }
}
