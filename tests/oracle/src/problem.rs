//! What is computed: `C = alpha * op(A) * op(B) + beta * C`, one problem of a batch.
//!
//! Storage is column-major. `C` is m x n, the contraction has k terms. A matrix-vector product is
//! the case n = 1.

/// Sizes and transposes of one contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result.
    pub n: usize,
    /// Terms of each sum.
    pub k: usize,
    /// `A` is stored k x m instead of m x k.
    pub trans_a: bool,
    /// `B` is stored n x k instead of k x n.
    pub trans_b: bool,
}

impl Shape {
    /// A matrix-matrix product without transposes.
    pub const fn gemm(m: usize, n: usize, k: usize) -> Self {
        Self { m, n, k, trans_a: false, trans_b: false }
    }

    /// A matrix-vector product with `n_out` results.
    pub const fn gemv(n_out: usize, k: usize) -> Self {
        Self::gemm(n_out, 1, k)
    }

    /// The same product on stored transposes.
    pub const fn transposed(self, trans_a: bool, trans_b: bool) -> Self {
        Self { trans_a, trans_b, ..self }
    }

    /// Elements of `A` in one problem.
    pub const fn a_elements(&self) -> usize {
        self.m * self.k
    }

    /// Elements of `B` in one problem.
    pub const fn b_elements(&self) -> usize {
        self.k * self.n
    }

    /// Elements of `C` in one problem.
    pub const fn c_elements(&self) -> usize {
        self.m * self.n
    }
}

/// How each sum is ordered; the form decides the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One accumulator, ascending index.
    Serial,
    /// Partial sums in 1, 2, 4, 8, 16 or 32 lanes, then a halving tree over the lanes.
    Reduced {
        /// Width of the tree.
        lanes_per_output: usize,
    },
}

impl Form {
    /// Every form there is, the serial one first.
    pub const ALL: [Form; 7] = [
        Form::Serial,
        Form::Reduced { lanes_per_output: 1 },
        Form::Reduced { lanes_per_output: 2 },
        Form::Reduced { lanes_per_output: 4 },
        Form::Reduced { lanes_per_output: 8 },
        Form::Reduced { lanes_per_output: 16 },
        Form::Reduced { lanes_per_output: 32 },
    ];
}

/// The factor of the product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha<T> {
    /// One, at compile time.
    One,
    /// A value of the launch.
    Runtime(T),
}

/// The factor of the old result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beta<T> {
    /// Zero, at compile time: the old result is not read.
    Zero,
    /// One, at compile time.
    One,
    /// A value of the launch.
    Runtime(T),
}

/// One contraction with everything that decides its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contraction<T> {
    /// Sizes and transposes.
    pub shape: Shape,
    /// Order of the sums.
    pub form: Form,
    /// Factor of the product.
    pub alpha: Alpha<T>,
    /// Factor of the old result.
    pub beta: Beta<T>,
}

impl<T> Contraction<T> {
    /// `C = op(A) * op(B)`.
    pub const fn new(shape: Shape, form: Form) -> Self {
        Self { shape, form, alpha: Alpha::One, beta: Beta::Zero }
    }

    /// The same with other scalars.
    pub fn with_scalars(self, alpha: Alpha<T>, beta: Beta<T>) -> Self {
        Self { alpha, beta, ..self }
    }
}
