//! Plans against the goldens of the definition and against what they must not exceed.

use super::*;
use crate::reduction::{Map, Operator};
use crate::word::Format;
use crate::{Error, Reduction};

const fn kernel_with(barriers: u32, code: Code) -> ReductionKernel {
    ReductionKernel { symbol: "k", hash: "", code, barriers }
}

const fn levels_of(code: Code) -> ReductionCode {
    ReductionCode::Levels {
        chunk: kernel_with(9, code),
        chunk_to_scalar: kernel_with(10, code),
        fold: kernel_with(11, code),
        fold_to_scalar: kernel_with(12, code),
    }
}

const CUDA: Code = Code::Cuda { source: "", images: &[], min_compute_capability: 70 };
const WGSL: Code = Code::Wgsl { native: "", web: "", workgroup_bytes: 1024, n_iterations: 0 };

const fn variant(strategy: Strategy, threads: u32, elements: u32, code: ReductionCode) -> ReductionVariant {
    ReductionVariant {
        strategy,
        threads,
        elements_per_thread: elements,
        vector_width: 1,
        up_to: u32::MAX,
        lanes: 1,
        code,
    }
}

const fn task(map: Map, variants: &'static [ReductionVariant]) -> ReductionTask {
    let (format, operator) = (Format::F32, Operator::Sum);
    ReductionTask { symbol: "t", map, format, operator, n_words: 1, square: None, variants }
}

