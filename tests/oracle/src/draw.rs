//! Seeded numbers: the stream behind [`inputs`](crate::inputs) and the cases of [`Task`](crate::Task).

use crate::inputs::Family;
use crate::real::Real;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// FNV-1a, 64 bits.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The number stream of one problem.
pub(crate) struct Draw(Pcg64Mcg);

impl Draw {
    pub(crate) fn new(case: &str, problem_idx: usize) -> Self {
        Self(Pcg64Mcg::seed_from_u64(hash(&format!("{case}/{problem_idx}"))))
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        // The bias of the remainder is 2^-60 for the small n used here.
        self.0.next_u64() % n
    }

    /// Sign, full fraction, exponent in -10..=10.
    pub(crate) fn mixed<T: Real>(&mut self) -> T {
        let exponent = self.below(21) as i32 - 10;
        let fraction = (self.0.next_u64() >> 12) as f64 * 2f64.powi(-52);
        let sign = if self.below(2) == 0 { 1.0 } else { -1.0 };
        T::from_f64(sign * (1.0 + fraction) * 2f64.powi(exponent))
    }

    pub(crate) fn signed<T: Real>(&mut self, magnitude: f64) -> T {
        T::from_f64(if self.below(2) == 0 { magnitude } else { -magnitude })
    }

    fn vanishing<T: Real>(&mut self) -> T {
        let magnitude = if self.below(2) == 0 { 0.0 } else { T::SMALLEST_NORMAL };
        self.signed(magnitude)
    }

    /// Up to four times the smallest normal number.
    fn subnormal<T: Real>(&mut self) -> T {
        let pattern = self.below(3 << T::FRACTION_BITS);
        self.signed(T::from_pattern(pattern).to_f64())
    }

    pub(crate) fn a<T: Real>(&mut self, family: Family) -> T {
        match family {
            Family::Mixed if self.below(16) == 0 => self.signed(0.0),
            Family::Mixed | Family::Cancelling => self.mixed(),
            Family::Vanishing => self.vanishing(),
            Family::Subnormal => self.subnormal(),
        }
    }

    pub(crate) fn b<T: Real>(&mut self, family: Family) -> T {
        match family {
            Family::Subnormal => self.mixed(),
            other => self.a(other),
        }
    }

    pub(crate) fn c<T: Real>(&mut self, family: Family) -> T {
        self.a(family)
    }

    pub(crate) fn nearly_negated<T: Real>(&mut self, value: T) -> T {
        let nudge = self.below(3) as i64 - 1;
        let negated = T::from_f64(-value.to_f64());
        T::from_pattern(negated.to_pattern().wrapping_add_signed(nudge))
    }

    /// Uniform in -1..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }
}
