//! Reductions and scalars in graphs, on every device of this machine. Bits where the host or CUDA runs, bounds where
//! WGSL does; exact data everywhere.

mod sample;

use glass_rt::arena::{Binary, Comparison, ScalarArena, Slot};
use glass_rt::graph::{Executable, Graph, Handle};
use glass_rt::kernel::Target;
use glass_rt::reduction::{Map, PlanOptions, ReductionLimits, ReductionPlan, ReductionTask, Strategy};
use glass_rt::{Device, Reduction, VecView, Vector};
use sample::reductions::{Dot, ELEMENTS, Norm2, Sum, THREADS};

const LENGTHS: [usize; 15] =
    [1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 300_001];
/// Elements between the start of a vector and that of its view.
const OFFSETS: [usize; 4] = [0, 1, 17, 63];

/// Every device; says what was passed over.
fn devices() -> Vec<Device> {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    devices.iter().for_each(|device| println!("device: {}", device.name()));
    devices
}

/// Mixed signs and magnitudes.
fn values(n: usize, seed: u64) -> Vec<f32> {
    sample::values(n, seed).into_iter().map(|value| value as f32).collect()
}

/// A view of `data` that begins `offset` elements into its vector; what lies around it would be seen.
fn view(device: &Device, data: &[f32], offset: usize) -> VecView<f32> {
    let mut padded = vec![1e30; offset];
    padded.extend_from_slice(data);
    padded.extend([f32::NAN; 3]);
    VecView::new(&Vector::upload(device, &padded).unwrap(), offset, data.len()).unwrap()
}

/// One group: accumulators by stride, then halves that meet.
fn group(terms: &[(f32, f32)], map: Map) -> f32 {
    let mut lanes = vec![0f32; THREADS];
    for (i, (x, y)) in terms.iter().enumerate() {
        let acc = &mut lanes[i % THREADS];
        *acc = if map == Map::Identity { *acc + x } else { x.mul_add(*y, *acc) };
    }
    while lanes.len() > 1 {
        let high = lanes.split_off(lanes.len() / 2);
        lanes.iter_mut().zip(high).for_each(|(low, high)| *low += high);
    }
    lanes[0]
}

/// The sum of mapped terms in the order of the definition.
fn reference(mut terms: Vec<(f32, f32)>, mut map: Map, strategy: Strategy) -> f32 {
    let mut group_elements = THREADS * ELEMENTS;
    loop {
        let sums: Vec<f32> = terms.chunks(group_elements).map(|terms| group(terms, map)).collect();
        if let [sum] = sums[..] {
            return sum;
        }
        terms = sums.into_iter().map(|sum| (sum, 1.0)).collect();
        map = Map::Identity;
        if strategy == Strategy::LastBlock {
            group_elements = terms.len();
        }
    }
}

/// A graph with one scalar that holds a sum.
struct Single {
    graph: Graph,
    sum: Slot<f32>,
}

impl Single {
    fn new(device: &Device) -> Single {
        let mut declaration = ScalarArena::declare();
        let sum = declaration.f32("sum").unwrap();
        Single { graph: Graph::new(device, declaration.seal()), sum }
    }

    fn run(self) -> f32 {
        let compiled = self.graph.compile().unwrap();
        compiled.run().unwrap();
        let first = compiled.read(self.sum).unwrap();
        for run in [Executable::run, Executable::replay, Executable::replay] {
            run(&compiled).unwrap();
            assert_eq!(compiled.read(self.sum).unwrap().to_bits(), first.to_bits(), "another run");
        }
        first
    }
}

/// Adds the reduction of a map, with inputs that begin at these offsets.
fn add(single: &mut Single, device: &Device, map: Map, data: [&[f32]; 2], offsets: [usize; 2]) {
    let Single { graph, sum } = single;
    let x = graph.import(view(device, data[0], offsets[0])).unwrap();
    match map {
        Map::Identity => graph.add::<Sum>("r", (x,), *sum).map(drop),
        Map::Square => graph.add::<Norm2>("r", (x,), *sum).map(drop),
        Map::Multiply => {
            let y = graph.import(view(device, data[1], offsets[1])).unwrap();
            graph.add::<Dot>("r", (x, y), *sum).map(drop)
        }
        Map::Select => unreachable!("the samples have no mask"),
    }
    .unwrap();
}

