//! Every way a launch is refused: the error names what was wrong, nothing runs and nothing is written.

mod sample;

use glass_rt::kernel::{Layout, Scalars, Target, Task, Variant};
use glass_rt::{Batch, Device, Element, Error, launch, launch_variant};
use sample::{K, M};

const N_PROBLEMS: usize = 33;
static TASK: &Task = &sample::GEMV_F32_CONTIGUOUS;

fn scalars<T: Element>() -> Scalars<T> {
    Scalars { alpha: T::default(), beta: T::default() }
}

fn batch<T: Element>(device: &Device, elements: usize, n_problems: usize, layout: Layout) -> Batch<T> {
    device.filled(elements, n_problems, layout, T::default()).unwrap()
}

/// Launches with an output full of sevens and expects them untouched.
fn refused<T: Element + PartialEq + From<u8>>(
    task: &'static Task,
    device: &Device,
    inputs: &[&Batch<T>],
    (elements, n_problems, layout): (usize, usize, Layout),
) -> Error {
    let mut output = Device::host().filled(elements, n_problems, layout, T::from(7)).unwrap();
    let error = launch(task, device, inputs, &mut output, scalars()).unwrap_err();
    assert!(output.download_raw().unwrap().iter().all(|value| *value == T::from(7)), "written after {error}");
    println!("{error}\n");
    error
}

const GOOD_OUTPUT: (usize, usize, Layout) = (M, N_PROBLEMS, Layout::Contiguous);

#[test]
fn a_good_launch_is_not_refused() {
    let device = Device::host();
    let a = batch::<f32>(&device, M * K, N_PROBLEMS, Layout::Contiguous);
    let x = batch(&device, K, N_PROBLEMS, Layout::Contiguous);
    let mut y = batch(&device, M, N_PROBLEMS, Layout::Contiguous);
    launch(TASK, &device, &[&a, &x], &mut y, scalars()).unwrap();
    launch_variant(TASK, 0, &device, &[&a, &x], &mut y, scalars()).unwrap();
}

#[test]
fn wrong_operands() {
    let device = Device::host();
    let layout = Layout::Contiguous;
    let a = batch::<f32>(&device, M * K, N_PROBLEMS, layout);
    let x = batch(&device, K, N_PROBLEMS, layout);
    let kernel = TASK.symbol;

    let error = refused(TASK, &device, &[&a], GOOD_OUTPUT);
    assert_eq!(error, Error::OperandCount { kernel, given: 1, expected: 2 });
    let error = refused(TASK, &device, &[&a, &x, &x], GOOD_OUTPUT);
    assert_eq!(error, Error::OperandCount { kernel, given: 3, expected: 2 });

    let error = refused(TASK, &device, &[&x, &x], GOOD_OUTPUT);
    let (rows, cols) = (M as u32, K as u32);
    assert_eq!(error, Error::WrongElements { kernel, operand: "a", given: K, expected: M * K, rows, cols });
    let error = refused(TASK, &device, &[&a, &x], (M + 1, N_PROBLEMS, layout));
    let wanted =
        Error::WrongElements { kernel, operand: "y", given: M + 1, expected: M, rows: M as u32, cols: 1 };
    assert_eq!(error, wanted);

    let short = batch(&device, K, N_PROBLEMS - 1, layout);
    let error = refused(TASK, &device, &[&a, &short], GOOD_OUTPUT);
    assert_eq!(
        error,
        Error::WrongLength { kernel, operand: "x", given: N_PROBLEMS - 1, expected: N_PROBLEMS }
    );
    // An empty output is no excuse: lengths are checked first.
    let error = refused(TASK, &device, &[&a, &x], (M, 0, layout));
    assert_eq!(error, Error::WrongLength { kernel, operand: "a", given: N_PROBLEMS, expected: 0 });

    let (given, expected) = (Layout::Interleaved, layout);
    let tiled = batch(&device, K, N_PROBLEMS, Layout::Interleaved);
    let error = refused(TASK, &device, &[&a, &tiled], GOOD_OUTPUT);
    assert_eq!(error, Error::WrongLayout { kernel, operand: "x", given, expected });
    let error = refused(TASK, &device, &[&a, &x], (M, N_PROBLEMS, Layout::Interleaved));
    assert_eq!(error, Error::WrongLayout { kernel, operand: "y", given, expected });
}

