//! Hand-written tasks in all three languages. Here: y = alpha A x + beta y, with A 3 x 5.
#![allow(dead_code, reason = "each test program uses a part")]

pub(crate) mod pivots;
pub(crate) mod reductions;
pub(crate) mod vectors;

use std::ops::{Index, IndexMut};

use glass_rt::host::{self, Body, Lanes};
use glass_rt::kernel::{
    Access, Arch, Choice, Code, DType, ElementKind, Form, Launch, Layout, Operand, Plan, Target, Task, Tier,
    Variant,
};
use glass_rt::{Error, Real, Refusal};

pub(crate) const M: usize = 3;
pub(crate) const K: usize = 5;
pub(crate) const SIZES: [usize; 7] = [0, 1, 31, 32, 33, 100, 1000];

const OPERANDS: &[Operand] = &[
    real("a", M as u32, K as u32, Access::In),
    real("x", K as u32, 1, Access::In),
    real("y", M as u32, 1, Access::InOut),
];

/// A matrix of real elements.
pub(crate) const fn real(name: &'static str, rows: u32, cols: u32, access: Access) -> Operand {
    Operand { name, rows, cols, element: ElementKind::Real, access }
}

/// The arithmetic on one lane or many.
#[inline(always)]
fn gemv<T, V, A, Y>(inputs: &[A], outputs: &mut [Y], scalars: &[T])
where
    T: Real + PartialEq,
    V: Lanes<T>,
    A: Index<usize, Output = V>,
    Y: IndexMut<usize, Output = V>,
{
    let ([a, x], [y], [alpha, beta]) = (inputs, outputs, scalars) else { unreachable!() };
    for i in 0..M {
        let mut acc = V::splat(T::default());
        for t in 0..K {
            acc = a[i + t * M].mul_add(x[t], acc);
        }
        let scaled = V::splat(*alpha).mul(acc);
        y[i] = if *beta == T::default() { scaled } else { V::splat(*beta).mul_add(y[i], scaled) };
    }
}

pub(crate) struct GemvF32;
pub(crate) struct GemvF64;

macro_rules! body {
    ($name:ident, $float:ty) => {
        impl Body for $name {
            type Element = $float;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], _: &mut [S], scalars: &[$float])
            where
                V: Lanes<$float>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                gemv(inputs, outputs, scalars);
            }
        }
    };
}

body!(GemvF32, f32);
body!(GemvF64, f64);

macro_rules! cuda_source {
    ($symbol:literal, $float:literal, $fma:literal, $zero:literal, $at:literal) => {
        concat!(
            "#define AT(elements, element) ",
            $at,
            "\nextern \"C\" __global__ void __launch_bounds__(64) ",
            $symbol,
            "(const ",
            $float,
            " *a, const ",
            $float,
            " *x, ",
            $float,
            " *y, unsigned int n_problems, ",
            $float,
            " alpha, ",
            $float,
            " beta) {
    const unsigned int problem = blockIdx.x * 64u + threadIdx.x;
    if (problem >= n_problems) return;
    for (unsigned int i = 0; i < 3u; ++i) {
        ",
            $float,
            " acc = ",
            $zero,
            ";
        for (unsigned int t = 0; t < 5u; ++t) acc = ",
            $fma,
            "(a[AT(15u, i + t * 3u)], x[AT(5u, t)], acc);
        acc = alpha * acc;
        y[AT(3u, i)] = beta == ",
            $zero,
            " ? acc : ",
            $fma,
            "(beta, y[AT(3u, i)], acc);
    }
}
"
        )
    };
}

macro_rules! wgsl_source {
    ($symbol:literal, $args:literal, $at:literal) => {
        concat!(
            "struct Args { n_problems: u32, alpha: f32, beta: f32, padding_0: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
",
            $args,
            "
fn at(problem: u32, elements: u32, element: u32) -> u32 { return ",
            $at,
            "; }
@compute @workgroup_size(64)
fn ",
            $symbol,
            "(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32) {
    let problem = (group.x + group.y * groups.x) * 64u + lane;
    if (problem >= args.n_problems) { return; }
    for (var i = 0u; i < 3u; i++) {
        var acc = 0f;
        for (var t = 0u; t < 5u; t++) { acc = fma(a[at(problem, 15u, i + t * 3u)], x[at(problem, 5u, t)], acc); }
        acc = args.alpha * acc;
        let slot = at(problem, 3u, i);
        if (args.beta == 0f) { y[slot] = acc; } else { y[slot] = fma(args.beta, y[slot], acc); }
    }
}
"
        )
    };
}

const PLAN: Plan = Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct" };
pub(crate) const LAUNCH: Launch = Launch { threads_per_block: 64, problems_per_block: 64, shared_bytes: 0 };

pub(crate) const fn variant(symbol: &'static str, code: Code) -> Variant {
    Variant { symbol, hash: "sample", plan: PLAN, launch: LAUNCH, code }
}

pub(crate) const fn cuda(source: &'static str) -> Code {
    Code::Cuda { source, images: &[], min_compute_capability: 70 }
}

const fn choice(target: Target, variant_idx: usize) -> Choice {
    Choice { target, arch: Arch::Any, min_batch: 1, variant_idx, reason: "forced" }
}

macro_rules! task {
    ($name:ident, $constant:ident, $dtype:ident, $layout:ident, $variants:expr, $choices:expr) => {
        pub(crate) static $name: Task = $constant;
        pub(crate) const $constant: Task = Task {
            symbol: stringify!($name),
            dtype: DType::$dtype,
            layout: Layout::$layout,
            operands: OPERANDS,
            scalars: &["alpha", "beta"],
            variants: $variants,
            choices: $choices,
        };
    };
}