/// Compares a sum with the definition: bits, or the error bound of the plan's addition depth.
fn check(device: &Device, found: f32, terms: &[(f32, f32)], map: Map, plan: &ReductionPlan, context: &str) {
    if device.target() != Target::Wgpu {
        let wanted = reference(terms.to_vec(), map, plan.strategy);
        assert_eq!(found.to_bits(), wanted.to_bits(), "{} {context}: {found} {wanted}", device.name());
        return;
    }
    let product =
        |(x, y): &(f32, f32)| f64::from(*x) * if map == Map::Identity { 1.0 } else { f64::from(*y) };
    let exact: f64 = terms.iter().map(product).sum();
    let size: f64 = terms.iter().map(|term| product(term).abs()).sum();
    let n_roundings = plan.addition_depth + u32::from(map != Map::Identity);
    let du = f64::from(n_roundings) * f64::from(f32::EPSILON) / 2.0;
    let (error, bound) = ((f64::from(found) - exact).abs(), du / (1.0 - du) * size);
    assert!(error <= bound, "{} {context}: {found} {exact}: {error} > {bound}", device.name());
}

fn terms(x: &[f32], y: &[f32], map: Map) -> Vec<(f32, f32)> {
    let second = if map == Map::Multiply { y } else { x };
    x.iter().copied().zip(second.iter().copied()).collect()
}

#[test]
fn red_34_35_sums_are_those_of_the_definition_at_every_length_and_offset() {
    for device in devices() {
        for (idx, n) in LENGTHS.into_iter().enumerate() {
            let (x, y) = (values(n, 1), values(n, 2));
            for (map, task) in
                [(Map::Identity, Sum::TASK), (Map::Square, Norm2::TASK), (Map::Multiply, Dot::TASK)]
            {
                let offsets = [OFFSETS[idx % 4], OFFSETS[(idx / 4 + 1) % 4]];
                let limits = device.reduction_limits();
                let starts = offsets.map(|offset| offset as u64);
                let plan =
                    ReductionPlan::new(task, n as u64, &starts, &limits, &PlanOptions::default()).unwrap();
                let mut single = Single::new(&device);
                add(&mut single, &device, map, [&x, &y], offsets);
                check(&device, single.run(), &terms(&x, &y, map), map, &plan, &format!("{map:?} {n}"));
            }
        }
    }
}

#[test]
fn red_34_the_last_block_folds_in_one_order() {
    for device in devices().into_iter().filter(|device| device.target() != Target::Wgpu) {
        let options = PlanOptions { strategy: Some(Strategy::LastBlock) };
        for n in LENGTHS {
            let (x, y) = (values(n, 3), values(n, 4));
            let plan = Dot::plan(n as u64, &device.reduction_limits(), &options).unwrap();
            assert_eq!(plan.strategy, Strategy::LastBlock);
            let mut single = Single::new(&device);
            single.graph.plan_with(options);
            add(&mut single, &device, Map::Multiply, [&x, &y], [0, 3]);
            let map = Map::Multiply;
            check(&device, single.run(), &terms(&x, &y, map), map, &plan, &format!("last block {n}"));
        }
    }
}

#[test]
fn red_07_exact_data_gives_exact_sums_at_every_offset() {
    for device in devices() {
        let x: Vec<f32> = (0..5000).map(|i| (i * 7 % 13) as f32 - 6.0).collect();
        let wanted: f32 = x.iter().sum();
        for offset in 0..70 {
            let mut single = Single::new(&device);
            add(&mut single, &device, Map::Identity, [&x, &[]], [offset, 0]);
            assert_eq!(single.run(), wanted, "{} {offset}", device.name());
        }
    }
}

#[test]
fn negative_zeros_sum_to_zero() {
    for device in devices() {
        for n in [1, 513] {
            let mut single = Single::new(&device);
            add(&mut single, &device, Map::Identity, [&vec![-0.0; n], &[]], [0, 0]);
            assert_eq!(single.run().to_bits(), 0, "{} {n}", device.name());
        }
    }
}

#[test]
fn red_29_nan_and_infinity_propagate() {
    for device in devices().into_iter().filter(|device| device.target() != Target::Wgpu) {
        for (special, is_wanted) in
            [(f32::NAN, f32::is_nan as fn(f32) -> bool), (f32::INFINITY, f32::is_infinite)]
        {
            let mut x = values(1000, 5);
            x[777] = special;
            let mut single = Single::new(&device);
            add(&mut single, &device, Map::Identity, [&x, &[]], [0, 0]);
            assert!(is_wanted(single.run()), "{} {special}", device.name());
        }
    }
}

