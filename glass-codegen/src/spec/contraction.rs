//! Pairwise contractions as index strings.

use super::{Alpha, Beta, DType, Dims, Op, Operand, Phase, Role, Spec, Structure, Transpose};
use std::fmt;

/// `alpha * sum(left * right) + beta * output`, the sum over the indices that the output lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// Position of the left operand in [`Spec::operands`].
    pub left: usize,
    /// Position of the right operand.
    pub right: usize,
    /// Position of the output.
    pub output: usize,
    /// Index letters of left, right and output, in storage order (first letter fastest).
    pub indices: Indices,
    /// Factor of the sum.
    pub alpha: Alpha,
    /// Factor of the old output.
    pub beta: Beta,
}

/// Index letters of the three operands of a contraction: `it,tj->ij`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indices {
    /// Letters of the left operand.
    pub left: &'static str,
    /// Letters of the right operand.
    pub right: &'static str,
    /// Letters of the output.
    pub output: &'static str,
}

impl fmt::Display for Contraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Indices { left, right, output } = self.indices;
        write!(f, "contraction {left},{right}->{output} alpha {:?} beta {:?}", self.alpha, self.beta)
    }
}

/// The spec of a matrix-vector (`gemv`) or matrix-matrix (`gemm`) product.
///
/// `A` is stored `m x k` (`k x m` when transposed), `B` is stored `k x n` (`n x k` when transposed),
/// all column-major. A matrix-vector product has `dims.n == 1` and an untransposed right operand.
pub fn contract_pair(
    op: Op,
    dtype: DType,
    dims: Dims,
    transpose: Transpose,
    alpha: Alpha,
    beta: Beta,
) -> Spec {
    let Dims { m, n, k } = dims;
    let role = if beta == Beta::Zero { Role::Out } else { Role::InOut };
    let operand = |name, (rows, cols): (usize, usize), role| Operand {
        name,
        rows,
        cols,
        role,
        structure: Structure::General,
    };
    let a_shape = if transpose.a { (k, m) } else { (m, k) };
    let b_shape = if transpose.b { (n, k) } else { (k, n) };
    let (b_name, c_name) = match op {
        Op::Gemv => ("x", "y"),
        Op::Gemm => ("b", "c"),
    };
    let left = if transpose.a { "ti" } else { "it" };
    let (right, output) = match (op, transpose.b) {
        (Op::Gemv, _) => ("t", "i"),
        (Op::Gemm, false) => ("tj", "ij"),
        (Op::Gemm, true) => ("jt", "ij"),
    };
    Spec {
        op,
        dtype,
        dims,
        transpose,
        operands: vec![
            operand("a", a_shape, Role::In),
            operand(b_name, b_shape, Role::In),
            operand(c_name, (m, n), role),
        ],
        phases: vec![Phase::Contraction(Contraction {
            left: 0,
            right: 1,
            output: 2,
            indices: Indices { left, right, output },
            alpha,
            beta,
        })],
    }
}
