//! Independent references for the tests of glass.
//!
//! Nothing here depends on a crate of glass, and nothing was derived from generated source: every
//! module is written from the operation specification, so that a mistake in the generator cannot be
//! repeated by its own test.
//!
//! | module | answers |
//! |---|---|
//! | [`problem`] | what is computed: shape, transposes, form, scalars |
//! | [`inputs`] | on which seeded numbers |
//! | [`twin`] | which bits a correct kernel produces (same order, same roundings) |
//! | [`reference`](mod@reference) | what the exact result is, to about 100 bits |
//! | [`bound`] | how far from the exact result a correct kernel may be |
//! | [`bits`] | whether two results are the same bytes |
//! | [`layout`] | where an element lies in a batch buffer |
#![forbid(unsafe_code)]

pub mod bits;
pub mod bound;
pub mod double_double;
pub mod inputs;
pub mod layout;
pub mod problem;
pub mod real;
pub mod reference;
pub mod twin;

pub use problem::{Alpha, Beta, Contraction, Form, Shape};
pub use real::Real;
