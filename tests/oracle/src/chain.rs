//! Results that are blended again and again: the exact value of each, and how far from it a correct kernel may be.

use crate::double_double::DoubleDouble;
use crate::real::Real;
use crate::tally::Tally;

/// An exact sum and what its bound needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    /// The sum.
    pub(crate) value: DoubleDouble,
    /// The sum of its terms' absolute values.
    pub(crate) magnitude: f64,
    /// The part of that from terms with a subnormal factor.
    pub(crate) flushable: f64,
    /// Its terms.
    pub(crate) n_terms: usize,
}

impl Sum {
    /// The products of some pairs.
    pub(crate) fn of<T: Real>(terms: impl Iterator<Item = (T, T)>) -> Self {
        let zero = Self { value: DoubleDouble::ZERO, magnitude: 0.0, flushable: 0.0, n_terms: 0 };
        terms.fold(zero, |sum, (a, b)| {
            let is_subnormal = a.is_subnormal() || b.is_subnormal();
            let (a, b) = (a.to_f64(), b.to_f64());
            let product = DoubleDouble::ZERO.add_product(a, b);
            let size = product.abs().hi;
            Self {
                value: sum.value + product,
                magnitude: sum.magnitude + size,
                flushable: sum.flushable + if is_subnormal { size } else { 0.0 },
                n_terms: sum.n_terms + 1,
            }
        })
    }
}

/// The elements of an output, of which any may be written any number of times.
pub(crate) struct Chain<'a, T> {
    before: &'a [T],
    scalars: (f64, f64),
    elements: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    value: DoubleDouble,
    allowed: f64,
    is_written: bool,
    /// Whatever alpha and beta are, it is no copy and no zero.
    is_rounded: bool,
}

impl<'a, T: Real> Chain<'a, T> {
    /// Old values, and the factors alpha and beta of every sum.
    pub(crate) fn new(before: &'a [T], scalars: (f64, f64)) -> Self {
        let link =
            |old: &T| Link { value: old.to_f64().into(), allowed: 0.0, is_written: false, is_rounded: false };
        Self { before, scalars, elements: before.iter().map(link).collect() }
    }

    /// `alpha sum + beta old` of one element: the bound of a product, with the error of the old value carried on.
    pub(crate) fn blend(&mut self, at: usize, sum: &Sum, tally: &Tally) {
        let (alpha, beta) = self.scalars;
        let old = self.elements[at];
        let (mut value, mut magnitude, mut flushable) = (DoubleDouble::ZERO, 0.0, 0.0);
        let (mut carried, mut n_underflows) = (0.0, 1.0);
        if alpha != 0.0 {
            value = sum.value.scale(alpha);
            magnitude = alpha.abs() * sum.magnitude;
            flushable = alpha.abs() * sum.flushable;
            n_underflows += (sum.n_terms + 3) as f64 * alpha.abs().max(1.0);
        }
        if beta != 0.0 {
            value = value + old.value.scale(beta);
            carried = beta.abs() * old.allowed;
            let term = beta.abs() * old.value.abs().hi;
            magnitude += term + carried;
            if old.value.abs().hi - old.allowed < T::SMALLEST_NORMAL {
                flushable += term + carried;
            }
        }
        let flushed = if tally.flushes() { flushable } else { 0.0 };
        let own = tally.relative::<T>((sum.n_terms + 3) as f64, 0.0) * magnitude;
        let allowed = carried + own + n_underflows * tally.underflow::<T>() + flushed;
        self.elements[at] = Link { value, allowed, is_written: true, ..old };
    }

    /// One product more, in one rounding; in two where an fma need not be fused.
    pub(crate) fn add(&mut self, at: usize, product: &Sum, tally: &Tally) {
        let old = self.elements[at];
        let size = old.value.abs().hi;
        let mut flushable = product.flushable;
        if size - old.allowed < T::SMALLEST_NORMAL {
            flushable += size + old.allowed;
        }
        let flushed = if tally.flushes() { flushable } else { 0.0 };
        let own = tally.relative::<T>(1.0, 0.0) * (product.magnitude + size + old.allowed);
        let allowed = old.allowed + own + 2.0 * tally.underflow::<T>() + flushed;
        let value = old.value + product.value;
        self.elements[at] = Link { value, allowed, is_written: true, is_rounded: true };
    }

    /// Holds every element against its bound; one that was never blended, or that keeps its value, against its old bits.
    pub(crate) fn check(&self, after: &[T], tally: &mut Tally) {
        let (alpha, beta) = self.scalars;
        for (at, (link, (old, new))) in self.elements.iter().zip(self.before.iter().zip(after)).enumerate() {
            if !link.is_written || (alpha == 0.0 && beta == 1.0 && !link.is_rounded) {
                tally.require(old.to_pattern() == new.to_pattern(), || {
                    format!("element {at} changed from {old:?} to {new:?}")
                });
            } else if alpha == 0.0 && beta == 0.0 && !link.is_rounded {
                let is_zero = new.to_pattern() == 0 || (tally.flushes() && *new == T::ZERO);
                tally.require(is_zero, || format!("element {at} is {new:?} instead of +0"));
            } else {
                tally.error(|| format!("element {at}"), link.value.distance(new.to_f64()), link.allowed);
            }
        }
    }
}
