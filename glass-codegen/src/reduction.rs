//! The way of a reduction of long vectors: plan, build, check, render, for every level and strategy.

use crate::catalogue::{self, Long, Op};
use crate::contract::ReductionRequest;
use crate::generate::{self, Variant};
use crate::plan::{Destination, Level, MANY_LAUNCHES, Meeting, ONE_LAUNCH, ONE_LAUNCH_OF_TWO, Shape, Target};
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
    /// Only WGSL leaves the size of a subgroup to the device.
    fn meeting(self, target: Target) -> Meeting {
        match (self, target) {
            (Strategy::Tree, _) => Meeting::Tree,
            (Strategy::Subgroup, Target::Wgsl) => Meeting::Subgroups,
            (Strategy::Subgroup | Strategy::LastBlock, _) => Meeting::Warps,
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
    /// The shape of its chunks.
    pub shape: Shape,
    /// Elements that a thread loads at once.
    pub vector_width: usize,
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
    /// Words that a group leaves to the next level: a sum, or a state.
    pub n_words: usize,
    /// For two inputs: what serves a vector that is both of them.
    pub square: Option<Box<GeneratedReduction>>,
    /// In the order of preference.
    pub variants: Vec<ReductionVariant>,
}

/// Plans, builds, checks and renders a reduction.
pub fn generate_reduction(request: &ReductionRequest) -> GeneratedReduction {
    let ReductionRequest { of, shape, .. } = *request;
    let variant = |target, strategy: Strategy, shape: Shape| {
        let first = catalogue::level(of, shape.threads * shape.elements);
        let vector_width = shape.vector_width(&first, strategy.meeting(target));
        let levels = match target {
            Target::Host => Levels::Host,
            Target::Cuda | Target::Wgsl => levels(&first, target, strategy, (shape, vector_width)),
        };
        ReductionVariant { target, strategy, shape, vector_width, levels }
    };
    let mut variants = Vec::new();
    for &target in &request.targets {
        for &strategy in strategies(target) {
            let shapes = match (&shape, strategy) {
                (Some(given), _) => std::slice::from_ref(given),
                (None, Strategy::LastBlock) if of.is_masked || of.op == Op::Dot => &ONE_LAUNCH_OF_TWO[..],
                (None, Strategy::LastBlock) => &ONE_LAUNCH[..],
                (None, Strategy::Tree | Strategy::Subgroup) => std::slice::from_ref(&MANY_LAUNCHES),
            };
            variants.extend(shapes.iter().map(|shape| variant(target, strategy, *shape)));
        }
    }
    let square = (of.op == Op::Dot).then(|| {
        let of = Long::of(Op::Norm2);
        Box::new(generate_reduction(&ReductionRequest { of, ..request.clone() }))
    });
    let symbol = format!("glass_{}_{}", of.op.as_str(), of.format.as_str());
    let n_words = catalogue::level(of, MANY_LAUNCHES.threads).state().map_or(1, |state| state.words.len());
    GeneratedReduction { request: request.clone(), symbol, n_words, square, variants }
}

/// In the order of preference.
fn strategies(target: Target) -> &'static [Strategy] {
    match target {
        Target::Cuda | Target::Host => &[Strategy::LastBlock, Strategy::Subgroup, Strategy::Tree],
        Target::Wgsl => &[Strategy::Subgroup, Strategy::Tree],
    }
}

fn levels(first: &Spec, target: Target, strategy: Strategy, (shape, vector_width): (Shape, usize)) -> Levels {
    let kernel = |spec: &Spec, destination, role: &str| {
        // Of states that are columns of words no worker takes several at once.
        let vector_width = if spec.operands[0].width() == 1 { vector_width } else { 1 };
        let level = Level { meeting: strategy.meeting(target), destination, vector_width };
        generate::level(spec, target, level, shape.threads, vec![role.to_owned()])
    };
    if strategy == Strategy::LastBlock {
        return Levels::OneLaunch(Box::new(kernel(first, Destination::LastBlock, "every level")));
    }
    let later = &catalogue::later_level(first, shape.threads * shape.elements);
    let [first_of_several, only, later_of_several, last] = Levels::ROLES;
    Levels::Launches(Box::new([
        kernel(first, Destination::Partials, first_of_several),
        kernel(first, Destination::Scalar, only),
        kernel(later, Destination::Partials, later_of_several),
        kernel(later, Destination::Scalar, last),
    ]))
}
