//! What vector operations and matrices refuse: the error names the operation, what was given and what is allowed.

mod sample;

use glass_rt::arena::{ScalarArena, Slot};
use glass_rt::graph::{Graph, Handle};
use glass_rt::reduction::ReductionLimits;
use glass_rt::vector_op::{MatrixHandle, ScalarArgument, VectorArgument, VectorTask, VectorVariant};
use glass_rt::{Csr, Device, Error, Refusal, VecView, Vector, VectorOp};
use sample::reason;
use sample::vectors::{Multiplied, Product, Ratio, Rows, Scaled, Update};

/// A graph with vectors of 100, 100, 100, 99 and 0 elements, a matrix of 100 x 100 and one of 100 x 99.
struct Given {
    graph: Graph,
    vectors: [Handle; 5],
    square: MatrixHandle,
    narrow: MatrixHandle,
    floats: [Slot<f32>; 3],
    words: [Slot<u32>; 2],
}

fn given() -> Given {
    let device = Device::host();
    let mut declaration = ScalarArena::declare();
    let floats = ["a", "b", "c"].map(|name| declaration.f32(name).unwrap());
    let words = ["ok", "gate"].map(|name| declaration.u32(name).unwrap());
    let mut graph = Graph::new(&device, declaration.seal());
    let vectors = [100, 100, 100, 99, 0].map(|n| {
        let vector = Vector::filled(&device, n, 1.0f32).unwrap();
        graph.import(VecView::from(&vector)).unwrap()
    });
    let [square, narrow] = [100, 99]
        .map(|n_columns| graph.import_matrix(&Rows::scattered(100, n_columns).upload(&device)).unwrap());
    Given { graph, vectors, square, narrow, floats, words }
}

/// `given` `unit` of `operand`, where `expected` `other_unit` of `other` are.
fn unequal(
    (given, unit, operand): (u64, &'static str, &'static str),
    (expected, other_unit, other): (u64, &'static str, &'static str),
) -> Refusal {
    Refusal::UnequalOperands { operand, unit, given, other, other_unit, expected }
}

#[test]
fn operands_of_sizes_that_do_not_fit() {
    let Given { mut graph, vectors: [x, y, _, short, empty], square, narrow, floats: [alpha, ..], .. } =
        given();
    let lengths = unequal((99, "elements", "z"), (100, "elements", "x"));
    assert_eq!(reason(graph.vector("r", Scaled { x, y, z: short, alpha })), lengths);
    let product = |a, p, q| Product { a, p, q, pq: alpha };
    let rows = unequal((99, "elements", "p"), (100, "rows", "a"));
    assert_eq!(reason(graph.vector("r", product(square, short, y))), rows);
    let columns = unequal((100, "elements", "p"), (99, "columns", "a"));
    assert_eq!(reason(graph.vector("r", product(narrow, x, y))), columns);
    let columns = unequal((100, "elements", "x"), (99, "columns", "a"));
    assert_eq!(reason(graph.vector("r", Multiplied { a: narrow, x, y })), columns);
    graph.vector("narrow", Multiplied { a: narrow, x: short, y }).unwrap();

    let device = Device::host();
    let mut other = |n| graph.import(VecView::from(&Vector::filled(&device, n, 0.0f32).unwrap())).unwrap();
    let [y, z] = [other(0), other(0)];
    assert_eq!(reason(graph.vector("r", Scaled { x: empty, y, z, alpha })), Refusal::Empty);
}

