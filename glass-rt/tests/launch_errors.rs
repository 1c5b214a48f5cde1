//! Every way a launch is refused: the error names what was wrong, nothing runs and nothing is written.

mod sample;

use glass_rt::error::ArgumentKind;
use glass_rt::kernel::{Access, ElementKind, Layout, Operand, Target, Task, Variant};
use glass_rt::{Batch, Device, Error, Operands, Real, launch, launch_variant};
use sample::pivots::{self, COUNTS, ELEMENTS};
use sample::{K, M};

const N_PROBLEMS: usize = 33;
static TASK: &Task = &sample::GEMV_F32_CONTIGUOUS;
/// Two inputs, two outputs, two word operands and a scalar.
static PIVOTS: &Task = &pivots::PIVOTS_F32_CONTIGUOUS;
static TILED_PIVOTS: &Task = &pivots::PIVOTS_F32_INTERLEAVED;

/// Where an operand lies and how large it is.
#[derive(Clone, Copy)]
struct Shape<'a> {
    device: &'a Device,
    elements: usize,
    n_problems: usize,
    layout: Layout,
}

/// What a launch of two inputs, two outputs and two word operands is given.
#[derive(Clone)]
struct Given<'a> {
    reals: [Shape<'a>; 4],
    words: [Shape<'a>; 2],
    n_inputs: usize,
    n_outputs: usize,
    n_words: usize,
    scalars: Vec<f32>,
}

impl<'a> Given<'a> {
    /// What the task takes.
    fn good(task: &Task, device: &'a Device) -> Self {
        let shape = |elements, layout| Shape { device, elements, n_problems: N_PROBLEMS, layout };
        Given {
            reals: ELEMENTS.map(|elements| shape(elements, task.layout)),
            words: COUNTS.map(|count| shape(count, Layout::Contiguous)),
            n_inputs: 2,
            n_outputs: 2,
            n_words: 2,
            scalars: vec![0.5],
        }
    }

    /// The operand at this position of the task.
    fn operand(&mut self, idx: usize) -> &mut Shape<'a> {
        if idx < 4 { &mut self.reals[idx] } else { &mut self.words[idx - 4] }
    }

    /// Launches over outputs and words full of sevens; tells whether they still are.
    fn launch(&self, task: &'static Task, device: &Device) -> (Result<(), Error>, bool) {
        let filled = |shape: Shape| {
            shape.device.filled(shape.elements, shape.n_problems, shape.layout, 7.0f32).unwrap()
        };
        let [a, b, mut l, mut x] = self.reals.map(filled);
        let [mut status, mut counts] = self
            .words
            .map(|shape| shape.device.filled(shape.elements, shape.n_problems, shape.layout, 7u32).unwrap());
        let operands = Operands {
            inputs: &[&a, &b, &a][..self.n_inputs],
            outputs: &mut [&mut l, &mut x][..self.n_outputs],
            words: &mut [&mut status, &mut counts][..self.n_words],
            scalars: &self.scalars,
            ..Operands::default()
        };
        let outcome = launch(task, device, operands);
        let reals =
            [l, x].iter().all(|batch| batch.download_raw().unwrap().iter().all(|value| *value == 7.0));
        let words =
            [status, counts].iter().all(|batch| batch.download_raw().unwrap().iter().all(|word| *word == 7));
        (outcome, reals && words)
    }

    /// The error of a launch that must not write.
    fn refused(&self, task: &'static Task, device: &Device) -> Error {
        let (outcome, untouched) = self.launch(task, device);
        let error = outcome.unwrap_err();
        assert!(untouched, "written after {error}");
        println!("{error}\n");
        error
    }
}

/// Operands without words.
fn plain<'a, 'o, T: Real>(
    inputs: &'a [&'a Batch<T>],
    outputs: &'a mut [&'o mut Batch<T>],
    scalars: &'a [T],
) -> Operands<'a, 'o, 'a, T> {
    Operands { inputs, outputs, scalars, ..Operands::default() }
}

#[test]
fn a_good_launch_is_not_refused() {
    let device = Device::host();
    for task in [PIVOTS, TILED_PIVOTS] {
        let (outcome, untouched) = Given::good(task, &device).launch(task, &device);
        assert_eq!((outcome, untouched), (Ok(()), false));
    }
}

