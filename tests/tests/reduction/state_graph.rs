//! Do graphs of emitted reductions to words give the definition's results, to the bit, on every device of this machine?

use crate::receipt;
use glass::rt::arena::{Binary, Comparison, Declaration, ScalarArena, Slot};
use glass::rt::graph::{Executable, Graph, Handle, Inputs, Operation};
use glass::rt::reduction::{self, PlanOptions, Reduction, Strategy};
use glass::rt::word::{Format, Word};
use glass::rt::{Device, VecView, Vector};
use glass_oracle::states::{self, States};
use glass_tests::reduction::elements;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The sum of the integers that a mask selects.
#[glass::reduce(sum, dtype = u32, masked)]
struct Sum;

/// The sum of signed integers.
#[glass::reduce(sum, dtype = i32)]
struct SignedSum;

/// The smallest signed integer.
#[glass::reduce(min, dtype = i32)]
struct SignedMin;

/// The largest of the integers that a mask selects.
#[glass::reduce(max, dtype = u32, masked, threads_per_block = 128, elements_per_thread = 3)]
struct Max;

/// Both extremes of the signed integers that a mask selects.
#[glass::reduce(extent, dtype = i32, masked)]
struct SignedExtent;

/// Both extremes of the floats that are finite.
#[glass::reduce(extent)]
struct Extent;

/// Both extremes of the finite floats that a mask selects.
#[glass::reduce(extent, masked, threads_per_block = 64, elements_per_thread = 2)]
struct MaskedExtent;

/// The largest float, or a NaN.
#[glass::reduce(max, nan = propagate)]
struct Propagated;

/// Both extremes of the floats that a mask selects, or NaNs.
#[glass::reduce(extent, nan = propagate, masked, elements_per_thread = 1)]
struct PropagatedExtent;

const LENGTHS: [usize; 10] = [1, 2, 33, 256, 257, 513, 65_535, 65_536, 300_001, 300_002];

/// Elements before the views: the mask begins at byte 4, and both of even lengths where vectors may be loaded.
fn offsets(n: usize) -> [usize; 2] {
    if n.is_multiple_of(2) { [4, 8] } else { [3, 1] }
}

/// The bits of the elements of a type, and its slots.
trait Element: Word {
    fn of(bits: u32) -> Self;
    fn bits(self) -> u32;
    fn declared(declaration: &mut Declaration, name: &str) -> Slot<Self>;
}

macro_rules! element {
    ($ty:ident, $of:path, $bits:path) => {
        impl Element for $ty {
            fn of(bits: u32) -> Self {
                $of(bits)
            }
            fn bits(self) -> u32 {
                $bits(self)
            }
            fn declared(declaration: &mut Declaration, name: &str) -> Slot<Self> {
                declaration.$ty(name).expect("a name")
            }
        }
    };
}

element!(f32, f32::from_bits, f32::to_bits);
element!(u32, std::convert::identity, std::convert::identity);
element!(i32, u32::cast_signed, i32::cast_unsigned);

/// Where results go: two that a sum or one extreme leaves in part, and a status.
struct Slots<T: Word> {
    values: [Slot<T>; 2],
    status: Slot<u32>,
}

impl<T: Element> Slots<T> {
    fn declared(declaration: &mut Declaration) -> Slots<T> {
        let values = ["first", "second"].map(|name| T::declared(declaration, name));
        Slots { values, status: declaration.u32("status").expect("a name") }
    }

    /// The results of a reduction as words.
    fn read<K: Reduction>(&self, compiled: &Executable) -> Vec<u32> {
        let [first, second] = self.values.map(|slot| compiled.read(slot).expect("it has run").bits());
        let status = compiled.read(self.status).expect("it has run");
        match K::TASK.operator {
            reduction::Operator::Sum => vec![first],
            reduction::Operator::Min | reduction::Operator::Max => vec![first, status],
            reduction::Operator::Extent => vec![first, second, status],
        }
    }
}

fn add<'g, K: Reduction, T: Element>(
    graph: &'g mut Graph,
    name: &str,
    handles: &[Handle],
    slots: &Slots<T>,
) -> Operation<'g> {
    fn of<'g, K: Reduction, T: Element>(
        graph: &'g mut Graph,
        name: &str,
        inputs: impl Inputs,
        Slots { values: [first, second], status }: &Slots<T>,
    ) -> Operation<'g> {
        let operation = match K::TASK.operator {
            reduction::Operator::Sum => graph.add::<K>(name, inputs, *first),
            reduction::Operator::Min | reduction::Operator::Max => {
                graph.add::<K>(name, inputs, (*first, *status))
            }
            reduction::Operator::Extent => graph.add::<K>(name, inputs, (*first, *second, *status)),
        };
        operation.expect("a reduction")
    }
    match *handles {
        [x] => of::<K, T>(graph, name, (x,), slots),
        [x, mask] => of::<K, T>(graph, name, (x, mask), slots),
        _ => panic!("one or two inputs"),
    }
}

