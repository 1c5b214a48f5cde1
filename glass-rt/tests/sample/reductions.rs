//! Hand-written reductions of 256 threads with two elements each: the tree strategy in all three languages, the last
//! block in CUDA and on the host.

use glass_rt::kernel::Code;
use glass_rt::reduction::{
    Map, Operator, Reduction, ReductionCode, ReductionKernel, ReductionTask, ReductionVariant, Strategy,
};

use glass_rt::reduction::host::finish_sum;
use glass_rt::word::Format;

use super::cuda;

/// Threads of a group.
pub(crate) const THREADS: usize = 256;
/// Elements of a thread.
pub(crate) const ELEMENTS: usize = 2;
/// Barriers of a tree of 256 threads.
const TREE_BARRIERS: u32 = 8;

macro_rules! wgsl {
    ($hash:expr, $barriers:expr, $uniform:literal, $($part:expr),+) => {
        ReductionKernel {
            symbol: "level",
            hash: $hash,
            code: Code::Wgsl {
                native: concat!("var<immediate> args: Args;\n", $($part,)+ include_str!("level.wgsl")),
                web: concat!($uniform, " var<uniform> args: Args;\n", $($part,)+ include_str!("level.wgsl")),
                workgroup_bytes: 1024 + 16, n_iterations: 0
            },
            barriers: $barriers,
        }
    };
}

macro_rules! cuda {
    ($hash:expr, $barriers:expr, $($part:expr),+) => {
        ReductionKernel {
            symbol: "level",
            hash: $hash,
            code: cuda(concat!($($part, "\n",)+ include_str!("level.cu"))),
            barriers: $barriers,
        }
    };
}

macro_rules! bound {
    ($binding:literal, read, $name:literal) => {
        concat!("@group(0) @binding(", $binding, ") var<storage, read> ", $name, ": array<f32>;\n")
    };
    ($binding:literal, write, $name:literal) => {
        concat!("@group(0) @binding(", $binding, ") var<storage, read_write> ", $name, ": array<f32>;\n")
    };
    ($binding:literal, arena) => {
        concat!("@group(0) @binding(", $binding, ") var<storage, read_write> arena: array<u32>;\n")
    };
}

macro_rules! to_partials {
    () => {
        "fn store(group: u32, sum: f32) { partials[group] = sum; }\n"
    };
}

macro_rules! to_scalar {
    () => {
        "fn store(group: u32, sum: f32) {
    var result = sum;
    if (args.accumulate != 0u) { result = bitcast<f32>(arena[args.slot]) + sum; }
    arena[args.slot] = bitcast<u32>(result);
}
"
    };
}

macro_rules! added {
    ($sum:literal) => {
        concat!("fn add(acc: f32, i: u32) -> f32 { return ", $sum, "; }\n")
    };
}

/// The first level in WGSL, by the number of inputs.
macro_rules! wgsl_chunks {
    (one, $hash:literal, $sum:literal) => {
        [
            wgsl!(
                concat!($hash, "_chunk"),
                TREE_BARRIERS + 1,
                "@group(0) @binding(3)",
                bound!(0, read, "x"),
                bound!(1, write, "partials"),
                bound!(2, arena),
                added!($sum),
                to_partials!()
            ),
            wgsl!(
                concat!($hash, "_chunk_to_scalar"),
                TREE_BARRIERS + 1,
                "@group(0) @binding(2)",
                bound!(0, read, "x"),
                bound!(1, arena),
                added!($sum),
                to_scalar!()
            ),
        ]
    };
    (two, $hash:literal, $sum:literal) => {
        [
            wgsl!(
                concat!($hash, "_chunk"),
                TREE_BARRIERS + 1,
                "@group(0) @binding(4)",
                bound!(0, read, "x"),
                bound!(1, read, "y"),
                bound!(2, write, "partials"),
                bound!(3, arena),
                added!($sum),
                to_partials!()
            ),
            wgsl!(
                concat!($hash, "_chunk_to_scalar"),
                TREE_BARRIERS + 1,
                "@group(0) @binding(3)",
                bound!(0, read, "x"),
                bound!(1, read, "y"),
                bound!(2, arena),
                added!($sum),
                to_scalar!()
            ),
        ]
    };
}

/// The first level in CUDA. `$inputs` is a definition or nothing.
macro_rules! cuda_chunks {
    ($inputs:literal, $hash:literal, $sum:literal) => {
        [
            cuda!(
                concat!($hash, "_chunk"),
                TREE_BARRIERS,
                "#define TO_PARTIALS",
                $inputs,
                concat!("#define ADD(acc, i) ", $sum)
            ),
            cuda!(
                concat!($hash, "_chunk_to_scalar"),
                TREE_BARRIERS,
                $inputs,
                concat!("#define ADD(acc, i) ", $sum)
            ),
        ]
    };
}

