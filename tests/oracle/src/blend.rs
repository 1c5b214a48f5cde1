//! Checks of `alpha * sum + beta * old` against the exact value and the bound of products.

use crate::double_double::DoubleDouble;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::tally::Tally;

/// A matrix of exact sums and what their bounds need.
pub(crate) struct Sums {
    /// The exact sums.
    pub(crate) value: Matrix,
    /// Sums of the terms' absolute values.
    pub(crate) magnitude: Matrix,
    /// The same without terms that have a subnormal factor.
    pub(crate) flushed: Matrix,
    /// Roundings that may underflow, each weighted with the factors applied afterwards.
    pub(crate) underflows: Matrix,
}

impl Sums {
    /// `a * b`.
    pub(crate) fn product<T: Real>(a: &Matrix, b: &Matrix) -> Self {
        let n_underflows = (a.cols + 3) as f64;
        Self {
            value: a.times(b),
            magnitude: a.abs().times(&b.abs()),
            flushed: a.abs().flushed::<T>().times(&b.abs().flushed::<T>()),
            underflows: Matrix::from_fn(a.rows, b.cols, |_, _| n_underflows.into()),
        }
    }

    /// `x * (m * y)`, the inner product first.
    pub(crate) fn chain<T: Real>(x: &Matrix, m: &Matrix, y: &Matrix) -> Self {
        let inner = Self::product::<T>(m, y);
        let (x_abs, x_flushed) = (x.abs(), x.abs().flushed::<T>());
        let own = (x.cols + 3) as f64;
        Self {
            value: x.times(&inner.value),
            magnitude: x_abs.times(&inner.magnitude),
            flushed: x_flushed.times(&inner.flushed),
            underflows: x_abs.times(&inner.underflows).map(|weight| weight + own.into()),
        }
    }

    /// Both sums in one accumulator.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            value: self.value.plus(&other.value),
            magnitude: self.magnitude.plus(&other.magnitude),
            flushed: self.flushed.plus(&other.flushed),
            underflows: self.underflows.plus(&other.underflows),
        }
    }

    /// The lower triangle of everything, mirrored.
    pub(crate) fn mirrored(&self) -> Self {
        Self {
            value: self.value.mirrored(),
            magnitude: self.magnitude.mirrored(),
            flushed: self.flushed.mirrored(),
            underflows: self.underflows.mirrored(),
        }
    }

    /// Holds every element with `select` against `constant u (|alpha| magnitude + |beta| |old|)`.
    pub(crate) fn check<T: Real>(
        &self,
        tally: &mut Tally,
        constant: f64,
        (alpha, beta): (f64, f64),
        (old, new): (&Matrix, &Matrix),
        select: impl Fn(usize, usize) -> bool,
    ) {
        for j in 0..new.cols {
            for i in (0..new.rows).filter(|&i| select(i, j)) {
                let (mut value, mut magnitude, mut flushable) = (DoubleDouble::ZERO, 0.0, 0.0);
                let mut n_underflows = 1.0;
                if alpha != 0.0 {
                    value = self.value.at(i, j).scale(alpha);
                    magnitude = alpha.abs() * self.magnitude.at(i, j).hi;
                    flushable = alpha.abs() * (self.magnitude.at(i, j) - self.flushed.at(i, j)).hi;
                    n_underflows += self.underflows.at(i, j).hi * alpha.abs().max(1.0);
                }
                if beta != 0.0 {
                    let term = old.at(i, j).scale(beta);
                    value = value + term;
                    magnitude += term.abs().hi;
                    if T::from_f64(old.at(i, j).hi).is_subnormal() {
                        flushable += term.abs().hi;
                    }
                }
                let actual = new.at(i, j).hi;
                if alpha == 0.0 && beta == 1.0 {
                    let kept = old.at(i, j).hi;
                    tally.require(actual.to_bits() == kept.to_bits(), || {
                        format!("element ({i}, {j}) changed from {kept:e} to {actual:e}")
                    });
                    continue;
                }
                if alpha == 0.0 && beta == 0.0 {
                    let is_zero = actual.to_bits() == 0 || (tally.flushes() && actual == 0.0);
                    tally.require(is_zero, || format!("element ({i}, {j}) is {actual:e} instead of +0"));
                    continue;
                }
                let flushed = if tally.flushes() { flushable } else { 0.0 };
                let allowed = tally.relative::<T>(constant, 0.0) * magnitude
                    + n_underflows * tally.underflow::<T>()
                    + flushed;
                tally.error(|| format!("element ({i}, {j})"), value.distance(actual), allowed);
            }
        }
    }
}
