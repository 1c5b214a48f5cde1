//! Index-string contractions of several operands, pair by pair.

use super::Operation;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{BetaChoice, Epilogue};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{accumulate, epilogue};

/// One pair of a contraction. Values are numbered: the operands first, then the results of the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// First factor.
    pub left: usize,
    /// Second factor; without one the terms are plain.
    pub right: Option<usize>,
    /// Letters of the result, first fastest.
    pub result: String,
    /// Summed letters, first fastest: the order of the terms. Without letters there is one term; every sum starts at +0.
    pub terms: String,
    /// Serial whatever the form.
    pub is_serial: bool,
}

/// `output = alpha sum(product of the operands) + beta output`. Operands `a`, `b`, ..., then `out`; all arrays have
/// their first letter fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Every letter with its extent.
    pub letters: Vec<(char, usize)>,
    /// Letters of each operand.
    pub operands: Vec<String>,
    /// Letters of the output.
    pub output: String,
    /// The pairs in order; the last result has the letters of the output.
    pub steps: Vec<Step>,
    /// The output has two letters of one extent; sums of its lower triangle go to both slots, each with its old value.
    pub symmetric: bool,
    /// Scalars.
    pub epilogue: Epilogue,
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

impl Contract {
    fn extent(&self, letter: char) -> usize {
        let found = self.letters.iter().find(|(name, _)| *name == letter);
        found.unwrap_or_else(|| panic!("letter {letter} has no extent")).1
    }

    fn elements(&self, letters: &str) -> usize {
        letters.chars().map(|letter| self.extent(letter)).product()
    }

    /// Adds the values of `letters` at a flat index to the assignment.
    fn assign(&self, letters: &str, flat_idx: usize, values: &mut Vec<(char, usize)>) {
        let mut rest = flat_idx;
        for letter in letters.chars() {
            let extent = self.extent(letter);
            values.push((letter, rest % extent));
            rest /= extent;
        }
    }

    /// The flat index of `letters` under an assignment.
    fn at(&self, letters: &str, values: &[(char, usize)]) -> usize {
        letters.chars().rev().fold(0, |index, letter| {
            let value = values.iter().find(|(name, _)| *name == letter).expect("assigned letter").1;
            index * self.extent(letter) + value
        })
    }

    /// Letters that are summed, in any order.
    fn summed(&self) -> String {
        self.letters
            .iter()
            .map(|(letter, _)| *letter)
            .filter(|letter| !self.output.contains(*letter))
            .collect()
    }

    /// The position of the lower triangle that a position of a symmetric output shares its sum with.
    fn source_of(&self, at: usize) -> usize {
        if !self.symmetric {
            return at;
        }
        let n = self.extent(self.output.chars().next().expect("two letters"));
        let (i, j) = (at % n, at / n);
        i.max(j) + i.min(j) * n
    }
}

impl Operation for Contract {
    fn operands(&self) -> Vec<Operand> {
        let sources = self.operands.iter().zip(NAMES);
        let mut operands: Vec<Operand> =
            sources.map(|(letters, name)| Operand::source(name, self.elements(letters))).collect();
        let elements = self.elements(&self.output);
        operands.push(match self.epilogue.beta {
            BetaChoice::Zero => Operand::result("out", elements),
            _ => Operand::updated("out", elements),
        });
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let family = flavour.family();
        if reads_sources {
            for (idx, input) in case.inputs.iter_mut().enumerate() {
                let draw_value = |draw: &mut Draw| if idx == 0 { draw.a(family) } else { draw.b(family) };
                input.iter_mut().for_each(|value| *value = draw_value(draw));
            }
        }
        if reads_old {
            case.outputs[0].iter_mut().for_each(|value| *value = draw.c(family));
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let mut letters = self.operands.clone();
        let mut values = case.inputs.clone();
        for step in &self.steps {
            let order = if step.is_serial { Form::Serial } else { form };
            let n_terms = self.elements(&step.terms);
            let result = (0..self.elements(&step.result)).map(|at| {
                let mut outer = Vec::new();
                self.assign(&step.result, at, &mut outer);
                accumulate(order, n_terms, |t, sum: T| {
                    let mut inner = outer.clone();
                    self.assign(&step.terms, t, &mut inner);
                    let left = values[step.left][self.at(&letters[step.left], &inner)];
                    match step.right {
                        Some(right) => left.fma(values[right][self.at(&letters[right], &inner)], sum),
                        None => sum.plus(left),
                    }
                })
            });
            let result = result.collect();
            values.push(result);
            letters.push(step.result.clone());
        }
        let (sums, letters) = (values.last().expect("a step"), letters.last().expect("a step"));
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        for (at, out) in case.outputs[0].iter_mut().enumerate() {
            let mut assigned = Vec::new();
            self.assign(&self.output, self.source_of(at), &mut assigned);
            let old = *out;
            if let Some(value) = epilogue(alpha, beta, || sums[self.at(letters, &assigned)], || old) {
                *out = value;
            }
        }
    }

    /// The truth is the one sum over all summed letters of the product of all operands: it knows no pairs.
    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        use crate::blend::Sums;
        use crate::matrix::Matrix;
        let n_results = self.elements(&self.output);
        let n_terms = self.elements(&self.summed());
        let mut columns = [const { Vec::new() }; 3];
        for at in 0..n_results {
            let (mut value, mut magnitude, mut flushed) =
                (DoubleDouble::ZERO, DoubleDouble::ZERO, DoubleDouble::ZERO);
            for t in 0..n_terms {
                let mut assigned = Vec::new();
                self.assign(&self.output, self.source_of(at), &mut assigned);
                self.assign(&self.summed(), t, &mut assigned);
                let (mut term, mut is_flushable) = (DoubleDouble::ONE, false);
                for (letters, input) in self.operands.iter().zip(&before.inputs) {
                    let factor = input[self.at(letters, &assigned)];
                    term = term * factor.to_f64().into();
                    is_flushable |= factor.is_subnormal();
                }
                value = value + term;
                magnitude = magnitude + term.abs();
                if !is_flushable {
                    flushed = flushed + term.abs();
                }
            }
            for (column, entry) in columns.iter_mut().zip([value, magnitude, flushed]) {
                column.push(entry);
            }
        }
        // An underflow of any step counts at most with all numbers of all operands.
        let weight: f64 = before
            .inputs
            .iter()
            .map(|input| 1.0 + input.iter().map(|value| value.to_f64().abs()).sum::<f64>())
            .product();
        let n_underflows = self.steps.iter().map(|step| self.elements(&step.terms) + 3).sum::<usize>() as f64;
        let [value, magnitude, flushed] =
            columns.map(|column| Matrix::from_fn(n_results, 1, |i, _| column[i]));
        let underflows = value.map(|_| (n_underflows * weight).into());
        let depths = self
            .steps
            .iter()
            .map(|step| depth(self.elements(&step.terms), if step.is_serial { Form::Serial } else { form }));
        let constant = (depths.sum::<usize>() + self.steps.len() + 2) as f64;
        let [old, new] = [before, after].map(|case| Matrix::packed(&case.outputs[0], n_results, 1));
        let scalars = self.epilogue.values(&before.scalars);
        let sums = Sums { value, magnitude, flushed, underflows };
        sums.check::<T>(tally, constant, scalars, (&old, &new), |_, _| true);
    }
}
