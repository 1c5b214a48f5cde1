//! Products of matrices and vectors that lie where words say.

use super::indexed::{draw_words, first_bad};
use super::{Operation, View};
use crate::case::{Case, Flavour, Operand, Scalar, factors};
use crate::chain::{Chain, Sum};
use crate::choice::{Check, Epilogue};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{dot, epilogue};

/// Operands `a`, `x`, with `fuse` `c` (`segments`) and `s` (a column a segment), and `y`, and the words `offsets`, three for
/// each segment: for ascending segments, the part of `y` from the third word on becomes
/// `alpha op(A) x + beta y`, with `fuse` `fma(c, s, .)` of that; `A` (m x n) and `x` start at the first and the second word.
/// A segment that does not end inside its arrays is left out; `status` is the number, from 1, of the first such one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemvSegmented {
    /// Rows of each matrix.
    pub m: usize,
    /// Columns of each matrix.
    pub n: usize,
    /// Segments.
    pub segments: usize,
    /// Elements of `a`, `x` and `y`.
    pub lengths: [usize; 3],
    /// Each matrix is meant transposed.
    pub trans: bool,
    /// A scaled vector is added to each result.
    pub fuse: bool,
    /// Scalars.
    pub epilogue: Epilogue,
    /// Whether there is a status.
    pub check: Check,
}

impl GemvSegmented {
    /// Without options.
    pub fn new(m: usize, n: usize, segments: usize, lengths: [usize; 3]) -> Self {
        let epilogue = Epilogue::default();
        Self { m, n, segments, lengths, trans: false, fuse: false, epilogue, check: Check::On }
    }

    /// Results and terms of a segment.
    fn extents(&self) -> (usize, usize) {
        if self.trans { (self.n, self.m) } else { (self.m, self.n) }
    }

    /// How many places there are for the parts of a segment.
    fn n_places(&self) -> [usize; 3] {
        let (outputs, terms) = self.extents();
        let parts = [self.m * self.n, terms, outputs];
        [0, 1, 2].map(|array| self.lengths[array] - parts[array] + 1)
    }

    /// Where the parts of each segment start, `None` for one that is left out.
    fn starts(&self, words: &[u32]) -> Vec<Option<[usize; 3]>> {
        let places = self.n_places();
        let start = |words: &[u32]| {
            let starts = [words[0], words[1], words[2]].map(|word| word as usize);
            starts.iter().zip(places).all(|(start, n_places)| *start < n_places).then_some(starts)
        };
        words.chunks_exact(3).map(start).collect()
    }

    /// The terms of result `i` of a segment.
    fn term<T: Real>(&self, case: &Case<T>, [a, x, _]: [usize; 3], i: usize) -> impl Fn(usize) -> (T, T) {
        let view = View::column_major(self.m).transposed_if(self.trans);
        move |t| (case.inputs[0][a + view.at(i, t)], case.inputs[1][x + t])
    }

    /// What is added to result `i` of a segment.
    fn addition<T: Real>(&self, case: &Case<T>, segment: usize, i: usize) -> Option<(T, T)> {
        let outputs = self.extents().0;
        self.fuse.then(|| (case.inputs[2][segment], case.inputs[3][segment * outputs + i]))
    }
}

impl Operation for GemvSegmented {
    fn operands(&self) -> Vec<Operand> {
        let [a, x, y] = self.lengths;
        let mut operands = vec![Operand::source("a", a), Operand::source("x", x)];
        if self.fuse {
            operands.push(Operand::source("c", self.segments));
            operands.push(Operand::source("s", self.segments * self.extents().0));
        }
        operands.extend([Operand::given_word("offsets", 3 * self.segments), Operand::updated("y", y)]);
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    /// What no segment reads stays poison. Neighbouring elements cancel, and so do terms that are neighbours in storage.
    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        draw_words(&mut case.words[0], &self.n_places(), draw, flavour);
        let (outputs, terms) = self.extents();
        let starts = self.starts(&case.words[0]);
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let covered = |array: usize, length: usize, at: usize| {
            starts.iter().flatten().any(|starts| (starts[array]..starts[array] + length).contains(&at))
        };
        if reads_sources {
            let (a, x) = factors::<T>(draw, flavour, (1, 1, self.lengths[0].max(self.lengths[1])));
            for at in (0..self.lengths[0]).filter(|at| covered(0, self.m * self.n, *at)) {
                case.inputs[0][at] = a[at][0];
            }
            for at in (0..self.lengths[1]).filter(|at| covered(1, terms, *at)) {
                case.inputs[1][at] = x[at][0];
            }
        }
        if self.fuse {
            for (segment, _) in starts.iter().enumerate().filter(|(_, starts)| starts.is_some()) {
                case.inputs[2][segment] = draw.a(flavour.family());
                let column = &mut case.inputs[3][segment * outputs..][..outputs];
                column.iter_mut().for_each(|value| *value = draw.b(flavour.family()));
            }
        }
        if reads_old {
            for at in (0..self.lengths[2]).filter(|at| covered(2, outputs, *at)) {
                case.outputs[0][at] = draw.c(flavour.family());
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let (outputs, terms) = self.extents();
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let starts = self.starts(&case.words[0]);
        for (segment, starts) in starts.iter().enumerate() {
            let Some(starts) = *starts else { continue };
            for i in 0..outputs {
                let old = case.outputs[0][starts[2] + i];
                let sum = || dot(Form::Serial, terms, self.term(case, starts, i));
                let blended = epilogue(alpha, beta, sum, || old).unwrap_or(old);
                let addition = self.addition(case, segment, i);
                case.outputs[0][starts[2] + i] = addition.map_or(blended, |(c, s)| c.fma(s, blended));
            }
        }
        if self.check == Check::On {
            case.words[1][0] = first_bad(&starts);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (outputs, terms) = self.extents();
        let starts = self.starts(&before.words[0]);
        let mut chain = Chain::new(&before.outputs[0], self.epilogue.values(&before.scalars));
        for (segment, starts) in starts.iter().enumerate() {
            let Some(starts) = *starts else { continue };
            for i in 0..outputs {
                let sum = Sum::of((0..terms).map(self.term(before, starts, i)));
                chain.blend(starts[2] + i, &sum, tally);
                if let Some(product) = self.addition(before, segment, i) {
                    chain.add(starts[2] + i, &Sum::of([product].into_iter()), tally);
                }
            }
        }
        chain.check(&after.outputs[0], tally);
        if self.check == Check::On {
            let (expected, given) = (first_bad(&starts), after.words[1][0]);
            tally.require(expected == given, || format!("status {given}, not {expected}"));
        }
    }
}
