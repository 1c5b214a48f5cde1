//! The way of a reduction of long vectors: plan, build, check, render, for every level and strategy.

use crate::catalogue::{self, Op};
use crate::contract::ReductionRequest;
use crate::generate::{self, Variant};
use crate::plan::{Destination, Level, Meeting, Target};
use crate::spec::Spec;

/// How the levels of a reduction are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A launch a level; threads meet in one tree.
    Tree,
    /// A launch a level; threads meet by warps.
    Subgroup,
    /// One launch, whose last block adds up the sums of all; threads meet by warps.
    LastBlock,
}

impl Strategy {
    fn meeting(self) -> Meeting {
        match self {
            Strategy::Tree => Meeting::Tree,
            Strategy::Subgroup | Strategy::LastBlock => Meeting::Warps,
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
    /// A launch a level, in the order of [`Levels::ROLES`].
    Launches(Box<[Variant; 4]>),
    /// One launch for all of them.
    OneLaunch(Box<Variant>),
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
                Target::Cuda | Target::Wgsl => levels([&first, &later], target, strategy, threads_per_block),
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
        Target::Cuda | Target::Host => &[Strategy::LastBlock, Strategy::Subgroup, Strategy::Tree],
        Target::Wgsl => &[Strategy::Tree],
    }
}

fn levels(
    [first, later]: [&Spec; 2],
    target: Target,
    strategy: Strategy,
    threads_per_block: usize,
) -> Levels {
    let kernel = |spec: &Spec, destination, role: &str| {
        let level = Level { meeting: strategy.meeting(), destination };
        generate::level(spec, target, level, threads_per_block, vec![role.to_owned()])
    };
    if strategy == Strategy::LastBlock {
        return Levels::OneLaunch(Box::new(kernel(first, Destination::LastBlock, "every level")));
    }
    let [first_of_several, only, later_of_several, last] = Levels::ROLES;
    Levels::Launches(Box::new([
        kernel(first, Destination::Partials, first_of_several),
        kernel(first, Destination::Scalar, only),
        kernel(later, Destination::Partials, later_of_several),
        kernel(later, Destination::Scalar, last),
    ]))
}
