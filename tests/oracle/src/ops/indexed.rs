//! Products of matrices that words name.

use super::{Operation, View};
use crate::case::{Case, Flavour, Operand, Scalar, factors};
use crate::chain::{Chain, Sum};
use crate::choice::{Check, Epilogue};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{dot, epilogue};

/// Operands `a`, `b`, `c`: matrices of `dim x dim`, one after the other, and the words `pairs`, three for each product: for
/// ascending products `(p, q, r)`, matrix `r` of `c` becomes `alpha op(A_p) op(B_q) + beta C_r`. A product with a word that
/// names no matrix is left out; `status` is the number, from 1, of the first such product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmBatchedIndexed {
    /// Rows and columns of every matrix.
    pub dim: usize,
    /// Products.
    pub pairs: usize,
    /// Matrices of `a`, `b` and `c`.
    pub counts: [usize; 3],
    /// Matrices of `a` are meant transposed.
    pub trans_a: bool,
    /// Matrices of `b` are meant transposed.
    pub trans_b: bool,
    /// Scalars.
    pub epilogue: Epilogue,
    /// Whether there is a status.
    pub check: Check,
}

impl GemmBatchedIndexed {
    /// Without options.
    pub fn new(dim: usize, pairs: usize, counts: [usize; 3]) -> Self {
        let epilogue = Epilogue::default();
        Self { dim, pairs, counts, trans_a: false, trans_b: false, epilogue, check: Check::On }
    }

    fn elements(&self) -> usize {
        self.dim * self.dim
    }

    /// The products in order, `None` for one that is left out.
    fn products(&self, words: &[u32]) -> Vec<Option<[usize; 3]>> {
        let product = |words: &[u32]| {
            let named = [words[0], words[1], words[2]].map(|word| word as usize);
            let exists = named.iter().zip(self.counts).all(|(named, count)| *named < count);
            exists.then_some(named)
        };
        words.chunks_exact(3).map(product).collect()
    }

    fn views(&self) -> [View; 2] {
        let stored = View::column_major(self.dim);
        [stored.transposed_if(self.trans_a), stored.transposed_if(self.trans_b)]
    }

    /// The terms of element `(i, j)` of a product.
    fn term<T: Real>(
        &self,
        case: &Case<T>,
        [p, q, _]: [usize; 3],
        (i, j): (usize, usize),
    ) -> impl Fn(usize) -> (T, T) {
        let (own, [left, right]) = (self.elements(), self.views());
        move |t| (case.inputs[0][p * own + left.at(i, t)], case.inputs[1][q * own + right.at(t, j)])
    }
}

/// The number, from 1, of the first product that is left out.
pub(super) fn first_bad<P>(products: &[Option<P>]) -> u32 {
    products.iter().position(Option::is_none).map_or(0, |at| at as u32 + 1)
}

/// Numbers below those given; in a failing case some are not, by as little as possible or by far.
pub(super) fn draw_words(words: &mut [u32], counts: &[usize], draw: &mut Draw, flavour: Flavour) {
    for (word, &count) in words.iter_mut().zip(counts.iter().cycle()) {
        *word = draw.below(count as u64) as u32;
        if flavour == Flavour::Failing && draw.below(8) == 0 {
            let hostile = [count as u32, u32::MAX, 1 << 31, u32::MAX - *word];
            *word = hostile[draw.below(hostile.len() as u64) as usize];
        }
    }
}

impl Operation for GemmBatchedIndexed {
    fn operands(&self) -> Vec<Operand> {
        let [a, b, c] = self.counts.map(|count| count * self.elements());
        let mut operands = vec![
            Operand::source("a", a),
            Operand::source("b", b),
            Operand::given_word("pairs", 3 * self.pairs),
            Operand::updated("c", c),
        ];
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    /// Matrices that no product reads stay poison.
    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (dim, own) = (self.dim, self.elements());
        draw_words(&mut case.words[0], &self.counts, draw, flavour);
        let products = self.products(&case.words[0]);
        let is_named = |operand: usize, matrix: usize| {
            products.iter().flatten().any(|product| product[operand] == matrix)
        };
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let [rows, cols, _] = self.counts.map(|count| dim * count);
        let (a, b) = factors::<T>(draw, flavour, (rows, cols, dim));
        let [left, right] = self.views();
        for at in 0..own * self.counts[0] {
            let (matrix, i, t) = (at / own, at % dim, at / dim % dim);
            if reads_sources && is_named(0, matrix) {
                case.inputs[0][matrix * own + left.at(i, t)] = a[t][matrix * dim + i];
            }
        }
        for at in 0..own * self.counts[1] {
            let (matrix, t, j) = (at / own, at % dim, at / dim % dim);
            if reads_sources && is_named(1, matrix) {
                case.inputs[1][matrix * own + right.at(t, j)] = b[t][matrix * dim + j];
            }
        }
        for at in 0..own * self.counts[2] {
            if reads_old && is_named(2, at / own) {
                case.outputs[0][at] = draw.c(flavour.family());
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let (dim, own) = (self.dim, self.elements());
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let products = self.products(&case.words[0]);
        for product in products.iter().flatten() {
            for (i, j) in (0..own).map(|at| (at % dim, at / dim)) {
                let at = product[2] * own + i + j * dim;
                let old = case.outputs[0][at];
                let sum = || dot(Form::Serial, dim, self.term(case, *product, (i, j)));
                if let Some(value) = epilogue(alpha, beta, sum, || old) {
                    case.outputs[0][at] = value;
                }
            }
        }
        if self.check == Check::On {
            case.words[1][0] = first_bad(&products);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (dim, own) = (self.dim, self.elements());
        let products = self.products(&before.words[0]);
        let mut chain = Chain::new(&before.outputs[0], self.epilogue.values(&before.scalars));
        for product in products.iter().flatten() {
            for (i, j) in (0..own).map(|at| (at % dim, at / dim)) {
                let sum = Sum::of((0..dim).map(self.term(before, *product, (i, j))));
                chain.blend(product[2] * own + i + j * dim, &sum, tally);
            }
        }
        chain.check(&after.outputs[0], tally);
        if self.check == Check::On {
            let (expected, given) = (first_bad(&products), after.words[1][0]);
            tally.require(expected == given, || format!("status {given}, not {expected}"));
        }
    }
}
