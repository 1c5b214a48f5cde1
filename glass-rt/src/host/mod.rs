//! The host form: the same arithmetic in plain Rust, one problem per lane.
//!
//! A [`Body`] computes one tile of problems whose lanes are independent; [`entry`] runs it over a batch in either
//! layout, on all cores, under the widest vector instructions the processor has. No lane sees another lane, so
//! the bits of a problem are those of the same body run on plain `f32` or `f64`, whatever the layout, the batch
//! length or the processor.

mod buffer;
mod clock;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod prefetch;
mod schedule;
mod tile;
mod transpose;

use std::ops::{Index, IndexMut};

pub(crate) use buffer::Buffer;
pub(crate) use clock::time_copies;
pub use lanes::{Lanes, Pack, Width};
pub(crate) use schedule::CHUNK_BYTES;
#[cfg(target_arch = "x86_64")]
pub(crate) use transpose::Avx2;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use transpose::Portable;
pub(crate) use transpose::{Transpose, convert};

use crate::element::Real;
use crate::kernel::Layout;

/// Most operands of a task that a host body can serve.
pub const MAX_OPERANDS: usize = 16;

/// The arithmetic of a task on one tile of problems.
pub trait Body {
    /// Element type of all real operands.
    type Element: Real;

    /// Computes one tile, one problem per lane. `inputs[i][e]` is element `e` (column-major) of input `i`;
    /// `outputs[i][e]` is element `e` of output `i` and holds the old value when the operand is `InOut`. An `Out`
    /// operand holds unspecified values, and every element of it has to be written. `words` are the word inputs, which
    /// keep their values, then the words that are written, like `Out` operands.
    /// `scalars` are in the task's order.
    ///
    /// Implementations are marked `#[inline(always)]`: only then is the arithmetic compiled for the processor's
    /// vector instructions. Without it the bits are the same and the speed is not.
    fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[Self::Element])
    where
        V: Lanes<Self::Element>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>,
        S: IndexMut<usize, Output = V::Words>;
}

/// The arguments of one host launch; made by the checked launch only.
#[derive(Debug)]
pub struct Args<'a, T> {
    pub(crate) inputs: Vec<Input<'a, T>>,
    pub(crate) word_inputs: Vec<Input<'a, u32>>,
    pub(crate) outputs: Vec<Output<'a, T>>,
    pub(crate) words: Vec<Words<'a>>,
    pub(crate) n_problems: usize,
    pub(crate) layout: Layout,
    pub(crate) scalars: &'a [T],
}

/// The memory of an operand that is read; words are contiguous.
#[derive(Debug)]
pub(crate) struct Input<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) elements: usize,
}

/// The memory of an operand that is written.
#[derive(Debug)]
pub(crate) struct Output<'a, T> {
    pub(crate) data: &'a mut [T],
    pub(crate) elements: usize,
    /// Old values may be read.
    pub(crate) is_read: bool,
}

/// The memory of a word operand that is written: contiguous, `count` words a problem.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    pub(crate) data: &'a mut [u32],
    pub(crate) count: usize,
}

/// A host kernel: [`entry`] of some body.
pub type Entry<T> = fn(&mut Args<'_, T>);

/// Runs `B` over a whole batch and returns when it is done. Usable as a constant of type [`Entry`].
pub fn entry<B: Body>(args: &mut Args<'_, B::Element>) {
    schedule::run(args, tile::work::<B>());
}
