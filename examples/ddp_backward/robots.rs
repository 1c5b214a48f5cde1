//! The ops of one knot, at the sizes of every built-in robot, and the ops that take a knot or all knots in one kernel.
//!
//! Qxu is kept as its transpose Qux, nu x nx: so it is the right-hand side of the gains as it stands, and V takes it
//! transposed for free. Qux is a contraction in index notation rather than `bilinear`, whose first product is by
//! definition V Fx: here the cheaper order (Fu'V) Fx is planned. `riccati_gain` does not serve: it has no Lxu, and
//! Quu is factored once for K and k.

use crate::chain::{Chain, Chained, Dynamics, Knot, Workspace};
use crate::evaluate::{self, Evaluate};
use crate::fused::{Found, Fused, Given, Stretches};
use crate::passes::Value;
use crate::problems::Sizes;
use glass::rt::kernel::DType;
use glass::{Device, Kernel, Task};

/// Structs of the ops and their chain for `nx` states and `nu` controls in one type.
// rustfmt indents an attribute of several lines further each time.
#[rustfmt::skip]
macro_rules! robot {
    ($robot:ident, $real:ident, nx = $nx:tt, nu = $nu:tt) => {
        pub(crate) mod $robot {
            use super::*;

            /// Qxx = Lxx + Fx'V Fx, of which one triangle is computed and mirrored.
            #[glass::op(congruence_sym, n = $nx, p = $nx, beta = one, dtype = $real, layout = interleaved)]
            struct Qxx;

            /// Qux = Lux + Fu'V Fx.
            #[glass::contract(
                "ki,kl,lj->ij", i = $nu, j = $nx, k = $nx, l = $nx,
                beta = one, dtype = $real, layout = interleaved
            )]
            struct Qux;

            /// Quu = Luu + Fu'V Fu.
            #[glass::op(congruence_sym, n = $nx, p = $nu, beta = one, dtype = $real, layout = interleaved)]
            struct Quu;

            /// Qx = Lx + Fx'v.
            #[glass::op(gemv, m = $nx, n = $nx, trans, beta = one, dtype = $real, layout = interleaved)]
            struct Qx;

            /// Qu = Lu + Fu'v.
            #[glass::op(gemv, m = $nx, n = $nu, trans, beta = one, dtype = $real, layout = interleaved)]
            struct Qu;

            /// L L' = Quu.
            #[glass::op(potrf, n = $nu, dtype = $real, layout = interleaved)]
            struct Factor;

            /// K = Quu^-1 Qux.
            #[glass::op(potrs, n = $nu, nrhs = $nx, dtype = $real, layout = interleaved)]
            struct Feedback;

            /// k = Quu^-1 Qu.
            #[glass::op(potrs, n = $nu, dtype = $real, layout = interleaved)]
            struct Feedforward;

            /// V = Qxx - Qux'K, with alpha = -1.
            #[glass::op(
                gemm, m = $nx, n = $nx, k = $nu, trans_a, alpha = runtime, beta = one,
                dtype = $real, layout = interleaved
            )]
            struct Vxx;

            /// V = (V + V') / 2.
            #[glass::op(symmetrize, n = $nx, in_place, dtype = $real, layout = interleaved)]
            struct Symmetric;

            /// v = Qx - Qux'k, with alpha = -1.
            #[glass::op(
                gemv, m = $nu, n = $nx, trans, alpha = runtime, beta = one,
                dtype = $real, layout = interleaved
            )]
            struct Vx;

            /// A knot in one kernel.
            #[glass::op(riccati_step, nx = $nx, nu = $nu, dtype = $real)]
            struct Step;

            /// All knots in one kernel.
            #[glass::op(riccati_pass, nx = $nx, nu = $nu, knots = 32, dtype = $real)]
            struct Horizon;

            fused!(KnotByKnot, Step, $real, 1, "K, k, V and v of a knot");
            fused!(AllKnots, Horizon, $real, 32, "K, k, V and v of all knots");

            /// The chain.
            #[derive(Debug)]
            pub(crate) struct Robot;

            impl Chain for Robot {
                type Real = $real;

                const TASKS: &'static [(&'static str, &'static Task)] = &[
                    ("Qxx = Lxx + Fx'V Fx", Qxx::TASK),
                    ("Qux = Lux + Fu'V Fx", Qux::TASK),
                    ("Quu = Luu + Fu'V Fu", Quu::TASK),
                    ("Qx = Lx + Fx'v", Qx::TASK),
                    ("Qu = Lu + Fu'v", Qu::TASK),
                    ("L L' = Quu", Factor::TASK),
                    ("K = Quu^-1 Qux", Feedback::TASK),
                    ("k = Quu^-1 Qu", Feedforward::TASK),
                    ("V = Qxx - Qux'K", Vxx::TASK),
                    ("V = (V + V') / 2", Symmetric::TASK),
                    ("v = Qx - Qux'k", Vx::TASK),
                ];

                fn knot(
                    device: &Device,
                    Dynamics { fx, fu }: &Dynamics<$real>,
                    next: &Value<$real>,
                    Knot { value, ux, uu, u, feedback, feedforward, status }: &mut Knot<$real>,
                    Workspace { factor }: &mut Workspace<$real>,
                ) -> Result<(), glass::Error> {
                    // The expansion of the cost becomes that of the action value, in place.
                    Qxx::launch(device, (fx, &next.xx), &mut value.xx)?;
                    Qux::launch(device, (fu, &next.xx, fx), ux)?;
                    Quu::launch(device, (fu, &next.xx), uu)?;
                    Qx::launch(device, (fx, &next.x), &mut value.x)?;
                    Qu::launch(device, (fu, &next.x), u)?;

                    Factor::launch(device, uu, (factor, status))?;
                    Feedback::launch(device, (factor, ux), feedback)?;
                    Feedforward::launch(device, (factor, u), feedforward)?;

                    // Qxx and Qx become V and v of this knot, in place.
                    Vxx::launch(device, (ux, feedback), &mut value.xx, -1.0)?;
                    Symmetric::launch(device, (), &mut value.xx)?;
                    Vx::launch(device, (ux, feedforward), &mut value.x, -1.0)
                }
            }
        }
    };
}

