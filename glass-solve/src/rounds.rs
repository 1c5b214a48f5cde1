//! One iteration: three operations, each a kernel on CUDA.

use glass::{Handle, MatrixHandle, Slot};

/// `q = A p`, and the length of the step along `p`.
#[glass::vector(
    "q = a * p",
    "new = sum(p * q)",
    "pq = new",
    "is_positive = finite(new) & new > 0.0",
    "length = rho / new",
    "step_ok = is_positive & finite(length)",
    "active = step_ok",
    "alpha = select(step_ok, length, alpha)",
    "breakdown = finite(new) & !is_positive",
    "non_finite = !step_ok & !breakdown"
)]
pub(crate) struct Product {
    pub(crate) a: MatrixHandle,
    pub(crate) p: Handle,
    pub(crate) q: Handle,
    pub(crate) rho: Slot<f32>,
    pub(crate) pq: Slot<f32>,
    pub(crate) alpha: Slot<f32>,
    pub(crate) active: Slot<u32>,
    pub(crate) step_ok: Slot<u32>,
    pub(crate) breakdown: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

/// The residual after the step, and whether another one follows.
#[glass::vector(
    "r = fma(-alpha, q, r)",
    "new = sum(r * r)",
    "step_ok = finite(new)",
    "non_finite = !step_ok",
    "converged = step_ok & new <= tol2",
    "active = step_ok & !converged",
    "beta = select(active, new / rho, beta)",
    "rr = select(step_ok, new, rr)",
    "rho = select(step_ok, new, rho)",
    "iterations = iterations + step_ok"
)]
pub(crate) struct Residual {
    pub(crate) q: Handle,
    pub(crate) r: Handle,
    pub(crate) rr: Slot<f32>,
    pub(crate) rho: Slot<f32>,
    pub(crate) alpha: Slot<f32>,
    pub(crate) beta: Slot<f32>,
    pub(crate) tol2: Slot<f32>,
    pub(crate) active: Slot<u32>,
    pub(crate) step_ok: Slot<u32>,
    pub(crate) iterations: Slot<u32>,
    pub(crate) converged: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

/// The same with the inverse `m` of a diagonal.
#[glass::vector(
    "r = fma(-alpha, q, r)",
    "z = m * r",
    "new = sum(r * r)",
    "rho_new = sum(r * z)",
    "step_ok = finite(new) & finite(rho_new)",
    "non_finite = !step_ok",
    "converged = step_ok & new <= tol2",
    "breakdown = step_ok & !converged & rho_new <= 0.0",
    "active = step_ok & !converged & !breakdown",
    "beta = select(active, rho_new / rho, beta)",
    "rr = select(step_ok, new, rr)",
    "rho = select(step_ok, rho_new, rho)",
    "iterations = iterations + step_ok"
)]
pub(crate) struct PreconditionedResidual {
    pub(crate) m: Handle,
    pub(crate) q: Handle,
    pub(crate) r: Handle,
    pub(crate) rr: Slot<f32>,
    pub(crate) rho: Slot<f32>,
    pub(crate) alpha: Slot<f32>,
    pub(crate) beta: Slot<f32>,
    pub(crate) tol2: Slot<f32>,
    pub(crate) active: Slot<u32>,
    pub(crate) step_ok: Slot<u32>,
    pub(crate) iterations: Slot<u32>,
    pub(crate) converged: Slot<u32>,
    pub(crate) breakdown: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

/// The step, and the next direction where there is one.
#[glass::vector("x = fma(alpha, p, x)", "p = select(active, fma(beta, p, r), p)")]
pub(crate) struct Step {
    pub(crate) x: Handle,
    pub(crate) p: Handle,
    pub(crate) r: Handle,
    pub(crate) alpha: Slot<f32>,
    pub(crate) beta: Slot<f32>,
    pub(crate) active: Slot<u32>,
}

/// The same with the inverse `m` of a diagonal.
#[glass::vector("x = fma(alpha, p, x)", "p = select(active, fma(beta, p, m * r), p)")]
pub(crate) struct PreconditionedStep {
    pub(crate) m: Handle,
    pub(crate) x: Handle,
    pub(crate) p: Handle,
    pub(crate) r: Handle,
    pub(crate) alpha: Slot<f32>,
    pub(crate) beta: Slot<f32>,
    pub(crate) active: Slot<u32>,
}
