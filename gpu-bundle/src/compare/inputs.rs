//! The problems of one cell in one round: the same for both variants and every peer, other ones in every round.

use super::declaration::Cell;
use super::gate::{fraction, worst};
use super::shape::Shape;
use crate::digest::sha256;
use crate::kernel_id::Generated;
use crate::problems::{Pool, Problems};
use glass_codegen::spec::DType;
use glass_oracle::{Element, Flavour, Real, Role, image};

/// Distinct problems of a round.
const N_PROBLEMS: usize = 512;

/// What the declaration's conditions mean: about 20, and 1e4, in turn.
const FLAVOURS: &[Flavour] = &[Flavour::Mixed, Flavour::Hard];

/// Products take numbers of both signs over six decades.
const PRODUCT_FLAVOURS: &[Flavour] = &[Flavour::Mixed];

/// Problems behind an element type.
pub(super) struct Inputs {
    /// The pool's part of every argument of our kernel before a launch.
    pub(super) own: Vec<Vec<u8>>,
    /// What a peer gets, contiguous and column-major: A, symmetric in full, and B or b.
    pub(super) peer: Vec<Vec<u8>>,
    pub(super) sha256: String,
    /// Elements that our kernel writes in one problem.
    pub(super) n_outputs: u64,
    problems: Box<dyn Judge>,
}

/// Compares results with exact ones.
trait Judge: Send + Sync {
    /// One argument of our kernel, of the whole batch, as stored: the bits of the oracle.
    fn own_bits(&self, argument_idx: usize, bytes: &[u8]) -> Result<(), String>;
    /// The largest error of those bits.
    fn own_worst(&self) -> f64;
    /// The largest error of a peer's whole batch, and the elements that it left at NaN.
    fn peer_worst(&self, bytes: &[u8], is_upper: bool) -> (f64, u64);
}

struct Judged<T> {
    shape: Shape,
    problems: Problems<T>,
}

impl Inputs {
    /// Draws the problems of a round. `generated` may be any variant of the cell: the draw depends on the task alone.
    pub(super) fn draw(cell: &Cell, shape: Shape, generated: &Generated, seed: u64, round: u64) -> Inputs {
        let first = u64::from_str_radix(&sha256(format!("{seed} {} {round}", cell.id))[..12], 16)
            .expect("a digest is hexadecimal");
        let flavours = if matches!(shape, Shape::Gemm { .. }) { PRODUCT_FLAVOURS } else { FLAVOURS };
        let pool = Pool { n_problems: N_PROBLEMS, first, flavours };
        match generated.spec.dtype {
            DType::F32 => Inputs::of(shape, Problems::<f32>::new(generated, &[], pool)),
            DType::F64 => Inputs::of(shape, Problems::<f64>::new(generated, &[], pool)),
        }
    }

    fn of<T: Real + glass_rt::Real>(shape: Shape, problems: Problems<T>) -> Inputs {
        let operands = problems.task.operands();
        let n_inputs = operands.iter().filter(|operand| operand.role == Role::In).count();
        let plain = |input_idx: usize| {
            let numbers =
                problems.cases.iter().flat_map(|case| whole(shape, input_idx, &case.inputs[input_idx]));
            image::bytes(&numbers.collect::<Vec<T>>())
        };
        let peer: Vec<Vec<u8>> = (0..n_inputs).map(plain).collect();
        let mut n_outputs = 0;
        let reals =
            operands.iter().filter(|operand| operand.element == Element::Real && operand.role != Role::In);
        for (output_idx, operand) in reals.enumerate() {
            n_outputs += (0..operand.elements).filter(|at| problems.task.is_written(output_idx, *at)).count();
        }
        let words = operands.iter().filter(|operand| operand.element == Element::Word);
        n_outputs += words.map(|operand| operand.elements).sum::<usize>();
        Inputs {
            own: problems.before.clone(),
            sha256: sha256(peer.concat()),
            peer,
            n_outputs: n_outputs as u64,
            problems: Box::new(Judged { shape, problems }),
        }
    }

    pub(super) fn own_bits(&self, argument_idx: usize, bytes: &[u8]) -> Result<(), String> {
        self.problems.own_bits(argument_idx, bytes)
    }

    pub(super) fn own_worst(&self) -> f64 {
        self.problems.own_worst()
    }

    pub(super) fn peer_worst(&self, bytes: &[u8], is_upper: bool) -> (f64, u64) {
        self.problems.peer_worst(bytes, is_upper)
    }
}

/// An input as a library takes it: what the task keeps in one triangle stands in both.
fn whole<T: Real>(shape: Shape, input_idx: usize, numbers: &[T]) -> Vec<T> {
    match shape {
        Shape::Potrf { n } | Shape::Posv { n, .. } if input_idx == 0 => {
            (0..n * n).map(|at| numbers[(at % n).max(at / n) + (at % n).min(at / n) * n]).collect()
        }
        _ => numbers.to_vec(),
    }
}

impl<T: Real + glass_rt::Real> Judged<T> {
    fn exact_inputs(&self, problem_idx: usize) -> Vec<Vec<f64>> {
        let inputs = &self.problems.cases[problem_idx].inputs;
        inputs.iter().map(|input| input.iter().map(|value| Real::to_f64(*value)).collect()).collect()
    }

    fn fraction(&self, problem_idx: usize, output: &[f64]) -> f64 {
        fraction(self.shape, T::UNIT_ROUNDOFF, &self.exact_inputs(problem_idx), output)
    }
}

