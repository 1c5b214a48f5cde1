//! Reductions of long vectors: their kernels' meaning, texts and bits, without a GPU.

mod cuda_text;
mod ir;
mod wgsl;
