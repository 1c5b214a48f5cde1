//! The backward pass of a batch: knot by knot from the last to the first, all problems together. Everything stays
//! on the device; the host only launches.

use crate::problems::{Answers, Problems, Sizes, part};
use glass::rt::Layout;
use glass::{Batch, Device, Error, Real, Task};

/// Problems lie in tiles of 32, problem fastest: neighbouring threads read neighbouring words.
const LAYOUT: Layout = Layout::Interleaved;

/// The ops of one robot in one type.
pub(crate) trait Chain {
    /// Type of all arrays on the device.
    type Real: Number;

    /// What each op computes, and the op, in launch order.
    const TASKS: &'static [(&'static str, &'static Task)];

    /// Launches one knot: `knot` holds the cost before, the answers after.
    fn knot(
        device: &Device,
        dynamics: &Dynamics<Self::Real>,
        next: &Value<Self::Real>,
        knot: &mut Knot<Self::Real>,
        workspace: &mut Workspace<Self::Real>,
    ) -> Result<(), Error>;
}

/// Types the pass runs in.
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

/// Dynamics of a knot.
pub(crate) struct Dynamics<T: Real> {
    pub(crate) fx: Batch<T>,
    pub(crate) fu: Batch<T>,
}

/// Quadratic expansion in the state.
pub(crate) struct Value<T: Real> {
    pub(crate) xx: Batch<T>,
    pub(crate) x: Batch<T>,
}

/// A knot on the way from its cost to its answers.
pub(crate) struct Knot<T: Real> {
    /// Lxx and Lx, then Qxx and Qx, then V and v.
    pub(crate) value: Value<T>,
    /// Lux, then Qux.
    pub(crate) ux: Batch<T>,
    /// Luu, then Quu.
    pub(crate) uu: Batch<T>,
    /// Lu, then Qu.
    pub(crate) u: Batch<T>,
    /// K.
    pub(crate) feedback: Batch<T>,
    /// k.
    pub(crate) feedforward: Batch<T>,
    /// 0, or the number of the first bad pivot of Quu.
    pub(crate) status: Batch<u32>,
}

/// What knots use one after the other.
pub(crate) struct Workspace<T: Real> {
    /// L of L L' = Quu.
    pub(crate) factor: Batch<T>,
}

/// A control Hessian that was not positive definite on the device.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("problem {problem_idx}, knot {knot}: pivot {pivot} of Quu is not positive")]
pub(crate) struct Indefinite {
    pub(crate) problem_idx: usize,
    pub(crate) knot: usize,
    pub(crate) pivot: u32,
}

/// The problems of a batch on a device. Passes start from copies of the cost.
pub(crate) struct Uploaded<T: Real> {
    device: Device,
    sizes: Sizes,
    len: usize,
    dynamics: Vec<Dynamics<T>>,
    cost: Vec<Cost<T>>,
    terminal: Value<T>,
}

struct Cost<T: Real> {
    value: Value<T>,
    ux: Batch<T>,
    uu: Batch<T>,
    u: Batch<T>,
}

impl<T: Number> Uploaded<T> {
    /// Uploads everything, rounded to the type.
    pub(crate) fn new(device: &Device, problems: &Problems) -> Result<Self, Error> {
        let Problems { sizes, len, cost, .. } = problems;
        let Sizes { nx, nu, n_knots } = *sizes;
        let problems_of = 0..*len;
        let dynamics = |knot: usize| {
            let of = |values, n| {
                let parts = problems_of.clone().map(|p| part(values, problems.dynamics_at(p, knot), n));
                upload(device, n, parts)
            };
            Ok(Dynamics { fx: of(&problems.fx, nx * nx)?, fu: of(&problems.fu, nx * nu)? })
        };
        let cost_of = |knot: usize| {
            let of = |values, n| {
                upload(device, n, problems_of.clone().map(|p| part(values, p * n_knots + knot, n)))
            };
            Ok(Cost {
                value: Value { xx: of(&cost.xx, nx * nx)?, x: of(&cost.x, nx)? },
                ux: of(&cost.ux, nu * nx)?,
                uu: of(&cost.uu, nu * nu)?,
                u: of(&cost.u, nu)?,
            })
        };
        let terminal = |values, n| upload(device, n, problems_of.clone().map(|p| part(values, p, n)));
        Ok(Self {
            device: device.clone(),
            sizes: *sizes,
            len: *len,
            dynamics: (0..n_knots).map(dynamics).collect::<Result<_, Error>>()?,
            cost: (0..n_knots).map(cost_of).collect::<Result<_, Error>>()?,
            terminal: Value { xx: terminal(&cost.terminal_xx, nx * nx)?, x: terminal(&cost.terminal_x, nx)? },
        })
    }