const LIMITS: ReductionLimits = ReductionLimits {
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
    ReductionLimits { target: Target::Cuda, arch: Some(90), subgroup_sizes: (32, 32), ..LIMITS };

static TREE: [ReductionVariant; 1] = [variant(Strategy::Tree, 256, 1, levels_of(WGSL))];

fn plan(
    variants: &'static [ReductionVariant],
    len: u64,
    limits: &ReductionLimits,
) -> Result<ReductionPlan, Refusal> {
    ReductionPlan::new(&task(Map::Identity, variants), len, &[0], limits, &PlanOptions::default())
}

fn group_counts(threads: u32, elements: u32, n: u64) -> Vec<u32> {
    let variants = Box::leak(Box::new([variant(Strategy::Tree, threads, elements, levels_of(WGSL))]));
    let plan = plan(variants, n, &LIMITS).unwrap();
    let [span] = &plan.spans[..] else { panic!("one span") };
    span.levels.iter().map(|level| level.groups).collect()
}

#[test]
fn levels_are_the_goldens() {
    let goldens: &[(u64, &[u32])] = &[
        (1, &[1]),
        (256, &[1]),
        (257, &[2, 1]),
        (65_536, &[256, 1]),
        (65_537, &[257, 2, 1]),
        (100_000, &[391, 2, 1]),
        (1_000_000, &[3907, 16, 1]),
        (1 << 24, &[65_536, 256, 1]),
        (1 << 28, &[1_048_576, 4096, 16, 1]),
        (u32::MAX as u64, &[16_777_216, 65_536, 256, 1]),
    ];
    for (n, wanted) in goldens {
        assert_eq!(group_counts(256, 1, *n), *wanted, "{n}");
    }
    let goldens: &[(u32, u32, &[u32])] = &[
        (64, 1, &[15_625, 245, 4, 1]),
        (128, 1, &[7813, 62, 1]),
        (512, 1, &[1954, 4, 1]),
        (1024, 1, &[977, 1]),
        (256, 2, &[1954, 4, 1]),
        (256, 4, &[977, 1]),
        (256, 8, &[489, 1]),
        (256, 16, &[245, 1]),
    ];
    for (threads, elements, wanted) in goldens {
        assert_eq!(group_counts(*threads, *elements, 1_000_000), *wanted, "{threads} {elements}");
    }
}

#[test]
fn red_18_every_level_has_its_own_geometry() {
    let plan = plan(&TREE, 1 << 28, &LIMITS).unwrap();
    let levels: Vec<(u32, u32, [u32; 3])> =
        plan.spans[0].levels.iter().map(|level| (level.n, level.groups, level.grid)).collect();
    let wanted = [
        (1 << 28, 1 << 20, [65_535, 17, 1]),
        (1 << 20, 4096, [4096, 1, 1]),
        (4096, 16, [16, 1, 1]),
        (16, 1, [1, 1, 1]),
    ];
    assert_eq!(levels, wanted);
}

#[test]
fn red_17_a_plan_tells_what_it_costs() {
    let plan = plan(&TREE, 1_000_000, &LIMITS).unwrap();
    let [first, second, last] = &plan.spans[0].levels[..] else { panic!("three levels") };
    let of = |level: &Level| (level.invocations, level.bytes_read, level.bytes_written, level.barriers);
    assert_eq!(of(first), (3907 * 256, 4_000_000, 3907 * 4, 9));
    assert_eq!(of(second), (16 * 256, 3907 * 4, 16 * 4, 11));
    assert_eq!(of(last), (256, 16 * 4, 4, 12));
    assert_eq!((plan.transient_bytes, plan.transient_bytes_placed), ((3907 + 16) * 4, (3907 + 16) * 4));
    assert_eq!((plan.arena_bytes, plan.subgroup_sizes, plan.addition_depth), (4, (8, 32), 24));
    assert_eq!((plan.strategy, plan.threads, plan.elements_per_thread), (Strategy::Tree, 256, 1));
}

#[test]
fn red_17_partial_sums_share_memory() {
    let plan = plan(&TREE, 1 << 28, &LIMITS).unwrap();
    assert_eq!(plan.transient_bytes, (1_048_576 + 4096 + 16) * 4);
    assert_eq!(plan.transient_bytes_placed, (1_048_576 + 4096) * 4);
}

#[test]
fn red_11_spans_accumulate_in_order() {
    let limits = ReductionLimits { binding_bytes: 128 << 20, ..LIMITS };
    let spans = |len, offsets: &[u64]| -> (Vec<(u64, u32)>, u32) {
        let task = task(Map::Multiply, &TREE);
        let plan = ReductionPlan::new(&task, len, offsets, &limits, &PlanOptions::default()).unwrap();
        (plan.spans.iter().map(|span| (span.start, span.len)).collect(), plan.addition_depth)
    };
    assert_eq!(spans(1 << 25, &[0, 0]), (vec![(0, 1 << 25)], 32));
    assert_eq!(spans((1 << 25) + 1, &[0, 0]), (vec![(0, 1 << 25), (1 << 25, 1)], 33));
    assert_eq!(spans(1 << 25, &[0, 1]), (vec![(0, (1 << 25) - 1), ((1 << 25) - 1, 1)], 33));
}

#[test]
fn red_24_a_subgroup_adds_in_any_order() {
    const SUBGROUP: ReductionVariant = variant(Strategy::Subgroup, 256, 4, levels_of(WGSL));
    static VARIANTS: [ReductionVariant; 1] = [ReductionVariant { lanes: 4, ..SUBGROUP }];
    let depth = |sizes| {
        let limits = ReductionLimits { subgroup_sizes: sizes, ..LIMITS };
        plan(&VARIANTS, 1024, &limits).map(|plan| plan.addition_depth)
    };
    // Three additions in a thread, seven in a subgroup of eight, five over 32 totals.
    assert_eq!(depth((8, 8)), Ok(3 + 7 + 5));
    assert_eq!(depth((32, 32)), Ok(3 + 31 + 3));
    assert_eq!(depth((4, 128)), Ok(3 + 127 + 6));
    assert_eq!(depth((1, 1)), Err(Refusal::Subgroups { required: 4, available: 1 }));
}

const LAST_BLOCK: ReductionVariant =
    variant(Strategy::LastBlock, 256, 4, ReductionCode::OneLaunch(kernel_with(20, CUDA)));

#[test]
fn red_20_the_last_block_folds_in_the_same_launch() {
    static VARIANTS: [ReductionVariant; 1] = [LAST_BLOCK];
    let million = plan(&VARIANTS, 1_000_000, &GPU).unwrap();
    let [level] = &million.spans[0].levels[..] else { panic!("one launch") };
    assert_eq!((level.groups, level.grid, level.barriers), (977, [977, 1, 1], 20));
    assert_eq!((level.bytes_read, level.bytes_written), (4_000_000 + 977 * 8, 2 * 977 * 8 + 4));
    // Three in a thread and eight among threads; then 977 partial sums: three in a thread and eight again.
    assert_eq!(million.addition_depth, 22);
    assert_eq!((million.transient_bytes, million.transient_bytes_placed), (977 * 8, 977 * 8));

    // A single group hands nothing over.
    assert_eq!(plan(&VARIANTS, 1024, &GPU).map(|plan| plan.addition_depth), Ok(11));
    let most = 256 * 64 * 1024;
    assert_eq!(plan(&VARIANTS, most, &GPU).map(|plan| plan.addition_depth), Ok(11 + 63 + 8));
    let refused = Refusal::TooManyPartials { given: 256 * 64 + 1, max: 256 * 64 };
    assert_eq!(plan(&VARIANTS, most + 1, &GPU), Err(refused));
}

#[test]
fn red_34_the_host_has_the_tree_of_the_last_block() {
    fn sums(_: &[u32], _: Option<&[u32]>, _: &mut [u32]) {}
    const HOST: ReductionCode = ReductionCode::Host { chunk: sums, fold: sums, finish: sums };
    static VARIANTS: [ReductionVariant; 1] = [variant(Strategy::LastBlock, 256, 4, HOST)];
    let limits = ReductionLimits { target: Target::Host, groups_per_dimension: u32::MAX, ..LIMITS };
    for (n, wanted) in
        [(1024, vec![1]), (1025, vec![2, 1]), (1_000_000, vec![977, 1]), (2_000_000, vec![1954, 1])]
    {
        let plan = plan(&VARIANTS, n, &limits).unwrap();
        assert_eq!(plan.spans[0].levels.iter().map(|level| level.groups).collect::<Vec<_>>(), wanted);
    }
    let depths = |n| (plan(&VARIANTS, n, &limits).unwrap().addition_depth, n);
    assert_eq!(depths(1_000_000), (22, 1_000_000));
}

#[test]
fn red_17_states_of_several_words_are_counted() {
    const EXTENT: ReductionTask = ReductionTask {
        symbol: "t",
        map: Map::Select,
        format: Format::F32,
        operator: Operator::Extent,
        n_words: 3,
        square: None,
        variants: &TREE,
    };
    let planned = |task: &ReductionTask, limits| {
        ReductionPlan::new(task, 65_537, &[0, 0], limits, &PlanOptions::default()).unwrap()
    };
    let plan = planned(&EXTENT, &LIMITS);
    let bytes: Vec<_> =
        plan.spans[0].levels.iter().map(|level| (level.bytes_read, level.bytes_written)).collect();
    // Elements and their mask, then 257 and 2 states of three words, then two extremes and a status.
    assert_eq!(bytes, [(8 * 65_537, 12 * 257), (12 * 257, 12 * 2), (12 * 2, 12)]);
    assert_eq!((plan.arena_bytes, plan.transient_bytes), (12, 12 * 259));

    static ONE: [ReductionVariant; 1] =
        [variant(Strategy::LastBlock, 256, 1, ReductionCode::OneLaunch(kernel_with(0, CUDA)))];
    let plan = planned(&ReductionTask { variants: &ONE, ..EXTENT }, &GPU);
    let handed = 8 * 3 * 257;
    let level = &plan.spans[0].levels[0];
    assert_eq!((level.bytes_read, level.bytes_written), (8 * 65_537 + handed, 2 * handed + 12));
    assert_eq!(plan.transient_bytes, handed);
}

#[test]
fn red_21_no_launch_folds_its_own_partial_sums_in_wgsl() {
    static VARIANTS: [ReductionVariant; 1] =
        [variant(Strategy::LastBlock, 256, 4, ReductionCode::OneLaunch(kernel_with(0, WGSL)))];
    let available = vec![(Target::Wgpu, Strategy::LastBlock)];
    let refused = Refusal::NoVariant { target: Target::Wgpu, strategy: None, available };
    assert_eq!(plan(&VARIANTS, 1, &LIMITS), Err(refused));
}

#[test]
fn red_19_the_first_variant_that_fits_is_taken() {
    const NEW: Code = Code::Cuda { source: "", images: &[], min_compute_capability: 90 };
    static VARIANTS: [ReductionVariant; 4] = [
        TREE[0],
        LAST_BLOCK,
        variant(Strategy::Tree, 256, 8, levels_of(NEW)),
        variant(Strategy::Tree, 128, 8, levels_of(CUDA)),
    ];
    let chosen = |len, limits: &ReductionLimits, strategy| {
        ReductionPlan::new(&task(Map::Square, &VARIANTS), len, &[0], limits, &PlanOptions { strategy })
            .map(|plan| plan.variant_idx)
    };
    assert_eq!(chosen(1000, &GPU, None), Ok(1));
    assert_eq!(chosen(1000, &GPU, Some(Strategy::Tree)), Ok(2));
    assert_eq!(chosen(1000, &ReductionLimits { arch: Some(80), ..GPU }, Some(Strategy::Tree)), Ok(3));
    // Too many partial sums for one block.
    assert_eq!(chosen(1 << 28, &GPU, None), Ok(2));
    assert_eq!(chosen(1, &LIMITS, None), Ok(0));
    let strategy = Some(Strategy::Subgroup);
    let available = VARIANTS.iter().map(|variant| (variant.target(), variant.strategy)).collect();
    let refused = Refusal::NoVariant { target: Target::Cuda, strategy, available };
    assert_eq!(chosen(1, &GPU, strategy), Err(refused));
    let old = ReductionLimits { arch: Some(60), ..GPU };
    assert_eq!(chosen(1, &old, None), Err(Refusal::ComputeCapability { required: 70, given: 60 }));
}

#[test]
fn what_no_reduction_or_device_takes_is_refused() {
    assert_eq!(plan(&TREE, 0, &LIMITS), Err(Refusal::Empty));
    let max = u64::from(u32::MAX);
    assert_eq!(plan(&TREE, max + 1, &LIMITS), Err(Refusal::TooLong { given: max + 1, max }));
    let small = ReductionLimits { groups_per_dimension: 8, ..LIMITS };
    assert!(plan(&TREE, 512 * 256, &small).is_ok());
    let refused = Refusal::TooManyGroups { groups: 513, per_dimension: 8 };
    assert_eq!(plan(&TREE, 512 * 256 + 1, &small), Err(refused));
    let narrow = ReductionLimits { threads: 255, ..LIMITS };
    let refused = Refusal::Limit { what: "threads per group", required: 256, available: 255 };
    assert_eq!(plan(&TREE, 1, &narrow), Err(refused));
    let tight = ReductionLimits { group_bytes: 1023, ..LIMITS };
    let refused = Refusal::Limit { what: "bytes of workgroup memory", required: 1024, available: 1023 };
    assert_eq!(plan(&TREE, 1, &tight), Err(refused));
}

#[test]
fn malformed_variants_are_refused() {
    for given in [0, 1, 3, 96, 255] {
        let variants = Box::leak(Box::new([variant(Strategy::Tree, given, 1, levels_of(WGSL))]));
        assert_eq!(plan(variants, 1, &LIMITS), Err(Refusal::Threads { given, least: 2 }));
    }
    for given in [0, 65] {
        let variants = Box::leak(Box::new([variant(Strategy::Tree, 64, given, levels_of(WGSL))]));
        assert_eq!(plan(variants, 1, &LIMITS), Err(Refusal::ElementsPerThread { given, max: 64 }));
    }
}

#[test]
fn a_plan_asked_for_by_type_names_its_task() {
    struct Sum;
    impl Reduction for Sum {
        const TASK: &'static ReductionTask = &task(Map::Identity, &TREE);
    }
    let error = Sum::plan(0, &LIMITS, &PlanOptions::default()).unwrap_err();
    assert_eq!(error, Error::Refused { operation: "t".into(), reason: Refusal::Empty });
    assert!(Sum::plan(1, &LIMITS, &PlanOptions::default()).is_ok());
}

#[test]
fn the_length_decides_the_shape() {
    const SHORT: ReductionVariant = ReductionVariant { up_to: 2048, ..LAST_BLOCK };
    const LONG: ReductionVariant = variant(Strategy::LastBlock, 512, 16, LAST_BLOCK.code);
    static VARIANTS: [ReductionVariant; 2] = [SHORT, LONG];
    for (len, variant_idx, groups) in [(1, 0, 1), (2048, 0, 2), (2049, 1, 1), (1 << 20, 1, 128)] {
        let plan = plan(&VARIANTS, len, &GPU).unwrap();
        assert_eq!((plan.variant_idx, plan.spans[0].levels[0].groups), (variant_idx, groups), "{len}");
    }
}

#[test]
fn accumulators_of_a_vector_meet_before_the_threads() {
    static VARIANTS: [ReductionVariant; 1] =
        [ReductionVariant { vector_width: 4, ..variant(Strategy::LastBlock, 256, 16, LAST_BLOCK.code) }];
    let depth = |len| plan(&VARIANTS, len, &GPU).map(|plan| plan.addition_depth);
    // Three in an accumulator, two among four of them, eight among threads; then eight for the sums of two groups.
    assert_eq!([depth(4096), depth(4097)], [Ok(3 + 2 + 8), Ok(3 + 2 + 8 + 8)]);
}