#[test]
fn every_operand_has_its_elements_length_layout_and_device() {
    let host = Device::host();
    let (devices, _) = Device::all();
    let others: Vec<_> = devices.iter().filter(|device| **device != host).collect();
    if others.is_empty() {
        println!("skipped in part: no device beside the host");
    }
    for task in [PIVOTS, TILED_PIVOTS] {
        let kernel = task.symbol;
        for (idx, operand) in task.operands.iter().enumerate() {
            let Operand { name, rows, cols, .. } = *operand;
            let good = Given::good(task, &host);
            let with = |change: &dyn Fn(&mut Shape<'_>)| {
                let mut given = good.clone();
                change(given.operand(idx));
                given.refused(task, &host)
            };

            let expected = operand.elements();
            let sizes = [expected + 1, expected - 1];
            for given in sizes.into_iter().filter(|elements| *elements > 0) {
                let error = with(&|shape| shape.elements = given);
                let operand = name;
                assert_eq!(error, Error::WrongElements { kernel, operand, given, expected, rows, cols });
            }

            for length in [N_PROBLEMS - 1, N_PROBLEMS + 1, 0] {
                let error = with(&|shape| shape.n_problems = length);
                // The first output is what the others are compared with; the first of those is named.
                let (operand, given, expected) =
                    if idx == 2 { ("a", N_PROBLEMS, length) } else { (name, length, N_PROBLEMS) };
                assert_eq!(error, Error::WrongLength { kernel, operand, given, expected });
            }

            let expected =
                if operand.element == ElementKind::Word { Layout::Contiguous } else { task.layout };
            let given = match expected {
                Layout::Contiguous => Layout::Interleaved,
                Layout::Interleaved => Layout::Contiguous,
            };
            let error = with(&|shape| shape.layout = given);
            assert_eq!(error, Error::WrongLayout { kernel, operand: name, given, expected });

            for other in &others {
                let mut elsewhere = Given::good(task, &host);
                elsewhere.operand(idx).device = other;
                let error = elsewhere.refused(task, &host);
                let (given, expected) = (other.name().to_owned(), host.name().to_owned());
                assert_eq!(error, Error::WrongDevice { kernel, operand: name, given, expected });
                // The device of the launch is the one that counts.
                let error = good.refused(task, other);
                let (given, expected) = (host.name().to_owned(), other.name().to_owned());
                assert_eq!(error, Error::WrongDevice { kernel, operand: "a", given, expected });
            }
        }
    }
}

#[test]
fn every_kind_of_argument_is_counted() {
    let device = Device::host();
    let good = Given::good(PIVOTS, &device);
    let kernel = PIVOTS.symbol;
    let refused = |given: &Given| given.refused(PIVOTS, &device);
    for n_inputs in [0, 1, 3] {
        let error = refused(&Given { n_inputs, ..good.clone() });
        let (kind, names) = (ArgumentKind::Input, vec!["a", "b"]);
        assert_eq!(error, Error::ArgumentCount { kernel, kind, given: n_inputs, names });
    }
    for n_outputs in [0, 1] {
        let error = refused(&Given { n_outputs, ..good.clone() });
        let (kind, names) = (ArgumentKind::Output, vec!["l", "x"]);
        assert_eq!(error, Error::ArgumentCount { kernel, kind, given: n_outputs, names });
    }
    for n_words in [0, 1] {
        let error = refused(&Given { n_words, ..good.clone() });
        let (kind, names) = (ArgumentKind::Word, vec!["status", "counts"]);
        assert_eq!(error, Error::ArgumentCount { kernel, kind, given: n_words, names });
    }
    for scalars in [vec![], vec![1.0, 2.0]] {
        let given = scalars.len();
        let error = refused(&Given { scalars, ..good.clone() });
        let (kind, names) = (ArgumentKind::Scalar, vec!["rho"]);
        assert_eq!(error, Error::ArgumentCount { kernel, kind, given, names });
    }
    let text = refused(&Given { n_words: 1, ..good }).to_string();
    assert!(
        text.contains("1 word operand(s) given") && text.contains("allowed: 2 (status, counts)"),
        "{text}"
    );
}

