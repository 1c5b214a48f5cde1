//! Words that a kernel reads: where its body finds them, and every way a launch with them is refused.

mod sample;

use glass_rt::error::ArgumentKind;
use glass_rt::host::{self, Body, Lanes};
use glass_rt::kernel::{Access, Arch, Choice, Code, DType, ElementKind, Layout, Operand, Target, Task};
use glass_rt::{Device, Error, Operands, launch};
use std::ops::{Index, IndexMut};

/// Elements of the vectors, and words of each problem.
const N: usize = 3;

/// `y[e] = x[rows[e]]`, +0 where a word is no row; `seen` is the first word.
struct Gather;

impl Body for Gather {
    type Element = f32;

    #[inline(always)]
    fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], _scalars: &[f32])
    where
        V: Lanes<f32>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>,
        S: IndexMut<usize, Output = V::Words>,
    {
        let ([x], [y], [rows, seen]) = (inputs, outputs, words) else { unreachable!() };
        for element in 0..N {
            let mut found = V::splat(0.0);
            (0..N).for_each(|row| x[row].take_at(row as u32, &rows[element], &mut found));
            y[element] = found;
        }
        seen[0] = rows[0];
    }
}

const X: Operand = sample::real("x", N as u32, 1, Access::In);
const ROWS: Operand = Operand { name: "rows", element: ElementKind::Word, ..X };
const OPERANDS: &[Operand] = &[
    X,
    ROWS,
    Operand { name: "y", access: Access::Out, ..X },
    Operand { name: "seen", rows: 1, access: Access::Out, ..ROWS },
];

const TASK: Task = Task {
    symbol: "gather",
    dtype: DType::F32,
    layout: Layout::Contiguous,
    operands: OPERANDS,
    scalars: &[],
    variants: &[sample::variant("gather_host", Code::HostF32(host::entry::<Gather>))],
    choices: &[Choice {
        target: Target::Host,
        arch: Arch::Any,
        min_batch: 1,
        variant_idx: 0,
        reason: "only one",
    }],
};
static CONTIGUOUS: Task = TASK;
static INTERLEAVED: Task = Task { layout: Layout::Interleaved, ..TASK };

#[test]
fn a_body_finds_the_words_of_its_problems() {
    let device = Device::host();
    for task in [&CONTIGUOUS, &INTERLEAVED] {
        // The last size is large enough to be spread over the cores.
        for n_problems in [0, 1, 31, 32, 33, 100, 9001] {
            let x: Vec<f32> = (0..n_problems * N).map(|at| at as f32 + 1.0).collect();
            let rows: Vec<u32> = (0..n_problems * N).map(|at| [2, 0, 7, 1, u32::MAX, 1, 0][at % 7]).collect();
            let x_batch = device.upload_slice(&x, N, task.layout).unwrap();
            let rows_batch = device.upload_slice(&rows, N, Layout::Contiguous).unwrap();
            let mut y = device.filled(N, n_problems, task.layout, 7.0f32).unwrap();
            let mut seen = device.filled(1, n_problems, Layout::Contiguous, 7u32).unwrap();
            let operands = Operands {
                inputs: &[&x_batch],
                word_inputs: &[&rows_batch],
                outputs: &mut [&mut y],
                words: &mut [&mut seen],
                ..Operands::default()
            };
            launch(task, &device, operands).unwrap();
            let taken = |(at, row): (usize, &u32)| match *row as usize {
                row if row < N => x[at / N * N + row],
                _ => 0.0,
            };
            let wanted: Vec<f32> = rows.iter().enumerate().map(taken).collect();
            assert_eq!(y.download().unwrap(), wanted, "{n_problems} problems");
            let firsts: Vec<u32> = rows.iter().step_by(N).copied().collect();
            assert_eq!(seen.download().unwrap(), firsts, "{n_problems} problems");
            assert_eq!(rows_batch.download().unwrap(), rows);
        }
    }
}

/// The error of a launch whose words have this shape, which must not write.
fn refused(elements: usize, n_problems: usize, layout: Layout, n_given: usize) -> Error {
    const N_PROBLEMS: usize = 33;
    let device = Device::host();
    let x = device.filled(N, N_PROBLEMS, Layout::Contiguous, 1.0f32).unwrap();
    let rows = device.filled(elements, n_problems, layout, 0u32).unwrap();
    let mut y = device.filled(N, N_PROBLEMS, Layout::Contiguous, 7.0f32).unwrap();
    let mut seen = device.filled(1, N_PROBLEMS, Layout::Contiguous, 7u32).unwrap();
    let operands = Operands {
        inputs: &[&x],
        word_inputs: &[&rows, &rows][..n_given],
        outputs: &mut [&mut y],
        words: &mut [&mut seen],
        ..Operands::default()
    };
    let error = launch(&CONTIGUOUS, &device, operands).unwrap_err();
    assert!(y.download().unwrap().iter().all(|value| *value == 7.0));
    assert!(seen.download().unwrap().iter().all(|word| *word == 7));
    error
}

#[test]
fn wrong_words_are_refused() {
    let (kernel, operand) = ("gather", "rows");
    for given in [N - 1, N + 1] {
        let (expected, rows, cols) = (N, N as u32, 1);
        let error = refused(given, 33, Layout::Contiguous, 1);
        assert_eq!(error, Error::WrongElements { kernel, operand, given, expected, rows, cols });
    }
    for given in [32, 34, 0] {
        let error = refused(N, given, Layout::Contiguous, 1);
        assert_eq!(error, Error::WrongLength { kernel, operand, given, expected: 33 });
    }
    let (given, expected) = (Layout::Interleaved, Layout::Contiguous);
    assert_eq!(refused(N, 33, given, 1), Error::WrongLayout { kernel, operand, given, expected });
    for given in [0, 2] {
        let (kind, names) = (ArgumentKind::WordInput, vec![operand]);
        let error = refused(N, 33, Layout::Contiguous, given);
        assert!(error.to_string().contains(&format!("{given} word input(s) given")), "{error}");
        assert_eq!(error, Error::ArgumentCount { kernel, kind, given, names });
    }
}
