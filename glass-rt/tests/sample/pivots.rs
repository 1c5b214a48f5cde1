//! Two inputs, two outputs, two word operands and a scalar: the Cholesky factor of A + rho I, A 2 x 2, and one update
//! with its pivots' reciprocals.
//!
//! `l` is written in full, `x -= r b` keeps its old value in the sum, `status` is the first bad pivot, and `counts`
//! holds the status after each of the two pivots and the status of `b[0]` as a general pivot with number 7.

use std::ops::{Index, IndexMut};

use glass_rt::Real;
use glass_rt::host::{self, Body, Lanes};
use glass_rt::kernel::{Access, Code, DType, ElementKind, Layout, Operand, Task};

use super::{ALL, NO_WGPU, cuda, real, variant};

/// Elements of `a`, `b`, `l` and `x`, then of `status` and `counts`.
pub(crate) const ELEMENTS: [usize; 4] = [4, 2, 4, 2];
pub(crate) const COUNTS: [usize; 2] = [1, 3];

const OPERANDS: &[Operand] = &[
    real("a", 2, 2, Access::In),
    real("b", 2, 1, Access::In),
    real("l", 2, 2, Access::Out),
    real("x", 2, 1, Access::InOut),
    Operand { element: ElementKind::Word, ..real("status", 1, 1, Access::Out) },
    Operand { element: ElementKind::Word, ..real("counts", 3, 1, Access::Out) },
];

#[inline(always)]
fn factor<T, V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[T])
where
    T: Real,
    V: Lanes<T>,
    A: Index<usize, Output = V>,
    Y: IndexMut<usize, Output = V>,
    S: IndexMut<usize, Output = V::Words>,
{
    let ([a, b], [l, x], [status, counts], [rho]) = (inputs, outputs, words, scalars) else { unreachable!() };
    let mut first_bad = V::no_words();
    let (p_0, r_0) = a[0].add(V::splat(*rho)).cholesky_pivot(1, &mut first_bad);
    counts[0] = first_bad;
    let below = a[1].mul(r_0);
    let d_1 = below.neg().mul_add(below, a[3].add(V::splat(*rho)));
    let (p_1, r_1) = d_1.cholesky_pivot(2, &mut first_bad);
    counts[1] = first_bad;
    let mut general = V::no_words();
    let _ = b[0].general_pivot(7, &mut general);
    counts[2] = general;
    status[0] = first_bad;
    (l[0], l[1], l[2], l[3]) = (p_0, below, V::splat(T::default()), p_1);
    x[0] = b[0].neg().mul_add(r_0, x[0]);
    x[1] = b[1].neg().mul_add(r_1, x[1]);
}

pub(crate) struct PivotsF32;
pub(crate) struct PivotsF64;

macro_rules! body {
    ($name:ident, $float:ty) => {
        impl Body for $name {
            type Element = $float;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[$float])
            where
                V: Lanes<$float>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                factor(inputs, outputs, words, scalars);
            }
        }
    };
}

body!(PivotsF32, f32);
body!(PivotsF64, f64);

macro_rules! cuda_source {
    ($symbol:literal, $float:literal, $f:literal, $fma:literal, $at:literal) => {
        concat!(
            "typedef ",
            $float,
            " real;
#define AT(elements, element) ",
            $at,
            "
static __device__ void pivot(real d, unsigned int number, real *p, real *r, unsigned int *status) {
    const bool good = d > 0 && d - d == 0;
    if (!good && *status == 0u) *status = number;
    const real nan = (real)__int_as_float(0x7fc00000);
    *p = good ? __",
            $f,
            "sqrt_rn(d) : nan;
    *r = good ? __",
            $f,
            "rcp_rn(*p) : nan;
}
extern \"C\" __global__ void __launch_bounds__(64) ",
            $symbol,
            "(const real *a, const real *b, real *l, real *x,
    unsigned int *status, unsigned int *counts, unsigned int n_problems, real rho) {
    const unsigned int problem = blockIdx.x * 64u + threadIdx.x;
    if (problem >= n_problems) return;
    unsigned int first_bad = 0u;
    real p_0, r_0, p_1, r_1;
    pivot(a[AT(4u, 0u)] + rho, 1u, &p_0, &r_0, &first_bad);
    counts[problem * 3u] = first_bad;
    const real below = a[AT(4u, 1u)] * r_0;
    pivot(",
            $fma,
            "(-below, below, a[AT(4u, 3u)] + rho), 2u, &p_1, &r_1, &first_bad);
    counts[problem * 3u + 1u] = first_bad;
    const real b_0 = b[AT(2u, 0u)];
    counts[problem * 3u + 2u] = b_0 != 0 && b_0 - b_0 == 0 ? 0u : 7u;
    status[problem] = first_bad;
    l[AT(4u, 0u)] = p_0;
    l[AT(4u, 1u)] = below;
    l[AT(4u, 2u)] = 0;
    l[AT(4u, 3u)] = p_1;
    x[AT(2u, 0u)] = ",
            $fma,
            "(-b_0, r_0, x[AT(2u, 0u)]);
    x[AT(2u, 1u)] = ",
            $fma,
            "(-b[AT(2u, 1u)], r_1, x[AT(2u, 1u)]);
}
"
        )
    };
}

