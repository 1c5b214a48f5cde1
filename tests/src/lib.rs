//! What the integration tests share, and what the GPU bundle takes from them.
//!
//! | module | holds |
//! |---|---|
//! | [`grid`] | every kernel that is validated, compiled, compared and measured |
#![forbid(unsafe_code)]

pub mod grid;