#[test]
fn red_11_spans_accumulate_in_order() {
    for device in devices() {
        // 1024 elements a binding, less what an unaligned view skips.
        let limits = device.reduction_limits();
        let limits = ReductionLimits { binding_bytes: 4096, alignment: 256, ..limits };
        for (n, offset, starts) in
            [(1024, 0, vec![0]), (1025, 0, vec![0, 1024]), (2048, 5, vec![0, 1019, 2043])]
        {
            let x: Vec<f32> = (0..n).map(|i| (i % 31) as f32 - 11.0).collect();
            let options = PlanOptions { strategy: Some(Strategy::Tree) };
            let plan = ReductionPlan::new(Sum::TASK, n as u64, &[offset as u64], &limits, &options).unwrap();
            assert_eq!(plan.spans.iter().map(|span| span.start).collect::<Vec<_>>(), starts);
            let mut single = Single::new(&device);
            single.graph.plan_within(limits).expect("limits of the device");
            single.graph.plan_with(options);
            add(&mut single, &device, Map::Identity, [&x, &[]], [offset, 0]);
            assert_eq!(single.run(), x.iter().sum::<f32>(), "{} {n}", device.name());
        }
    }
}

#[test]
fn red_25_a_gate_that_is_off_keeps_everything() {
    for device in devices() {
        let mut limits = device.reduction_limits();
        // 129 groups of a first level, then 1: more than 8 in one dimension.
        limits.groups_per_dimension = 8;
        let mut declaration = ScalarArena::declare();
        let active = declaration.u32("active").unwrap();
        let zero = declaration.u32("zero").unwrap();
        let fresh = declaration.u32("fresh").unwrap();
        let runs = declaration.u32("runs").unwrap();
        let one = declaration.u32("one").unwrap();
        let sum = declaration.f32("sum").unwrap();
        let mut graph = Graph::new(&device, declaration.seal());
        graph.plan_within(limits).expect("limits of the device");
        let x: Vec<f32> = (0..65_537).map(|i| (i % 3) as f32).collect();
        let wanted: f32 = x.iter().sum();
        let x = graph.import(view(&device, &x, 1)).unwrap();
        // The first run stores 37; the reduction runs from the third run on.
        graph.literal("one", 1, one).unwrap();
        graph.compare("fresh", Comparison::Equal, [runs, zero], fresh).unwrap();
        graph.literal("sentinel", 37.0, sum).unwrap().gated_by(fresh).unwrap();
        graph.add::<Sum>("sum", (x,), sum).unwrap().gated_by(active).unwrap();
        graph.compare("active", Comparison::GreaterOrEqual, [runs, one], active).unwrap();
        graph.binary("runs", Binary::Add, [runs, one], runs).unwrap();
        let compiled = graph.compile().unwrap();
        let runs = [Executable::run, Executable::replay, Executable::run, Executable::replay];
        for (run, wanted) in runs.into_iter().zip([37.0, 37.0, wanted, wanted]) {
            run(&compiled).unwrap();
            assert_eq!(compiled.read(sum).unwrap(), wanted, "{}", device.name());
        }
    }
}

#[test]
fn red_10_chunks_accumulate() {
    for device in devices() {
        let mut single = Single::new(&device);
        let (first, second) = (vec![2.0; 700], vec![3.0; 5000]);
        let Single { graph, sum } = &mut single;
        let x = graph.import(view(&device, &first, 0)).unwrap();
        let y = graph.import(view(&device, &second, 2)).unwrap();
        graph.add::<Sum>("first", (x,), *sum).unwrap();
        graph.add::<Sum>("second", (y,), *sum).unwrap().accumulated().unwrap();
        assert_eq!(single.run(), 16_400.0, "{}", device.name());
    }
}

#[test]
fn red_10_pieces_with_seams_of_their_own() {
    for device in devices() {
        let mut single = Single::new(&device);
        let Single { graph, sum } = &mut single;
        let whole = |value: f32, len: usize| view(&device, &vec![value; len], 0);
        let mut import = |value, len| graph.import(whole(value, len)).unwrap();
        // Empty pieces at the seams of the other vector.
        let x = [import(1.0, 300), import(0.0, 0), import(2.0, 700)];
        let y = [import(3.0, 650), import(5.0, 350)];
        assert_eq!(graph.add_pieces::<Dot>("x'y", &[&x, &y], *sum, None), Ok(3));
        assert_eq!(single.run(), 300.0 * 3.0 + 350.0 * 6.0 + 350.0 * 10.0, "{}", device.name());
    }
}

