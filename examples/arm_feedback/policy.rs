//! The policy `du = -K dx - k` as kernels: `y = alpha A x + beta y` with alpha = beta = -1 and `y`
//! holding `k` before the launch. One struct per robot, sizes (nu, nx) fixed at compile time.

use crate::evaluate::{self, Outcome};
use crate::problems::Problems;
use glass::Device;

/// Talos arm and other 7-joint arms.
#[glass::contract(n_out = 7, k = 14, alpha = runtime, beta = runtime)]
pub(crate) struct ArmFeedback;

/// Iris quadrotor: 4 rotors, 12 states.
#[glass::contract(n_out = 4, k = 12, alpha = runtime, beta = runtime)]
pub(crate) struct QuadrotorFeedback;

/// 6-joint arms.
#[glass::contract(n_out = 6, k = 12, alpha = runtime, beta = runtime)]
pub(crate) struct SixJointFeedback;

/// Quadrupeds: 12 joints, 36 states.
#[glass::contract(n_out = 12, k = 36, alpha = runtime, beta = runtime)]
pub(crate) struct QuadrupedFeedback;

/// Evaluates a batch on one device.
pub(crate) type Evaluate = fn(&Device, &Problems) -> Outcome;

/// The kernel for a robot with `nu` controls and `nx` states.
pub(crate) fn for_shape(nu: usize, nx: usize) -> Result<Evaluate, String> {
    match (nu, nx) {
        (7, 14) => Ok(evaluate::run::<ArmFeedback>),
        (4, 12) => Ok(evaluate::run::<QuadrotorFeedback>),
        (6, 12) => Ok(evaluate::run::<SixJointFeedback>),
        (12, 36) => Ok(evaluate::run::<QuadrupedFeedback>),
        _ => Err(format!(
            "gains K of {nu} x {nx} given; this example has kernels for 7 x 14, 4 x 12, 6 x 12 and 12 x 36 \
             (add a struct in policy.rs for another shape)"
        )),
    }
}
