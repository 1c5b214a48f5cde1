//! Static descriptions of vector operations: what an expansion embeds, and the contract its kernels keep.
//!
//! A vector operation evaluates equations for every element of vectors of one length, adds up terms of all elements,
//! and then evaluates scalar equations once. It has vector equations, perhaps with sums and with scalar equations
//! after them, or scalar equations alone. A term may be an element of `A x` with a matrix `A` in compressed sparse
//! rows, computed from +0 by `acc = fma(value, x[column], acc)` in the order of storage.
//!
//! With `T` threads and `E` elements per thread, thread `t` of group `g` takes the elements `base + t`,
//! `base + t + T`, ... of `base = g * T * E` in ascending order and adds their terms to one accumulator per sum, from
//! +0 on. With vectors of `V` elements it takes `base + V t + v`, `base + V (t + T) + v`, ... for each `v` below `V`, with an
//! accumulator for each `v`; these meet by offsets `V/2 .. 1` first. An element past the end is never evaluated and adds
//! nothing. The threads of a group meet in the tree of the
//! [`Strategy`]. One group then adds the groups' sums of each sum as [`Strategy::LastBlock`] does, however many
//! groups there are, and evaluates the scalar equations.
//!
//! # Kernel interface, CUDA and WGSL
//!
//! Storage bindings (CUDA: pointers), in this order, all in group 0:
//!
//! | binding | access | when |
//! |---|---|---|
//! | each operand, in order | read; written where its kind says so | always; a matrix is three: row offsets, columns, values |
//! | `partials` | `chunk`: written, `finish`: read | [`VectorCode::TwoLaunches`]: the sum of group `g` of sum `s` at `s * n_groups + g` |
//! | `handed` | read, written | [`VectorCode::OneLaunch`] with sums: the same in 64 bits each, zeros between launches |
//! | `arena` | read, written | always: words; the gate, and the scalars by their bits |
//!
//! `finish` binds `partials` and `arena` alone.
//!
//! Arguments, each 32 bits, in this order: CUDA parameters after the pointers, WGSL a block padded with zeros to a
//! multiple of 16 bytes, as immediates (native) or a uniform buffer bound last (web):
//!
//! | argument | meaning |
//! |---|---|
//! | `n` | elements of the vectors, at least 1; 1 where there are no operands |
//! | `n_groups` | groups, `ceil(n / (T * E))` |
//! | `gate` | word in the arena; 0 there means that nothing is written. [`NO_GATE`]: always on |
//! | `cleared` | word in the arena that becomes 0 whatever the gate says, before scalars are written. [`NO_GATE`]: none |
//! | a start per vector operand, in order | first element, from the start of the binding |
//! | a word per scalar, in order | its place in the arena |
//!
//! `finish` receives the arguments of `chunk`, with [`NO_GATE`] for `cleared`. It runs as one group.
//!
//! The grid is three-dimensional. A kernel linearises its group index and compares it with `n_groups` before it
//! multiplies.
//!
//! Compiled for sm_90 or later, a CUDA kernel waits by `griddepcontrol.wait` before it touches memory: it is launched while
//! the kernels before it may still run.
//!
//! [`NO_GATE`]: crate::reduction::task::NO_GATE

use super::host::Elements;
use crate::arena::ScalarArgument;
use crate::graph::{Handle, MatrixHandle};
use crate::kernel::Target;
use crate::reduction::{LevelEntry, ReductionKernel, Strategy};
use crate::word::Format;

/// A vector operation with all its embedded variants.
#[derive(Clone, Copy, Debug)]
pub struct VectorTask {
    /// Name used in messages.
    pub symbol: &'static str,
    /// Vectors and matrices, in the order of the struct's fields.
    pub operands: &'static [VectorOperand],
    /// Scalars, in the order of the struct's fields.
    pub scalars: &'static [VectorScalar],
    /// Sums over all elements.
    pub n_sums: u32,
    /// Whether there are sums or scalar equations, and so something to write to the arena.
    pub has_scalar_step: bool,
    /// Each distinct product of a matrix and a vector.
    pub products: &'static [RowProduct],
    /// The embedded kernels. The first one that the length and the device allow is taken.
    pub variants: &'static [VectorVariant],
}

/// A vector or a matrix.
#[derive(Clone, Copy, Debug)]
pub struct VectorOperand {
    /// Name used in messages.
    pub name: &'static str,
    /// What the operation does with it.
    pub kind: OperandKind,
}

