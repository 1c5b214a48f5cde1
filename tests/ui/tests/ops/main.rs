//! Every op on the host, in both dtypes and layouts. The data are whole numbers and factors with powers of two on the
//! diagonal, so that no operation rounds and results are compared exactly.

mod factors;
mod matrix;
mod products;
mod vectors;

use glass::rt::Real;
use glass::rt::kernel::{Access, Operand};
use glass::{Device, Kernel, Operands};
use matrix::Matrix;

/// Not a multiple of a tile.
const N_PROBLEMS: usize = 37;

/// Which problem of a batch is spoilt, where the op can fail: it has neighbours in its tile.
const BAD: usize = 5;

/// One problem with its answer.
struct Problem {
    inputs: Vec<Matrix>,
    /// Results with their old values and what they become. `None` stands for a poisoned old value, or for an answer
    /// that nobody may rely on.
    outputs: Vec<(Option<Matrix>, Option<Matrix>)>,
    /// The words it is given, then those it leaves, operand by operand.
    words: Vec<Vec<u32>>,
}

impl Problem {
    /// A problem with one result that is overwritten.
    fn overwriting(inputs: impl Into<Vec<Matrix>>, result: Matrix) -> Problem {
        Problem { inputs: inputs.into(), outputs: vec![(None, Some(result))], words: Vec::new() }
    }

    /// A problem that succeeds, or that is spoilt and fails at its first pivot.
    fn checked(inputs: impl Into<Vec<Matrix>>, result: Matrix, is_bad: bool) -> Problem {
        let result = (!is_bad).then_some(result);
        Problem { inputs: inputs.into(), outputs: vec![(None, result)], words: vec![vec![u32::from(is_bad)]] }
    }
}

/// Element types by what a reference in f64 needs.
trait FromReference: Real {
    fn from_reference(value: f64) -> Self;
}

impl FromReference for f32 {
    fn from_reference(value: f64) -> f32 {
        value as f32
    }
}

impl FromReference for f64 {
    fn from_reference(value: f64) -> f64 {
        value
    }
}

/// Runs a batch of problems and compares every element.
fn check<K: Kernel>(scalars: &[f64], problem: impl Fn(usize) -> Problem)
where
    K::Element: FromReference + PartialEq,
{
    let device = Device::host();
    let task = K::TASK;
    let problems: Vec<_> = (0..N_PROBLEMS).map(problem).collect();
    let upload = |values: Vec<f64>, elements: usize| {
        let values: Vec<_> = values.into_iter().map(K::Element::from_reference).collect();
        assert_eq!(values.len(), N_PROBLEMS * elements, "{}: a problem has another shape", task.symbol);
        device.upload_slice(&values, elements, task.layout).expect("uploaded")
    };
    let inputs: Vec<_> = (task.inputs().iter().enumerate())
        .map(|(idx, operand)| {
            let values = problems.iter().flat_map(|problem| problem.inputs[idx].data.clone());
            upload(values.collect(), operand.elements())
        })
        .collect();
    let mut outputs: Vec<_> = (task.outputs().iter().enumerate())
        .map(|(idx, operand)| {
            let old = |problem: &Problem| match &problem.outputs[idx].0 {
                Some(old) => old.data.clone(),
                None => {
                    assert_eq!(operand.access, Access::Out, "{}: `{}` is read", task.symbol, operand.name);
                    vec![f64::NAN; operand.elements()]
                }
            };
            upload(problems.iter().flat_map(old).collect(), operand.elements())
        })
        .collect();
    let n_given = task.word_inputs().len();
    let expected_words = |idx: usize| -> Vec<u32> {
        problems.iter().flat_map(|problem: &Problem| problem.words[idx].clone()).collect()
    };
    let upload_words = |words: &[u32], operand: &Operand| {
        device.upload_slice(words, operand.elements(), glass::Layout::Contiguous).expect("uploaded")
    };
    let word_inputs: Vec<_> = (task.word_inputs().iter().enumerate())
        .map(|(idx, operand)| upload_words(&expected_words(idx), operand))
        .collect();
    let mut words: Vec<_> = (task.words().iter())
        .map(|operand| upload_words(&vec![7; N_PROBLEMS * operand.elements()], operand))
        .collect();
    let scalars: Vec<_> = scalars.iter().map(|scalar| K::Element::from_reference(*scalar)).collect();
    let operands = Operands {
        inputs: &inputs.iter().collect::<Vec<_>>(),
        word_inputs: &word_inputs.iter().collect::<Vec<_>>(),
        outputs: &mut outputs.iter_mut().collect::<Vec<_>>(),
        words: &mut words.iter_mut().collect::<Vec<_>>(),
        scalars: &scalars,
    };
    glass::launch(task, &device, operands).expect("launched");

    for (idx, (batch, operand)) in outputs.iter().zip(task.outputs()).enumerate() {
        let results = batch.download().expect("downloaded");
        for (problem_idx, results) in results.chunks(operand.elements()).enumerate() {
            let Some(expected) = &problems[problem_idx].outputs[idx].1 else { continue };
            let expected: Vec<_> = expected.data.iter().copied().map(K::Element::from_reference).collect();
            assert_eq!(results, expected, "{}, `{}`, problem {problem_idx}", task.symbol, operand.name);
        }
    }
    for (idx, batch) in word_inputs.iter().chain(&words).enumerate() {
        assert_eq!(batch.download().expect("downloaded"), expected_words(idx), "{}", task.symbol);
    }
    assert_eq!(problems[0].words.len(), n_given + words.len(), "{}", task.symbol);
}

/// A test of one attribute in both dtypes and layouts.
macro_rules! op {
    ($test:ident: $notation:ident($($fields:tt)*), $scalars:expr, $problem:expr) => {
        #[test]
        fn $test() {
            #[glass::$notation($($fields)*)]
            struct Single;
            #[glass::$notation($($fields)*, layout = interleaved)]
            struct SingleInterleaved;
            #[glass::$notation($($fields)*, dtype = f64)]
            struct Double;
            #[glass::$notation($($fields)*, dtype = f64, layout = interleaved)]
            struct DoubleInterleaved;
            $crate::check::<Single>(&$scalars, $problem);
            $crate::check::<SingleInterleaved>(&$scalars, $problem);
            $crate::check::<Double>(&$scalars, $problem);
            $crate::check::<DoubleInterleaved>(&$scalars, $problem);
        }
    };
}
use op;
