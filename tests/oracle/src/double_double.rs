//! Unevaluated sums of two `f64`: about 106 bits, by error-free transformations
//! (Dekker 1971; Ogita, Rump, Oishi 2005).

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

    /// `|self - value|`, rounded once at the end; NaN if either is not finite.
    pub fn distance(self, value: f64) -> f64 {
        let difference = two_sum(self.hi, -value);
        (difference.hi + (difference.lo + self.lo)).abs()
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

    #[test]
    fn distance_of_nan_is_nan() {
        assert!(DoubleDouble::ZERO.distance(f64::NAN).is_nan());
        assert!(DoubleDouble { hi: f64::INFINITY, lo: 0.0 }.distance(f64::INFINITY).is_nan());
    }
}