/// A vector of these bits and, where the reduction has one, its mask.
fn imported<K: Reduction, T: Element>(
    graph: &mut Graph,
    device: &Device,
    x: &[u32],
    mask: &[u32],
) -> Vec<Handle> {
    let [of_x, of_mask] = offsets(x.len());
    let around = |offset: usize, words: &[u32]| [vec![1; offset], words.to_vec(), vec![1; 2]].concat();
    let values: Vec<T> = around(of_x, x).into_iter().map(T::of).collect();
    let memory = Vector::upload(device, &values).expect("room for a vector");
    let view = VecView::new(&memory, of_x, x.len()).expect("inside");
    let mut handles = vec![graph.import(view).expect("of this device")];
    if K::TASK.map.n_inputs() == 2 {
        let memory = Vector::upload(device, &around(of_mask, mask)).expect("room for a mask");
        let view = VecView::new(&memory, of_mask, mask.len()).expect("inside");
        handles.push(graph.import(view).expect("of this device"));
    }
    handles
}

/// What a task is, by the definition.
fn definition<K: Reduction>(propagates: bool) -> States {
    States {
        format: match K::TASK.format {
            Format::F32 => states::Format::F32,
            Format::U32 => states::Format::U32,
            Format::I32 => states::Format::I32,
        },
        operator: match K::TASK.operator {
            reduction::Operator::Sum => states::Operator::Sum,
            reduction::Operator::Min => states::Operator::Min,
            reduction::Operator::Max => states::Operator::Max,
            reduction::Operator::Extent => states::Operator::Extent,
        },
        propagates,
        // Of results alone.
        has_mark: false,
    }
}

fn devices() -> Vec<Device> {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    devices
}

fn strategies<K: Reduction>(device: &Device) -> Vec<Strategy> {
    let mut strategies: Vec<Strategy> = Vec::new();
    for variant in K::TASK.variants.iter().filter(|variant| variant.target() == device.target()) {
        if !strategies.contains(&variant.strategy) {
            strategies.push(variant.strategy);
        }
    }
    assert!(!strategies.is_empty());
    strategies
}

/// The results on a device by a strategy: of a run and of a replay.
fn results<K: Reduction, T: Element>(
    device: &Device,
    strategy: Strategy,
    (x, mask): (&[u32], &[u32]),
) -> Vec<u32> {
    let mut declaration = ScalarArena::declare();
    let slots = Slots::<T>::declared(&mut declaration);
    let mut graph = Graph::new(device, declaration.seal());
    graph.plan_with(PlanOptions { strategy: Some(strategy) });
    let handles = imported::<K, T>(&mut graph, device, x, mask);
    add::<K, T>(&mut graph, "result", &handles, &slots);
    let compiled = graph.compile().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    compiled.run().expect("it was compiled");
    let found = slots.read::<K>(&compiled);
    compiled.replay().expect("it was compiled");
    assert_eq!(slots.read::<K>(&compiled), found, "another run");
    found
}

/// The results of elements, the same on every device and by every strategy.
fn everywhere<K: Reduction, T: Element>(x: &[T], mask: &[u32]) -> Vec<u32> {
    let x: Vec<u32> = x.iter().map(|x| x.bits()).collect();
    let mut all = devices().into_iter().flat_map(|device| {
        let each = strategies::<K>(&device).into_iter();
        each.map(|strategy| results::<K, T>(&device, strategy, (&x, mask))).collect::<Vec<_>>()
    });
    let first = all.next().expect("the host");
    all.for_each(|other| assert_eq!(other, first, "{}", K::TASK.symbol));
    first
}

