//! Vector operations: the texts and bits of their kernels, and what graphs of them compute.

mod cuda_text;
mod examples;
mod graph;
mod receipt;
mod wgsl;
