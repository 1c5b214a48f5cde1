//! The pass as one kernel a knot, or one kernel for all knots: an op that takes a stretch of knots at a time.

use crate::passes::{self, Indefinite, Number, Passes, Value, upload};
use crate::problems::{Answers, Problems, Sizes, part};
use glass::rt::Layout;
use glass::{Batch, Device, Error, Real, Task};

/// On CUDA a warp owns a problem, and its lanes read neighbouring words of it.
const LAYOUT: Layout = Layout::Contiguous;

/// An op of one robot in one type.
pub(crate) trait Fused {
    /// Type of all arrays on the device.
    type Real: Number;

    /// Knots of one launch.
    const N_KNOTS: usize;

    /// What the op computes, and the op.
    const TASKS: &'static [(&'static str, &'static Task)];

    /// Launches a stretch of knots before a value.
    fn launch(
        device: &Device,
        next: &Value<Self::Real>,
        given: &Given<Self::Real>,
        found: &mut Found<Self::Real>,
    ) -> Result<(), Error>;
}

/// Dynamics and cost of a stretch of knots.
pub(crate) struct Given<T: Real> {
    pub(crate) fx: Batch<T>,
    pub(crate) fu: Batch<T>,
    pub(crate) lxx: Batch<T>,
    pub(crate) lux: Batch<T>,
    pub(crate) luu: Batch<T>,
    pub(crate) lx: Batch<T>,
    pub(crate) lu: Batch<T>,
}

/// Answers of a stretch of knots.
pub(crate) struct Found<T: Real> {
    /// K.
    pub(crate) feedback: Batch<T>,
    /// k.
    pub(crate) feedforward: Batch<T>,
    /// V and v.
    pub(crate) value: Value<T>,
    /// 0, or the number of the first bad pivot, counted on from the last knot of the stretch to the first.
    pub(crate) status: Batch<u32>,
}

/// The problems of a batch on a device, in stretches of knots.
pub(crate) struct Stretches<F: Fused> {
    device: Device,
    sizes: Sizes,
    len: usize,
    given: Vec<Given<F::Real>>,
    found: Vec<Found<F::Real>>,
    terminal: Value<F::Real>,
}

impl<F: Fused> Passes for Stretches<F> {
    type Real = F::Real;

    fn new(device: &Device, problems: &Problems) -> Result<Self, Error> {
        let Problems { sizes, len, cost, .. } = problems;
        let Sizes { nx, nu, n_knots } = *sizes;
        let given = |first: usize| {
            let knots = || first..first + F::N_KNOTS;
            let places = || (0..*len).flat_map(|problem| knots().map(move |knot| (problem, knot)));
            let dynamics = |values, n| {
                let parts =
                    places().map(|(problem, knot)| part(values, problems.dynamics_at(problem, knot), n));
                upload(device, n * F::N_KNOTS, LAYOUT, parts)
            };
            let cost_of = |values, n| {
                let parts = places().map(|(problem, knot)| part(values, problem * n_knots + knot, n));
                upload(device, n * F::N_KNOTS, LAYOUT, parts)
            };
            Ok(Given {
                fx: dynamics(&problems.fx, nx * nx)?,
                fu: dynamics(&problems.fu, nx * nu)?,
                lxx: cost_of(&cost.xx, nx * nx)?,
                lux: cost_of(&cost.ux, nu * nx)?,
                luu: cost_of(&cost.uu, nu * nu)?,
                lx: cost_of(&cost.x, nx)?,
                lu: cost_of(&cost.u, nu)?,
            })
        };
        let zeros = |n: usize| device.filled(n * F::N_KNOTS, *len, LAYOUT, F::Real::default());
        let found = |_| {
            Ok(Found {
                feedback: zeros(nu * nx)?,
                feedforward: zeros(nu)?,
                value: Value { xx: zeros(nx * nx)?, x: zeros(nx)? },
                status: device.filled(1, *len, Layout::Contiguous, 0)?,
            })
        };
        let firsts = || (0..n_knots).step_by(F::N_KNOTS);
        Ok(Self {
            device: device.clone(),
            sizes: *sizes,
            len: *len,
            given: firsts().map(given).collect::<Result<_, Error>>()?,
            found: firsts().map(found).collect::<Result<_, Error>>()?,
            terminal: Value::terminal(device, problems, LAYOUT)?,
        })
    }

    /// Nothing is overwritten.
    fn restore(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn launch(&mut self) -> Result<(), Error> {
        for (stretch_idx, given) in self.given.iter().enumerate().rev() {
            let (before, after) = self.found.split_at_mut(stretch_idx + 1);
            let next = after.first().map_or(&self.terminal, |found| &found.value);
            F::launch(&self.device, next, given, &mut before[stretch_idx])?;
        }
        Ok(())
    }

    fn check_status(&self) -> Result<Result<(), Indefinite>, Error> {
        passes::check(self.sizes.nu, F::N_KNOTS, self.found.iter().map(|found| &found.status))
    }

    fn answers(&self) -> Result<Answers, Error> {
        let found = self.found.iter().map(|found| [&found.feedback, &found.feedforward, &found.value.xx]);
        passes::download((self.sizes, self.len), F::N_KNOTS, found)
    }
}
