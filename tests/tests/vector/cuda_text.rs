//! Does the CUDA text of every vector operation compute its equations' bits? Executed on the CPU, thread by thread.

use crate::examples::{Data, Direction, Distance, Example, Product, Residual, Scalars};
use crate::graph::levels;
use glass::rt::kernel::{Code, Target};
use glass::rt::reduction::ReductionKernel;
use glass::rt::vector_op::{OperandKind, VectorCode, VectorVariant};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Launch, Process, Program, Unit};
use std::path::PathBuf;

const NONE: u32 = u32::MAX;

/// Elements before every vector, such that four may not be taken at once.
const UNALIGNED: usize = 3;
/// The same, such that they may.
const ALIGNED: usize = 4;

#[test]
fn the_text_computes_the_bits_of_the_equations() {
    let Some(compiler) = compiler_for("CUDA text of vector operations on the CPU") else { return };
    let units = [
        units::<Residual>(),
        units::<Product>(),
        units::<Direction>(),
        units::<Distance>(),
        units::<Scalars>(),
    ];
    let units = units.concat();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vector-text");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    let mut process = program.start().expect("it has been compiled");
    check::<Residual>(&mut process);
    check::<Product>(&mut process);
    check::<Direction>(&mut process);
    check::<Distance>(&mut process);
    check::<Scalars>(&mut process);
}

/// One for every shape.
fn variants<K: Example>() -> impl Iterator<Item = (&'static VectorVariant, &'static ReductionKernel)> {
    let found = K::TASK.variants.iter().filter(|variant| variant.target() == Target::Cuda);
    found.map(|variant| match &variant.code {
        VectorCode::OneLaunch(kernel) => (variant, kernel),
        _ => panic!("CUDA has one launch"),
    })
}

fn units<K: Example>() -> Vec<Unit> {
    let unit = |(_, kernel): (_, &ReductionKernel)| {
        let Code::Cuda { source, .. } = kernel.code else { panic!("no CUDA") };
        let file_name = format!("{}.cu", kernel.symbol);
        Unit { file_name, text: source.to_owned(), kernels: vec![kernel.symbol.to_owned()] }
    };
    variants::<K>().map(unit).collect()
}

/// Launches on lengths around the edges of a chunk, with every kind of gate.
fn check<K: Example>(process: &mut Process) {
    variants::<K>().for_each(|(variant, kernel)| check_variant::<K>(process, variant, kernel));
}

fn check_variant<K: Example>(process: &mut Process, variant: &VectorVariant, kernel: &ReductionKernel) {
    let chunk = (variant.threads * variant.elements_per_thread) as usize;
    for n in [1, 31, chunk - 1, chunk, chunk + 1, 5 * chunk + 7] {
        let n = n.max(1);
        let data = K::data(n);
        let (expected, _) = K::expected(&data, &levels(variant));
        let n_scalars = data.words.len() as u32;
        // Behind the scalars: a gate that is on, one that is off, a word to clear.
        for (gate, is_on) in [(NONE, true), (n_scalars, true), (n_scalars + 1, false)] {
            for (cleared, start) in [(NONE, UNALIGNED), (n_scalars + 2, ALIGNED), (NONE, ALIGNED)] {
                let found = launch::<K>(process, kernel, variant, (&data, start), [gate, cleared]);
                let wanted = if is_on { &expected } else { &data };
                let at = format!("{}, {n} elements, gate {gate}", kernel.symbol);
                for (position, (found, wanted)) in found.vectors.iter().zip(&wanted.vectors).enumerate() {
                    assert_eq!(bits(found), bits(wanted), "{at}: vector {position}");
                }
                assert_eq!(found.words[..n_scalars as usize], wanted.words, "{at}: scalars");
                let kept = if cleared == NONE { 5 } else { 0 };
                assert_eq!(
                    found.words[n_scalars as usize..],
                    [1, 0, kept],
                    "{at}: gates and the cleared word"
                );
            }
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn launch<K: Example>(
    process: &mut Process,
    kernel: &ReductionKernel,
    variant: &VectorVariant,
    (data, start): (&Data, usize),
    [gate, cleared]: [u32; 2],
) -> Data {
    let (mut operands, mut signature, mut starts, mut places) =
        (Vec::new(), String::new(), Vec::new(), Vec::new());
    let mut vectors = data.vectors.iter();
    for operand in K::TASK.operands {
        if operand.kind == OperandKind::Matrix {
            let matrix = data.matrix.as_ref().expect("there is one");
            operands.push(bytes(matrix.offsets.iter().copied()));
            // No entry at all is still a buffer.
            operands.push(bytes(matrix.columns.iter().copied().chain([0])));
            operands.push(bytes(matrix.values.iter().map(|value| value.to_bits()).chain([0])));
            signature += "uuf";
            continue;
        }
        let elements = vectors.next().expect("a vector for each operand");
        places.push(operands.len());
        let margin = vec![7; start];
        operands.push(bytes(margin.into_iter().chain(elements.iter().map(|value| value.to_bits()))));
        signature.push(if operand.kind.is_written() { 'F' } else { 'f' });
        starts.push(start as u64);
    }
    let chunk = variant.threads * variant.elements_per_thread;
    let n_groups = (data.n as u32).div_ceil(chunk);
    if K::TASK.n_sums > 0 {
        operands.push(bytes(vec![0; 2 * (K::TASK.n_sums * n_groups) as usize]));
        signature.push('L');
    }
    let arena_at = operands.len();
    operands.push(bytes(data.words.iter().copied().chain([1, 0, 5])));
    signature.push('U');
    let slots = (0..data.words.len()).map(|slot| slot as u64);
    let numbers = [n_groups, gate, cleared].map(u64::from);
    let scalars: Vec<u64> = numbers.into_iter().chain(starts).chain(slots).collect();
    signature += &"n".repeat(scalars.len() + 1);
    let after = process
        .run(&Launch {
            symbol: kernel.symbol,
            signature: &signature,
            // More blocks than there are groups: the grid of a launch may be larger.
            n_blocks: n_groups + 1,
            n_threads: variant.threads,
            shared_bytes: 0,
            n_problems: data.n as u32,
            scalars: &scalars,
            operands: &operands,
        })
        .unwrap_or_else(|fault| panic!("{}: {fault}", kernel.symbol));
    if K::TASK.n_sums > 0 {
        assert_eq!(after[arena_at - 1], operands[arena_at - 1], "{}: handed over for good", kernel.symbol);
    }
    let vectors = places.iter().map(|place| {
        let found = words(&after[*place]);
        assert_eq!(found[..start], vec![7; start], "{}: before a vector", kernel.symbol);
        found[start..].iter().map(|word| f32::from_bits(*word)).collect()
    });
    Data { vectors: vectors.collect(), words: words(&after[arena_at]), ..data.clone() }
}
