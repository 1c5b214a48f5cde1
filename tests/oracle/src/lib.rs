//! Independent references for the tests of glass.
//!
//! Nothing here depends on a crate of glass, and nothing was derived from generated source: every
//! module is written from the operation specification, so that a mistake in the generator cannot be
//! repeated by its own test.
//!
//! A [`Task`] is any op with its options. It makes seeded [`Case`]s, runs them in the specified order
//! and roundings, and holds results against the exact ones:
//!
//! ```
//! use glass_oracle::{Flavour, Form, Gemm, Task, bound::Arithmetic};
//! let task = Task::from(Gemm { trans_a: true, ..Gemm::new(3, 4, 5) });
//! let before = task.case::<f32>(0, Flavour::Mixed, &task.scalar_values(0));
//! let after = task.result(Form::Serial, &before);
//! let worst = task.check(Form::Serial, &before, &after, Arithmetic::Ieee)?;
//! assert!(worst <= 1.0);
//! # Ok::<(), String>(())
//! ```
//!
//! | module | answers |
//! |---|---|
//! | [`task`] | every op: operands, numbers, bits, bounds |
//! | [`case`](mod@case) | the numbers of one problem of any op |
//! | [`choice`] | options that ops share |
//! | [`problem`] | one contraction: shape, transposes, form, scalars |
//! | [`inputs`] | on which seeded numbers |
//! | [`twin`] | which bits a correct kernel produces (same order, same roundings) |
//! | [`reference`](mod@reference) | what the exact result is, to about 100 bits |
//! | [`bound`] | how far from the exact result a correct kernel may be |
//! | [`bits`] | whether two results are the same bytes |
//! | [`layout`] | where an element lies in a batch buffer |
//! | [`long`] | reductions of long vectors |
//! | [`states`] | reductions of long vectors to words |
//! | [`image`] | the bytes of a batch's operands |
#![forbid(unsafe_code)]

pub mod bits;
mod blend;
pub mod bound;
pub mod case;
mod chain;
pub mod choice;
pub mod double_double;
mod draw;
pub mod image;
pub mod inputs;
pub mod layout;
pub mod long;
mod matrix;
mod ops;
pub mod problem;
pub mod real;
pub mod reference;
pub mod states;
mod structured;
mod tally;
pub mod task;
pub mod twin;

pub use case::{Case, Element, Flavour, Operand, Role, Scalar};
pub use choice::{AlphaChoice, BetaChoice, Check, Diag, Epilogue, Fill, Opposite, Reg, Uplo};
pub use ops::*;
pub use problem::{Alpha, Beta, Contraction, Form, Shape};
pub use real::Real;
pub use task::Task;