impl<T: Real + glass_rt::Real> Judge for Judged<T> {
    fn own_bits(&self, argument_idx: usize, bytes: &[u8]) -> Result<(), String> {
        self.problems.compare(argument_idx, bytes)
    }

    fn own_worst(&self) -> f64 {
        worst(self.problems.results.iter().enumerate().map(|(idx, result)| {
            self.fraction(
                idx,
                &result.outputs[0].iter().map(|value| Real::to_f64(*value)).collect::<Vec<_>>(),
            )
        }))
    }

    fn peer_worst(&self, bytes: &[u8], is_upper: bool) -> (f64, u64) {
        let elements = match self.shape {
            Shape::Gemm { m, n, .. } => m * n,
            Shape::Potrf { n } => n * n,
            Shape::Posv { n, nrhs } => n * nrhs,
        };
        let n_bytes = elements * T::HEX_DIGITS / 2;
        let n_pool = self.problems.cases.len();
        let (pool, _) = bytes.split_at(bytes.len().min(n_pool * n_bytes));
        let (mut largest, mut n_nan) = (0.0f64, 0);
        for (idx, output) in bytes.chunks_exact(n_bytes).enumerate() {
            let problem_idx = idx % n_pool;
            // The same bits for the same problem have the same error.
            if idx >= n_pool && output == &pool[problem_idx * n_bytes..][..n_bytes] {
                continue;
            }
            let numbers: Vec<f64> = image::values::<T>(output).into_iter().map(Real::to_f64).collect();
            let numbers = match self.shape {
                Shape::Potrf { n } if is_upper => (0..n * n).map(|at| numbers[at / n + at % n * n]).collect(),
                _ => numbers,
            };
            n_nan += numbers.iter().filter(|number| number.is_nan()).count() as u64;
            largest = worst([largest, self.fraction(problem_idx, &numbers)].into_iter());
        }
        (largest, n_nan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::declare;
    use super::*;
    use crate::kernel_id::KernelId;

    const LIST: &str = "rounds = 4\nsamples = 3\nsample_us = 10\nwarmup_ms = 1\nseed = 1\nnot_claimed = []\n";

    fn drawn(task: &str, layout: &str, round: u64) -> (Inputs, Shape) {
        let cell = format!(
            "[[cell]]\ntask = \"{task}\"\ndtype = \"f32\"\nlayout = \"{layout}\"\nbatch = 1000\n\
             reference = \"thread serial direct t64\"\ncandidate = \"reference\"\n"
        );
        let (declaration, _) = declare(&format!("{LIST}{cell}"), String::new()).unwrap();
        let cell = &declaration.cells[0];
        let id = KernelId { key: cell.key.clone(), target: "cuda".into(), mapping: cell.a.mapping.clone() };
        let generated = id.generate().unwrap();
        let shape = Shape::of(&generated.spec).unwrap();
        (Inputs::draw(cell, shape, &generated, 1, round), shape)
    }

    #[test]
    fn rounds_hold_different_problems_and_each_the_same_again() {
        let digest = |layout, round| drawn("posv n=7", layout, round).0.sha256;
        assert_ne!(digest("contiguous", 0), digest("contiguous", 1));
        assert_eq!(digest("contiguous", 0), digest("contiguous", 0));
    }

    /// The oracle's own results, as a peer would return them, and one that is wrong in the last problem.
    #[test]
    fn a_peer_is_judged_problem_by_problem() {
        for task in ["contract m=7 n=7 k=7", "potrf n=7", "posv n=7"] {
            let (inputs, _) = drawn(task, "contiguous", 0);
            assert!(inputs.own_worst() < 1.0, "{task}: {}", inputs.own_worst());
        }
        let (inputs, shape) = drawn("posv n=7", "contiguous", 0);
        assert_eq!((shape.peer_outputs(), inputs.n_outputs), (8, 8));
        let a: Vec<f32> = image::values(&inputs.peer[0]);
        assert_eq!(a[1].to_bits(), a[7].to_bits(), "a peer's A is symmetric");
        assert!(inputs.peer.iter().flatten().count() == 4 * N_PROBLEMS * (49 + 7));
        let nothing = vec![0xff; 4 * N_PROBLEMS * 7 + 28];
        let (worst, n_nan) = inputs.peer_worst(&nothing, false);
        assert!(worst.is_nan() && n_nan == N_PROBLEMS as u64 * 7, "repeated problems count once");
    }

    #[test]
    fn an_upper_factor_is_read_transposed() {
        let (inputs, _) = drawn("potrf n=4", "contiguous", 0);
        let a: Vec<f32> = image::values(&inputs.peer[0]);
        let mut lower = Vec::new();
        for a in a.chunks_exact(16) {
            let mut l = [[0.0f64; 4]; 4];
            for j in 0..4 {
                for i in j..4 {
                    let rest = f64::from(a[i + 4 * j]) - (0..j).map(|t| l[i][t] * l[j][t]).sum::<f64>();
                    l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
                }
            }
            lower.push(l);
        }
        let bytes = |is_upper: bool| {
            let at = |l: &[[f64; 4]; 4], i: usize, j: usize| if is_upper { l[j][i] } else { l[i][j] };
            let numbers =
                lower.iter().flat_map(|l| (0..16).map(move |index| at(l, index % 4, index / 4) as f32));
            image::bytes(&numbers.collect::<Vec<f32>>())
        };
        assert!(inputs.peer_worst(&bytes(false), false).0 < 1.0);
        assert!(inputs.peer_worst(&bytes(true), true).0 < 1.0);
        assert!(inputs.peer_worst(&bytes(true), false).0 > 1.0);
    }
}