macro_rules! wgsl_source {
    ($symbol:literal, $args:literal, $at:literal) => {
        concat!(
            "struct Args { n_problems: u32, rho: f32, padding_0: f32, padding_1: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> l: array<f32>;
@group(0) @binding(3) var<storage, read_write> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> status: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;
", $args, "
fn at(problem: u32, elements: u32, element: u32) -> u32 { return ", $at, "; }
fn noted(status: u32, d: f32, number: u32) -> u32 { return select(number, status, d > 0f || status != 0u); }
@compute @workgroup_size(64)
fn ", $symbol, "(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32) {
    let problem = (group.x + group.y * groups.x) * 64u + lane;
    if (problem >= args.n_problems) { return; }
    let d_0 = a[at(problem, 4u, 0u)] + args.rho;
    let p_0 = sqrt(d_0);
    let below = a[at(problem, 4u, 1u)] / p_0;
    var first_bad = noted(0u, d_0, 1u);
    counts[problem * 3u] = first_bad;
    let d_1 = a[at(problem, 4u, 3u)] + args.rho - below * below;
    let p_1 = sqrt(d_1);
    first_bad = noted(first_bad, d_1, 2u);
    counts[problem * 3u + 1u] = first_bad;
    let b_0 = b[at(problem, 2u, 0u)];
    counts[problem * 3u + 2u] = select(0u, 7u, b_0 == 0f);
    status[problem] = first_bad;
    l[at(problem, 4u, 0u)] = p_0;
    l[at(problem, 4u, 1u)] = below;
    l[at(problem, 4u, 2u)] = 0f;
    l[at(problem, 4u, 3u)] = p_1;
    x[at(problem, 2u, 0u)] -= b_0 / p_0;
    x[at(problem, 2u, 1u)] -= b[at(problem, 2u, 1u)] / p_1;
}
"
        )
    };
}

macro_rules! task {
    ($name:ident, $constant:ident, $dtype:ident, $layout:ident, $variants:expr, $choices:expr) => {
        pub(crate) static $name: Task = $constant;
        pub(crate) const $constant: Task = Task {
            symbol: stringify!($name),
            dtype: DType::$dtype,
            layout: Layout::$layout,
            operands: OPERANDS,
            scalars: &["rho"],
            variants: $variants,
            choices: $choices,
        };
    };
}

macro_rules! single {
    ($name:ident, $constant:ident, $layout:ident, $symbol:literal, $at_cuda:literal, $at_wgsl:literal) => {
        task!(
            $name,
            $constant,
            F32,
            $layout,
            &[
                variant(concat!($symbol, "_host"), Code::HostF32(host::entry::<PivotsF32>)),
                variant($symbol, cuda(cuda_source!($symbol, "float", "f", "__fmaf_rn", $at_cuda))),
                variant(
                    $symbol,
                    Code::Wgsl {
                        native: wgsl_source!($symbol, "var<immediate> args: Args;", $at_wgsl),
                        web: wgsl_source!(
                            $symbol,
                            "@group(0) @binding(6) var<uniform> args: Args;",
                            $at_wgsl
                        ),
                        workgroup_bytes: 0,
                        n_iterations: 0
                    }
                ),
            ],
            ALL
        );
    };
}

macro_rules! double {
    ($name:ident, $constant:ident, $layout:ident, $symbol:literal, $at_cuda:literal) => {
        task!(
            $name,
            $constant,
            F64,
            $layout,
            &[
                variant(concat!($symbol, "_host"), Code::HostF64(host::entry::<PivotsF64>)),
                variant($symbol, cuda(cuda_source!($symbol, "double", "d", "__fma_rn", $at_cuda))),
            ],
            NO_WGPU
        );
    };
}

single!(
    PIVOTS_F32_CONTIGUOUS,
    PIVOTS_F32_CONTIGUOUS_TASK,
    Contiguous,
    "sample_pivots_f32_contiguous",
    "((size_t)problem * elements + (element))",
    "problem * elements + element"
);
single!(
    PIVOTS_F32_INTERLEAVED,
    PIVOTS_F32_INTERLEAVED_TASK,
    Interleaved,
    "sample_pivots_f32_interleaved",
    "(((size_t)(problem / 32u) * elements + (element)) * 32u + problem % 32u)",
    "((problem / 32u) * elements + element) * 32u + problem % 32u"
);
double!(
    PIVOTS_F64_CONTIGUOUS,
    PIVOTS_F64_CONTIGUOUS_TASK,
    Contiguous,
    "sample_pivots_f64_contiguous",
    "((size_t)problem * elements + (element))"
);
double!(
    PIVOTS_F64_INTERLEAVED,
    PIVOTS_F64_INTERLEAVED_TASK,
    Interleaved,
    "sample_pivots_f64_interleaved",
    "(((size_t)(problem / 32u) * elements + (element)) * 32u + problem % 32u)"
);
