//! Hand-written vector operations of 256 threads with two elements each, in all three languages.

use std::ops::{Index, IndexMut};

use glass_rt::arena::Slot;
use glass_rt::csr::Csr;
use glass_rt::host::{Body, Lanes};
use glass_rt::kernel::Code;
use glass_rt::vector_op::*;

use super::cuda;

/// Threads of a group.
pub(crate) const THREADS: usize = 256;
/// Elements of a thread.
pub(crate) const ELEMENTS: usize = 2;

/// A kernel in WGSL: its sums and threads, the scalars after the starts, the storage bindings, the number of the
/// binding after them, functions, and the file with the entry point.
macro_rules! wgsl {
    ($entry:tt, $hash:literal, sums: $sums:literal, threads: $threads:literal, args: $args:literal,
     bindings: $bindings:literal, uniform: $uniform:literal, $functions:literal) => {
        ReductionKernel {
            symbol: $entry,
            hash: concat!($hash, "_", $entry),
            code: Code::Wgsl {
                native: wgsl!(@ "var<immediate> args: Args;\n", $entry, $sums, $threads, $args, $bindings, $functions),
                web: wgsl!(
                    @ concat!("@group(0) @binding(", $uniform, ") var<uniform> args: Args;\n"),
                    $entry, $sums, $threads, $args, $bindings, $functions
                ),
                workgroup_bytes: 1024 + 16, n_iterations: 0
            },
            barriers: 0,
        }
    };
    (@ $place:expr, $entry:tt, $sums:literal, $threads:literal, $args:literal, $bindings:literal, $functions:literal) => {
        concat!(
            $place,
            "struct Args { n: u32, n_groups: u32, gate: u32, cleared: u32, ", $args, " }\n",
            "const THREADS = ", $threads, "u;\nconst ELEMENTS = 2u;\nconst N_SUMS = ", $sums, "u;\n",
            "var<private> acc: array<f32, 2>;\n",
            $bindings, "\n", $functions, "\n",
            wgsl!(# $entry)
        )
    };
    (# "chunk") => { include_str!("vector.wgsl") };
    (# "finish") => { include_str!("finish.wgsl") };
}

/// The one launch in CUDA.
macro_rules! cuda {
    ($hash:literal, sums: $sums:literal, threads: $threads:literal, pointers: $pointers:literal, numbers: $numbers:literal,
     element: $element:literal, step: $step:literal) => {
        ReductionKernel {
            symbol: "vector",
            hash: $hash,
            code: cuda(concat!(
                "#define N_SUMS ",
                $sums,
                "\n#define THREADS ",
                $threads,
                "u\n#define ELEMENTS 2u\n",
                "#define POINTERS ",
                $pointers,
                "\n#define NUMBERS ",
                $numbers,
                "\n",
                "#define ELEMENT(i) ",
                $element,
                "\n#define STEP ",
                $step,
                "\n",
                include_str!("vector.cu")
            )),
            barriers: 0,
        }
    };
}

const fn operand(name: &'static str, kind: OperandKind) -> VectorOperand {
    VectorOperand { name, kind }
}

const fn scalar(name: &'static str, format: Format, is_written: bool) -> VectorScalar {
    VectorScalar { name, format, is_read: !is_written, is_written }
}

const fn variant(strategy: Strategy, threads: usize, elements: usize, code: VectorCode) -> VectorVariant {
    let (threads, elements_per_thread) = (threads as u32, elements as u32);
    VectorVariant { strategy, threads, elements_per_thread, vector_width: 1, up_to: u32::MAX, lanes: 1, code }
}

const fn host_code<B: Body<Element = f32>>(step: Option<StepEntry>) -> VectorCode {
    VectorCode::Host {
        element: host::vector::<B, THREADS, ELEMENTS, THREADS, THREADS>(),
        fold: host::fold::<THREADS, THREADS>(),
        step,
    }
}

macro_rules! body {
    ($name:ident, |$inputs:pat_param, $outputs:pat_param, $scalars:pat_param| $run:block) => {
        enum $name {}

        impl Body for $name {
            type Element = f32;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], _: &mut [S], scalars: &[f32])
            where
                V: Lanes<f32>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                let ($inputs, $outputs, $scalars) = (inputs, outputs, scalars) else { unreachable!() };
                $run
            }
        }
    };
}

