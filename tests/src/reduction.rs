//! Reductions that tests visit: every one, in small and odd shapes.

use glass_codegen::catalogue::{self, LONG, Op};
use glass_codegen::plan::Target;
use glass_codegen::reduction::{Levels as Launches, ReductionVariant, Strategy};
use glass_codegen::spec::{DType, Spec};
use glass_codegen::{Fields, GeneratedReduction, Variant, generate_reduction, lower_reduction};
use glass_oracle::long::{Levels, Map, Meeting};

/// Threads of a block, and elements of a thread: one, some, more than are written out.
const SHAPES: [(usize, usize); 5] = [(64, 1), (64, 3), (256, 1), (128, 20), (256, 64)];

/// Every reduction in every shape.
pub fn all() -> Vec<GeneratedReduction> {
    let of_op = |op: &Op| SHAPES.map(|shape| of(*op, shape));
    LONG.iter().flat_map(of_op).collect()
}

/// One reduction.
///
/// # Panics
/// If the attribute refuses the shape.
pub fn of(op: Op, (threads, elements): (usize, usize)) -> GeneratedReduction {
    let fields = Fields {
        op: Some(op.as_str().to_owned()),
        threads_per_block: Some(threads as i128),
        elements_per_thread: Some(elements as i128),
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
    let (threads, elements) = (request.threads_per_block, request.elements_per_thread);
    let map = match request.op {
        Op::Sum => Map::Identity,
        Op::Norm2 => Map::Square,
        Op::Dot => Map::Multiply,
        op => panic!("`{}` reduces no long vector", op.as_str()),
    };
    let mut kernels = Vec::new();
    for ReductionVariant { target, strategy, levels } in &generated.variants {
        let meeting = match strategy {
            Strategy::Tree => Meeting::Tree,
            Strategy::Subgroup | Strategy::LastBlock => Meeting::Warps,
        };
        let mut add = |variant, map| {
            let levels = Levels { threads, elements, meeting };
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
