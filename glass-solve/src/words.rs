//! The scalars of a solve.

use glass::rt::arena::Declaration;
use glass::{ScalarArena, Slot};

/// Words that all graphs of a solve share.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// `r'r` of the last good residual.
    pub(crate) rr: Slot<f32>,
    /// What `beta` divides by: `r'r`, or `r'z` with a preconditioner.
    pub(crate) rho: Slot<f32>,
    /// `p'q`.
    pub(crate) pq: Slot<f32>,
    /// Length of the step along `p`.
    pub(crate) alpha: Slot<f32>,
    /// Part of the old direction in the new one.
    pub(crate) beta: Slot<f32>,
    /// Converged when `r'r` is no larger.
    pub(crate) tol2: Slot<f32>,
    /// The next iteration takes place.
    pub(crate) active: Slot<u32>,
    /// The step of this iteration was proved good.
    pub(crate) step_ok: Slot<u32>,
    /// Steps taken.
    pub(crate) iterations: Slot<u32>,
    /// Outcomes: exactly one is 1 at the end.
    pub(crate) converged: Slot<u32>,
    pub(crate) max_iterations: Slot<u32>,
    pub(crate) breakdown: Slot<u32>,
    pub(crate) non_finite: Slot<u32>,
}

impl Words {
    pub(crate) fn declare() -> Result<(Words, ScalarArena), glass::Error> {
        let mut declaration: Declaration = ScalarArena::declare();
        let words = Words {
            rr: declaration.f32("rr")?,
            rho: declaration.f32("rho")?,
            pq: declaration.f32("pq")?,
            alpha: declaration.f32("alpha")?,
            beta: declaration.f32("beta")?,
            tol2: declaration.f32("tol2")?,
            active: declaration.u32("active")?,
            step_ok: declaration.u32("step_ok")?,
            iterations: declaration.u32("iterations")?,
            converged: declaration.u32("converged")?,
            max_iterations: declaration.u32("max_iterations")?,
            breakdown: declaration.u32("breakdown")?,
            non_finite: declaration.u32("non_finite")?,
        };
        Ok((words, declaration.seal()))
    }
}
