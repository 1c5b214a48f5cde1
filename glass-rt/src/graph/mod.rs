//! Graphs of reductions and scalar operations.

mod transients;

pub(crate) use transients::{Life, Placement};
