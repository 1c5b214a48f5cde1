//! What a graph refuses: the error names the operation, what was given and what is allowed.

mod sample;

use glass_rt::arena::{Declaration, ScalarArena, Slot};
use glass_rt::graph::{Graph, Handle};
use glass_rt::reduction::{Map, PlanOptions, ReductionTask, Strategy};
use glass_rt::{Device, Error, Reduction, Refusal, VecView, Vector};
use sample::reason;
use sample::reductions::{Dot, Norm2, Sum};

/// A graph with two vectors of 100 and one of 99 elements, and an empty view.
struct Given {
    graph: Graph,
    x: Handle,
    y: Handle,
    short: Handle,
    empty: Handle,
    sum: Slot<f32>,
    gate: Slot<u32>,
}

fn declared() -> (Declaration, Slot<f32>, Slot<u32>) {
    let mut declaration = ScalarArena::declare();
    let (sum, gate) = (declaration.f32("sum").unwrap(), declaration.u32("gate").unwrap());
    (declaration, sum, gate)
}

fn given() -> Given {
    let (declaration, sum, gate) = declared();
    let device = Device::host();
    let mut graph = Graph::new(&device, declaration.seal());
    let vector = Vector::filled(&device, 200, 1.0f32).unwrap();
    let mut import = |offset, len| graph.import(VecView::new(&vector, offset, len).unwrap()).unwrap();
    let (x, y, short, empty) = (import(0, 100), import(100, 100), import(1, 99), import(0, 0));
    Given { graph, x, y, short, empty, sum, gate }
}

#[test]
fn inputs_of_the_wrong_number_or_length() {
    let Given { mut graph, x, y, short, empty, sum, .. } = given();
    let count = |given, map| Refusal::InputCount { given, map };
    assert_eq!(reason(graph.add::<Dot>("r", (x,), sum)), count(1, Map::Multiply));
    assert_eq!(reason(graph.add::<Sum>("r", (x, y), sum)), count(2, Map::Identity));
    assert_eq!(reason(graph.add::<Norm2>("r", (x, y), sum)), count(2, Map::Square));
    let lengths = Refusal::UnequalLengths { given: 99, expected: 100 };
    assert_eq!(reason(graph.add::<Dot>("r", (x, short), sum)), lengths);
    assert_eq!(reason(graph.add::<Sum>("r", (empty,), sum)), Refusal::Empty);
    assert_eq!(reason(graph.add::<Dot>("r", (empty, empty), sum)), Refusal::Empty);
    // A refused operation is none: its name is free.
    graph.add::<Sum>("r", (x,), sum).unwrap();
}

#[test]
fn handles_and_slots_of_others() {
    let Given { mut graph, x, sum, gate, .. } = given();
    let other = given();
    assert_eq!(reason(graph.add::<Sum>("r", (other.x,), sum)), Refusal::ForeignGraph);
    assert_eq!(reason(graph.add::<Dot>("r", (x, other.x), sum)), Refusal::ForeignGraph);
    assert_eq!(reason(graph.add::<Sum>("r", (x,), other.sum)), Refusal::ForeignArena);
    assert_eq!(reason(graph.literal("r", 1.0, other.sum)), Refusal::ForeignArena);
    assert_eq!(reason(graph.copy("r", other.sum, sum)), Refusal::ForeignArena);
    assert_eq!(reason(graph.square_root("r", other.sum, sum)), Refusal::ForeignArena);
    let operation = glass_rt::arena::Binary::Add;
    assert_eq!(reason(graph.binary("r", operation, [sum, other.sum], sum)), Refusal::ForeignArena);
    let comparison = glass_rt::arena::Comparison::Less;
    assert_eq!(reason(graph.compare("r", comparison, [other.sum, sum], gate)), Refusal::ForeignArena);
    let added = graph.add::<Sum>("r", (x,), sum).unwrap();
    assert_eq!(reason(added.gated_by(other.gate)), Refusal::ForeignArena);
    let compiled = graph.compile().unwrap();
    let error = compiled.read(other.sum).unwrap_err();
    assert!(matches!(error, Error::Refused { reason: Refusal::ForeignArena, .. }), "{error}");
}

#[test]
fn vectors_of_other_devices() {
    let (declaration, ..) = declared();
    let host = Device::host();
    let mut graph = Graph::new(&host, declaration.seal());
    for device in Device::all().0.into_iter().filter(|device| *device != host) {
        let vector = Vector::filled(&device, 3, 0.0f32).unwrap();
        let error = graph.import(VecView::from(&vector)).unwrap_err();
        let Error::Refused { operation, reason: Refusal::ForeignDevice { given, expected } } = error else {
            panic!("{error}")
        };
        assert_eq!((operation.as_str(), given.as_str()), ("import", device.name()));
        assert_eq!(expected, host.name());
    }
}

#[test]
fn names_and_gates_that_are_taken() {
    let Given { mut graph, x, sum, gate, .. } = given();
    let gated = graph.add::<Sum>("r", (x,), sum).unwrap().gated_by(gate).unwrap();
    assert_eq!(reason(gated.gated_by(gate)), Refusal::SecondGate);
    assert_eq!(reason(graph.add::<Norm2>("r", (x,), sum)), Refusal::NameTaken);
    assert_eq!(reason(graph.literal("r", 1.0, sum)), Refusal::NameTaken);
    let Err(error) = graph.literal("", 1.0, sum) else { panic!("taken") };
    assert!(matches!(error, Error::Refused { reason: Refusal::EmptyName, .. }), "{error}");
}

#[test]
fn scalars_have_nothing_to_accumulate() {
    let Given { mut graph, sum, .. } = given();
    assert_eq!(reason(graph.literal("r", 1.0, sum).unwrap().accumulated()), Refusal::NoSum);
}

#[test]
fn more_groups_than_a_grid_holds_and_no_variant_at_all() {
    struct None;
    impl Reduction for None {
        const TASK: &'static ReductionTask = &ReductionTask { variants: &[], ..*Sum::TASK };
    }
    let Given { mut graph, x, sum, .. } = given();
    let target = glass_rt::Target::Host;
    let missing = |strategy, task: &ReductionTask| {
        let available = task.variants.iter().map(|variant| (variant.target(), variant.strategy)).collect();
        Refusal::NoVariant { target, strategy, available }
    };
    assert_eq!(reason(graph.add::<None>("r", (x,), sum)), missing(Option::None, None::TASK));
    let strategy = Some(Strategy::Subgroup);
    graph.plan_with(PlanOptions { strategy });
    assert_eq!(reason(graph.add::<Sum>("r", (x,), sum)), missing(strategy, Sum::TASK));

    // 513 groups of 512 elements on a grid of 8 in each dimension.
    let device = Device::host();
    let (declaration, sum, _) = declared();
    let mut graph = Graph::new(&device, declaration.seal());
    let limits = device.reduction_limits();
    graph
        .plan_within(glass_rt::reduction::ReductionLimits { groups_per_dimension: 8, ..limits })
        .expect("limits of the device");
    let vector = Vector::filled(&device, 513 * 512, 1.0f32).unwrap();
    let x = graph.import(VecView::from(&vector)).unwrap();
    let groups = Refusal::TooManyGroups { groups: 513, per_dimension: 8 };
    assert_eq!(reason(graph.add::<Sum>("r", (x,), sum)), groups);
}
