//! Every op: operands, seeded numbers, the executable definition and the check against the exact result.

mod cholesky;
mod congruence;
mod contract;
mod diagonal;
mod elementwise;
mod exchange;
mod gauss_newton;
mod gemm;
mod gemv;
mod indexed;
mod inverse;
mod knot;
mod ldlt;
mod ldlt_pivoted;
mod logsumexp;
mod lu;
mod many;
mod map;
mod packed;
mod reduction;
mod riccati;
mod rotation;
mod scan;
mod segmented;
mod softmax;
mod symmetrize;
mod syrk;
mod tensor;
mod triangular_product;
mod triangular_solve;

pub use cholesky::{Posv, Potrf, Potrs};
pub use congruence::{Congruence, CongruenceKind};
pub use contract::{Contract, Step};
pub use diagonal::{AddIdentity, SetConst, SetIdentity};
pub use elementwise::{ElementFunction, Elementwise};
pub use exchange::{Laswp, Swap, Transpose};
pub use gauss_newton::GnStep;
pub use gemm::{Gemm, Strides};
pub use gemv::{Gemv, Ger};
pub use indexed::GemmBatchedIndexed;
pub use inverse::Inv;
pub use knot::{RiccatiPass, RiccatiStep};
pub use ldlt::{Ldlt, LdltSolve};
pub use ldlt_pivoted::{LdltPivoted, LdltPivotedSolve};
pub use logsumexp::Logsumexp;
pub use lu::{Gesv, Getrf, Getrs};
pub use many::{Many, ManyKind};
pub use map::{Map, MapKind};
pub use packed::{Packed, PackedOperand};
pub use reduction::{Reduction, ReductionKind};
pub use riccati::Riccati;
pub use rotation::{Rot, Rotg};
pub use scan::PrefixSum;
pub use segmented::GemvSegmented;
pub use softmax::Softmax;
pub use symmetrize::Symmetrize;
pub use syrk::Syrk;
pub use tensor::{Axis, Slabs, TensorVecContract, VecTensorVec};
pub use triangular_product::{Triangle, Trmm};
pub use triangular_solve::Trsm;

use crate::case::{Case, Flavour, Operand, Scalar};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// One op with all its options.
pub(crate) trait Operation {
    /// Inputs, outputs, words: the order of a [`Case`].
    fn operands(&self) -> Vec<Operand>;

    /// Run-time scalars in launch order.
    fn scalars(&self) -> Vec<Scalar> {
        Vec::new()
    }

    /// Replaces the poison of everything the op reads.
    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour);

    /// Order and roundings exactly as specified. Ops without sums of a form ignore it.
    fn run<T: Real>(&self, form: Form, case: &mut Case<T>);

    /// Holds a result against the exact one.
    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally);

    /// Whether an output element is ever written.
    fn is_written(&self, output_idx: usize, element_idx: usize) -> bool {
        let _ = (output_idx, element_idx);
        true
    }
}

/// Where element (i, j) of a matrix lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    row: usize,
    col: usize,
}

impl View {
    /// Column-major with leading dimension `ld`.
    pub(crate) fn column_major(ld: usize) -> Self {
        Self { row: 1, col: ld }
    }

    /// The same storage as the transposed matrix.
    pub(crate) fn transposed_if(self, transposed: bool) -> Self {
        if transposed { Self { row: self.col, col: self.row } } else { self }
    }

    pub(crate) fn at(self, i: usize, j: usize) -> usize {
        i * self.row + j * self.col
    }
}