fn on_every_device<K: Reduction, T: Element>(propagates: bool) {
    let format = match K::TASK.format {
        Format::F32 => glass_codegen::spec::Format::F32,
        Format::U32 => glass_codegen::spec::Format::U32,
        Format::I32 => glass_codegen::spec::Format::I32,
    };
    for device in &devices() {
        let strategies = strategies::<K>(device);
        for n in LENGTHS {
            let (x, mask) = elements(format, n);
            let is_masked = K::TASK.map.n_inputs() == 2;
            let counting = x.iter().zip(&mask).filter(|(_, mask)| !is_masked || **mask != 0);
            let expected = definition::<K>(propagates).results(counting.map(|(x, _)| *x));
            for strategy in &strategies {
                let found = results::<K, T>(device, *strategy, (&x, &mask));
                let at = format!("{} {n} elements by {strategy:?} on {}", K::TASK.symbol, device.name());
                assert_eq!(found, expected, "{at}");
            }
        }
        println!("{}: {} by {strategies:?}", device.name(), K::TASK.symbol);
        glass_tests::receipt::note(device, K::TASK.symbol, &receipt::kernels(K::TASK));
    }
}

#[test]
fn red_03_integers_by_every_strategy() {
    on_every_device::<Sum, u32>(false);
    on_every_device::<SignedSum, i32>(false);
    on_every_device::<SignedMin, i32>(false);
    on_every_device::<Max, u32>(false);
    on_every_device::<SignedExtent, i32>(false);
}

#[test]
fn red_31_extremes_of_floats_by_every_strategy() {
    on_every_device::<Extent, f32>(false);
    on_every_device::<MaskedExtent, f32>(false);
    on_every_device::<Propagated, f32>(true);
    on_every_device::<PropagatedExtent, f32>(true);
}

#[test]
fn every_kernel_of_states_has_passed_on_a_gpu() {
    let integers = [Sum::TASK, SignedSum::TASK, SignedMin::TASK, Max::TASK, SignedExtent::TASK];
    let floats = [Extent::TASK, MaskedExtent::TASK, Propagated::TASK, PropagatedExtent::TASK];
    let kernels: Vec<_> = integers.into_iter().chain(floats).flat_map(receipt::kernels).collect();
    glass_tests::receipt::check(receipt::FILE, &kernels);
}

#[test]
fn red_03_integers_wrap() {
    assert_eq!(everywhere::<Sum, u32>(&[u32::MAX, 2], &[1, 1]), [1]);
    assert_eq!(everywhere::<SignedSum, i32>(&[i32::MIN, -1], &[]), [i32::MAX.cast_unsigned()]);
    let many: Vec<u32> = (0..513).map(|i| u32::MAX - i).collect();
    // - (1 + 2 + ... + 513)
    assert_eq!(everywhere::<Sum, u32>(&many, &[7; 513]), [(513u32 * 514 / 2).wrapping_neg()]);
}

#[test]
fn red_31_what_is_not_finite() {
    let bits = f32::to_bits;
    let x = [f32::NAN, 4.0, f32::INFINITY, -2.0];
    assert_eq!(everywhere::<Extent, f32>(&x, &[]), [bits(-2.0), bits(4.0), 0]);
    assert_eq!(everywhere::<Extent, f32>(&[f32::NAN, f32::NEG_INFINITY], &[]), [0, 0, 1]);
    let propagated = everywhere::<PropagatedExtent, f32>(&x, &[1; 4]);
    assert!(propagated[..2].iter().all(|bits| f32::from_bits(*bits).is_nan()) && propagated[2] == 0);
    // A NaN that is not selected is none.
    let masked = everywhere::<PropagatedExtent, f32>(&x, &[0, 9, 1, 9]);
    assert_eq!(masked, [bits(-2.0), bits(f32::INFINITY), 0]);
    assert_eq!(everywhere::<Propagated, f32>(&x[1..], &[]), [bits(f32::INFINITY), 0]);
}

#[test]
fn red_33_zeros_keep_their_signs() {
    let minus = (-0f32).to_bits();
    assert_eq!(everywhere::<Extent, f32>(&[-0.0; 300], &[]), [minus, minus, 0]);
    assert_eq!(everywhere::<Extent, f32>(&[0.0, -0.0], &[]), [minus, 0, 0]);
}

#[test]
fn red_32_what_a_mask_leaves_out_has_no_influence() {
    let is_selected = |i: usize| i == 512 || i == 768;
    let mask: Vec<u32> = (0..769).map(|i| if is_selected(i) { 9 } else { 0 }).collect();
    let x: Vec<i32> = (0..769).map(|i| 380 - i).collect();
    let wanted = [-388i32, -132].map(i32::cast_unsigned);
    assert_eq!(everywhere::<SignedExtent, i32>(&x, &mask), [wanted[0], wanted[1], 0]);
    let floats: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let wanted = [-388f32, -132.0].map(f32::to_bits);
    assert_eq!(everywhere::<MaskedExtent, f32>(&floats, &mask), [wanted[0], wanted[1], 0]);
    assert_eq!(everywhere::<SignedExtent, i32>(&x, &[0; 769]), [0, 0, 1]);
    assert_eq!(everywhere::<Sum, u32>(&[5; 769], &[0; 769]), [0]);
    // A first chunk of nothing but NaN.
    let late: Vec<f32> = (0..300).map(|i| if i < 128 { f32::NAN } else { 7.0 }).collect();
    assert_eq!(everywhere::<MaskedExtent, f32>(&late, &[1; 300]), [7f32.to_bits(), 7f32.to_bits(), 0]);
}