/// An op that takes so many knots at a time.
macro_rules! fused {
    ($name:ident, $op:ident, $real:ident, $n_knots:tt, $formula:literal) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Fused for $name {
            type Real = $real;

            const N_KNOTS: usize = $n_knots;

            const TASKS: &'static [(&'static str, &'static Task)] = &[($formula, $op::TASK)];

            fn launch(
                device: &Device,
                next: &Value<$real>,
                Given { fx, fu, lxx, lux, luu, lx, lu }: &Given<$real>,
                Found { feedback, feedforward, value, status }: &mut Found<$real>,
            ) -> Result<(), glass::Error> {
                let given = (&next.xx, &next.x, fx, fu, lxx, lux, luu, lx, lu);
                $op::launch(device, given, (feedback, feedforward, &mut value.xx, &mut value.x, status))
            }
        }
    };
}

robot!(arm_f32, f32, nx = 14, nu = 7);
robot!(arm_f64, f64, nx = 14, nu = 7);
robot!(quadrotor_f32, f32, nx = 12, nu = 4);
robot!(quadrotor_f64, f64, nx = 12, nu = 4);
robot!(six_joint_f32, f32, nx = 12, nu = 6);
robot!(six_joint_f64, f64, nx = 12, nu = 6);
robot!(quadruped_f32, f32, nx = 36, nu = 12);
robot!(quadruped_f64, f64, nx = 36, nu = 12);

/// One way to compute a robot's passes in one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// `chain`: an op a step; `knot`: a kernel a knot; `pass`: a kernel.
    pub(crate) name: &'static str,
    /// Runs a batch on a device.
    pub(crate) evaluate: Evaluate,
    /// What each op computes, and the op.
    pub(crate) tasks: &'static [(&'static str, &'static Task)],
    /// Knots of a launch. More than one are a whole horizon, the only one it takes.
    n_knots: usize,
}

impl Way {
    /// Why it does not take the problems.
    pub(crate) fn misfit(&self, sizes: Sizes) -> Option<String> {
        let (built_for, given) = (self.n_knots, sizes.n_knots);
        (built_for > 1 && built_for != given)
            .then(|| format!("is built for {built_for} knots, the problems have {given}"))
    }
}

/// Every way, in the order of the table.
pub(crate) type Robot = [Way; 3];

const fn robot<C: Chain, K: Fused, A: Fused>() -> Robot {
    [
        Way { name: "chain", evaluate: evaluate::run::<Chained<C>>, tasks: C::TASKS, n_knots: 1 },
        fused_way::<K>("knot"),
        fused_way::<A>("pass"),
    ]
}

const fn fused_way<F: Fused>(name: &'static str) -> Way {
    Way { name, evaluate: evaluate::run::<Stretches<F>>, tasks: F::TASKS, n_knots: F::N_KNOTS }
}

/// The ways for `nx` states and `nu` controls.
pub(crate) fn named(nx: usize, nu: usize, dtype: DType) -> Result<Robot, String> {
    macro_rules! of {
        ($robot:ident) => {
            Ok(robot::<$robot::Robot, $robot::KnotByKnot, $robot::AllKnots>())
        };
    }
    match (nx, nu, dtype) {
        (14, 7, DType::F32) => of!(arm_f32),
        (14, 7, DType::F64) => of!(arm_f64),
        (12, 4, DType::F32) => of!(quadrotor_f32),
        (12, 4, DType::F64) => of!(quadrotor_f64),
        (12, 6, DType::F32) => of!(six_joint_f32),
        (12, 6, DType::F64) => of!(six_joint_f64),
        (36, 12, DType::F32) => of!(quadruped_f32),
        (36, 12, DType::F64) => of!(quadruped_f64),
        _ => Err(format!(
            "{nx} states and {nu} controls given; this example has kernels for (14, 7), (12, 4), (12, 6) and \
             (36, 12) (add a line in robots.rs for other sizes)"
        )),
    }
}