/// `y = fma(alpha, x, y)`, `z = x * y`.
pub(crate) struct Scaled {
    pub(crate) x: Handle,
    pub(crate) y: Handle,
    pub(crate) z: Handle,
    pub(crate) alpha: Slot<f32>,
}

body!(ScaledBody, |[x], [y, z], [alpha]| {
    y[0] = V::splat(*alpha).mul_add(x[0], y[0]);
    z[0] = x[0].mul(y[0]);
});

impl VectorOp for Scaled {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "sample_scaled",
        operands: &[
            operand("x", OperandKind::Read),
            operand("y", OperandKind::ReadWrite),
            operand("z", OperandKind::Write),
        ],
        scalars: &[scalar("alpha", Format::F32, false)],
        n_sums: 0,
        has_scalar_step: false,
        products: &[],
        variants: &[
            variant(Strategy::Tree, THREADS, ELEMENTS, host_code::<ScaledBody>(None)),
            variant(
                Strategy::LastBlock,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(cuda!(
                    "sample_scaled", sums: 0, threads: 256, pointers: "const float *x, float *y, float *z,",
                    numbers: ", unsigned int x_start, unsigned int y_start, unsigned int z_start, unsigned int alpha",
                    element: "const float new_y = __fmaf_rn(__uint_as_float(arena[alpha]), x[x_start + (i)], y[y_start + (i)]); \
                              z[z_start + (i)] = x[x_start + (i)] * new_y; y[y_start + (i)] = new_y;",
                    step: ""
                )),
            ),
            variant(
                Strategy::Tree,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(wgsl!(
                    "chunk", "sample_scaled", sums: 0, threads: 256,
                    args: "x: u32, y: u32, z: u32, alpha: u32",
                    bindings: "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@group(0) @binding(3) var<storage, read_write> arena: array<u32>;",
                    uniform: 4,
                    "fn element(i: u32) {
    let new_y = fma(bitcast<f32>(arena[args.alpha]), x[args.x + i], y[args.y + i]);
    y[args.y + i] = new_y;
    z[args.z + i] = x[args.x + i] * new_y;
}
fn store(at: u32, sum: f32) {}"
                )),
            ),
        ],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        vec![self.x.into(), self.y.into(), self.z.into()]
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        vec![self.alpha.into()]
    }
}

/// `r = fma(-alpha, q, r)`, `new = sum(r * r)`, `rq = sum(r * q)`, `ok = finite(new)`, `rr = select(ok, new, rr)`.
pub(crate) struct Update {
    pub(crate) q: Handle,
    pub(crate) r: Handle,
    pub(crate) alpha: Slot<f32>,
    pub(crate) rr: Slot<f32>,
    pub(crate) rq: Slot<f32>,
    pub(crate) ok: Slot<u32>,
}

body!(UpdateBody, |[q], [r, rr, rq], [alpha, ..]| {
    r[0] = V::splat(-alpha).mul_add(q[0], r[0]);
    rr[0] = r[0].mul_add(r[0], rr[0]);
    rq[0] = r[0].mul_add(q[0], rq[0]);
});

fn update_step(sums: &[f32], slots: &[u32], arena: &mut [u32]) {
    let ([new, new_rq], [_, rr, rq, ok]) = (sums, slots) else { unreachable!() };
    arena[*ok as usize] = u32::from(new.is_finite());
    if new.is_finite() {
        arena[*rr as usize] = new.to_bits();
    }
    arena[*rq as usize] = new_rq.to_bits();
}