/// The old results are one more element, unless their status says that there is none.
#[test]
fn red_10_chunks_accumulate() {
    for device in devices() {
        let mut declaration = ScalarArena::declare();
        let slots = Slots::<i32>::declared(&mut declaration);
        let mut graph = Graph::new(&device, declaration.seal());
        let mut chunk = |name: &str, x: &[i32], mask: &[u32], is_first: bool| {
            let x: Vec<u32> = x.iter().map(|x| x.cast_unsigned()).collect();
            let handles = imported::<SignedExtent, i32>(&mut graph, &device, &x, mask);
            let added = add::<SignedExtent, i32>(&mut graph, name, &handles, &slots);
            if !is_first {
                added.accumulated().expect("a reduction");
            }
        };
        // Of two elements, none, and three; the first one is left out altogether.
        chunk("two", &[-900, 900], &[0, 0], true);
        chunk("three", &[5, -3, 8], &[1, 1, 0], false);
        chunk("last", &[4; 1000], &[1; 1000], false);
        let compiled = graph.compile().expect("kernels");
        for _ in 0..2 {
            compiled.run().expect("it was compiled");
            let found = slots.read::<SignedExtent>(&compiled);
            assert_eq!(found, [(-3i32).cast_unsigned(), 5, 0], "{}", device.name());
        }
    }
}

/// The same as one operation in pieces, of which the first one is left out altogether; and in none at all.
#[test]
fn red_10_pieces_of_masked_vectors() {
    for device in devices() {
        let mut declaration = ScalarArena::declare();
        let slots = Slots::<i32>::declared(&mut declaration);
        let ([first, second], status) = (slots.values, slots.status);
        let mut graph = Graph::new(&device, declaration.seal());
        let mut piece = |x: &[i32], mask: &[u32]| -> [Handle; 2] {
            let x: Vec<u32> = x.iter().map(|x| x.cast_unsigned()).collect();
            let handles = imported::<SignedExtent, i32>(&mut graph, &device, &x, mask);
            handles.try_into().expect("two inputs")
        };
        let pieces = [piece(&[-900, 900], &[0, 0]), piece(&[], &[]), piece(&[5, -3, 8], &[1, 1, 0])];
        let [x, mask] = [0, 1].map(|input| pieces.map(|piece| piece[input]));
        let results = (first, second, status);
        let others = [mask[0], mask[2], mask[1]];
        let refused = graph.add_pieces::<SignedExtent>("r", &[&x, &others], results, None);
        assert!(refused.is_err_and(|error| error.to_string().contains("a mask in other pieces")));
        let refused = graph.add_pieces::<SignedExtent>("r", &[&x, &mask], results, Some(status));
        assert!(refused.is_err_and(|error| error.to_string().contains("a gate that is a result")));
        assert_eq!(graph.add_pieces::<SignedExtent>("r", &[&x, &mask], results, None), Ok(2));
        let compiled = graph.compile().expect("kernels");
        compiled.run().expect("it was compiled");
        let found = slots.read::<SignedExtent>(&compiled);
        assert_eq!(found, [(-3i32).cast_unsigned(), 5, 0], "{}", device.name());

        let mut declaration = ScalarArena::declare();
        let slots = Slots::<i32>::declared(&mut declaration);
        let ([first, second], status) = (slots.values, slots.status);
        let mut graph = Graph::new(&device, declaration.seal());
        assert_eq!(graph.add_pieces::<SignedExtent>("r", &[&[], &[]], (first, second, status), None), Ok(3));
        let compiled = graph.compile().expect("scalar steps");
        compiled.run().expect("it was compiled");
        assert_eq!(slots.read::<SignedExtent>(&compiled), [0, 0, 1], "{}", device.name());
    }
}

