//! Do graphs of emitted reductions give the definition's sums? On every device of this machine: bits on the host and on CUDA,
//! the bound of the plan on WGSL.

use crate::receipt;
use glass::rt::arena::ScalarArena;
use glass::rt::graph::Graph;
use glass::rt::kernel::Target;
use glass::rt::reduction::{PlanOptions, Reduction, ReductionPlan, Strategy};
use glass::rt::{Device, VecView, Vector};
use glass_oracle::long::{self, Depth, Levels, Map, Meeting, vector};

/// The sum of a vector.
#[glass::reduce(sum)]
struct Sum;

/// The sum of the elements that a mask selects.
#[glass::reduce(sum, masked)]
struct MaskedSum;

/// The squared norm of a vector.
#[glass::reduce(norm2)]
struct SquaredNorm;

/// The inner product of two vectors.
#[glass::reduce(dot)]
struct Inner;

/// The same in fewer and larger chunks.
#[glass::reduce(dot, threads_per_block = 128, elements_per_thread = 20)]
struct LargeInner;

const LENGTHS: [usize; 12] = [1, 2, 31, 33, 255, 256, 257, 513, 65_536, 65_537, 300_001, 300_002];

/// Lengths for the largest shapes.
const LONGEST: [usize; 2] = [3_000_002, 34_000_002];

/// Three levels of large chunks.
const LONG: [usize; 1] = [6_600_001];

/// Elements before the views: of even lengths such that vectors may be loaded.
fn offsets(n: usize) -> [usize; 2] {
    if n.is_multiple_of(2) { [4, 72] } else { [3, 70] }
}

#[test]
fn sum_by_every_strategy() {
    on_every_device::<Sum>(Map::Identity, &[], &LONGEST);
}

#[test]
fn red_30_masked_sum_by_every_strategy() {
    on_every_device::<MaskedSum>(Map::Select, &[], &LONGEST);
}

#[test]
fn red_30_only_selected_elements_are_nan_or_infinite() {
    let x = [f32::NAN, 1.0, f32::INFINITY, 2.0];
    for device in &Device::all().0 {
        // WGSL may take every number for finite.
        let is_ieee = device.target() != Target::Wgpu;
        let sum = |mask: [u32; 4]| {
            let mut declaration = ScalarArena::declare();
            let result = declaration.f32("result").expect("a name");
            let mut graph = Graph::new(device, declaration.seal());
            let values = Vector::upload(device, &x).expect("room for a vector");
            let mask = Vector::upload(device, &mask).expect("room for a mask");
            let x = graph.import(VecView::from(&values)).expect("of this device");
            let mask = graph.import(VecView::from(&mask)).expect("of this device");
            graph.add::<MaskedSum>("result", (x, mask), result).expect("a reduction");
            let compiled = graph.compile().expect("kernels");
            compiled.run().expect("it was compiled");
            compiled.read(result).expect("it has run")
        };
        assert_eq!(sum([0, 9, 0, u32::MAX]), 3.0, "{}", device.name());
        assert_eq!(sum([0; 4]).to_bits(), 0, "{}", device.name());
        assert!(!is_ieee || sum([0, 1, 1, 1]) == f32::INFINITY, "{}", device.name());
        assert!(!is_ieee || sum([1; 4]).is_nan(), "{}", device.name());
    }
}

#[test]
fn norm2_by_every_strategy() {
    on_every_device::<SquaredNorm>(Map::Square, &[], &LONGEST);
}

#[test]
fn dot_by_every_strategy() {
    on_every_device::<Inner>(Map::Multiply, &[], &LONGEST);
    on_every_device::<LargeInner>(Map::Multiply, &LONG, &[]);
}

#[test]
fn every_kernel_has_passed_on_a_gpu() {
    let tasks = [Sum::TASK, MaskedSum::TASK, SquaredNorm::TASK, Inner::TASK, LargeInner::TASK];
    let kernels: Vec<_> = tasks.into_iter().flat_map(receipt::kernels).collect();
    glass_tests::receipt::check(receipt::FILE, &kernels);
}

/// RED-5: two handles of one vector are the squared norm, and one pass over it.
#[test]
fn the_dot_of_a_vector_with_itself_is_its_squared_norm() {
    let device = Device::host();
    let x = Vector::upload(&device, &vector::<f32>("x", 1000)).expect("host memory");
    let mut declaration = ScalarArena::declare();
    let (dot, norm2) = (declaration.f32("dot").expect("a name"), declaration.f32("norm2").expect("a name"));
    let mut graph = Graph::new(&device, declaration.seal());
    let view = |graph: &mut Graph| {
        let view = VecView::new(&x, 0, 1000).expect("inside the vector");
        graph.import(view).expect("a vector of this device")
    };
    let handles = [view(&mut graph), view(&mut graph)];
    graph.add::<Inner>("dot", (handles[0], handles[1]), dot).expect("a reduction");
    graph.add::<SquaredNorm>("norm2", (handles[0],), norm2).expect("a reduction");
    let compiled = graph.compile().expect("host code");
    compiled.run().expect("host code");
    assert_eq!(compiled.read(dot).expect("done").to_bits(), compiled.read(norm2).expect("done").to_bits());
}