/// What an operation does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// A matrix in compressed sparse rows, with a row per element of the other vectors.
    Matrix,
    /// A vector that is read element by element.
    Read,
    /// A vector that is written and never read.
    Write,
    /// A vector that is read and then written.
    ReadWrite,
    /// A vector that only a matrix multiplies: an element per column of the matrix, read.
    Gathered,
}

impl OperandKind {
    /// Whether the operation writes it.
    pub const fn is_written(self) -> bool {
        matches!(self, OperandKind::Write | OperandKind::ReadWrite)
    }
}

/// A scalar of the arena.
#[derive(Clone, Copy, Debug)]
pub struct VectorScalar {
    /// Name used in messages.
    pub name: &'static str,
    /// Format of its slot.
    pub format: Format,
    /// Whether an equation reads what it was before the operation.
    pub is_read: bool,
    /// Whether a scalar equation or a sum writes it.
    pub is_written: bool,
}

/// A matrix times a vector: positions among the operands. The vector is [`OperandKind::Read`] or
/// [`OperandKind::Gathered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowProduct {
    /// Position of the matrix.
    pub matrix: usize,
    /// Position of the vector.
    pub vector: usize,
}

/// The kernels of one strategy for one target.
#[derive(Clone, Copy, Debug)]
pub struct VectorVariant {
    /// How the threads of a group meet; without sums they do not.
    pub strategy: Strategy,
    /// Threads of a group, `T`: a power of two; with sums at least 2.
    pub threads: u32,
    /// Elements of a thread, `E`: 1 to [`crate::reduction::task::MAX_CHAIN`].
    pub elements_per_thread: u32,
    /// Elements that a thread takes at once, `V`: a power of two that divides `E`. Sums have as many accumulators, which meet by
    /// offsets `V/2 .. 1` before the threads do.
    pub vector_width: u32,
    /// The longest vectors that it is taken for.
    pub up_to: u32,
    /// Smallest subgroup the text works with; 1 where it uses none.
    pub lanes: u32,
    /// The kernels.
    pub code: VectorCode,
}

impl VectorVariant {
    /// The target of its kernels.
    pub const fn target(&self) -> Target {
        match &self.code {
            VectorCode::OneLaunch(kernel) | VectorCode::TwoLaunches { chunk: kernel, .. } => {
                kernel.code.target()
            }
            VectorCode::Host { .. } => Target::Host,
        }
    }
}

/// The kernels of a variant, by role.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "a description lies in a static and is read where it lies")]
pub enum VectorCode {
    /// One launch for everything: an operation without sums, or [`Strategy::LastBlock`] on CUDA.
    OneLaunch(ReductionKernel),
    /// An operation with sums.
    TwoLaunches {
        /// Vector equations; each group's sums out.
        chunk: ReductionKernel,
        /// One group: the groups' sums in; the scalars out.
        finish: ReductionKernel,
    },
    /// The host form.
    Host {
        /// Vector equations and each group's sums: [`super::host::vector`] of a body.
        element: ElementEntry,
        /// Adds the groups' sums: [`super::host::fold`].
        fold: LevelEntry,
        /// Scalar equations.
        step: Option<StepEntry>,
    },
}

/// The host form of the vector equations on a run of whole groups.
pub type ElementEntry = fn(Elements<'_>);

/// The host form of the scalar equations: `sums` in order, for every scalar in order its word in `arena`.
pub type StepEntry = fn(sums: &[f32], slots: &[u32], arena: &mut [u32]);

/// The operands and scalars of a vector operation; implemented by the attribute's expansion.
pub trait VectorOp {
    /// The operation.
    const TASK: &'static VectorTask;

    /// The operands in the order of [`VectorTask::operands`].
    fn operands(&self) -> Vec<VectorArgument>;

    /// The scalars in the order of [`VectorTask::scalars`].
    fn scalars(&self) -> Vec<ScalarArgument>;
}

/// An operand that was imported into a graph.
#[derive(Clone, Copy, Debug)]
pub enum VectorArgument {
    /// For every kind but [`OperandKind::Matrix`].
    Vector(Handle),
    /// For [`OperandKind::Matrix`].
    Matrix(MatrixHandle),
}

impl From<Handle> for VectorArgument {
    fn from(handle: Handle) -> Self {
        VectorArgument::Vector(handle)
    }
}

impl From<MatrixHandle> for VectorArgument {
    fn from(handle: MatrixHandle) -> Self {
        VectorArgument::Matrix(handle)
    }
}
