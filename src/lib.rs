//! Small exact-shape linear algebra on GPUs, as an attribute.
//!
//! A unit struct names a small operation of fixed size. When the crate is built, [`op`] or [`contract`] turns it into
//! readable CUDA and WGSL kernels specialised to the exact shape, mapped by a measured table, and into the same
//! arithmetic as plain Rust. At run time one typed, checked call runs it over a batch of independent problems on
//! whatever the machine has. Nothing but cargo is needed to build: no CUDA toolkit, no C++ compiler, no GPU.
//!
//! ```
//! /// Feedback law of a 7-joint arm: y = A x, 7 outputs, contraction length 14.
//! #[glass::contract(n_out = 7, k = 14)]
//! pub struct Feedback;
//!
//! # fn main() -> Result<(), glass::Error> {
//! // 1000 problems. Matrices are column-major: gains[b][i + j * 7] is A(i, j) of problem b.
//! let gains = vec![[0.5f32; 7 * 14]; 1000];
//! let states = vec![[2.0f32; 14]; 1000];
//!
//! let device = glass::Device::best()?; // cuda, else wgpu, else host; GLASS_DEVICE overrides
//! # let device = glass::Device::host();
//! let a = device.upload(&gains)?;
//! let x = device.upload(&states)?;
//! let mut y = Feedback::output(&device, a.len())?;
//! Feedback::launch(&device, (&a, &x), &mut y)?; // asynchronous, ordered
//! let y = y.download()?;
//!
//! assert_eq!(y.len(), 1000 * 7);
//! assert!(y.iter().all(|&value| value == 14.0));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go
//! - [`op`]: every named operation with its sizes, flags and results, and what the struct gets.
//! - [`contract`]: products by their shape or by an index string.
//! - [`reduce`] and [`vector`]: reductions of long vectors and equations over them, run by a [`Graph`] into scalars of
//!   a [`ScalarArena`] that stay on the device.
//! - [`Device`]: which devices there are, and how one is chosen. Features `cuda` (on by default) and `wgpu` add
//!   GPUs, the host is always there.
//! - [`Batch`] and [`Layout`]: how problems lie in memory.
//! - [`Kernel`]: generic code over any such struct, launched by [`launch`](fn@launch).
//! - `Feedback::plan(&device, n)` tells which kernel a batch of `n` problems runs and why,
//!   `Feedback::sources()` holds the text of every GPU kernel.
//!
//! # Numerics
//! Every multiply-add is one explicit fused multiply-add in a fixed order. A kernel of the same form has the same
//! bits at every tier and block size on CUDA, in both layouts, and on the host. WGSL may split a fused
//! multiply-add and is held to an error bound.
#![forbid(unsafe_code)]

pub use glass_macros::{contract, op, reduce, vector};
pub use glass_rt as rt;
pub use glass_rt::{
    Batch, Csr, Device, Element, Error, Graph, Handle, Kernel, Layout, MatrixHandle, Operands, Real,
    Reduction, Refusal, ScalarArena, Skipped, Slot, Target, Task, VecView, Vector, VectorOp, launch,
    launch_variant,
};

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