impl VectorOp for Update {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "sample_update",
        operands: &[operand("q", OperandKind::Read), operand("r", OperandKind::ReadWrite)],
        scalars: &[
            scalar("alpha", Format::F32, false),
            scalar("rr", Format::F32, true),
            scalar("rq", Format::F32, true),
            scalar("ok", Format::U32, true),
        ],
        n_sums: 2,
        has_scalar_step: true,
        products: &[],
        variants: &[
            variant(Strategy::LastBlock, THREADS, ELEMENTS, host_code::<UpdateBody>(Some(update_step))),
            variant(
                Strategy::LastBlock,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(cuda!(
                    "sample_update", sums: 2, threads: 256, pointers: "const float *q, float *r,",
                    numbers: ", unsigned int q_start, unsigned int r_start, unsigned int alpha, unsigned int rr, \
                              unsigned int rq, unsigned int ok",
                    element: "const float new_r = __fmaf_rn(-__uint_as_float(arena[alpha]), q[q_start + (i)], r[r_start + (i)]); \
                              r[r_start + (i)] = new_r; acc[0] = __fmaf_rn(new_r, new_r, acc[0]); \
                              acc[1] = __fmaf_rn(new_r, q[q_start + (i)], acc[1]);",
                    step: "const bool is_finite = (__float_as_uint(acc[0]) & 0x7f800000u) != 0x7f800000u; \
                           arena[ok] = is_finite; if (is_finite) arena[rr] = __float_as_uint(acc[0]); \
                           arena[rq] = __float_as_uint(acc[1]);"
                )),
            ),
            variant(
                Strategy::Tree,
                THREADS,
                ELEMENTS,
                VectorCode::TwoLaunches {
                    chunk: wgsl!(
                        "chunk", "sample_update", sums: 2, threads: 256,
                        args: "q: u32, r: u32, alpha: u32, rr: u32, rq: u32, ok: u32, padding_0: u32, padding_1: u32",
                        bindings: "@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@group(0) @binding(2) var<storage, read_write> partials: array<f32>;
@group(0) @binding(3) var<storage, read_write> arena: array<u32>;",
                        uniform: 4,
                        "fn element(i: u32) {
    let new_r = fma(-bitcast<f32>(arena[args.alpha]), q[args.q + i], r[args.r + i]);
    r[args.r + i] = new_r;
    acc[0] = fma(new_r, new_r, acc[0]);
    acc[1] = fma(new_r, q[args.q + i], acc[1]);
}
fn store(at: u32, sum: f32) { partials[at] = sum; }"
                    ),
                    finish: wgsl!(
                        "finish", "sample_update", sums: 2, threads: 256,
                        args: "q: u32, r: u32, alpha: u32, rr: u32, rq: u32, ok: u32, padding_0: u32, padding_1: u32",
                        bindings: "@group(0) @binding(0) var<storage, read> partials: array<f32>;
                    @group(0) @binding(1) var<storage, read_write> arena: array<u32>;",
                        uniform: 2,
                        "fn step() {
    let is_finite = (bitcast<u32>(acc[0]) & 0x7f800000u) != 0x7f800000u;
    arena[args.ok] = u32(is_finite);
    if (is_finite) { arena[args.rr] = bitcast<u32>(acc[0]); }
    arena[args.rq] = bitcast<u32>(acc[1]);
}"
                    ),
                },
            ),
        ],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        vec![self.q.into(), self.r.into()]
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        vec![self.alpha.into(), self.rr.into(), self.rq.into(), self.ok.into()]
    }
}

/// `q = a * p`, `pq = sum(p * q)`.
pub(crate) struct Product {
    pub(crate) a: MatrixHandle,
    pub(crate) p: Handle,
    pub(crate) q: Handle,
    pub(crate) pq: Slot<f32>,
}

body!(ProductBody, |[p, ap], [q, pq], [_]| {
    q[0] = ap[0];
    pq[0] = p[0].mul_add(q[0], pq[0]);
});

fn product_step(sums: &[f32], slots: &[u32], arena: &mut [u32]) {
    arena[slots[0] as usize] = sums[0].to_bits();
}

