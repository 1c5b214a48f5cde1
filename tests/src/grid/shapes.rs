//! The tasks of the grid.

use glass_codegen::spec::{Alpha, Beta, DType, Dims, Op, Spec, Transpose, contract_pair};

/// A task without its element type.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) op: Op,
    pub(super) dims: Dims,
    pub(super) transpose: Transpose,
    pub(super) alpha: Alpha,
    pub(super) beta: Beta,
}

impl Task {
    pub(super) const fn gemv(n_out: usize, k: usize) -> Task {
        Task::plain(Op::Gemv, Dims { m: n_out, n: 1, k })
    }

    pub(super) const fn gemm(m: usize, n: usize, k: usize) -> Task {
        Task::plain(Op::Gemm, Dims { m, n, k })
    }

    const fn plain(op: Op, dims: Dims) -> Task {
        Task { op, dims, transpose: Transpose { a: false, b: false }, alpha: Alpha::One, beta: Beta::Zero }
    }

    pub(super) fn spec(&self, dtype: DType) -> Spec {
        contract_pair(self.op, dtype, self.dims, self.transpose, self.alpha, self.beta)
    }
}

/// Matrix-vector products: what users run, and the edges of a warp.
pub(super) const GEMV: &[Task] = &[
    Task::gemv(7, 14),
    Task::gemv(6, 6),
    Task::gemv(14, 14),
    Task::gemv(14, 7),
    Task::gemv(4, 12),
    Task::gemv(6, 12),
    Task::gemv(12, 12),
    Task::gemv(21, 21),
    Task::gemv(1, 1),
    Task::gemv(5, 33),
    Task::gemv(33, 5),
    Task::gemv(12, 36),
    Task::gemv(32, 32),
];

/// Matrix-matrix products: the demanding cases, then squares.
pub(super) const GEMM: &[Task] = &[
    Task::gemm(1, 1, 1),
    Task::gemm(8, 1, 5),
    Task::gemm(1, 8, 5),
    Task::gemm(5, 8, 1),
    Task::gemm(9, 4, 7),
    Task::gemm(7, 5, 6),
    Task::gemm(16, 4, 8),
    Task::gemm(2, 2, 33),
    Task::gemm(4, 4, 64),
    Task::gemm(4, 4, 4),
    Task::gemm(6, 6, 6),
    Task::gemm(7, 7, 7),
    Task::gemm(8, 8, 8),
    Task::gemm(12, 12, 12),
    Task::gemm(14, 14, 14),
    Task::gemm(14, 21, 14),
];
