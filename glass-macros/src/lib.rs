//! Attribute macros of `glass`. Users reach them through the facade: `#[glass::contract(...)]`.
//!
//! Input: the tokens of an attribute and of the item it stands on. Output: the item, and what the run time needs to
//! launch its kernels. The crate reads no machine but the folder that the tracked variable `GLASS_IMAGES` names,
//! chooses no mapping and holds no kernel text.
//!
//! Expansions name everything by absolute paths that start with `::glass`. The library of the package
//! `glass-kernels` has that name, so nothing has to be renamed; a dependency renamed to something else is not found.
#![forbid(unsafe_code)]

mod contract;

use proc_macro::TokenStream;

/// Turns a unit struct into a batched small product with kernels for CUDA, WGSL and the CPU.
///
/// ```text
/// /// Feedback law of a 7-joint arm.
/// #[glass::contract(n_out = 7, k = 14)]
/// pub struct Feedback;
/// ```
///
/// `n_out` and `k` make a matrix-vector product `y = A x`, `A` of `n_out x k`. `m`, `n` and `k` make a matrix product
/// `C = A B`, `A` of `m x k`, `B` of `k x n`. Matrices are column-major.
///
/// | field | values | default |
/// |---|---|---|
/// | `n_out` | 1..=4096: rows of `A` | required for a vector result |
/// | `m`, `n` | 1..=4096: rows and columns of `C` | required for a matrix result |
/// | `k` | 1..=4096: contraction length | required |
/// | `dtype` | `f32`, `f64` | `f32` |
/// | `layout` | `contiguous`, `interleaved` (tiles of 32 problems) | `contiguous` |
/// | `transpose` | `none`, `a`, `b`, `ab`: operands stored transposed | `none` |
/// | `alpha` | `one`, `runtime` | `one` |
/// | `beta` | `zero` (the output is overwritten), `one` (added to), `runtime` | `zero` |
/// | `targets` | list of `cuda`, `wgsl`; the host form is always there | every target that has the `dtype` |
/// | `tier` | `thread`, `warp`, `block` | from the table |
/// | `form` | `serial`, `reduced` | from the table |
/// | `lanes_per_output` | 1, 2, 4, 8, 16, 32; with `form = reduced` | 32 |
/// | `threads_per_block` | 1..=1024; with `tier` | from the table |
///
/// The struct gets `glass::Kernel` and, with its own visibility,
///
/// - `launch(&device, (&a, &x), &mut y [, alpha] [, beta])`: the checked, asynchronous launch; the scalars are there
///   when the attribute says `runtime`;
/// - `output(&device, n_problems)`: a zero-filled batch of the result's shape, type and layout;
/// - `plan(&device, n_problems)`: the variant a launch would run, and the reason it was chosen;
/// - `sources()`: file name and text of every emitted CUDA and WGSL kernel.
///
/// A wrong attribute reports all its mistakes at once, each on the token it was made in.
///
/// # Embedded images
/// When the environment variable `GLASS_IMAGES` holds the absolute path of a folder, the files
/// `<symbol>-<hash>.sm_<NN>.cubin` and `.ptx` in it that belong to a CUDA kernel are embedded beside its text, and
/// machines without NVRTC can run it. Cargo expands again when the variable or an embedded file changes, not when
/// a file appears: name a new folder, or touch the source.
#[proc_macro_attribute]
pub fn contract(attribute: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand(attribute.into(), item.into()).into()
}
