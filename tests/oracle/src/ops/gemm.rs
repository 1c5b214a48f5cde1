//! `C = alpha op(A) op(B) + beta C`.

use super::{Operation, View};
use crate::blend::Sums;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar, factors};
use crate::choice::Epilogue;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{dot, epilogue};

/// Leading dimensions of the stored matrices: their row count, or for a row-major `C` its column count, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Of `A` as stored.
    pub lda: usize,
    /// Of `B` as stored.
    pub ldb: usize,
    /// Of `C` as stored.
    pub ldc: usize,
}

/// Operands `a`, `b`, `c`; `A` is m x k or, transposed, k x m; `B` is k x n or n x k; `C` is m x n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gemm {
    /// Rows of `C`.
    pub m: usize,
    /// Columns of `C`.
    pub n: usize,
    /// Terms of each sum.
    pub k: usize,
    /// `A` is stored k x m.
    pub trans_a: bool,
    /// `B` is stored n x k.
    pub trans_b: bool,
    /// `C` is stored by rows.
    pub row_major_c: bool,
    /// Scalars.
    pub epilogue: Epilogue,
    /// Tiles inside larger arrays (gemm_strided); rows outside a tile are not read and not written.
    pub strides: Option<Strides>,
}

impl Gemm {
    /// Without options.
    pub fn new(m: usize, n: usize, k: usize) -> Self {
        Self {
            m,
            n,
            k,
            trans_a: false,
            trans_b: false,
            row_major_c: false,
            epilogue: Epilogue::default(),
            strides: None,
        }
    }

    fn a_stored(&self) -> (usize, usize) {
        if self.trans_a { (self.k, self.m) } else { (self.m, self.k) }
    }

    fn b_stored(&self) -> (usize, usize) {
        if self.trans_b { (self.n, self.k) } else { (self.k, self.n) }
    }

    /// Columns of the column-major array that holds `C`: a row-major `C` is its transpose.
    fn c_stored(&self) -> (usize, usize) {
        if self.row_major_c { (self.n, self.m) } else { (self.m, self.n) }
    }

    fn strides(&self) -> Strides {
        self.strides.unwrap_or(Strides {
            lda: self.a_stored().0,
            ldb: self.b_stored().0,
            ldc: self.c_stored().0,
        })
    }

    fn views(&self) -> (View, View, View) {
        let Strides { lda, ldb, ldc } = self.strides();
        (
            View::column_major(lda).transposed_if(self.trans_a),
            View::column_major(ldb).transposed_if(self.trans_b),
            View::column_major(ldc).transposed_if(self.row_major_c),
        )
    }
}

impl Operation for Gemm {
    fn operands(&self) -> Vec<Operand> {
        let Strides { lda, ldb, ldc } = self.strides();
        let (c_rows, c_cols) = self.c_stored();
        let c_elements = ldc * c_cols;
        let is_whole = ldc == c_rows && self.epilogue.beta == Default::default();
        vec![
            Operand::source("a", lda * self.a_stored().1),
            Operand::source("b", ldb * self.b_stored().1),
            if is_whole { Operand::result("c", c_elements) } else { Operand::updated("c", c_elements) },
        ]
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (a_view, b_view, c_view) = self.views();
        let (a, b) = factors::<T>(draw, flavour, (self.m, self.n, self.k));
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        if reads_sources {
            for t in 0..self.k {
                (0..self.m).for_each(|i| case.inputs[0][a_view.at(i, t)] = a[t][i]);
                (0..self.n).for_each(|j| case.inputs[1][b_view.at(t, j)] = b[t][j]);
            }
        }
        if reads_old {
            for j in 0..self.n {
                (0..self.m).for_each(|i| case.outputs[0][c_view.at(i, j)] = draw.c(flavour.family()));
            }
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let (a_view, b_view, c_view) = self.views();
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let [a, b] = &case.inputs[..] else { panic!("operands a, b") };
        let c = &mut case.outputs[0];
        for j in 0..self.n {
            for i in 0..self.m {
                let at = c_view.at(i, j);
                let sum = || dot(form, self.k, |t| (a[a_view.at(i, t)], b[b_view.at(t, j)]));
                if let Some(value) = epilogue(alpha, beta, sum, || c[at]) {
                    c[at] = value;
                }
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let Strides { lda, ldb, ldc } = self.strides();
        let stored = |values: &[T], (rows, cols), ld| Matrix::columns(values, rows, cols, ld);
        let a = stored(&before.inputs[0], self.a_stored(), lda).transposed_if(self.trans_a);
        let b = stored(&before.inputs[1], self.b_stored(), ldb).transposed_if(self.trans_b);
        let c =
            |case: &Case<T>| stored(&case.outputs[0], self.c_stored(), ldc).transposed_if(self.row_major_c);
        let constant = (depth(self.k, form) + 3) as f64;
        let scalars = self.epilogue.values(&before.scalars);
        let sums = Sums::product::<T>(&a, &b);
        sums.check::<T>(tally, constant, scalars, (&c(before), &c(after)), |_, _| true);
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        element_idx % self.strides().ldc < self.c_stored().0
    }
}