/// Pieces are no second handle: what they are parts of may be written before and after.
#[test]
fn red_10_a_result_is_no_gate_of_its_own_pieces() {
    let device = Device::host();
    let mut declaration = ScalarArena::declare();
    let (sum, gate) = (declaration.f32("sum").unwrap(), declaration.u32("gate").unwrap());
    let mut graph = Graph::new(&device, declaration.seal());
    let x = [3, 4].map(|len| graph.import(view(&device, &vec![1.0; len], 0)).unwrap());
    assert_eq!(graph.add_pieces::<Sum>("gated", &[&x], sum, Some(gate)), Ok(2));
    let own = ReductionLimits { alignment: 3, ..device.reduction_limits() };
    let refused = graph.plan_within(own).unwrap_err().to_string();
    assert!(refused.contains("an alignment of 3 bytes given"), "{refused}");
}

#[test]
fn red_10_an_all_empty_vector_is_zero() {
    for device in devices() {
        let mut single = Single::new(&device);
        let Single { graph, sum } = &mut single;
        graph.literal("before", 37.0, *sum).unwrap();
        let nothing = graph.import(view(&device, &[], 0)).unwrap();
        assert_eq!(graph.add_pieces::<Sum>("none", &[&[nothing, nothing]], *sum, None), Ok(1));
        assert_eq!(single.run().to_bits(), 0, "{}", device.name());
    }
}

#[test]
fn red_10_pieces_that_do_not_fit_add_nothing() {
    let device = Device::host();
    let mut single = Single::new(&device);
    let Single { graph, sum } = &mut single;
    let mut import = |len: usize| graph.import(view(&device, &vec![1.0; len], 0)).unwrap();
    let (x, y) = ([import(3), import(4)], [import(6)]);
    let refused = graph.add_pieces::<Dot>("x'y", &[&x, &y], *sum, None).unwrap_err().to_string();
    assert!(
        refused.contains("6 elements in the second input") && refused.contains("allowed: 7"),
        "{refused}"
    );
    // The second of two names is taken: the first one is free again.
    graph.literal("s 1", 0.0, *sum).unwrap();
    assert!(graph.add_pieces::<Sum>("s", &[&x], *sum, None).is_err());
    assert!(graph.literal("s 0", 1.0, *sum).is_ok());
    assert_eq!(single.run(), 1.0);
}

#[test]
fn every_run_gives_fresh_results() {
    for device in devices() {
        let mut declaration = ScalarArena::declare();
        let (xx, xy, alpha) = (
            declaration.f32("xx").unwrap(),
            declaration.f32("xy").unwrap(),
            declaration.f32("alpha").unwrap(),
        );
        let mut graph = Graph::new(&device, declaration.seal());
        let x_vector = Vector::filled(&device, 3000, 1.0f32).unwrap();
        let y_vector = Vector::filled(&device, 3000, 2.0f32).unwrap();
        let x = graph.import(VecView::from(&x_vector)).unwrap();
        let y = graph.import(VecView::from(&y_vector)).unwrap();
        graph.add::<Dot>("xx", (x, x), xx).unwrap();
        graph.add::<Dot>("xy", (x, y), xy).unwrap();
        graph.binary("alpha", Binary::Divide, [xy, xx], alpha).unwrap();
        let compiled = graph.compile().unwrap();
        let run = |compiled: &Executable| {
            compiled.run().unwrap();
            [xx, xy, alpha].map(|slot| compiled.read(slot).unwrap())
        };
        assert_eq!(run(&compiled), [3000.0, 6000.0, 2.0], "{}", device.name());
        x_vector.write(&vec![4.0; 3000]).unwrap();
        assert_eq!(run(&compiled), [48_000.0, 24_000.0, 0.5], "{}", device.name());
        // The graph keeps its vectors.
        drop((x_vector, y_vector));
        assert_eq!(run(&compiled), [48_000.0, 24_000.0, 0.5], "{}", device.name());
    }
}

#[test]
fn red_05_equal_inputs_are_bound_once() {
    /// Takes a plain sum for the square, so that the result tells which one ran.
    struct Marked;
    impl Reduction for Marked {
        const TASK: &'static ReductionTask = &ReductionTask { square: Some(Sum::TASK), ..*Dot::TASK };
    }
    for device in devices() {
        let vector = Vector::filled(&device, 100, 3.0f32).unwrap();
        let reduced = |first: (usize, usize), second: (usize, usize)| {
            let mut single = Single::new(&device);
            let mut import =
                |(offset, len)| single.graph.import(VecView::new(&vector, offset, len).unwrap()).unwrap();
            let inputs: (Handle, Handle) = (import(first), import(second));
            single.graph.add::<Marked>("r", inputs, single.sum).unwrap();
            single.run()
        };
        assert_eq!(reduced((1, 50), (1, 50)), 150.0, "{}", device.name());
        assert_eq!(reduced((1, 50), (2, 50)), 450.0, "{}", device.name());
    }
}