#[test]
fn memory_that_is_written_has_one_handle() {
    let Given { mut graph, vectors: [x, y, z, ..], square, floats: [alpha, ..], .. } = given();
    let shared = |first, second| Refusal::SharedOperand { first, second };
    assert_eq!(reason(graph.vector("r", Scaled { x, y: x, z, alpha })), shared("x", "y"));
    assert_eq!(reason(graph.vector("r", Scaled { x, y, z: y, alpha })), shared("y", "z"));
    assert_eq!(reason(graph.vector("r", Product { a: square, p: x, q: x, pq: alpha })), shared("p", "q"));

    // Views that overlap, and views that do not.
    for offset in [0, 1, 150] {
        let vector = Vector::filled(&Device::host(), 300, 0.0f32).unwrap();
        let mut import = |offset| graph.import(VecView::new(&vector, offset, 100).unwrap()).unwrap();
        let (first, second) = (import(0), import(offset));
        assert_eq!(reason(graph.vector("r", Scaled { x: first, y: second, z, alpha })), Refusal::Aliased);
        // Also where the other handle is used nowhere.
        assert_eq!(reason(graph.vector("r", Scaled { x, y, z: second, alpha })), Refusal::Aliased);
    }
    // A refused operation writes nothing, so its vectors may be imported again.
    let vector = Vector::filled(&Device::host(), 100, 0.0f32).unwrap();
    let written = graph.import(VecView::from(&vector)).unwrap();
    graph.vector("taken", Scaled { x, y: written, z, alpha }).unwrap();
    let error = graph.import(VecView::new(&vector, 50, 50).unwrap()).unwrap_err();
    assert_eq!(error, Error::Refused { operation: "import".into(), reason: Refusal::Aliased });
    // Memory that is only read may have several.
    let vector = Vector::filled(&Device::host(), 200, 0.0f32).unwrap();
    let mut import = |offset| graph.import(VecView::new(&vector, offset, 100).unwrap()).unwrap();
    let (first, _) = (import(0), import(50));
    graph.vector("read", Scaled { x: first, y, z, alpha }).unwrap();
}

#[test]
fn scalars_that_are_written_have_one_name() {
    let Given { mut graph, vectors: [x, y, ..], floats: [a, b, ..], words: [ok, gate], .. } = given();
    let shared = |first, second| Refusal::SharedOperand { first, second };
    let update = |alpha, rr, rq| Update { q: x, r: y, alpha, rr, rq, ok };
    assert_eq!(reason(graph.vector("r", update(a, a, b))), shared("alpha", "rr"));
    assert_eq!(reason(graph.vector("r", update(a, b, b))), shared("rr", "rq"));
    graph.vector("r", Ratio { new: a, old: a, beta: b, active: gate }).unwrap();
}

#[test]
fn handles_matrices_and_scalars_of_others() {
    let Given { mut graph, vectors: [x, y, z, ..], square, floats: [alpha, ..], words: [ok, gate], .. } =
        given();
    let other = given();
    let foreign = other.vectors[0];
    assert_eq!(reason(graph.vector("r", Scaled { x: foreign, y, z, alpha })), Refusal::ForeignGraph);
    let a = other.square;
    assert_eq!(reason(graph.vector("r", Product { a, p: x, q: y, pq: alpha })), Refusal::ForeignGraph);
    let pq = other.floats[0];
    assert_eq!(reason(graph.vector("r", Product { a: square, p: x, q: y, pq })), Refusal::ForeignArena);
    let added = graph.vector("r", Scaled { x, y, z, alpha }).unwrap();
    assert_eq!(reason(added.clearing(other.words[0])), Refusal::ForeignArena);
    let added = graph.literal("ok", 1, ok).unwrap().gated_by(gate).unwrap();
    let Err(Error::Refused { reason, .. }) = added.clearing(ok) else { panic!("taken") };
    assert_eq!(reason, Refusal::NoClearing);
}

#[test]
fn words_that_may_not_be_cleared() {
    let Given { mut graph, vectors: [x, y, ..], floats: [alpha, rr, rq], words: [ok, gate], .. } = given();
    let update = || Update { q: x, r: y, alpha, rr, rq, ok };
    let added = graph.vector("r", update()).unwrap().clearing(ok).unwrap();
    assert_eq!(reason(added.clearing(gate)), Refusal::SecondClearing);
    let read = |what: &str| Refusal::ClearedWhileRead { what: what.into() };
    let names = ["cleared and gated", "gated and cleared"];
    let Err(error) = graph.vector(names[0], update()).unwrap().clearing(gate).unwrap().gated_by(gate) else {
        panic!("taken")
    };
    assert_eq!(error, Error::Refused { operation: names[0].into(), reason: read("the gate") });
    let Err(error) = graph.vector(names[1], update()).unwrap().gated_by(gate).unwrap().clearing(gate) else {
        panic!("taken")
    };
    assert_eq!(error, Error::Refused { operation: names[1].into(), reason: read("the gate") });
    let accumulated = graph.vector("sum", update()).unwrap().accumulated();
    let Err(Error::Refused { reason: Refusal::NoSum, .. }) = accumulated else { panic!("taken") };
}