    /// Copies the cost, on the device, and makes room for the answers.
    pub(crate) fn start(&self) -> Result<Pass<'_, T>, Error> {
        let Sizes { nx, nu, .. } = self.sizes;
        let copy = |batch: &Batch<T>| batch.to_layout(LAYOUT);
        let zeros = |n: usize| self.device.filled(n, self.len, LAYOUT, T::default());
        let knot = |cost: &Cost<T>| {
            Ok(Knot {
                value: Value { xx: copy(&cost.value.xx)?, x: copy(&cost.value.x)? },
                ux: copy(&cost.ux)?,
                uu: copy(&cost.uu)?,
                u: copy(&cost.u)?,
                feedback: zeros(nu * nx)?,
                feedforward: zeros(nu)?,
                status: self.device.filled(1, self.len, Layout::Contiguous, 0)?,
            })
        };
        Ok(Pass {
            inputs: self,
            knots: self.cost.iter().map(knot).collect::<Result<_, Error>>()?,
            workspace: Workspace { factor: zeros(nu * nu)? },
        })
    }
}

/// One array of every problem.
fn upload<'a, T: Number>(
    device: &Device,
    n_elements: usize,
    parts: impl Iterator<Item = &'a [f64]>,
) -> Result<Batch<T>, Error> {
    let rounded: Vec<T> = parts.flatten().map(|value| T::rounded(*value)).collect();
    device.upload_slice(&rounded, n_elements, LAYOUT)
}

/// One backward pass.
pub(crate) struct Pass<'a, T: Real> {
    inputs: &'a Uploaded<T>,
    knots: Vec<Knot<T>>,
    workspace: Workspace<T>,
}

impl<T: Number> Pass<'_, T> {
    /// Launches every knot; does not wait.
    pub(crate) fn launch<C: Chain<Real = T>>(&mut self) -> Result<(), Error> {
        let Uploaded { device, dynamics, terminal, .. } = self.inputs;
        for knot_idx in (0..self.knots.len()).rev() {
            let (before, after) = self.knots.split_at_mut(knot_idx + 1);
            let next = after.first().map_or(terminal, |knot| &knot.value);
            C::knot(device, &dynamics[knot_idx], next, &mut before[knot_idx], &mut self.workspace)?;
        }
        Ok(())
    }

    /// Waits, and names the first problem whose Quu was bad, at the knot the pass met first.
    pub(crate) fn check_status(&self) -> Result<Result<(), Indefinite>, Error> {
        for (knot_idx, knot) in self.knots.iter().enumerate().rev() {
            let status = knot.status.download()?;
            if let Some(problem_idx) = status.iter().position(|status| *status != 0) {
                return Ok(Err(Indefinite { problem_idx, knot: knot_idx, pivot: status[problem_idx] }));
            }
        }
        Ok(Ok(()))
    }

    /// Downloads K, k and V.
    pub(crate) fn answers(&self) -> Result<Answers, Error> {
        let Sizes { nx, nu, n_knots } = self.inputs.sizes;
        let n_places = self.inputs.len * n_knots;
        let mut answers = Answers {
            feedback: vec![0.0; n_places * nu * nx],
            feedforward: vec![0.0; n_places * nu],
            value: vec![0.0; n_places * nx * nx],
        };
        for (knot_idx, knot) in self.knots.iter().enumerate() {
            for (all, batch) in [
                (&mut answers.feedback, &knot.feedback),
                (&mut answers.feedforward, &knot.feedforward),
                (&mut answers.value, &knot.value.xx),
            ] {
                let n = batch.elements();
                for (problem_idx, found) in batch.download()?.chunks_exact(n).enumerate() {
                    let all = &mut all[(problem_idx * n_knots + knot_idx) * n..][..n];
                    for (all, found) in all.iter_mut().zip(found) {
                        *all = found.widened();
                    }
                }
            }
        }
        Ok(answers)
    }
}
