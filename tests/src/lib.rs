//! What the integration tests share, and what the GPU bundle takes from them.
//!
//! | module | holds |
//! |---|---|
//! | [`grid`] | every kernel that is validated, compiled, compared and measured |
//! | [`case`] | the tasks whose text is reviewed |
#![forbid(unsafe_code)]

pub mod case;
pub mod grid;