#[test]
fn more_outputs_and_words_than_the_task_has() {
    let device = Device::host();
    let batch = |elements| device.filled(elements, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
    let (a, x) = (batch(M * K), batch(K));
    let (mut y, mut z) = (batch(M), batch(M));
    let mut status = device.filled(1, N_PROBLEMS, Layout::Contiguous, 7u32).unwrap();
    let (kernel, scalars) = (TASK.symbol, [1.0, 0.0]);
    let inputs = &[&a, &x][..];
    let outputs = &mut [&mut y, &mut z][..];
    let operands = Operands { inputs, outputs, scalars: &scalars, ..Operands::default() };
    let error = launch(TASK, &device, operands).unwrap_err();
    let (kind, names) = (ArgumentKind::Output, vec!["y"]);
    assert_eq!(error, Error::ArgumentCount { kernel, kind, given: 2, names });
    let (outputs, words) = (&mut [&mut y][..], &mut [&mut status][..]);
    let operands = Operands { inputs, outputs, words, scalars: &scalars, ..Operands::default() };
    let error = launch(TASK, &device, operands).unwrap_err();
    let (kind, names) = (ArgumentKind::Word, vec![]);
    assert_eq!(error, Error::ArgumentCount { kernel, kind, given: 1, names });
    assert!(error.to_string().ends_with("allowed: 0"), "{error}");
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
    assert!(status.download().unwrap().iter().all(|word| *word == 7));
}

#[test]
fn an_empty_batch_is_checked_and_launches_nothing() {
    let device = Device::host();
    let mut given = Given::good(PIVOTS, &device);
    for idx in 0..PIVOTS.operands.len() {
        given.operand(idx).n_problems = 0;
    }
    assert_eq!(given.launch(PIVOTS, &device).0, Ok(()));
    given.scalars.clear();
    let error = given.refused(PIVOTS, &device);
    assert!(matches!(error, Error::ArgumentCount { kind: ArgumentKind::Scalar, .. }), "{error}");
}

#[test]
fn wrong_type() {
    let device = Device::host();
    let batch = |elements| device.filled(elements, N_PROBLEMS, Layout::Contiguous, 7.0f64).unwrap();
    let (a, x, mut y) = (batch(M * K), batch(K), batch(M));
    let error = launch(TASK, &device, plain(&[&a, &x], &mut [&mut y], &[1.0, 0.0])).unwrap_err();
    assert!(matches!(error, Error::WrongDType { .. }));
    let text = error.to_string();
    assert!(
        text.contains("f64 given") && text.contains("allowed: f32") && text.contains(TASK.symbol),
        "{text}"
    );
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
}

#[test]
fn wrong_variants() {
    static NO_HOST: Task = Task { choices: &[], ..pivots::PIVOTS_F32_CONTIGUOUS_TASK };
    let device = Device::host();
    let error = Given::good(&NO_HOST, &device).refused(&NO_HOST, &device);
    assert_eq!(error, Error::NoVariant { kernel: NO_HOST.symbol, target: Target::Host, available: vec![] });

    let batch = |elements| device.filled(elements, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
    let (a, x, mut y) = (batch(M * K), batch(K), batch(M));
    let mut launch = |variant_idx| {
        launch_variant(TASK, variant_idx, &device, plain(&[&a, &x], &mut [&mut y], &[0.0, 0.0]))
    };
    let error = launch(9).unwrap_err();
    assert_eq!(error, Error::VariantOutOfRange { kernel: TASK.symbol, given: 9, n_variants: 3 });
    let error = launch(1).unwrap_err();
    let variant = TASK.variants[1].symbol;
    assert_eq!(error, Error::VariantTarget { variant, given: Target::Cuda, expected: Target::Host });
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
    launch_variant(TASK, 0, &device, plain(&[&a, &x], &mut [&mut y], &[0.0, 0.0])).unwrap();
    assert!(y.download().unwrap().iter().all(|value| *value == 0.0));
}

#[test]
fn contradictory_tasks() {
    const X: Operand = sample::real("x", 1, 1, Access::In);
    const Y: Operand = Operand { name: "y", access: Access::Out, ..X };
    const WORD: Operand = Operand { name: "s", element: ElementKind::Word, ..Y };
    const TASK: Task = sample::GEMV_F32_CONTIGUOUS_TASK;
    static F64_ENTRY: [Variant; 1] = [sample::GEMV_F64_CONTIGUOUS_TASK.variants[0]];
    static ONE: Task = Task { operands: &[Y], scalars: &[], ..TASK };
    static WRONG_ENTRY: Task = Task { variants: &F64_ENTRY, ..ONE };
    static NO_OPERANDS: Task = Task { operands: &[], ..ONE };
    static NO_OUTPUT: Task = Task { operands: &[X], ..ONE };
    static LATE_INPUT: Task = Task { operands: &[Y, X], ..ONE };
    static LATE_OUTPUT: Task = Task { operands: &[WORD, Y], ..ONE };
    static READ_WORD: Task = Task { operands: &[Y, Operand { access: Access::InOut, ..WORD }], ..ONE };
    static FOUR_SCALARS: Task = Task { scalars: &["a", "b", "c", "d"], ..ONE };
    let device = Device::host();
    for (task, said) in [
        (&WRONG_ENTRY, "another type than f32"),
        (&NO_OPERANDS, "no operand is written"),
        (&NO_OUTPUT, "no operand is written"),
        (&LATE_INPUT, "operand `x` is out of order"),
        (&LATE_OUTPUT, "operand `y` is out of order"),
        (&READ_WORD, "operand `s` is out of order"),
        (&FOUR_SCALARS, "4 scalars"),
    ] {
        let mut y = device.filled(1, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
        let error = launch(task, &device, plain(&[], &mut [&mut y], &[])).unwrap_err();
        let Error::MalformedTask { message, .. } = &error else { panic!("{error}") };
        assert!(message.contains(said), "{message}");
        assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
    }
}

#[test]
fn more_operands_than_a_host_body_serves() {
    const X: Operand = sample::real("x", 1, 1, Access::In);
    const MOST: usize = glass_rt::host::MAX_OPERANDS;
    const OPERANDS: [Operand; MOST + 1] = {
        let mut operands = [X; MOST + 1];
        operands[MOST] = Operand { name: "y", access: Access::Out, ..X };
        operands
    };
    static TASK: Task = Task { operands: &OPERANDS, scalars: &[], ..sample::GEMV_F32_CONTIGUOUS_TASK };
    let device = Device::host();
    let x = device.filled(1, N_PROBLEMS, Layout::Contiguous, 1.0f32).unwrap();
    let mut y = device.filled(1, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
    let error = launch(&TASK, &device, plain(&[&x; MOST], &mut [&mut y], &[])).unwrap_err();
    let subject = format!("kernel `{}`", TASK.variants[0].symbol);
    let (required, available) = (MOST as u64 + 1, MOST as u64);
    assert_eq!(error, Error::Limit { subject, what: "operands", required, available });
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
}

#[test]
fn wrong_data() {
    let device = Device::host();
    let error = device.upload_slice(&[0.0f32; 7], 3, Layout::Contiguous).unwrap_err();
    let Error::DataLength { given: 7, allowed } = &error else { panic!("{error}") };
    assert!(allowed.contains("multiple of 3"));
    let error = device.upload_raw(&[0.0f32; 96], 3, 33, Layout::Interleaved).unwrap_err();
    let Error::DataLength { given: 96, allowed } = &error else { panic!("{error}") };
    assert!(allowed.contains("192"), "{allowed}");
    assert_eq!(device.upload::<f32, 0>(&[]).unwrap_err(), Error::NoElements);
    assert_eq!(device.filled(0, 5, Layout::Contiguous, 0.0f32).unwrap_err(), Error::NoElements);
    let error = device.upload_raw(&[0u32; 32], 1, 33, Layout::Contiguous).unwrap_err();
    assert!(matches!(error, Error::DataLength { given: 32, .. }), "{error}");
    let error = device.filled(usize::MAX / 8, 1000, Layout::Interleaved, 0.0f64).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    let error = device.filled(1 << 40, 1 << 10, Layout::Contiguous, 0.0f64).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn sizes_without_a_problem() {
    for device in Device::all().0 {
        for layout in [Layout::Contiguous, Layout::Interleaved] {
            // Too large for one problem: refused, although no problem is asked for.
            for elements in [usize::MAX, isize::MAX as usize / 4 + 1] {
                let error = device.upload_slice::<f32>(&[], elements, layout).unwrap_err();
                assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
                let error = device.filled(elements, 0, layout, 0.0f32).unwrap_err();
                assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            }
            // Multiples of these overflow; nothing has to be stored, so nothing may be multiplied.
            for elements in [1, 1 << 53, usize::MAX >> 8] {
                let empty =
                    [device.filled(elements, 0, layout, 0.0f32), device.upload_slice(&[], elements, layout)];
                for empty in empty {
                    let empty = empty.unwrap();
                    for to_layout in [Layout::Contiguous, Layout::Interleaved] {
                        let copy = empty.to_layout(to_layout).unwrap();
                        assert_eq!((copy.len(), copy.elements()), (0, elements));
                        assert!(copy.download().unwrap().is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn kernel_resources_are_a_matter_of_cuda() {
    let error = Device::host().kernel_resources(TASK, 0).unwrap_err();
    assert!(matches!(error, Error::Unavailable { target: Target::Host, .. }), "{error}");
}