#[test]
fn red_11_spans_merge() {
    for device in devices() {
        for strategy in strategies::<MaskedExtent>(&device) {
            let mut declaration = ScalarArena::declare();
            let slots = Slots::<f32>::declared(&mut declaration);
            let mut graph = Graph::new(&device, declaration.seal());
            let mut limits = device.reduction_limits();
            // The two inputs begin at different places of their first bindings.
            limits.binding_bytes = 4096;
            limits.alignment = limits.alignment.max(256);
            graph.plan_within(limits).expect("limits of the device");
            graph.plan_with(PlanOptions { strategy: Some(strategy) });
            let (x, mut mask) = elements(glass_codegen::spec::Format::F32, 5000);
            mask[..1100].fill(0);
            let counting = x.iter().zip(&mask).filter(|(_, mask)| **mask != 0).map(|(x, _)| *x);
            let expected = definition::<MaskedExtent>(false).results(counting);
            let handles = imported::<MaskedExtent, f32>(&mut graph, &device, &x, &mask);
            add::<MaskedExtent, f32>(&mut graph, "r", &handles, &slots);
            let compiled = graph.compile().expect("kernels");
            compiled.run().expect("it was compiled");
            assert_eq!(slots.read::<MaskedExtent>(&compiled), expected, "{} {strategy:?}", device.name());
        }
    }
}

#[test]
fn red_25_a_gate_that_is_off_keeps_everything() {
    for device in devices() {
        let mut limits = device.reduction_limits();
        limits.groups_per_dimension = 8;
        let mut declaration = ScalarArena::declare();
        let slots = Slots::<u32>::declared(&mut declaration);
        let mut declared = |name| declaration.u32(name).expect("a name");
        let [active, fresh, runs, zero, one] = ["active", "fresh", "runs", "zero", "one"].map(&mut declared);
        let mut graph = Graph::new(&device, declaration.seal());
        graph.plan_within(limits).expect("limits of the device");
        let x: Vec<u32> = (0..65_537).map(|i| i % 3 + 40_000_000).collect();
        let wanted = x.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
        let handles = imported::<Sum, u32>(&mut graph, &device, &x, &[1; 65_537]);
        // The first run stores 37; the reduction runs from the third run on.
        graph.literal("one", 1, one).expect("a slot");
        graph.compare("fresh", Comparison::Equal, [runs, zero], fresh).expect("slots");
        graph.literal("sentinel", 37, slots.values[0]).expect("a slot").gated_by(fresh).expect("a gate");
        let sum = add::<Sum, u32>(&mut graph, "sum", &handles, &slots);
        sum.gated_by(active).expect("a gate");
        graph.compare("active", Comparison::GreaterOrEqual, [runs, one], active).expect("slots");
        graph.binary("count", Binary::Add, [runs, one], runs).expect("slots");
        let compiled = graph.compile().expect("kernels");
        let runs = [Executable::run, Executable::replay, Executable::run, Executable::replay];
        for (run, wanted) in runs.into_iter().zip([37, 37, wanted, wanted]) {
            run(&compiled).expect("it was compiled");
            assert_eq!(slots.read::<Sum>(&compiled), [wanted], "{}", device.name());
        }
    }
}

/// Whether the host, by every strategy, gives what the definition gives.
fn check_host<K: Reduction, T: Element>(propagates: bool, x: &[u32], mask: &[u32]) {
    let is_masked = K::TASK.map.n_inputs() == 2;
    let counting = x.iter().zip(mask).filter(|(_, mask)| !is_masked || **mask != 0).map(|(x, _)| *x);
    let expected = definition::<K>(propagates).results(counting);
    let device = Device::host();
    for strategy in strategies::<K>(&device) {
        let found = results::<K, T>(&device, strategy, (x, mask));
        assert_eq!(found, expected, "{} by {strategy:?} of {x:x?}", K::TASK.symbol);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any bits, the ends of every format often, and any mask, mostly of zeros.
    #[test]
    fn red_32_any_elements_and_mask(
        pairs in vec(
            (
                prop_oneof![any::<u32>(), select(vec![0, 1 << 31, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, u32::MAX])],
                prop_oneof![3 => Just(0), 1 => any::<u32>()],
            ),
            1..1500,
        )
    ) {
        let (x, mask): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        check_host::<Sum, u32>(false, &x, &mask);
        check_host::<SignedSum, i32>(false, &x, &mask);
        check_host::<SignedMin, i32>(false, &x, &mask);
        check_host::<Max, u32>(false, &x, &mask);
        check_host::<SignedExtent, i32>(false, &x, &mask);
        check_host::<Extent, f32>(false, &x, &mask);
        check_host::<MaskedExtent, f32>(false, &x, &mask);
        check_host::<Propagated, f32>(true, &x, &mask);
        check_host::<PropagatedExtent, f32>(true, &x, &mask);
    }
}