#[test]
fn more_than_a_device_takes() {
    let Given { graph: mut added, vectors: [x, y, z, ..], square, floats: [alpha, ..], .. } = given();
    let limits = Device::host().reduction_limits();
    let limit = |what, required, available| Refusal::Limit { what, required, available };
    added.plan_within(ReductionLimits { bindings: 6, ..limits }).expect("limits of the device");
    let product = || Product { a: square, p: x, q: y, pq: alpha };
    assert_eq!(reason(added.vector("r", product())), limit("bindings of one kernel", 7, 6));
    added.plan_within(ReductionLimits { binding_bytes: 399, ..limits }).expect("limits of the device");
    assert_eq!(reason(added.vector("r", Scaled { x, y, z, alpha })), limit("bytes of one binding", 400, 399));

    struct Nowhere(Scaled);
    impl VectorOp for Nowhere {
        const TASK: &'static VectorTask = &VectorTask { variants: &[], ..*Scaled::TASK };
        fn operands(&self) -> Vec<VectorArgument> {
            self.0.operands()
        }
        fn scalars(&self) -> Vec<ScalarArgument> {
            self.0.scalars()
        }
    }
    let none = Refusal::NoVariant { target: glass_rt::Target::Host, strategy: None, available: vec![] };
    assert_eq!(
        reason(added.vector("r", Nowhere(Scaled { x, y, z, alpha }))),
        limit("bytes of one binding", 400, 399)
    );
    added.plan_within(limits).expect("limits of the device");
    assert_eq!(reason(added.vector("r", Nowhere(Scaled { x, y, z, alpha }))), none);

    // 513 groups of 512 elements on a grid of 8 in each dimension.
    let device = Device::host();
    added.plan_within(ReductionLimits { groups_per_dimension: 8, ..limits }).expect("limits of the device");
    let vectors = [(); 3].map(|()| Vector::filled(&device, 513 * 512, 1.0f32).unwrap());
    let [x, y, z] = vectors.each_ref().map(|vector| added.import(VecView::from(vector)).unwrap());
    let groups = Refusal::TooManyGroups { groups: 513, per_dimension: 8 };
    assert_eq!(reason(added.vector("r", Scaled { x, y, z, alpha })), groups);
}

#[test]
fn one_group_adds_a_bounded_number_of_sums() {
    // Two threads with one element each: at most 128 sums for the last group.
    struct Tiny(Update);
    impl VectorOp for Tiny {
        const TASK: &'static VectorTask = &VectorTask {
            variants: &[VectorVariant { threads: 2, elements_per_thread: 1, ..Update::TASK.variants[0] }],
            ..*Update::TASK
        };
        fn operands(&self) -> Vec<VectorArgument> {
            self.0.operands()
        }
        fn scalars(&self) -> Vec<ScalarArgument> {
            self.0.scalars()
        }
    }
    let Given { mut graph, floats: [alpha, rr, rq], words: [ok, _], .. } = given();
    let vectors = [(); 2].map(|()| Vector::filled(&Device::host(), 257, 1.0f32).unwrap());
    let [q, r] = vectors.each_ref().map(|vector| graph.import(VecView::from(vector)).unwrap());
    let tiny = Tiny(Update { q, r, alpha, rr, rq, ok });
    assert_eq!(reason(graph.vector("r", tiny)), Refusal::TooManyPartials { given: 129, max: 128 });
}

