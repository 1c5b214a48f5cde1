//! The way of a reduction of long vectors: plan, build, check, render, for every level and strategy.

use crate::catalogue::{self, Op};
use crate::contract::ReductionRequest;
use crate::generate::{Variant, level};
use crate::plan::{Destination, Form, Target};
use crate::spec::Spec;

/// How the threads of a block meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// By halving offsets in shared memory.
    Tree,
    /// A tree inside each warp, then one over the warps.
    Subgroup,
}

impl Strategy {
    fn form(self, lanes: usize) -> Form {
        match self {
            Strategy::Tree => Form::Reduced { lanes_per_output: lanes },
            Strategy::Subgroup => Form::Nested { lanes },
        }
    }
}

/// The kernels of one strategy for one target.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionVariant {
    /// Language and execution model.
    pub target: Target,
    /// How the threads of a block meet.
    pub strategy: Strategy,
    /// What it runs.
    pub levels: Levels,
}

/// The kernels of every kind of level.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// Emitted text, in the order of [`Levels::ROLES`].
    Kernels(Box<[Variant; 4]>),
    /// The run time's own evaluation of the same tree.
    Host,
}

impl Levels {
    /// What each kernel serves.
    pub const ROLES: [&str; 4] = [
        "the first of several levels",
        "the only level",
        "a later level, the last one excepted",
        "the last of several levels",
    ];
}

/// Everything that an attribute expands from.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedReduction {
    /// The valid request.
    pub request: ReductionRequest,
    /// Symbol of the task.
    pub symbol: String,
    /// For two inputs: what serves a vector that is both of them.
    pub square: Option<Box<GeneratedReduction>>,
    /// In the order of preference.
    pub variants: Vec<ReductionVariant>,
}

/// Plans, builds, checks and renders a reduction.
pub fn generate_reduction(request: &ReductionRequest) -> GeneratedReduction {
    let ReductionRequest { op, dtype, threads_per_block, elements_per_thread, .. } = *request;
    let chunk = threads_per_block * elements_per_thread;
    let first = catalogue::level(op, dtype, chunk);
    let later = catalogue::level(Op::Sum, dtype, chunk);
    let mut variants = Vec::new();
    for &target in &request.targets {
        for &strategy in strategies(target) {
            let levels = match target {
                Target::Host => Levels::Host,
                Target::Cuda | Target::Wgsl => {
                    kernels(&first, &later, target, strategy.form(threads_per_block))
                }
            };
            variants.push(ReductionVariant { target, strategy, levels });
        }
    }
    let square = (op == Op::Dot)
        .then(|| Box::new(generate_reduction(&ReductionRequest { op: Op::Norm2, ..request.clone() })));
    GeneratedReduction { request: request.clone(), symbol: first.symbol(), square, variants }
}

/// In the order of preference. WGSL has no order of lanes in a subgroup, so its tree is in workgroup memory.
fn strategies(target: Target) -> &'static [Strategy] {
    match target {
        Target::Cuda | Target::Host => &[Strategy::Subgroup, Strategy::Tree],
        Target::Wgsl => &[Strategy::Tree],
    }
}

fn kernels(first: &Spec, later: &Spec, target: Target, form: Form) -> Levels {
    let kernel = |spec: &Spec, destination, role: usize| {
        level(spec, target, form, destination, vec![Levels::ROLES[role].to_owned()])
    };
    Levels::Kernels(Box::new([
        kernel(first, Destination::Partials, 0),
        kernel(first, Destination::Scalar, 1),
        kernel(later, Destination::Partials, 2),
        kernel(later, Destination::Scalar, 3),
    ]))
}
