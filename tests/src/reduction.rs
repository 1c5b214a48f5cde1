//! Reductions that tests visit: every one, in small and odd shapes.

use glass_codegen::catalogue::{self, LONG, Op};
use glass_codegen::plan::{Shape, Target};
use glass_codegen::reduction::{Levels as Launches, ReductionVariant, Strategy};
use glass_codegen::spec::{DType, Spec};
use glass_codegen::{Fields, GeneratedReduction, Variant, generate_reduction, lower_reduction};
use glass_oracle::long::{Levels, Map, Meeting};

/// Threads of a block, and elements of a thread: one, some, more than are written out. And what lengths decide.
const SHAPES: [Option<(usize, usize)>; 6] =
    [Some((64, 1)), Some((64, 3)), Some((256, 1)), Some((128, 20)), Some((256, 64)), None];

/// Every reduction in every shape.
pub fn all() -> Vec<GeneratedReduction> {
    let of_op = |op: &Op| SHAPES.map(|shape| of(*op, shape));
    LONG.iter().flat_map(of_op).collect()
}

/// One reduction.
///
/// # Panics
/// If the attribute refuses the shape.
pub fn of(op: Op, shape: Option<(usize, usize)>) -> GeneratedReduction {
    let fields = Fields {
        op: Some(op.as_str().to_owned()),
        threads_per_block: shape.map(|(threads, _)| threads as i128),
        elements_per_thread: shape.map(|(_, elements)| elements as i128),
        ..Fields::default()
    };
    generate_reduction(&lower_reduction(&fields).expect("a legal shape"))
}

/// A kernel, and what the definition says of it.
pub struct Kernel<'a> {
    /// The kernel.
    pub variant: &'a Variant,
    /// What it is for.
    pub target: Target,
    /// What it adds up: the reduction's own terms, or sums.
    pub map: Map,
    /// The levels that it is one of.
    pub levels: Levels,
}

impl Kernel<'_> {
    /// Its chunk as a task.
    pub fn spec(&self) -> Spec {
        let op = match self.map {
            Map::Identity => Op::Sum,
            Map::Square => Op::Norm2,
            Map::Multiply => Op::Dot,
        };
        catalogue::level(op, DType::F32, self.levels.threads * self.levels.elements)
    }
}

/// Every kernel of a reduction.
///
/// # Panics
/// For an op that reduces no long vector.
pub fn kernels(generated: &GeneratedReduction) -> Vec<Kernel<'_>> {
    let request = &generated.request;
    let map = match request.op {
        Op::Sum => Map::Identity,
        Op::Norm2 => Map::Square,
        Op::Dot => Map::Multiply,
        op => panic!("`{}` reduces no long vector", op.as_str()),
    };
    let mut kernels = Vec::new();
    for variant in &generated.variants {
        let ReductionVariant { target, strategy, shape: Shape { threads, elements, .. }, levels } = variant;
        let (threads, elements, width) = (*threads, *elements, variant.vector_width());
        let meeting = match strategy {
            Strategy::Tree => Meeting::Tree,
            Strategy::Subgroup | Strategy::LastBlock => Meeting::Warps,
        };
        let mut add = |variant, map| {
            let levels = Levels { threads, elements, width, meeting };
            kernels.push(Kernel { variant, target: *target, map, levels });
        };
        match levels {
            Launches::Launches(variants) => {
                let [first, only, later, last] = &**variants;
                [first, only].into_iter().for_each(|variant| add(variant, map));
                [later, last].into_iter().for_each(|variant| add(variant, Map::Identity));
            }
            Launches::OneLaunch(variant) => add(variant, map),
            Launches::Host => {}
        }
    }
    kernels
}