const WGSL_FOLDS: [ReductionKernel; 2] = wgsl_chunks!(one, "fold", "acc + x[args.x_start + i]");
const CUDA_FOLDS: [ReductionKernel; 2] = cuda_chunks!("", "fold", "((acc) + x[x_start + (i)])");

const fn levels(
    [chunk, chunk_to_scalar]: [ReductionKernel; 2],
    [fold, fold_to_scalar]: [ReductionKernel; 2],
) -> ReductionCode {
    ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar }
}

const fn variant(strategy: Strategy, code: ReductionCode) -> ReductionVariant {
    let (threads, elements_per_thread) = (THREADS as u32, ELEMENTS as u32);
    let (vector_width, up_to) = (1, u32::MAX);
    ReductionVariant { strategy, threads, elements_per_thread, vector_width, up_to, lanes: 1, code }
}

/// Sums groups of `group_elements`, as the definition has it.
fn level(n: usize, group_elements: usize, sums: &mut [u32], add: impl Fn(f32, usize) -> f32) {
    for (group, sum) in sums.iter_mut().enumerate() {
        let end = n.min((group + 1) * group_elements);
        let mut lanes = [0f32; THREADS];
        for (lane, acc) in lanes.iter_mut().enumerate() {
            for i in (group * group_elements + lane..end).step_by(THREADS) {
                *acc = add(*acc, i);
            }
        }
        let mut offset = THREADS / 2;
        while offset > 0 {
            for lane in 0..offset {
                lanes[lane] += lanes[lane + offset];
            }
            offset /= 2;
        }
        *sum = lanes[0].to_bits();
    }
}

fn sum(x: &[u32], _: Option<&[u32]>, sums: &mut [u32]) {
    level(x.len(), THREADS * ELEMENTS, sums, |acc, i| acc + f32::from_bits(x[i]));
}

fn sum_all(x: &[u32], _: Option<&[u32]>, sums: &mut [u32]) {
    level(x.len(), x.len(), sums, |acc, i| acc + f32::from_bits(x[i]));
}

fn square(x: &[u32], _: Option<&[u32]>, sums: &mut [u32]) {
    let square = |i: usize, acc| f32::from_bits(x[i]).mul_add(f32::from_bits(x[i]), acc);
    level(x.len(), THREADS * ELEMENTS, sums, |acc, i| square(i, acc));
}

fn multiply(x: &[u32], y: Option<&[u32]>, sums: &mut [u32]) {
    let y = y.expect("a second input");
    let product = |i: usize, acc| f32::from_bits(x[i]).mul_add(f32::from_bits(y[i]), acc);
    level(x.len(), THREADS * ELEMENTS, sums, |acc, i| product(i, acc));
}

macro_rules! reduction {
    (
        $name:ident, $task:ident, $map:ident, $square:expr, $hash:literal,
        wgsl: $n:ident $wgsl:literal, cuda: $inputs:literal $cuda:literal, host: $host:ident
    ) => {
        pub(crate) struct $name;

        impl Reduction for $name {
            const TASK: &'static ReductionTask = &$task;
        }

        static $task: ReductionTask = ReductionTask {
            symbol: $hash,
            map: Map::$map,
            format: Format::F32,
            operator: Operator::Sum,
            n_words: 1,
            square: $square,
            variants: &[
                variant(Strategy::Tree, levels(wgsl_chunks!($n, $hash, $wgsl), WGSL_FOLDS)),
                variant(Strategy::Tree, levels(cuda_chunks!($inputs, $hash, $cuda), CUDA_FOLDS)),
                variant(
                    Strategy::LastBlock,
                    ReductionCode::OneLaunch(cuda!(
                        concat!($hash, "_last_block"),
                        2 * TREE_BARRIERS + 1,
                        "#define LAST_BLOCK",
                        $inputs,
                        concat!("#define ADD(acc, i) ", $cuda)
                    )),
                ),
                variant(Strategy::Tree, ReductionCode::Host { chunk: $host, fold: sum, finish: finish_sum }),
                variant(
                    Strategy::LastBlock,
                    ReductionCode::Host { chunk: $host, fold: sum_all, finish: finish_sum },
                ),
            ],
        };
    };
}

reduction!(
    Sum, SUM, Identity, None, "sample_sum",
    wgsl: one "acc + x[args.x_start + i]", cuda: "" "((acc) + x[x_start + (i)])", host: sum
);
reduction!(
    Norm2, NORM2, Square, None, "sample_norm2",
    wgsl: one "fma(x[args.x_start + i], x[args.x_start + i], acc)",
    cuda: "" "__fmaf_rn(x[x_start + (i)], x[x_start + (i)], acc)", host: square
);
reduction!(
    Dot, DOT, Multiply, Some(&NORM2), "sample_dot",
    wgsl: two "fma(x[args.x_start + i], y[args.y_start + i], acc)",
    cuda: "#define TWO_INPUTS" "__fmaf_rn(x[x_start + (i)], y[y_start + (i)], acc)", host: multiply
);
