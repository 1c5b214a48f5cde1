//! Reductions that tests visit: every one, in small and odd shapes.

use glass_codegen::catalogue::{LONG, Op};
use glass_codegen::reduction::{ReductionVariant, Strategy};
use glass_codegen::{Fields, GeneratedReduction, generate_reduction, lower_reduction};
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

/// What the first level adds, in the words of the oracle.
///
/// # Panics
/// For an op that reduces no long vector.
pub fn map(op: Op) -> Map {
    match op {
        Op::Sum => Map::Identity,
        Op::Norm2 => Map::Square,
        Op::Dot => Map::Multiply,
        _ => panic!("`{}` reduces no long vector", op.as_str()),
    }
}

/// The levels of a variant, in the words of the oracle.
pub fn levels(generated: &GeneratedReduction, variant: &ReductionVariant) -> Levels {
    let request = &generated.request;
    let meeting = match variant.strategy {
        Strategy::Tree => Meeting::Tree,
        Strategy::Subgroup | Strategy::LastBlock => Meeting::Warps,
    };
    Levels { threads: request.threads_per_block, elements: request.elements_per_thread, meeting }
}
