//! What a graph does not take as a reduction to words: the error names the operation, what was given and what is allowed.

use glass::rt::arena::ScalarArena;
use glass::rt::graph::Graph;
use glass::rt::word::Format;
use glass::rt::{Device, Error, Refusal, VecView, Vector};

/// The sum of the integers that a mask selects.
#[glass::reduce(sum, dtype = u32, masked, targets = [host])]
struct Sum;

/// Both extremes of signed integers.
#[glass::reduce(extent, dtype = i32)]
struct Extent;

/// The reason for which operation `r` was refused.
fn reason<T>(outcome: Result<T, Error>) -> Refusal {
    let Err(error) = outcome else { panic!("taken") };
    assert!(error.to_string().contains("`r`") && error.to_string().contains("allowed"), "{error}");
    let Error::Refused { operation, reason } = error else { panic!("{error}") };
    assert_eq!(operation, "r");
    reason
}

#[test]
fn inputs_and_masks_of_the_wrong_format_length_or_place() {
    let device = Device::host();
    let mut declaration = ScalarArena::declare();
    let sum = declaration.u32("sum").expect("a name");
    let mut graph = Graph::new(&device, declaration.seal());
    let words = Vector::filled(&device, 300, 1u32).expect("host memory");
    let signed = Vector::filled(&device, 100, 1i32).expect("host memory");
    let floats = Vector::filled(&device, 100, 1f32).expect("host memory");
    let mut import = |offset, len| graph.import(VecView::new(&words, offset, len).expect("inside"));
    let mut imported = |offset, len| import(offset, len).expect("of this device");
    let (x, mask, meeting, short) =
        (imported(0, 100), imported(100, 100), imported(50, 100), imported(200, 99));
    let signed = graph.import(VecView::from(&signed)).expect("of this device");
    let floats = graph.import(VecView::from(&floats)).expect("of this device");
    let format = |input, given| Refusal::InputFormat { input, given, expected: Format::U32 };
    assert_eq!(reason(graph.add::<Sum>("r", (floats, mask), sum)), format("x", Format::F32));
    assert_eq!(reason(graph.add::<Sum>("r", (x, signed), sum)), format("mask", Format::I32));
    let lengths = Refusal::UnequalLengths { given: 99, expected: 100 };
    assert_eq!(reason(graph.add::<Sum>("r", (x, short), sum)), lengths);
    assert_eq!(reason(graph.add::<Sum>("r", (x, meeting), sum)), Refusal::MaskOverlap);
    assert_eq!(reason(graph.add::<Sum>("r", (x, x), sum)), Refusal::MaskOverlap);
    assert!(matches!(reason(graph.add::<Sum>("r", (x,), sum)), Refusal::InputCount { given: 1, .. }));
    graph.add::<Sum>("r", (x, mask), sum).expect("a mask behind its elements");
}

#[test]
fn results_of_the_wrong_number_or_format() {
    let device = Device::host();
    let mut declaration = ScalarArena::declare();
    let [min, max] = ["min", "max"].map(|name| declaration.i32(name).expect("a name"));
    let status = declaration.u32("status").expect("a name");
    let float = declaration.f32("float").expect("a name");
    let mut graph = Graph::new(&device, declaration.seal());
    let x = Vector::filled(&device, 3, 1i32).expect("host memory");
    let x = graph.import(VecView::from(&x)).expect("of this device");
    let names = || vec!["min", "max", "status"];
    let count = |given| Refusal::ResultCount { given, names: names() };
    assert_eq!(reason(graph.add::<Extent>("r", (x,), min)), count(1));
    assert_eq!(reason(graph.add::<Extent>("r", (x,), (min, status))), count(2));
    let format = Refusal::ResultFormat { result: "min", given: Format::F32, expected: Format::I32 };
    assert_eq!(reason(graph.add::<Extent>("r", (x,), (float, float, status))), format);
    let shared = Refusal::SharedOperand { first: "min", second: "max" };
    assert_eq!(reason(graph.add::<Extent>("r", (x,), (min, min, status))), shared);
    let mut other = ScalarArena::declare();
    let foreign = other.i32("min").expect("a name");
    let _ = other.seal();
    assert_eq!(reason(graph.add::<Extent>("r", (x,), (min, foreign, status))), Refusal::ForeignArena);
    graph.add::<Extent>("r", (x,), (min, max, status)).expect("slots");
}
