//! What every way to compute a batch of backward passes offers.

use crate::problems::{Answers, Problems, Sizes};
use glass::rt::Layout;
use glass::{Batch, Device, Error, Real};

/// A batch of problems on a device, and how their backward passes are launched.
pub(crate) trait Way: Sized {
    /// Type of all arrays on the device.
    type Real: Number;

    /// Uploads everything, rounded to the type, and makes room for the answers.
    fn new(device: &Device, problems: &Problems) -> Result<Self, Error>;

    /// Restores on the device what a pass overwrites.
    fn restore(&mut self) -> Result<(), Error>;

    /// Launches every knot; does not wait.
    fn launch(&mut self) -> Result<(), Error>;

    /// Waits, and names the first problem whose Quu was bad, at the knot the pass met first.
    fn check_status(&self) -> Result<Result<(), Indefinite>, Error>;

    /// Downloads K, k and V.
    fn answers(&self) -> Result<Answers, Error>;
}

/// Types a pass runs in.
pub(crate) trait Number: Real {
    /// Rounded to nearest.
    fn rounded(value: f64) -> Self;
    /// Exact.
    fn widened(self) -> f64;
}

impl Number for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }

    fn widened(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    fn rounded(value: f64) -> Self {
        value
    }

    fn widened(self) -> f64 {
        self
    }
}

/// Quadratic expansion in the state.
pub(crate) struct Value<T: Real> {
    pub(crate) xx: Batch<T>,
    pub(crate) x: Batch<T>,
}

/// A control Hessian that was not positive definite on the device.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("problem {problem_idx}, knot {knot}: pivot {pivot} of Quu is not positive")]
pub(crate) struct Indefinite {
    pub(crate) problem_idx: usize,
    pub(crate) knot: usize,
    pub(crate) pivot: u32,
}

/// One array of every problem.
pub(crate) fn upload<'a, T: Number>(
    device: &Device,
    n_elements: usize,
    layout: Layout,
    parts: impl Iterator<Item = &'a [f64]>,
) -> Result<Batch<T>, Error> {
    let rounded: Vec<T> = parts.flatten().map(|value| T::rounded(*value)).collect();
    device.upload_slice(&rounded, n_elements, layout)
}

/// Room for the answers of every problem and knot.
pub(crate) fn no_answers(sizes: Sizes, len: usize) -> Answers {
    let Sizes { nx, nu, n_knots } = sizes;
    let zeros = |n: usize| vec![0.0; len * n_knots * n];
    Answers { feedback: zeros(nu * nx), feedforward: zeros(nu), value: zeros(nx * nx) }
}

/// Downloads an array that holds some knots of every problem, from a first one on, into the place of those knots.
pub(crate) fn download<T: Number>(
    batch: &Batch<T>,
    (first_knot, n_elements): (usize, usize),
    n_knots: usize,
    all: &mut [f64],
) -> Result<(), Error> {
    for (problem_idx, found) in batch.download()?.chunks_exact(batch.elements()).enumerate() {
        let place = (problem_idx * n_knots + first_knot) * n_elements;
        for (all, found) in all[place..].iter_mut().zip(found) {
            *all = found.widened();
        }
    }
    Ok(())
}
