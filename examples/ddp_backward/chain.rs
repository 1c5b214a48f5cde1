//! The pass as a chain of ops: knot by knot from the last to the first, all problems together. Everything stays on the
//! device; the host only launches.

use crate::passes::{self, Indefinite, Number, Passes, Value, upload};
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

/// Dynamics of a knot.
pub(crate) struct Dynamics<T: Real> {
    pub(crate) fx: Batch<T>,
    pub(crate) fu: Batch<T>,
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

/// The problems of a batch on a device, and one pass over them that starts from copies of the cost.
pub(crate) struct Chained<C: Chain> {
    device: Device,
    sizes: Sizes,
    len: usize,
    dynamics: Vec<Dynamics<C::Real>>,
    cost: Vec<Cost<C::Real>>,
    terminal: Value<C::Real>,
    knots: Vec<Knot<C::Real>>,
    workspace: Workspace<C::Real>,
}

struct Cost<T: Real> {
    value: Value<T>,
    ux: Batch<T>,
    uu: Batch<T>,
    u: Batch<T>,
}

impl<C: Chain> Passes for Chained<C> {
    type Real = C::Real;

    fn new(device: &Device, problems: &Problems) -> Result<Self, Error> {
        let Problems { sizes, len, cost, .. } = problems;
        let Sizes { nx, nu, n_knots } = *sizes;
        let problems_of = 0..*len;
        let dynamics = |knot: usize| {
            let of = |values, n| {
                let parts = problems_of.clone().map(|p| part(values, problems.dynamics_at(p, knot), n));
                upload(device, n, LAYOUT, parts)
            };
            Ok(Dynamics { fx: of(&problems.fx, nx * nx)?, fu: of(&problems.fu, nx * nu)? })
        };
        let cost_of = |knot: usize| {
            let of = |values, n| {
                upload(device, n, LAYOUT, problems_of.clone().map(|p| part(values, p * n_knots + knot, n)))
            };
            Ok(Cost {
                value: Value { xx: of(&cost.xx, nx * nx)?, x: of(&cost.x, nx)? },
                ux: of(&cost.ux, nu * nx)?,
                uu: of(&cost.uu, nu * nu)?,
                u: of(&cost.u, nu)?,
            })
        };
        let mut chained = Self {
            device: device.clone(),
            sizes: *sizes,
            len: *len,
            dynamics: (0..n_knots).map(dynamics).collect::<Result<_, Error>>()?,
            cost: (0..n_knots).map(cost_of).collect::<Result<_, Error>>()?,
            terminal: Value::terminal(device, problems, LAYOUT)?,
            knots: Vec::new(),
            workspace: Workspace { factor: device.filled(nu * nu, *len, LAYOUT, C::Real::default())? },
        };
        chained.restore()?;
        Ok(chained)
    }

    fn restore(&mut self) -> Result<(), Error> {
        let Sizes { nx, nu, .. } = self.sizes;
        let copy = |batch: &Batch<C::Real>| batch.to_layout(LAYOUT);
        let zeros = |n: usize| self.device.filled(n, self.len, LAYOUT, C::Real::default());
        let knot = |cost: &Cost<C::Real>| {
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
        self.knots = self.cost.iter().map(knot).collect::<Result<_, Error>>()?;
        Ok(())
    }

    fn launch(&mut self) -> Result<(), Error> {
        for knot_idx in (0..self.knots.len()).rev() {
            let (before, after) = self.knots.split_at_mut(knot_idx + 1);
            let next = after.first().map_or(&self.terminal, |knot| &knot.value);
            let knot = &mut before[knot_idx];
            C::knot(&self.device, &self.dynamics[knot_idx], next, knot, &mut self.workspace)?;
        }
        Ok(())
    }

    fn check_status(&self) -> Result<Result<(), Indefinite>, Error> {
        passes::check(self.sizes.nu, 1, self.knots.iter().map(|knot| &knot.status))
    }

    fn answers(&self) -> Result<Answers, Error> {
        let found = self.knots.iter().map(|knot| [&knot.feedback, &knot.feedforward, &knot.value.xx]);
        passes::download((self.sizes, self.len), 1, found)
    }
}