impl VectorOp for Product {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "sample_product",
        operands: &[
            operand("a", OperandKind::Matrix),
            operand("p", OperandKind::Read),
            operand("q", OperandKind::Write),
        ],
        scalars: &[scalar("pq", Format::F32, true)],
        n_sums: 1,
        has_scalar_step: true,
        products: &[RowProduct { matrix: 0, vector: 1 }],
        variants: &[
            variant(Strategy::LastBlock, THREADS, ELEMENTS, host_code::<ProductBody>(Some(product_step))),
            variant(
                Strategy::LastBlock,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(cuda!(
                    "sample_product", sums: 1, threads: 256,
                    pointers: "const unsigned int *a_offsets, const unsigned int *a_columns, const float *a_values, \
                               const float *p, float *q,",
                    numbers: ", unsigned int p_start, unsigned int q_start, unsigned int pq",
                    element: "float ap = 0.0f; for (unsigned int k = a_offsets[i]; k < a_offsets[(i) + 1u]; ++k) \
                              ap = __fmaf_rn(a_values[k], p[p_start + a_columns[k]], ap); \
                              q[q_start + (i)] = ap; acc[0] = __fmaf_rn(p[p_start + (i)], ap, acc[0]);",
                    step: "arena[pq] = __float_as_uint(acc[0]);"
                )),
            ),
            variant(
                Strategy::Tree,
                THREADS,
                ELEMENTS,
                VectorCode::TwoLaunches {
                    chunk: wgsl!(
                        "chunk", "sample_product", sums: 1, threads: 256,
                        args: "p: u32, q: u32, pq: u32, padding_0: u32",
                        bindings: "@group(0) @binding(0) var<storage, read> a_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> a_columns: array<u32>;
@group(0) @binding(2) var<storage, read> a_values: array<f32>;
@group(0) @binding(3) var<storage, read> p: array<f32>;
@group(0) @binding(4) var<storage, read_write> q: array<f32>;
@group(0) @binding(5) var<storage, read_write> partials: array<f32>;
@group(0) @binding(6) var<storage, read_write> arena: array<u32>;",
                        uniform: 7,
                        "fn element(i: u32) {
    var ap = 0f;
    for (var k = a_offsets[i]; k < a_offsets[i + 1u]; k++) { ap = fma(a_values[k], p[args.p + a_columns[k]], ap); }
    q[args.q + i] = ap;
    acc[0] = fma(p[args.p + i], ap, acc[0]);
}
fn store(at: u32, sum: f32) { partials[at] = sum; }"
                    ),
                    finish: wgsl!(
                        "finish", "sample_product", sums: 1, threads: 256,
                        args: "p: u32, q: u32, pq: u32, padding_0: u32",
                        bindings: "@group(0) @binding(0) var<storage, read> partials: array<f32>;
                    @group(0) @binding(1) var<storage, read_write> arena: array<u32>;",
                        uniform: 2,
                        "fn step() { arena[args.pq] = bitcast<u32>(acc[0]); }"
                    ),
                },
            ),
        ],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        vec![self.a.into(), self.p.into(), self.q.into()]
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        vec![self.pq.into()]
    }
}

/// `y = a * x` with a vector `x` that only the matrix multiplies.
pub(crate) struct Multiplied {
    pub(crate) a: MatrixHandle,
    pub(crate) x: Handle,
    pub(crate) y: Handle,
}

body!(MultipliedBody, |[ax], [y], []| {
    y[0] = ax[0];
});

impl VectorOp for Multiplied {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "sample_multiplied",
        operands: &[
            operand("a", OperandKind::Matrix),
            operand("x", OperandKind::Gathered),
            operand("y", OperandKind::Write),
        ],
        scalars: &[],
        n_sums: 0,
        has_scalar_step: false,
        products: &[RowProduct { matrix: 0, vector: 1 }],
        variants: &[
            variant(Strategy::Tree, THREADS, ELEMENTS, host_code::<MultipliedBody>(None)),
            variant(
                Strategy::LastBlock,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(cuda!(
                    "sample_multiplied", sums: 0, threads: 256,
                    pointers: "const unsigned int *a_offsets, const unsigned int *a_columns, const float *a_values, \
                               const float *x, float *y,",
                    numbers: ", unsigned int x_start, unsigned int y_start",
                    element: "float ax = 0.0f; for (unsigned int k = a_offsets[i]; k < a_offsets[(i) + 1u]; ++k) \
                              ax = __fmaf_rn(a_values[k], x[x_start + a_columns[k]], ax); y[y_start + (i)] = ax;",
                    step: ""
                )),
            ),
            variant(
                Strategy::Tree,
                THREADS,
                ELEMENTS,
                VectorCode::OneLaunch(wgsl!(
                    "chunk", "sample_multiplied", sums: 0, threads: 256,
                    args: "x: u32, y: u32, padding_0: u32, padding_1: u32",
                    bindings: "@group(0) @binding(0) var<storage, read> a_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> a_columns: array<u32>;
@group(0) @binding(2) var<storage, read> a_values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<storage, read_write> arena: array<u32>;",
                    uniform: 6,
                    "fn element(i: u32) {
    var ax = 0f;
    for (var k = a_offsets[i]; k < a_offsets[i + 1u]; k++) { ax = fma(a_values[k], x[args.x + a_columns[k]], ax); }
    y[args.y + i] = ax;
}
fn store(at: u32, sum: f32) {}"
                )),
            ),
        ],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        vec![self.a.into(), self.x.into(), self.y.into()]
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        Vec::new()
    }
}

