//! Emitted CUDA text, executed on the CPU: the file as it is, compiled as C++ behind a header that gives the words
//! of CUDA a meaning (`tests/cuda_on_cpu`).
//!
//! Threads are fibers, so barriers and shuffles work, and a barrier that some threads do not reach is a fault.
//! Operands lie between inaccessible pages, shared memory starts as NaNs, vector accesses must be aligned, bulk
//! copies arrive as late as they may, and approximate functions err as far as they may.
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | what is not C++ in an emitted text, and its replacement |
//! | [`program`] | the compiler and the process that launches kernels |
//! | [`launched`](mod@launched) | one launch of the oracle's cases |
//! | [`spread`] | which kernels are run |

pub mod launched;
pub mod program;
pub mod spread;
pub mod text;

pub use program::{Launch, Process, Program, Unit};
