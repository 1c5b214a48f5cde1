//! A batch of backward passes on a device, whatever launches them.

use crate::problems::{Answers, Problems, Sizes, part};
use glass::rt::Layout;
use glass::{Batch, Device, Error, Real};

/// The problems of a batch on a device, and how their backward passes are launched.
pub(crate) trait Passes: Sized {
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

impl<T: Number> Value<T> {
    /// That behind the last knot.
    pub(crate) fn terminal(device: &Device, problems: &Problems, layout: Layout) -> Result<Self, Error> {
        let Problems { sizes: Sizes { nx, .. }, len, cost, .. } = problems;
        let of = |values, n| upload(device, n, layout, (0..*len).map(|problem| part(values, problem, n)));
        Ok(Self { xx: of(&cost.terminal_xx, nx * nx)?, x: of(&cost.terminal_x, *nx)? })
    }
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

/// K, k and V of some knots of every problem.
pub(crate) type Found<'a, T> = [&'a Batch<T>; 3];

/// Downloads the answers, so many knots at a time.
pub(crate) fn download<'a, T: Number>(
    (sizes, len): (Sizes, usize),
    n_at_once: usize,
    found: impl Iterator<Item = Found<'a, T>>,
) -> Result<Answers, Error> {
    let Sizes { nx, nu, n_knots } = sizes;
    let zeros = |n: usize| vec![0.0; len * n_knots * n];
    let mut answers = Answers { feedback: zeros(nu * nx), feedforward: zeros(nu), value: zeros(nx * nx) };
    for (stretch_idx, found) in found.enumerate() {
        let all = [&mut answers.feedback, &mut answers.feedforward, &mut answers.value];
        for (all, batch) in all.into_iter().zip(found) {
            let n_elements = batch.elements() / n_at_once;
            for (problem_idx, found) in batch.download()?.chunks_exact(batch.elements()).enumerate() {
                let place = (problem_idx * n_knots + stretch_idx * n_at_once) * n_elements;
                for (all, found) in all[place..].iter_mut().zip(found) {
                    *all = found.widened();
                }
            }
        }
    }
    Ok(answers)
}

/// Waits, and names the first problem with a bad pivot at the knot the passes met first. A status covers so many knots: it is
/// 0, or the number of the first bad pivot, counted on from the last of them to the first.
pub(crate) fn check<'a>(
    nu: usize,
    n_at_once: usize,
    statuses: impl DoubleEndedIterator<Item = &'a Batch<u32>> + ExactSizeIterator,
) -> Result<Result<(), Indefinite>, Error> {
    for (stretch_idx, status) in statuses.enumerate().rev() {
        let bad = |(problem_idx, status): (usize, u32)| {
            let number = status.checked_sub(1)? as usize;
            let knot = (stretch_idx + 1) * n_at_once - 1 - number / nu;
            Some(Indefinite { problem_idx, knot, pivot: (number % nu) as u32 + 1 })
        };
        let all = status.download()?.into_iter().enumerate().filter_map(bad);
        let first_met = all.reduce(|met, other| if other.knot > met.knot { other } else { met });
        if let Some(first_met) = first_met {
            return Ok(Err(first_met));
        }
    }
    Ok(Ok(()))
}
