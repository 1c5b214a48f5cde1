#![doc = include_str!("../README.md")]
//!
//! # Method
//! Hestenes and Stiefel's method on `A x = b`, from the `x` that is given. Every iteration decides in this order: are the
//! numbers finite, is the residual small enough, is the matrix still positive definite. `x` moves only after a step that was
//! proved finite, so every outcome leaves the last good `x`.
//!
//! # Numerics
//! All vectors are f32. `r` follows the recurrence; it drifts from `b - A x` by rounding, as always with this method. The
//! order of every sum is fixed by the length, so equal inputs give equal bits, on CUDA and on the host.
#![forbid(unsafe_code)]

mod gradient;
mod rounds;
mod setup;
mod words;

pub use gradient::{ConjugateGradient, MAX_ITERATIONS, Options, Outcome, Preconditioner, Report};

/// Why a solver cannot be made or run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A matrix with other numbers of rows and columns.
    #[error("a matrix of {rows} rows and {columns} columns given\n  allowed: a square one")]
    NotSquare {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },

    /// A vector of another length than the matrix has rows.
    #[error("{given} elements in `{name}`\n  allowed: {expected}, the rows of the matrix")]
    Length {
        /// Which vector.
        name: &'static str,
        /// Its elements.
        given: usize,
        /// Rows of the matrix.
        expected: usize,
    },

    /// The unknowns in the memory of something else.
    #[error("one vector given as `{name}` and as `x`\n  allowed: two, as x is written")]
    Shared {
        /// What else it is.
        name: &'static str,
    },

    /// More iterations than can be submitted ahead.
    #[error(
        "{given} iterations given\n  allowed: up to {max}, as all are submitted before one is known to be the last"
    )]
    Iterations {
        /// Iterations.
        given: u32,
        /// The most.
        max: u32,
    },

    /// A tolerance that no squared norm is compared with.
    #[error("the squared tolerance {given} given\n  allowed: a finite number, at least 0")]
    Tolerance {
        /// The tolerance.
        given: f32,
    },

    /// A row whose diagonal entries do not add up to a number that can be inverted.
    #[error("the diagonal of row {row} is {value}\n  allowed: a finite number above 0")]
    Diagonal {
        /// The row, from 0 on.
        row: usize,
        /// The sum of its diagonal entries.
        value: f32,
    },

    /// A report before the first solve, which alone decides on an outcome.
    #[error("no solve was submitted\n  allowed: a report after one")]
    NotSolved,

    /// The run time refused.
    #[error(transparent)]
    Runtime(#[from] glass::Error),
}
