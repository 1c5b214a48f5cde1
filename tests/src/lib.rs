//! What the integration tests share, and what the GPU bundle takes from them.
//!
//! | module | holds |
//! |---|---|
//! | [`grid`] | every kernel that is validated, compiled, compared and measured |
//! | [`case`] | the tasks whose text is reviewed |
//! | [`attribute`] | attributes as lines of text |
//! | [`task`] | the oracle's name for a task of the generator |
//! | [`interpret`] | the IR, executed on the CPU |
//! | [`cuda_on_cpu`] | CUDA text, executed without a GPU |
//! | [`reduction`] | reductions of long vectors in small and odd shapes |
//! | [`embed`](mod@embed) | a generated kernel as a task of the run time |
//! | [`launched`](mod@launched) | one guarded launch |
//! | [`compile`](mod@compile) | many CUDA files through NVRTC |
//! | [`operations`] | what kernels execute, and the committed baseline |
//! | [`parallel`] | many items at once |
//! | [`resources`] | what a compiled kernel takes, and the committed baseline |
#![forbid(unsafe_code)]

pub mod attribute;
pub mod case;
pub mod compile;
pub mod cuda_on_cpu;
pub mod embed;
pub mod grid;
pub mod interpret;
pub mod launched;
pub mod operations;
pub mod parallel;
pub mod receipt;
pub mod reduction;
pub mod resources;
pub mod task;
