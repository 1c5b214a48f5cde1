//! Reductions that tests visit: every one, in small and odd shapes.

use glass_codegen::catalogue::{self, Long, Nan, Op};
use glass_codegen::plan::{Shape, Target};
use glass_codegen::reduction::{Levels as Launches, ReductionVariant, Strategy};
use glass_codegen::spec::{Format, Spec};
use glass_codegen::{Fields, GeneratedReduction, Variant, generate_reduction, lower_reduction};
use glass_oracle::long::{Levels, Map, Meeting, vector};
use glass_oracle::states::{self, States};

/// Threads of a block, and elements of a thread: one, some, more than are written out. And what lengths decide.
const SHAPES: [Option<(usize, usize)>; 6] =
    [Some((64, 1)), Some((64, 3)), Some((256, 1)), Some((128, 20)), Some((256, 64)), None];

/// Every sum of floats in every shape.
pub fn sums() -> Vec<GeneratedReduction> {
    let masked = Long { is_masked: true, ..Long::of(Op::Sum) };
    let all = [Long::of(Op::Sum), Long::of(Op::Dot), Long::of(Op::Norm2), masked];
    all.into_iter().flat_map(|long| SHAPES.map(|shape| of(long, shape))).collect()
}

/// Every reduction to a state of words, in one of the shapes each.
pub fn states() -> Vec<GeneratedReduction> {
    let mut all = Vec::new();
    for is_masked in [false, true] {
        for format in [Format::U32, Format::I32] {
            let integers = |op| Long { format, is_masked, ..Long::of(op) };
            all.extend([Op::Sum, Op::Min, Op::Max, Op::Extent].map(integers));
        }
        for nan in [Nan::Ignore, Nan::Propagate] {
            all.extend([Op::Min, Op::Max, Op::Extent].map(|op| Long { is_masked, nan, ..Long::of(op) }));
        }
    }
    all.into_iter().zip(SHAPES.into_iter().cycle()).map(|(long, shape)| of(long, shape)).collect()
}

/// One reduction.
///
/// # Panics
/// If the attribute refuses the shape.
pub fn of(long: Long, shape: Option<(usize, usize)>) -> GeneratedReduction {
    let fields = Fields {
        op: Some(long.op.as_str().to_owned()),
        dtype: Some(long.format.as_str().to_owned()),
        masked: Some(long.is_masked),
        nan: (long.nan == Nan::Propagate).then(|| "propagate".to_owned()),
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
        let long = match self.map {
            Map::Identity => Long::of(Op::Sum),
            Map::Square => Long::of(Op::Norm2),
            Map::Multiply => Long::of(Op::Dot),
            Map::Select => Long { is_masked: true, ..Long::of(Op::Sum) },
        };
        catalogue::level(long, self.levels.threads * self.levels.elements)
    }
}

/// Every kernel of a sum of floats.
///
/// # Panics
/// For another op.
pub fn kernels(generated: &GeneratedReduction) -> Vec<Kernel<'_>> {
    let Long { op, is_masked, .. } = generated.request.of;
    let map = match (op, is_masked) {
        (Op::Sum, false) => Map::Identity,
        (Op::Sum, true) => Map::Select,
        (Op::Norm2, _) => Map::Square,
        (Op::Dot, _) => Map::Multiply,
        (op, _) => panic!("`{}` is no sum", op.as_str()),
    };
    let kernels = roles(generated).into_iter();
    let kernel = |Role { variant, target, levels, is_first }| {
        let map = if is_first { map } else { Map::Identity };
        Kernel { variant, target, map, levels }
    };
    kernels.map(kernel).collect()
}

/// A kernel that leaves states, and what the definition says of these.
pub struct StateKernel<'a> {
    /// The kernel.
    pub variant: &'a Variant,
    /// What it is for.
    pub target: Target,
    /// What is reduced.
    pub long: Long,
    /// What to.
    pub states: States,
    /// It takes elements; otherwise states.
    pub is_first: bool,
    /// The levels that it is one of.
    pub levels: Levels,
}

impl StateKernel<'_> {
    /// Its chunk as a task.
    pub fn spec(&self) -> Spec {
        let chunk = self.levels.threads * self.levels.elements;
        let first = catalogue::level(self.long, chunk);
        if self.is_first { first } else { catalogue::later_level(&first, chunk) }
    }

    /// Words of an element, or of a state that it takes.
    pub fn width(&self) -> usize {
        if self.is_first { 1 } else { self.states.state([]).len() }
    }
}

/// Every kernel of a reduction to states.
pub fn state_kernels(generated: &GeneratedReduction) -> Vec<StateKernel<'_>> {
    let long = generated.request.of;
    let states = States {
        format: match long.format {
            Format::F32 => states::Format::F32,
            Format::U32 => states::Format::U32,
            Format::I32 => states::Format::I32,
        },
        operator: match long.op {
            Op::Min => states::Operator::Min,
            Op::Max => states::Operator::Max,
            Op::Extent => states::Operator::Extent,
            _ => states::Operator::Sum,
        },
        propagates: long.nan == Nan::Propagate,
        has_mark: long.has_mark(),
    };
    let kernels = roles(generated).into_iter();
    let kernel = |Role { variant, target, levels, is_first }| StateKernel {
        variant,
        target,
        long,
        states,
        is_first,
        levels,
    };
    kernels.map(kernel).collect()
}

/// Seeded elements of a format, of which some floats are not finite; and a mask.
pub fn elements(format: Format, length: usize) -> (Vec<u32>, Vec<u32>) {
    let seeds = vector::<f32>("states", 2 * length);
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN].map(f32::to_bits);
    let element = |(position, seed): (usize, &f32)| match format {
        Format::F32 if position % 7 == 3 => special[position / 7 % 4],
        Format::F32 if position % 11 == 5 => (-0f32).to_bits(),
        Format::F32 => seed.to_bits(),
        Format::U32 | Format::I32 => seed.to_bits().wrapping_mul(0x9e37_79b9),
    };
    let x = seeds[..length].iter().enumerate().map(element).collect();
    // Any word but 0 selects, and long runs are left out.
    let word = |(position, seed): (usize, &f32)| {
        if position % 1000 < 300 || *seed < 0.0 { 0 } else { 1 << (position % 32) }
    };
    (x, seeds[length..].iter().enumerate().map(word).collect())
}

/// A kernel and which level it is for.
struct Role<'a> {
    variant: &'a Variant,
    target: Target,
    levels: Levels,
    is_first: bool,
}

fn roles(generated: &GeneratedReduction) -> Vec<Role<'_>> {
    let mut roles = Vec::new();
    for variant in &generated.variants {
        let ReductionVariant { target, strategy, shape, vector_width: width, levels } = variant;
        let Shape { threads, elements, .. } = *shape;
        let meeting = match (strategy, target) {
            (Strategy::Tree, _) => Meeting::Tree,
            (Strategy::Subgroup, Target::Wgsl) => Meeting::Subgroups(8),
            (Strategy::Subgroup | Strategy::LastBlock, _) => Meeting::Warps,
        };
        let mut add = |variant, is_first| {
            let levels = Levels { threads, elements, width: *width, meeting };
            roles.push(Role { variant, target: *target, levels, is_first });
        };
        match levels {
            Launches::Launches(variants) => {
                let [first, only, later, last] = &**variants;
                [first, only].into_iter().for_each(|variant| add(variant, true));
                [later, last].into_iter().for_each(|variant| add(variant, false));
            }
            Launches::OneLaunch(variant) => add(variant, true),
            Launches::Host => {}
        }
    }
    roles
}
