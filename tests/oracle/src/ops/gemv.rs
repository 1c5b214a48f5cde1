//! Matrix and vector: `y = alpha op(A) x + beta y` and the rank-one update.

use super::{Gemm, Operation, Strides};
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::Epilogue;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` (m x n), `x`, `y`; transposed, `x` has m elements and `y` has n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gemv {
    /// Rows of `A`.
    pub m: usize,
    /// Columns of `A`.
    pub n: usize,
    /// `op(A)` is the transpose.
    pub trans: bool,
    /// `A` is stored by rows.
    pub row_major: bool,
    /// Scalars.
    pub epilogue: Epilogue,
    /// Leading dimension of the stored `A` (gemv_strided): rows of `A`, columns if `row_major`, or more.
    pub lda: Option<usize>,
}

impl Gemv {
    /// Without options; `A` is m x n.
    pub fn new(m: usize, n: usize) -> Self {
        Self { m, n, trans: false, row_major: false, epilogue: Epilogue::default(), lda: None }
    }

    /// The product with a matrix of one column. A row-major matrix is the stored transpose.
    fn product(&self) -> Gemm {
        let (m, k) = if self.trans { (self.n, self.m) } else { (self.m, self.n) };
        let stored_rows = if self.row_major { self.n } else { self.m };
        Gemm {
            trans_a: self.trans != self.row_major,
            epilogue: self.epilogue,
            strides: self.lda.map(|lda| Strides { lda: lda.max(stored_rows), ldb: k, ldc: m }),
            ..Gemm::new(m, 1, k)
        }
    }
}

/// Operands `x` (m), `y` (n), `a` (m x n): `A = alpha x y' + beta A`, sums of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ger {
    /// Rows of `A`.
    pub m: usize,
    /// Columns of `A`.
    pub n: usize,
    /// Scalars.
    pub epilogue: Epilogue,
}

impl Ger {
    fn product(&self) -> Gemm {
        Gemm { epilogue: self.epilogue, ..Gemm::new(self.m, self.n, 1) }
    }
}

/// An op that is a product under other operand names.
macro_rules! impl_as_product {
    ($op:ty, $names:expr) => {
        impl Operation for $op {
            fn operands(&self) -> Vec<Operand> {
                let named = self.product().operands().into_iter().zip($names);
                named.map(|(operand, name)| Operand { name, ..operand }).collect()
            }

            fn scalars(&self) -> Vec<Scalar> {
                self.product().scalars()
            }

            fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
                self.product().fill(case, draw, flavour);
            }

            fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
                self.product().run(form, case);
            }

            fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
                self.product().measure(form, before, after, tally);
            }
        }
    };
}

impl_as_product!(Gemv, ["a", "x", "y"]);
impl_as_product!(Ger, ["x", "y", "a"]);
