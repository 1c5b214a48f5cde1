//! Unevaluated sums of two `f64`: about 106 bits, by error-free transformations
//! (Dekker 1971; Ogita, Rump, Oishi 2005).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, with `hi` the rounded sum of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleDouble {
    /// Leading part.
    pub hi: f64,
    /// What rounding `hi` lost.
    pub lo: f64,
}

/// `a + b` exactly, whatever the order of magnitude.
fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    let b_part = hi - a;
    DoubleDouble { hi, lo: (a - (hi - b_part)) + (b - b_part) }
}

/// `a * b`, exact unless its last bit lies below the subnormals.
fn two_product(a: f64, b: f64) -> DoubleDouble {
    let hi = a * b;
    DoubleDouble { hi, lo: a.mul_add(b, -hi) }
}

impl DoubleDouble {
    /// Zero.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };

    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    /// The natural logarithm of two.
    const LN_2: Self = Self { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };

    /// `self + a * b`; relative error about 2^-104 of the larger of both.
    pub fn add_product(self, a: f64, b: f64) -> Self {
        let product = two_product(a, b);
        let sum = two_sum(self.hi, product.hi);
        let lo = sum.lo + (self.lo + product.lo);
        two_sum(sum.hi, lo)
    }

    /// `factor * self`.
    pub fn scale(self, factor: f64) -> Self {
        let product = two_product(self.hi, factor);
        two_sum(product.hi, self.lo.mul_add(factor, product.lo))
    }

    /// `|self|`.
    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    /// The square root; relative error about 2^-100.
    pub fn sqrt(self) -> Self {
        let root = self.hi.sqrt();
        if root == 0.0 || !root.is_finite() {
            return root.into();
        }
        // One Newton step from the rounded root doubles its digits.
        let rest = self - Self::from(root) * root.into();
        Self::from(root) + (rest.hi / (2.0 * root)).into()
    }

    /// `e^self`; relative error about 2^-98 where the result is a normal number.
    pub fn exp(self) -> Self {
        if !self.hi.is_finite() || self.hi < -800.0 || self.hi > 800.0 {
            return self.hi.exp().into();
        }
        // e^x = 2^n (e^(r / 256))^256 with |r| <= ln(2) / 2.
        let n = (self.hi / std::f64::consts::LN_2).round();
        let r = (self - Self::LN_2 * n.into()).scale(1.0 / 256.0);
        let (mut less_one, mut term) = (Self::ZERO, Self::ONE);
        for k in 1..12 {
            term = term * r / f64::from(k).into();
            less_one = less_one + term;
        }
        // Squaring 1 + t as 2t + t^2 keeps the digits of a small t.
        for _ in 0..8 {
            less_one = less_one.scale(2.0) + less_one * less_one;
        }
        let value = less_one + Self::ONE;
        let half = (n / 2.0).trunc();
        value.scale(2f64.powi(half as i32)).scale(2f64.powi((n - half) as i32))
    }

    /// The natural logarithm of a positive normal number; absolute error about 2^-96 of one.
    pub fn ln(self) -> Self {
        // One Newton step on e^y = self from the rounded logarithm doubles its digits.
        let guess = Self::from(self.hi.ln());
        guess + (self * (-guess).exp() - Self::ONE)
    }

