//! Plans of vector operations: geometry, costs and refusals.

use super::*;
use crate::kernel::Code;
use crate::reduction::Strategy;
use crate::vector_op::host::Elements;
use crate::vector_op::{RowProduct, VectorOperand, VectorScalar};
use crate::word::Format;

const fn kernel_with(barriers: u32, code: Code) -> ReductionKernel {
    ReductionKernel { symbol: "k", hash: "", code, barriers }
}

const CUDA: Code = Code::Cuda { source: "", images: &[], min_compute_capability: 70 };
const WGSL: Code = Code::Wgsl { native: "", web: "", workgroup_bytes: 1024, n_iterations: 0 };

fn evaluate(_: Elements<'_>) {}
fn sums(_: &[u32], _: Option<&[u32]>, _: &mut [u32]) {}
const HOST: VectorCode = VectorCode::Host { element: evaluate, fold: sums, step: None };
const TWO_LAUNCHES: VectorCode =
    VectorCode::TwoLaunches { chunk: kernel_with(9, WGSL), finish: kernel_with(10, WGSL) };

const fn variant(strategy: Strategy, code: VectorCode) -> VectorVariant {
    VectorVariant {
        strategy,
        threads: 256,
        elements_per_thread: 4,
        vector_width: 1,
        up_to: u32::MAX,
        lanes: 1,
        code,
    }
}

/// `q = a * p`, `pq = sum(p * q)`.
static PRODUCT: VectorTask = VectorTask {
    symbol: "t",
    operands: &[
        VectorOperand { name: "a", kind: OperandKind::Matrix },
        VectorOperand { name: "p", kind: OperandKind::Read },
        VectorOperand { name: "q", kind: OperandKind::Write },
    ],
    scalars: &[VectorScalar { name: "pq", format: Format::F32, is_read: false, is_written: true }],
    n_sums: 1,
    has_scalar_step: true,
    products: &[RowProduct { matrix: 0, vector: 1 }],
    variants: &[
        variant(Strategy::LastBlock, HOST),
        variant(Strategy::LastBlock, VectorCode::OneLaunch(kernel_with(20, CUDA))),
        // Not one of WGSL's.
        variant(Strategy::LastBlock, VectorCode::OneLaunch(kernel_with(20, WGSL))),
        variant(Strategy::Tree, TWO_LAUNCHES),
    ],
};

const WGPU: ReductionLimits = ReductionLimits {
    target: Target::Wgpu,
    arch: None,
    groups_per_dimension: 65_535,
    threads: 1024,
    group_bytes: 16_384,
    binding_bytes: u64::MAX,
    alignment: 256,
    bindings: 8,
    subgroup_sizes: (8, 32),
};
const GPU: ReductionLimits =
    ReductionLimits { target: Target::Cuda, arch: Some(90), subgroup_sizes: (32, 32), ..WGPU };
const PROCESSOR: ReductionLimits =
    ReductionLimits { target: Target::Host, groups_per_dimension: u32::MAX, ..WGPU };

/// Extents of the product with a matrix of `n` rows and `3 n` values.
fn extents(n: u64) -> [Extent; 3] {
    let vector = Extent::Vector { offset: 0, len: n };
    [Extent::Matrix { rows: n, columns: n, values: 3 * n }, vector, vector]
}

fn plan(n: u64, limits: &ReductionLimits) -> Result<VectorPlan, Refusal> {
    VectorPlan::new(&PRODUCT, &extents(n), limits, &PlanOptions::default())
}

/// Groups, bytes read, bytes written and barriers of every launch.
fn launches(plan: &VectorPlan) -> Vec<(u32, u64, u64, u32)> {
    let of = |level: &Level| (level.groups, level.bytes_read, level.bytes_written, level.barriers);
    plan.launches.iter().map(of).collect()
}

#[test]
fn red_17_a_plan_tells_what_it_costs() {
    let n = 1_000_000;
    // Offsets, columns and values, p and the old scalar; q.
    let (read, written) = ((n + 1 + 6 * n + n + 1) * 4, n * 4);
    let groups = 977;
    let partials = u64::from(groups) * 4;
    let two = |barriers: [u32; 2]| {
        vec![(groups, read, written + partials, barriers[0]), (1, partials, 4, barriers[1])]
    };
    let wgpu = plan(n, &WGPU).unwrap();
    assert_eq!((wgpu.variant_idx, launches(&wgpu)), (3, two([9, 10])));
    assert_eq!((wgpu.launches[0].grid, wgpu.launches[1].grid), ([977, 1, 1], [1, 1, 1]));
    let host = plan(n, &PROCESSOR).unwrap();
    assert_eq!((host.variant_idx, launches(&host)), (0, two([0, 0])));
    let cuda = plan(n, &GPU).unwrap();
    assert_eq!(cuda.variant_idx, 1);
    assert_eq!(launches(&cuda), [(groups, read + 2 * partials, written + 4 * partials + 4, 20)]);
    // Three additions in a thread and eight among threads; then 977 sums: three in a thread and eight again.
    assert_eq!([wgpu.addition_depth, host.addition_depth, cuda.addition_depth], [22; 3]);
    assert_eq!([wgpu.n_partials, host.n_partials, cuda.n_handed], [977; 3]);
    assert_eq!([wgpu.n_handed, host.n_handed, cuda.n_partials], [0; 3]);
    // One element.
    assert_eq!(plan(1, &GPU).map(|plan| plan.addition_depth), Ok(16));
}

#[test]
fn red_16_groups_of_long_vectors_have_a_grid() {
    let small = ReductionLimits { groups_per_dimension: 8, ..GPU };
    let grid = |n, limits| plan(n, limits).map(|plan| plan.launches[0].grid);
    assert_eq!(grid(257 * 1024, &small), Ok([8, 8, 5]));
    assert_eq!(grid(512 * 1024, &small), Ok([8, 8, 8]));
    assert_eq!(grid(512 * 1024 + 1, &small), Err(Refusal::TooManyGroups { groups: 513, per_dimension: 8 }));
    // One group adds all sums.
    let most = 256 * 64 * 1024;
    assert_eq!(plan(most, &WGPU).map(|plan| plan.addition_depth), Ok(11 + 63 + 8));
    let refused = Refusal::TooManyPartials { given: 256 * 64 + 1, max: 256 * 64 };
    assert_eq!(plan(most + 1, &WGPU), Err(refused));
}

#[test]
fn equations_without_sums_need_no_partial_sums_and_no_strategy() {
    static VARIANTS: [VectorVariant; 1] =
        [variant(Strategy::Tree, VectorCode::OneLaunch(kernel_with(0, WGSL)))];
    static MAP: VectorTask =
        VectorTask { scalars: &[], n_sums: 0, has_scalar_step: false, variants: &VARIANTS, ..PRODUCT };
    let options = PlanOptions { strategy: Some(Strategy::LastBlock) };
    let plan = VectorPlan::new(&MAP, &extents(1 << 26), &WGPU, &options).unwrap();
    assert_eq!((plan.launches[0].groups, plan.n_partials, plan.addition_depth), (1 << 16, 0, 0));
    assert_eq!((plan.launches.len(), plan.launches[0].grid), (1, [65_535, 2, 1]));
    let available = PRODUCT.variants.iter().map(|variant| (variant.target(), variant.strategy)).collect();
    let (target, strategy) = (Target::Wgpu, options.strategy);
    let refused = Refusal::NoVariant { target, strategy, available };
    assert_eq!(VectorPlan::new(&PRODUCT, &extents(1), &WGPU, &options), Err(refused));
}

#[test]
fn scalar_equations_alone_are_one_element() {
    const ONE: VectorVariant =
        VectorVariant { threads: 1, elements_per_thread: 1, ..variant(Strategy::Tree, HOST) };
    static TASK: VectorTask =
        VectorTask { operands: &[], n_sums: 0, products: &[], variants: &[ONE], ..PRODUCT };
    let plan = VectorPlan::new(&TASK, &[], &PROCESSOR, &PlanOptions::default()).unwrap();
    assert_eq!((plan.n, launches(&plan)), (1, vec![(1, 4, 4, 0)]));
}

#[test]
fn what_no_device_binds_or_counts_is_refused() {
    assert_eq!(plan(0, &GPU), Err(Refusal::Empty));
    let max = u64::from(u32::MAX);
    assert_eq!(plan(max + 1, &GPU), Err(Refusal::TooLong { given: max + 1, max }));
    let limit = |what, required, available| Err(Refusal::Limit { what, required, available });
    assert_eq!(plan(10, &ReductionLimits { bindings: 6, ..GPU }), limit("bindings of one kernel", 7, 6));
    // The values; then the row offsets of a matrix with few of them.
    let tight = ReductionLimits { binding_bytes: 119, ..GPU };
    assert_eq!(plan(10, &tight), limit("bytes of one binding", 120, 119));
    let [_, p, q] = extents(30);
    let empty = [Extent::Matrix { rows: 30, columns: 30, values: 0 }, p, q];
    let planned = VectorPlan::new(&PRODUCT, &empty, &tight, &PlanOptions::default());
    assert_eq!(planned, limit("bytes of one binding", 124, 119));
    // What a view skips in its binding counts.
    let [a, p, _] = extents(10);
    let skipping = [a, p, Extent::Vector { offset: 63, len: 10 }];
    let tight = ReductionLimits { binding_bytes: 120, ..GPU };
    let planned = VectorPlan::new(&PRODUCT, &skipping, &tight, &PlanOptions::default());
    assert_eq!(planned, limit("bytes of one binding", 73 * 4, 120));
}

#[test]
fn malformed_variants_are_refused() {
    let task = |n_sums, threads, elements_per_thread| {
        let variant = VectorVariant { threads, elements_per_thread, ..variant(Strategy::Tree, TWO_LAUNCHES) };
        VectorTask { n_sums, variants: vec![variant].leak(), ..PRODUCT }
    };
    let planned =
        |task: VectorTask| VectorPlan::new(&task, &extents(1), &WGPU, &PlanOptions::default()).map(drop);
    for given in [0, 1, 3] {
        assert_eq!(planned(task(1, given, 1)), Err(Refusal::Threads { given, least: 2 }));
    }
    assert_eq!(planned(task(0, 0, 1)), Err(Refusal::Threads { given: 0, least: 1 }));
    assert_eq!(planned(task(0, 1, 1)), Ok(()));
    for given in [0, 65] {
        assert_eq!(planned(task(1, 64, given)), Err(Refusal::ElementsPerThread { given, max: 64 }));
    }
}