#[test]
fn arguments_that_are_not_those_of_the_task() {
    struct Wrong(Vec<VectorArgument>, Vec<ScalarArgument>);
    impl VectorOp for Wrong {
        const TASK: &'static VectorTask = Product::TASK;
        fn operands(&self) -> Vec<VectorArgument> {
            self.0.clone()
        }
        fn scalars(&self) -> Vec<ScalarArgument> {
            self.1.clone()
        }
    }
    let Given { mut graph, vectors: [x, y, ..], square, floats: [pq, ..], words: [ok, _], .. } = given();
    let operands: [Vec<VectorArgument>; 3] =
        [vec![square.into(), x.into(), y.into()], vec![x.into(), x.into(), y.into()], vec![square.into()]];
    let [right, ..] = &operands;
    let wrong = [(&operands[1], vec![pq.into()]), (&operands[2], vec![pq.into()])];
    for (operands, scalars) in wrong.into_iter().chain([(right, vec![ok.into()]), (right, vec![])]) {
        let Err(error) = graph.vector("r", Wrong(operands.clone(), scalars)) else { panic!("taken") };
        assert!(matches!(error, Error::MalformedTask { kernel: "sample_product", .. }), "{error}");
    }
}

#[test]
fn matrices_whose_indices_lead_outside() {
    let refused = |n_columns: usize, offsets: &[u32], columns: &[u32], n_values: usize| {
        let values = vec![1.0; n_values];
        let Err(Error::Refused { operation, reason }) =
            Csr::upload(&Device::host(), n_columns, offsets, columns, &values)
        else {
            panic!("taken")
        };
        assert_eq!(operation, "matrix");
        reason
    };
    let offset = |row, given, least, most| Refusal::RowOffset { row, given, least, most };
    assert_eq!(refused(3, &[], &[], 0), Refusal::NoRowOffsets);
    assert_eq!(refused(3, &[0, 2], &[0, 1], 3), Refusal::ValueCount { given: 3, expected: 2 });
    assert_eq!(refused(3, &[1, 2], &[0, 1], 2), offset(0, 1, 0, 0));
    assert_eq!(refused(3, &[0, 2, 1, 2], &[0, 1], 2), offset(2, 1, 2, 2));
    assert_eq!(refused(3, &[0, u32::MAX, 2], &[0, 1], 2), offset(1, u32::MAX, 0, 2));
    assert_eq!(refused(3, &[0, 1], &[0, 1], 2), offset(1, 1, 2, 2));
    assert_eq!(refused(3, &[0, 3], &[0, 1], 2), offset(1, 3, 2, 2));
    assert_eq!(refused(3, &[0], &[0], 1), offset(0, 0, 1, 1));
    let column = |row, given| Refusal::Column { row, given, n_columns: 3 };
    assert_eq!(refused(3, &[0, 1, 1, 3], &[2, 0, 3], 3), column(2, 3));
    assert_eq!(refused(3, &[0, 1, 1, 3], &[u32::MAX, 0, 0], 3), column(0, u32::MAX));

    let host = Device::host();
    let empty_rows = Csr::upload(&host, 3, &[0, 0, 0], &[], &[]).unwrap();
    assert_eq!((empty_rows.n_rows(), empty_rows.n_columns(), empty_rows.n_values()), (2, 3, 0));
    for device in Device::all().0.into_iter().filter(|device| *device != host) {
        let mut graph = Graph::new(&device, ScalarArena::declare().seal());
        let error = graph.import_matrix(&empty_rows).unwrap_err();
        assert!(matches!(error, Error::Refused { reason: Refusal::ForeignDevice { .. }, .. }), "{error}");
    }
}

#[test]
fn an_arena_stays_on_one_device() {
    let host = Device::host();
    for device in Device::all().0.into_iter().filter(|device| *device != host) {
        let arena = ScalarArena::declare().seal();
        Graph::new(&host, arena.clone()).compile().unwrap();
        let Err(error) = Graph::new(&device, arena).compile() else { panic!("taken") };
        let Error::Refused { reason: Refusal::ForeignDevice { given, expected }, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((given.as_str(), expected.as_str()), (host.name(), device.name()));
    }
}
