//! What comes before the first iteration.

use glass::{Handle, MatrixHandle, Slot};

/// `r = b - A x`.
#[glass::vector("r = b - a * x")]
pub(crate) struct Residual {
    pub(crate) a: MatrixHandle,
    pub(crate) x: Handle,
    pub(crate) b: Handle,
    pub(crate) r: Handle,
}

/// The first direction, and whether there is anything to do.
#[glass::vector(
    "p = r",
    "new = sum(r * r)",
    "rr = new",
    "rho = new",
    "non_finite = !finite(new)",
    "converged = finite(new) & new <= tol2",
    "active = !non_finite & !converged",
    "breakdown = 0",
    "max_iterations = 0",
    "iterations = 0",
    "step_ok = 0"
)]
pub(crate) struct Start {
    pub(crate) r: Handle,
    pub(crate) p: Handle,
    pub(crate) rr: Slot<f32>,
    pub(crate) rho: Slot<f32>,
    pub(crate) tol2: Slot<f32>,
    pub(crate) active: Slot<u32>,
    pub(crate) step_ok: Slot<u32>,
    pub(crate) iterations: Slot<u32>,
    pub(crate) converged: Slot<u32>,
    pub(crate) max_iterations: Slot<u32>,
    pub(crate) breakdown: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

/// The same with the inverse `m` of a diagonal.
#[glass::vector(
    "p = m * r",
    "new = sum(r * r)",
    "rho_new = sum(r * p)",
    "rr = new",
    "rho = rho_new",
    "is_number = finite(new) & finite(rho_new)",
    "non_finite = !is_number",
    "converged = is_number & new <= tol2",
    "breakdown = is_number & !converged & rho_new <= 0.0",
    "active = is_number & !converged & !breakdown",
    "max_iterations = 0",
    "iterations = 0",
    "step_ok = 0"
)]
pub(crate) struct PreconditionedStart {
    pub(crate) m: Handle,
    pub(crate) r: Handle,
    pub(crate) p: Handle,
    pub(crate) rr: Slot<f32>,
    pub(crate) rho: Slot<f32>,
    pub(crate) tol2: Slot<f32>,
    pub(crate) active: Slot<u32>,
    pub(crate) step_ok: Slot<u32>,
    pub(crate) iterations: Slot<u32>,
    pub(crate) converged: Slot<u32>,
    pub(crate) max_iterations: Slot<u32>,
    pub(crate) breakdown: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

/// Whatever still goes on has run out of iterations.
#[glass::vector("max_iterations = active")]
pub(crate) struct Finish {
    pub(crate) active: Slot<u32>,
    pub(crate) max_iterations: Slot<u32>,
}