/// `beta = new / old`, `active = new > 1`.
pub(crate) struct Ratio {
    pub(crate) new: Slot<f32>,
    pub(crate) old: Slot<f32>,
    pub(crate) beta: Slot<f32>,
    pub(crate) active: Slot<u32>,
}

body!(NoBody, |[], [], _| {});

fn ratio_step(_: &[f32], slots: &[u32], arena: &mut [u32]) {
    let [new, old, beta, active] = [0, 1, 2, 3].map(|idx| slots[idx] as usize);
    let (new, old) = (f32::from_bits(arena[new]), f32::from_bits(arena[old]));
    arena[beta] = (new / old).to_bits();
    arena[active] = u32::from(new > 1.0);
}

impl VectorOp for Ratio {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "sample_ratio",
        operands: &[],
        scalars: &[
            scalar("new", Format::F32, false),
            scalar("old", Format::F32, false),
            scalar("beta", Format::F32, true),
            scalar("active", Format::U32, true),
        ],
        n_sums: 0,
        has_scalar_step: true,
        products: &[],
        variants: &[
            variant(
                Strategy::Tree,
                1,
                1,
                VectorCode::Host {
                    element: host::vector::<NoBody, 1, 1, 1, 1>(),
                    fold: host::fold::<1, 1>(),
                    step: Some(ratio_step),
                },
            ),
            variant(
                Strategy::LastBlock,
                1,
                1,
                VectorCode::OneLaunch(cuda!(
                    "sample_ratio", sums: 0, threads: 1, pointers: "",
                    numbers: ", unsigned int new_, unsigned int old, unsigned int beta, unsigned int active",
                    element: "arena[beta] = __float_as_uint(__fdiv_rn(__uint_as_float(arena[new_]), __uint_as_float(arena[old]))); \
                              arena[active] = __uint_as_float(arena[new_]) > 1.0f;",
                    step: ""
                )),
            ),
            variant(
                Strategy::Tree,
                1,
                1,
                VectorCode::OneLaunch(wgsl!(
                    "chunk", "sample_ratio", sums: 0, threads: 1,
                    args: "new_value: u32, old: u32, beta: u32, active_word: u32",
                    bindings: "@group(0) @binding(0) var<storage, read_write> arena: array<u32>;",
                    uniform: 1,
                    "fn element(i: u32) {
    let new_value = bitcast<f32>(arena[args.new_value]);
    arena[args.beta] = bitcast<u32>(new_value / bitcast<f32>(arena[args.old]));
    arena[args.active_word] = u32(new_value > 1f);
}
fn store(at: u32, sum: f32) {}"
                )),
            ),
        ],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        Vec::new()
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        vec![self.new.into(), self.old.into(), self.beta.into(), self.active.into()]
    }
}

/// A matrix in compressed sparse rows, on this machine.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) n_columns: usize,
    pub(crate) offsets: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl Rows {
    /// Up to five values a row, in mixed order, with repeated columns and empty rows.
    pub(crate) fn scattered(n_rows: usize, n_columns: usize) -> Rows {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for row in 0..n_rows {
            columns.extend((0..row * 7 % 6).map(|k| ((row * 31 + k * (k + 2) * 97) % n_columns) as u32));
            offsets.push(columns.len() as u32);
        }
        let values = super::values(columns.len(), 11).into_iter().map(|value| value as f32).collect();
        Rows { n_columns, offsets, columns, values }
    }

    pub(crate) fn upload(&self, device: &glass_rt::Device) -> Csr {
        let Rows { n_columns, offsets, columns, values } = self;
        Csr::upload(device, *n_columns, offsets, columns, values).unwrap()
    }

    /// The product with `x`, row by row in the order of storage.
    pub(crate) fn times(&self, x: &[f32]) -> Vec<f32> {
        let row = |stored: &[u32]| {
            let stored = stored[0] as usize..stored[1] as usize;
            stored.fold(0.0f32, |acc, k| self.values[k].mul_add(x[self.columns[k] as usize], acc))
        };
        self.offsets.windows(2).map(row).collect()
    }
}