pub(crate) const ALL: &[Choice] =
    &[choice(Target::Host, 0), choice(Target::Cuda, 1), choice(Target::Wgpu, 2)];
pub(crate) const NO_WGPU: &[Choice] = &[choice(Target::Host, 0), choice(Target::Cuda, 1)];

task!(
    GEMV_F32_CONTIGUOUS,
    GEMV_F32_CONTIGUOUS_TASK,
    F32,
    Contiguous,
    &[
        variant("sample_f32_contiguous_host", Code::HostF32(host::entry::<GemvF32>)),
        variant(
            "sample_f32_contiguous",
            cuda(cuda_source!(
                "sample_f32_contiguous",
                "float",
                "__fmaf_rn",
                "0.0f",
                "((size_t)problem * elements + (element))"
            ))
        ),
        variant(
            "sample_f32_contiguous_wgsl",
            Code::Wgsl {
                native: wgsl_source!(
                    "sample_f32_contiguous_wgsl",
                    "var<immediate> args: Args;",
                    "problem * elements + element"
                ),
                web: wgsl_source!(
                    "sample_f32_contiguous_wgsl",
                    "@group(0) @binding(3) var<uniform> args: Args;",
                    "problem * elements + element"
                ),
                workgroup_bytes: 0,
                n_iterations: 0
            }
        ),
    ],
    ALL
);

task!(
    GEMV_F32_INTERLEAVED,
    GEMV_F32_INTERLEAVED_TASK,
    F32,
    Interleaved,
    &[
        variant("sample_f32_interleaved_host", Code::HostF32(host::entry::<GemvF32>)),
        variant(
            "sample_f32_interleaved",
            cuda(cuda_source!(
                "sample_f32_interleaved",
                "float",
                "__fmaf_rn",
                "0.0f",
                "(((size_t)(problem / 32u) * elements + (element)) * 32u + problem % 32u)"
            ))
        ),
        variant(
            "sample_f32_interleaved_wgsl",
            Code::Wgsl {
                native: wgsl_source!(
                    "sample_f32_interleaved_wgsl",
                    "var<immediate> args: Args;",
                    "((problem / 32u) * elements + element) * 32u + problem % 32u"
                ),
                web: wgsl_source!(
                    "sample_f32_interleaved_wgsl",
                    "@group(0) @binding(3) var<uniform> args: Args;",
                    "((problem / 32u) * elements + element) * 32u + problem % 32u"
                ),
                workgroup_bytes: 0,
                n_iterations: 0
            }
        ),
    ],
    ALL
);

task!(
    GEMV_F64_CONTIGUOUS,
    GEMV_F64_CONTIGUOUS_TASK,
    F64,
    Contiguous,
    &[
        variant("sample_f64_contiguous_host", Code::HostF64(host::entry::<GemvF64>)),
        variant(
            "sample_f64_contiguous",
            cuda(cuda_source!(
                "sample_f64_contiguous",
                "double",
                "__fma_rn",
                "0.0",
                "((size_t)problem * elements + (element))"
            ))
        ),
    ],
    NO_WGPU
);

task!(
    GEMV_F64_INTERLEAVED,
    GEMV_F64_INTERLEAVED_TASK,
    F64,
    Interleaved,
    &[
        variant("sample_f64_interleaved_host", Code::HostF64(host::entry::<GemvF64>)),
        variant(
            "sample_f64_interleaved",
            cuda(cuda_source!(
                "sample_f64_interleaved",
                "double",
                "__fma_rn",
                "0.0",
                "(((size_t)(problem / 32u) * elements + (element)) * 32u + problem % 32u)"
            ))
        ),
    ],
    NO_WGPU
);

/// The CUDA variant of the first task, to build others from.
pub(crate) const GEMV_F32_CONTIGUOUS_CUDA: Variant = GEMV_F32_CONTIGUOUS_TASK.variants[1];

/// Numbers of mixed sign and magnitude that no short sum represents exactly.
pub(crate) fn values(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let fraction = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            fraction * f64::from(1 << ((state >> 3) % 9))
        })
        .collect()
}

macro_rules! reference {
    ($name:ident, $float:ty) => {
        /// Plain loops over problem-major data.
        pub(crate) fn $name(
            a: &[$float],
            x: &[$float],
            y: &[$float],
            alpha: $float,
            beta: $float,
        ) -> Vec<$float> {
            let mut result = y.to_vec();
            for (problem, y) in result.chunks_mut(M).enumerate() {
                for (i, y) in y.iter_mut().enumerate() {
                    let mut acc: $float = 0.0;
                    for t in 0..K {
                        acc = a[problem * M * K + i + t * M].mul_add(x[problem * K + t], acc);
                    }
                    let scaled = alpha * acc;
                    *y = if beta == 0.0 { scaled } else { beta.mul_add(*y, scaled) };
                }
            }
            result
        }
    };
}

reference!(reference_f32, f32);
reference!(reference_f64, f64);

/// The reason for which operation `r` was refused.
pub(crate) fn reason<T>(outcome: Result<T, Error>) -> Refusal {
    let Err(error) = outcome else { panic!("taken") };
    assert!(error.to_string().contains("`r`") && error.to_string().contains("allowed"), "{error}");
    let Error::Refused { operation, reason } = error else { panic!("{error}") };
    assert_eq!(operation, "r");
    reason
}
