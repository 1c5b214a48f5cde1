//! `op(A) X = B` for a triangle: trsv and trsm.

use super::Operation;
use crate::bound::Arithmetic;
use crate::case::{Case, Flavour, Operand};
use crate::choice::{Diag, Uplo};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` (n x n), `b` (n x nrhs) and, out of place, `x`; one right-hand side is trsv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trsm {
    /// Rows and columns of the triangle.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// Which triangle is stored; the other is never read.
    pub uplo: Uplo,
    /// Whether the diagonal is stored.
    pub diag: Diag,
    /// `op(A)` is the transpose.
    pub trans: bool,
    /// The unknowns replace `b`.
    pub in_place: bool,
}

impl Trsm {
    /// Lower, nonunit, out of place.
    pub fn new(n: usize, nrhs: usize) -> Self {
        Self { n, nrhs, uplo: Uplo::Lower, diag: Diag::Nonunit, trans: false, in_place: false }
    }

    fn reads(&self, i: usize, j: usize) -> bool {
        let in_triangle = if self.uplo == Uplo::Lower { i >= j } else { i <= j };
        in_triangle && (i != j || self.diag == Diag::Nonunit)
    }
}

/// Which unknowns become known first, and how the triangle is stored.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    pub(crate) uplo: Uplo,
    pub(crate) trans: bool,
}

/// Solves for one column in place. `reciprocals` are those of the diagonal, `None` for a unit one.
pub(crate) fn solve_column<T: Real>(n: usize, a: &[T], sweep: Sweep, reciprocals: Option<&[T]>, x: &mut [T]) {
    let is_forward = (sweep.uplo == Uplo::Lower) != sweep.trans;
    let order: Vec<usize> = if is_forward { (0..n).collect() } else { (0..n).rev().collect() };
    for (n_known, &i) in order.iter().enumerate() {
        let mut s = x[i];
        for &j in &order[..n_known] {
            let entry = if sweep.trans { a[j + i * n] } else { a[i + j * n] };
            s = entry.negated().fma(x[j], s);
        }
        x[i] = reciprocals.map_or(s, |r| s.times(r[i]));
    }
}

impl Operation for Trsm {
    fn operands(&self) -> Vec<Operand> {
        let (a, b) = (Operand::source("a", self.n * self.n), self.n * self.nrhs);
        if self.in_place {
            vec![a, Operand::updated("b", b)]
        } else {
            vec![a, Operand::source("b", b), Operand::result("x", b)]
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let lower = draw.triangle(self.n, flavour == Flavour::Hard);
        let triangle = lower.transposed_if(self.uplo == Uplo::Upper);
        triangle.store(&mut case.inputs[0], |i, j| self.reads(i, j));
        let b = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
        b.iter_mut().for_each(|b| *b = draw.b(flavour.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[1].clone();
        }
        let a = &case.inputs[0];
        let reciprocals: Option<Vec<T>> = (self.diag == Diag::Nonunit)
            .then(|| (0..self.n).map(|i| a[i + i * self.n].reciprocal()).collect());
        let sweep = Sweep { uplo: self.uplo, trans: self.trans };
        for x in case.outputs[0].chunks_exact_mut(self.n) {
            solve_column(self.n, a, sweep, reciprocals.as_deref(), x);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let stored = Matrix::packed(&before.inputs[0], self.n, self.n);
        let triangle = Matrix::from_fn(self.n, self.n, |i, j| match self.reads(i, j) {
            true => stored.at(i, j),
            false if i == j => DoubleDouble::ONE,
            false => DoubleDouble::ZERO,
        });
        let triangle = triangle.transposed_if(self.trans);
        let b = Matrix::packed(
            if self.in_place { &before.outputs[0] } else { &before.inputs[1] },
            self.n,
            self.nrhs,
        );
        let x = Matrix::packed(&after.outputs[0], self.n, self.nrhs);
        let n_divisions = if self.diag == Diag::Nonunit { 1.0 } else { 0.0 };
        let relative = tally.relative::<T>((self.n + 3) as f64, n_divisions);
        residual::<T>(tally, relative, (&triangle, &triangle.abs()), &x, &b);
    }
}

/// Holds `|b - A x|` against `relative M |x|`, `M` the magnitude that goes with `A`, element by element.
///
/// A right-hand side of subnormal numbers adds what its own roundings may lose: one underflow per multiply-add, and
/// one in each unknown, which counts with the factors of its column.
pub(crate) fn residual<T: Real>(
    tally: &mut Tally,
    relative: f64,
    (a, magnitude): (&Matrix, &Matrix),
    x: &Matrix,
    b: &Matrix,
) {
    let rest = b.minus(&a.times(x));
    let scale = magnitude.times(&x.abs());
    let n_lost = Matrix::from_fn(x.rows, x.cols, |_, _| 1.0.into());
    let lost = magnitude.times(&n_lost);
    let n = a.rows as f64;
    for j in 0..x.cols {
        for i in 0..x.rows {
            let flushed = match tally.arithmetic {
                Arithmetic::Wgsl if T::from_f64(b.at(i, j).hi).is_subnormal() => T::SMALLEST_NORMAL,
                _ => 0.0,
            };
            let allowed = relative * scale.at(i, j).hi
                + (n + 1.0 + n * lost.at(i, j).hi) * tally.underflow::<T>()
                + flushed;
            tally.error(|| format!("residual ({i}, {j})"), rest.at(i, j).abs().hi, allowed);
        }
    }
}
