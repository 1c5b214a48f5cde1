//! Products with a stored triangle: trmv, trmm and symm, out of place.

use super::Operation;
use crate::blend::Sums;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{BetaChoice, Diag, Epilogue, Uplo};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::epilogue;

/// What the stored triangle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// A triangular matrix; sums run over its triangle only (trmv, trmm).
    Triangular {
        /// Whether the diagonal is stored; a unit one still is a term, with the factor one.
        diag: Diag,
        /// `op(A)` is the transpose.
        trans: bool,
    },
    /// A symmetric matrix (symm).
    Symmetric,
}

/// `C = alpha op(A) B + beta C`. Operands `a` (n x n), `b`, `c` (n x nrhs); the unnamed triangle is never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trmm {
    /// Rows and columns of `A`.
    pub n: usize,
    /// Columns of `B`; one is trmv.
    pub nrhs: usize,
    /// Which triangle is stored.
    pub uplo: Uplo,
    /// What it stands for.
    pub triangle: Triangle,
    /// Scalars.
    pub epilogue: Epilogue,
}

impl Trmm {
    /// trmm with a lower nonunit triangle.
    pub fn new(n: usize, nrhs: usize) -> Self {
        let triangle = Triangle::Triangular { diag: Diag::Nonunit, trans: false };
        Self { n, nrhs, uplo: Uplo::Lower, triangle, epilogue: Epilogue::default() }
    }

    /// symm with a stored lower triangle.
    pub fn symm(n: usize, nrhs: usize) -> Self {
        Self { triangle: Triangle::Symmetric, ..Self::new(n, nrhs) }
    }

    fn is_stored(&self, i: usize, j: usize) -> bool {
        let is_unit = matches!(self.triangle, Triangle::Triangular { diag: Diag::Unit, .. });
        (if self.uplo == Uplo::Lower { i >= j } else { i <= j }) && (i != j || !is_unit)
    }

    /// Element (i, t) of `op(A)`; `None` outside the triangle.
    fn element<T: Real>(&self, a: &[T], i: usize, t: usize) -> Option<T> {
        let (row, col) = match self.triangle {
            Triangle::Triangular { trans: true, .. } => (t, i),
            Triangle::Triangular { .. } => (i, t),
            Triangle::Symmetric if self.is_stored(i, t) => (i, t),
            Triangle::Symmetric => (t, i),
        };
        if self.is_stored(row, col) {
            return Some(a[row + col * self.n]);
        }
        (row == col).then_some(T::ONE)
    }
}

impl Operation for Trmm {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.nrhs;
        let is_whole = self.epilogue.beta == BetaChoice::Zero;
        vec![
            Operand::source("a", self.n * self.n),
            Operand::source("b", elements),
            if is_whole { Operand::result("c", elements) } else { Operand::updated("c", elements) },
        ]
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let family = flavour.family();
        if reads_sources {
            for at in (0..self.n * self.n).filter(|at| self.is_stored(at % self.n, at / self.n)) {
                case.inputs[0][at] = draw.a(family);
            }
            case.inputs[1].iter_mut().for_each(|b| *b = draw.b(family));
        }
        if reads_old {
            case.outputs[0].iter_mut().for_each(|c| *c = draw.c(family));
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let [a, b] = &case.inputs[..] else { panic!("operands a, b") };
        let c = &mut case.outputs[0];
        for j in 0..self.nrhs {
            for i in 0..self.n {
                let sum = || {
                    (0..self.n).fold(T::ZERO, |sum, t| match self.element(a, i, t) {
                        Some(a) => a.fma(b[t + j * self.n], sum),
                        None => sum,
                    })
                };
                let at = i + j * self.n;
                if let Some(value) = epilogue(alpha, beta, sum, || c[at]) {
                    c[at] = value;
                }
            }
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let stored = Matrix::packed(&before.inputs[0], self.n, self.n);
        let triangle = stored.masked(|i, j| self.is_stored(i, j));
        let a = match self.triangle {
            Triangle::Symmetric => {
                let strict = triangle.masked(|i, j| i != j).transposed();
                triangle.plus(&strict)
            }
            Triangle::Triangular { diag, trans } => {
                let whole = match diag {
                    Diag::Nonunit => triangle,
                    Diag::Unit => triangle.plus(&Matrix::identity(self.n)),
                };
                whole.transposed_if(trans)
            }
        };
        let [b, old] = [&before.inputs[1], &before.outputs[0]].map(|m| Matrix::packed(m, self.n, self.nrhs));
        let new = Matrix::packed(&after.outputs[0], self.n, self.nrhs);
        let scalars = self.epilogue.values(&before.scalars);
        let sums = Sums::product::<T>(&a, &b);
        sums.check::<T>(tally, (self.n + 3) as f64, scalars, (&old, &new), |_, _| true);
    }
}
