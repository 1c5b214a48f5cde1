//! Reductions of long vectors: the meaning, texts and bits of their kernels, and what graphs of them compute.

mod cuda_text;
mod graph;
mod ir;
mod receipt;
mod refusals;
mod state_graph;
mod state_text;
mod wgsl;