#[test]
fn wrong_type() {
    let device = Device::host();
    let a = batch::<f64>(&device, M * K, N_PROBLEMS, Layout::Contiguous);
    let x = batch(&device, K, N_PROBLEMS, Layout::Contiguous);
    let error = refused(TASK, &device, &[&a, &x], GOOD_OUTPUT);
    assert!(matches!(error, Error::WrongDType { .. }));
    let text = error.to_string();
    assert!(
        text.contains("f64 given") && text.contains("allowed: f32") && text.contains(TASK.symbol),
        "{text}"
    );
}

#[test]
fn a_batch_of_another_device() {
    let (devices, _) = Device::all();
    let [other, host] = &devices[..] else {
        println!("skipped: needs exactly one device beside the host, {} found", devices.len() - 1);
        return;
    };
    let a = batch::<f32>(host, M * K, N_PROBLEMS, Layout::Contiguous);
    let x = batch(other, K, N_PROBLEMS, Layout::Contiguous);
    let error = refused(TASK, host, &[&a, &x], GOOD_OUTPUT);
    let (given, expected) = (other.name().to_owned(), host.name().to_owned());
    assert_eq!(error, Error::WrongDevice { kernel: TASK.symbol, operand: "x", given, expected });
    // The device of the launch is the one that counts, also for the output.
    let error = refused(TASK, other, &[&x.to_layout(Layout::Contiguous).unwrap(), &x], GOOD_OUTPUT);
    assert!(matches!(error, Error::WrongElements { .. }));
}

#[test]
fn wrong_variants() {
    static NO_HOST: Task = Task { choices: &[], ..sample::GEMV_F32_CONTIGUOUS_TASK };
    let device = Device::host();
    let a = batch::<f32>(&device, M * K, N_PROBLEMS, Layout::Contiguous);
    let x = batch(&device, K, N_PROBLEMS, Layout::Contiguous);
    let error = refused(&NO_HOST, &device, &[&a, &x], GOOD_OUTPUT);
    assert_eq!(error, Error::NoVariant { kernel: NO_HOST.symbol, target: Target::Host, available: vec![] });

    let mut y = device.filled(M, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
    let error = launch_variant(TASK, 9, &device, &[&a, &x], &mut y, scalars()).unwrap_err();
    assert_eq!(error, Error::VariantOutOfRange { kernel: TASK.symbol, given: 9, n_variants: 3 });
    let error = launch_variant(TASK, 1, &device, &[&a, &x], &mut y, scalars()).unwrap_err();
    let variant = TASK.variants[1].symbol;
    assert_eq!(error, Error::VariantTarget { variant, given: Target::Cuda, expected: Target::Host });
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
}

#[test]
fn contradictory_tasks() {
    static NO_OPERANDS: Task = Task { operands: &[], ..sample::GEMV_F32_CONTIGUOUS_TASK };
    static NO_OUTPUT: Task = Task {
        operands: &[sample::GEMV_F32_CONTIGUOUS_TASK.operands[0]],
        ..sample::GEMV_F32_CONTIGUOUS_TASK
    };
    static F64_ENTRY: [Variant; 1] = [sample::GEMV_F64_CONTIGUOUS_TASK.variants[0]];
    static WRONG_ENTRY: Task = Task { variants: &F64_ENTRY, ..sample::GEMV_F32_CONTIGUOUS_TASK };
    let device = Device::host();
    let a = batch::<f32>(&device, M * K, N_PROBLEMS, Layout::Contiguous);
    let x = batch(&device, K, N_PROBLEMS, Layout::Contiguous);
    let inputs: [(&'static Task, Vec<&Batch<f32>>); 3] =
        [(&NO_OPERANDS, vec![]), (&NO_OUTPUT, vec![]), (&WRONG_ENTRY, vec![&a, &x])];
    for (task, inputs) in inputs {
        let error = refused(task, &device, &inputs, GOOD_OUTPUT);
        assert!(matches!(error, Error::MalformedTask { .. }), "{error}");
    }
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
