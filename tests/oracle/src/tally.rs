//! Errors held against their bounds, and the worst of them.

use crate::bound::Arithmetic;
use crate::real::Real;

/// What a check has found so far.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) arithmetic: Arithmetic,
    /// The worst error as a fraction of its bound, and where it was.
    worst: Option<(f64, String)>,
    failure: Option<String>,
}

impl Tally {
    pub(crate) fn new(arithmetic: Arithmetic) -> Self {
        Self { arithmetic, worst: None, failure: None }
    }

    /// `constant` unit roundoffs. On WGSL the constant doubles, and every division or root on the way adds three.
    pub(crate) fn relative<T: Real>(&self, constant: f64, n_divisions: f64) -> f64 {
        match self.arithmetic {
            Arithmetic::Ieee => constant * T::UNIT_ROUNDOFF,
            Arithmetic::Wgsl => (2.0 * constant + 3.0 * n_divisions) * T::UNIT_ROUNDOFF,
        }
    }

    /// What one underflow may lose.
    pub(crate) fn underflow<T: Real>(&self) -> f64 {
        match self.arithmetic {
            Arithmetic::Ieee => T::SMALLEST_SUBNORMAL,
            Arithmetic::Wgsl => T::SMALLEST_NORMAL,
        }
    }

    /// Whether subnormal numbers may count as zero.
    pub(crate) fn flushes(&self) -> bool {
        self.arithmetic == Arithmetic::Wgsl
    }

    /// Records an error and what is allowed. A NaN on either side is an excess.
    pub(crate) fn error(&mut self, place: impl FnOnce() -> String, error: f64, allowed: f64) {
        let ratio = if error == 0.0 && allowed >= 0.0 { 0.0 } else { error / allowed };
        let ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
        if self.worst.as_ref().is_none_or(|(worst, _)| ratio > *worst) {
            self.worst = Some((ratio, format!("{}: error {error:e}, allowed {allowed:e}", place())));
        }
    }

    /// Records a breach that has no size.
    pub(crate) fn fail(&mut self, message: impl FnOnce() -> String) {
        self.failure.get_or_insert_with(message);
    }

    /// Records a breach unless `kept`.
    pub(crate) fn require(&mut self, kept: bool, message: impl FnOnce() -> String) {
        if !kept {
            self.fail(message);
        }
    }

    /// The worst ratio, or what went wrong.
    pub(crate) fn finish(self) -> Result<f64, String> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.worst {
            None => Ok(0.0),
            Some((ratio, _)) if ratio <= 1.0 => Ok(ratio),
            Some((ratio, place)) => Err(format!("{place}, ratio {ratio:e}")),
        }
    }
}