fn on_every_device<K: Reduction>(map: Map, long: &[usize], on_cuda: &[usize]) {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    for device in &devices {
        let mut strategies = Vec::new();
        for variant in K::TASK.variants.iter().filter(|variant| variant.target() == device.target()) {
            if !strategies.contains(&variant.strategy) {
                strategies.push(variant.strategy);
            }
        }
        // A GPU alone runs the shapes of such lengths in little time.
        let longest = if device.target() == Target::Cuda { on_cuda } else { &[] };
        for strategy in &strategies {
            for n in LENGTHS.iter().chain(long).chain(longest) {
                check::<K>(device, *strategy, map, *n);
            }
        }
        println!("{}: {} by {strategies:?}", device.name(), K::TASK.symbol);
        assert!(!strategies.is_empty());
        glass_tests::receipt::note(device, K::TASK.symbol, &receipt::kernels(K::TASK));
    }
}

fn check<K: Reduction>(device: &Device, strategy: Strategy, map: Map, n: usize) {
    let offsets = offsets(n);
    let [of_x, of_y] = offsets;
    let mut whole = [vector::<f32>("x", n + of_x), vector::<f32>("y", n + of_y)];
    if map == Map::Select {
        // As words these are 0, and any other one.
        whole[1].iter_mut().for_each(|y| *y = if *y > 0.0 { 1.0 } else { 0.0 });
    }
    let [x, y] = [&whole[0][of_x..], &whole[1][of_y..]];
    let mut declaration = ScalarArena::declare();
    let result = declaration.f32("result").expect("a name");
    let mut graph = Graph::new(device, declaration.seal());
    graph.plan_with(PlanOptions { strategy: Some(strategy) });
    let mut handles = Vec::new();
    let mut import = |values: &[f32], offset, is_mask| {
        let handle = if is_mask {
            let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
            let memory = Vector::upload(device, &words).expect("room for a mask");
            graph.import(VecView::new(&memory, offset, n).expect("inside"))
        } else {
            let memory = Vector::upload(device, values).expect("room for a vector");
            graph.import(VecView::new(&memory, offset, n).expect("inside"))
        };
        handles.push(handle.expect("of this device"));
    };
    import(&whole[0], of_x, false);
    if K::TASK.map.n_inputs() == 2 {
        import(&whole[1], of_y, map == Map::Select);
    }
    match handles[..] {
        [x] => drop(graph.add::<K>("result", (x,), result).expect("a reduction")),
        [x, y] => drop(graph.add::<K>("result", (x, y), result).expect("a reduction")),
        _ => panic!("one or two inputs"),
    }
    let compiled = graph.compile().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    compiled.run().expect("it was compiled");
    let found = compiled.read(result).expect("it has run");
    compiled.replay().expect("it was compiled");
    assert_eq!(compiled.read(result).expect("it has run").to_bits(), found.to_bits(), "another run");

    let at = format!("{} {n} elements by {strategy:?} on {}", K::TASK.symbol, device.name());
    let variant = K::TASK.variants.iter().find(|variant| {
        let is_of_length = n <= variant.up_to as usize;
        variant.target() == device.target() && variant.strategy == strategy && is_of_length
    });
    let variant = variant.expect("it was found before");
    let meeting = if strategy == Strategy::Tree { Meeting::Tree } else { Meeting::Warps };
    let (threads, elements) = (variant.threads as usize, variant.elements_per_thread as usize);
    let width = variant.vector_width as usize;
    let levels = Levels { threads, elements, width, meeting };
    let expected = match strategy {
        Strategy::LastBlock => levels.sum_in_one_launch(map, x, y),
        Strategy::Tree | Strategy::Subgroup => levels.sum(map, x, y),
    };
    if device.target() != Target::Wgpu {
        assert_eq!(found.to_bits(), expected.to_bits(), "{at}: {found}, expected {expected}");
    }
    let second = match map {
        Map::Identity => &vec![1.0; n],
        Map::Square => x,
        Map::Multiply | Map::Select => y,
    };
    let terms = || x.iter().zip(second).map(|(x, y)| f64::from(*x) * f64::from(*y));
    let limits = device.reduction_limits();
    let offsets = offsets.map(|offset| offset as u64);
    let options = PlanOptions { strategy: Some(strategy) };
    let plan = ReductionPlan::new(K::TASK, n as u64, &offsets[..handles.len()], &limits, &options);
    let depth = plan.expect("it was planned before").addition_depth as usize + 1;
    let bound = long::bound(Depth(depth), f64::powi(2.0, -24), terms().map(f64::abs).sum());
    let error = (f64::from(found) - terms().sum::<f64>()).abs();
    assert!(error <= bound, "{at}: {error:e} off, {bound:e} allowed");
}
