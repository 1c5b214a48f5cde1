//! Run time of `glass`: devices, batches, module cache and checked launches.
//!
//! Input: static [`kernel::Task`] descriptions that an attribute's expansion embeds, and batches of problems.
//! Output: batches of results, or an [`Error`] that names the kernel, the operand, what was given and what is
//! allowed. This crate chooses no mapping and renders no text; it loads, checks and launches what it is given.
//!
//! [`Device`] is one of CUDA, wgpu and host behind one interface. Launches are asynchronous and ordered on their
//! device; only [`Batch::download`], [`Vector::download`], [`graph::Executable::read`], [`Device::synchronize`] and
//! the clocks of [`measure`] wait.
//!
//! [`reduction`]s of long [`vector`]s leave their results in the [`arena`], where the scalar operations of a [`graph`]
//! take them up without the host. A [`vector_op`] computes vectors, their sums and what follows from them in one go.

pub mod arena;
pub mod batch;
pub mod csr;
#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
pub mod cuda;
pub mod device;
pub mod element;
pub mod error;
pub mod graph;
pub mod host;
pub mod kernel;
pub mod launch;
pub mod layout;
pub mod measure;
pub mod reduction;
pub mod refusal;
mod storage;
pub mod vector;
pub mod vector_op;
#[cfg(feature = "wgpu")]
pub mod wgpu30;
pub mod word;

pub use arena::{ScalarArena, Slot};
pub use batch::Batch;
pub use csr::Csr;
pub use device::{Device, Skipped};
pub use element::{Element, Real};
pub use error::Error;
pub use graph::{Graph, Handle, MatrixHandle};
pub use kernel::{Kernel, Layout, Target, Task};
pub use launch::{Operands, launch, launch_variant};
pub use reduction::Reduction;
pub use refusal::Refusal;
pub use vector::{VecView, Vector};
pub use vector_op::VectorOp;

/// Version of what an attribute's expansion expects of this crate; the expansion asserts the same number.
pub const EXPANSION_SCHEMA: u32 = 3;
