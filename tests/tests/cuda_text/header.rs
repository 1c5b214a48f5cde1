//! Device functions in somebody else's kernel: a C++ file that includes an emitted header compiles, runs, and computes
//! the bits of the same ops one after the other.

use glass_codegen::Builder;
use glass_codegen::spec::DType;
use glass_oracle::image::{bytes, values};
use glass_oracle::{Flavour, Form, Real, bits};
use glass_tests::attribute::{fields, spec};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Launch, Program, Unit};
use glass_tests::task;
use std::path::PathBuf;

const TASKS: [&str; 3] = ["potrf n=7", "trsm n=7 nrhs=3", "gemv_strided m=6 n=6 lda=7"];

const TREE: &str = "gemv m=5 n=33 form=reduced lanes_per_output=8";

const N_PROBLEMS: usize = 33;

/// Entry points with threads and problems of a block.
const PIPELINES: [(&str, u32, usize); 4] =
    [("by_threads", 32, 32), ("by_warps", 64, 2), ("by_blocks", 64, 1), ("by_groups", 64, 1)];
const TREES: [(&str, u32, usize); 3] =
    [("trees_by_warps", 64, 2), ("trees_by_blocks", 64, 1), ("trees_by_groups", 64, 1)];

#[test]
fn a_kernel_that_includes_f32_functions_computes_their_bits() {
    check::<f32>(DType::F32, include_str!("header.cu"), ("fffFFFUn", "ffFn"));
}

#[test]
fn a_kernel_that_includes_f64_functions_computes_their_bits() {
    let text = include_str!("header.cu").replace("float", "double").replace("f32", "f64");
    check::<f64>(DType::F64, &text, ("dddDDDUn", "ddDn"));
}

fn check<T: Real>(dtype: DType, text: &str, signatures: (&str, &str)) {
    let Some(compiler) = compiler_for("a C++ kernel with emitted functions on the CPU") else { return };
    let mut builder = Builder::new("dynamics");
    for line in TASKS.into_iter().chain([TREE]) {
        let mut fields = fields(line);
        fields.dtype = Some(dtype.as_str().to_owned());
        builder = builder.task(line, fields);
    }
    let header = builder.device_functions().expect("valid tasks");
    let kernels = PIPELINES.iter().chain(&TREES).map(|(symbol, ..)| (*symbol).to_owned()).collect();
    let unit = Unit { file_name: "header.cu".to_owned(), text: text.to_owned(), kernels };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cuda-text-{}", dtype.as_str()));
    let program = Program::build(&compiler, &folder, &[(&header.file_name, &header.text)], &[unit])
        .unwrap_or_else(|complaint| panic!("{complaint}"));
    let mut process = program.start().expect("it has been compiled");
    let mut run =
        |(symbol, n_threads, problems_per_block): (&str, u32, usize), signature, operands: &[Vec<u8>]| {
            let launch = Launch {
                symbol,
                signature,
                n_blocks: N_PROBLEMS.div_ceil(problems_per_block) as u32,
                n_threads,
                shared_bytes: 0,
                n_problems: N_PROBLEMS as u32,
                scalars: &[],
                operands,
            };
            process.run(&launch).unwrap_or_else(|fault| panic!("{symbol}: {fault}"))
        };
    let poison = |elements: usize| vec![0xff; elements * N_PROBLEMS * T::HEX_DIGITS / 2];

    let pipeline = Pipeline::<T>::new(dtype);
    for kernel in PIPELINES {
        let given = [&pipeline.a, &pipeline.b, &pipeline.v].map(|values| bytes(values));
        let written = [poison(49), poison(21), poison(6), vec![0xff; 4 * N_PROBLEMS]];
        let results = run(kernel, signatures.0, &[&given[..], &written].concat());
        let expected = [("L", &pipeline.l, 49), ("X", &pipeline.x, 21), ("Y", &pipeline.y, 6)];
        for ((name, expected, elements), result) in expected.into_iter().zip(&results[3..6]) {
            bits::compare(expected, &values::<T>(result), elements)
                .unwrap_or_else(|difference| panic!("{}, {name}: {difference}", kernel.0));
        }
        let status: Vec<_> = pipeline.status.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(results[6], status, "{}", kernel.0);
    }
    assert!(pipeline.status.contains(&0) && pipeline.status.iter().any(|word| *word != 0));

    let tree = task::of(&spec(TREE, dtype));
    let cases = tree.batch::<T>(N_PROBLEMS, &[]);
    let form = Form::Reduced { lanes_per_output: 8 };
    let expected: Vec<_> = cases.iter().flat_map(|case| tree.result(form, case).outputs[0].clone()).collect();
    let input =
        |idx: usize| bytes(&cases.iter().flat_map(|case| case.inputs[idx].clone()).collect::<Vec<_>>());
    for kernel in TREES {
        let results = run(kernel, signatures.1, &[input(0), input(1), poison(5)]);
        bits::compare(&expected, &values::<T>(&results[2]), 5)
            .unwrap_or_else(|difference| panic!("{}: {difference}", kernel.0));
    }
}

/// What goes in and what has to come out, problem after problem.
#[derive(Default)]
struct Pipeline<T> {
    a: Vec<T>,
    b: Vec<T>,
    v: Vec<T>,
    l: Vec<T>,
    x: Vec<T>,
    y: Vec<T>,
    status: Vec<u32>,
}

impl<T: Real> Pipeline<T> {
    fn new(dtype: DType) -> Self {
        let [factor, solve, multiply] = TASKS.map(|line| task::of(&spec(line, dtype)));
        let mut all = Self::default();
        for (idx, before) in factor.batch::<T>(N_PROBLEMS, &[]).into_iter().enumerate() {
            let factored = factor.result(Form::Serial, &before);
            let mut right = solve.case::<T>(idx as u64, Flavour::Mixed, &[]);
            right.inputs[0].clone_from(&factored.outputs[0]);
            let mut vector = multiply.case::<T>(idx as u64, Flavour::Mixed, &[]);
            let block = vector.inputs[0].len();
            vector.inputs[0].copy_from_slice(&factored.outputs[0][..block]);
            all.a.extend(&before.inputs[0]);
            all.b.extend(&right.inputs[1]);
            all.v.extend(&vector.inputs[1]);
            all.l.extend(&factored.outputs[0]);
            all.x.extend(&solve.result(Form::Serial, &right).outputs[0]);
            all.y.extend(&multiply.result(Form::Serial, &vector).outputs[0]);
            all.status.push(factored.words[0][0]);
        }
        all
    }
}