    /// `|self - value|`, rounded once at the end; NaN if either is not finite.
    pub fn distance(self, value: f64) -> f64 {
        let difference = two_sum(self.hi, -value);
        (difference.hi + (difference.lo + self.lo)).abs()
    }
}

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (hi, lo) = (two_sum(self.hi, other.hi), two_sum(self.lo, other.lo));
        let sum = two_sum(hi.hi, hi.lo + lo.hi);
        two_sum(sum.hi, sum.lo + lo.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.hi, other.hi);
        two_sum(product.hi, product.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // Long division, one f64 digit at a time.
        let first = self.hi / other.hi;
        let rest = self - other.scale(first);
        let second = rest.hi / other.hi;
        let rest = rest - other.scale(second);
        two_sum(first, second) + (rest.hi / other.hi).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_f64_loses() {
        // (1 + 2^-40)(1 - 2^-40) - 1 = -2^-80: zero in f64.
        let sum = DoubleDouble { hi: -1.0, lo: 0.0 };
        let x = sum.add_product(1.0 + 2f64.powi(-40), 1.0 - 2f64.powi(-40));
        assert_eq!((x.hi, x.lo), (-(2f64.powi(-80)), 0.0));
        assert_eq!(x.distance(0.0), 2f64.powi(-80));
    }

    #[test]
    fn cancels_across_a_hundred_bits() {
        let x = DoubleDouble::ZERO.add_product(2f64.powi(60), 2f64.powi(40)).add_product(3.0, 0.25);
        assert_eq!((x.hi, x.lo), (2f64.powi(100), 0.75));
        let y = x.add_product(-(2f64.powi(50)), 2f64.powi(50));
        assert_eq!((y.hi, y.lo), (0.75, 0.0));
    }

    #[test]
    fn scales_both_parts() {
        let x = DoubleDouble { hi: 2f64.powi(53), lo: 1.0 }.scale(3.0);
        assert_eq!(x.distance(3.0 * 2f64.powi(53)), 3.0);
    }

    fn wide(hi: f64, lo: f64) -> DoubleDouble {
        DoubleDouble::from(hi) + lo.into()
    }

    #[test]
    fn a_quotient_and_a_root_multiply_back() {
        for (a, b) in [(wide(1.0, 0.0), wide(3.0, 0.0)), (wide(-7e5, 3e-14), wide(0.1, 1e-19))] {
            let back = (a / b) * b - a;
            assert!(back.hi.abs() <= 2f64.powi(-100) * a.hi.abs(), "{a:?} / {b:?}: {back:?}");
        }
        for a in [wide(2.0, 0.0), wide(3e-8, 1e-26), wide(1e300, 3.0)] {
            let back = a.sqrt() * a.sqrt() - a;
            assert!(back.hi.abs() <= 2f64.powi(-98) * a.hi, "{a:?}: {back:?}");
        }
        assert_eq!(wide(0.0, 0.0).sqrt().hi, 0.0);
    }

    #[test]
    fn the_exponential_is_a_homomorphism_with_the_right_base() {
        // e to 32 digits, as a sum of two numbers.
        let e = wide(std::f64::consts::E, 1.445_646_891_729_250_2e-16);
        assert!((DoubleDouble::ONE.exp() - e).hi.abs() < 2f64.powi(-97) * e.hi);
        for (a, b) in [(0.3, -0.7), (20.0, 11.5), (-300.25, 12.0), (1e-9, 0.0)] {
            let product = wide(a, 0.0).exp() * wide(b, 0.0).exp();
            let whole = wide(a, b).exp();
            assert!((product - whole).hi.abs() <= 2f64.powi(-94) * whole.hi, "{a} + {b}");
        }
        assert_eq!(DoubleDouble::from(f64::NEG_INFINITY).exp().hi, 0.0);
    }

    #[test]
    fn the_logarithm_undoes_the_exponential() {
        for x in [wide(0.7, 1e-18), wide(-20.0, 3e-16), wide(300.5, 0.0), wide(1e-9, 1e-27), wide(0.0, 0.0)] {
            let back = x.exp().ln() - x;
            assert!(back.hi.abs() <= 2f64.powi(-92), "{x:?}: {back:?}");
        }
    }

    #[test]
    fn distance_of_nan_is_nan() {
        assert!(DoubleDouble::ZERO.distance(f64::NAN).is_nan());
        assert!(DoubleDouble { hi: f64::INFINITY, lo: 0.0 }.distance(f64::INFINITY).is_nan());
    }
}
