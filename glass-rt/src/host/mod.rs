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
pub use lanes::{Lanes, Pack};
#[cfg(target_arch = "x86_64")]
pub(crate) use transpose::Avx2;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use transpose::Portable;
pub(crate) use transpose::{Transpose, convert};

use crate::element::Element;
use crate::kernel::{Access, Layout, Scalars};

/// Most inputs a host body can take.
pub const MAX_INPUTS: usize = 8;

/// The arithmetic of a task on one tile of problems.
pub trait Body {
    /// Element type of all operands.
    type Element: Element;

    /// Computes one tile. `inputs[i][e]` is element `e` (column-major) of operand `i`, one problem per lane;
    /// `output[e]` is element `e` of the output and holds the old value when the operand is `InOut`. An `Out`
    /// operand holds unspecified values and every element of it has to be written.
    ///
    /// Implementations are marked `#[inline(always)]`: only then is the arithmetic compiled for the processor's
    /// vector instructions. Without it the bits are the same and the speed is not.
    fn run<V, A, Y>(inputs: &[A], output: &mut Y, scalars: Scalars<Self::Element>)
    where
        V: Lanes<Self::Element>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>;
}

/// The arguments of one host launch; made by the checked launch only.
#[derive(Debug)]
pub struct Args<'a, T> {
    pub(crate) inputs: &'a [&'a [T]],
    pub(crate) input_elements: &'a [usize],
    pub(crate) output: &'a mut [T],
    pub(crate) output_elements: usize,
    pub(crate) output_access: Access,
    pub(crate) n_problems: usize,
    pub(crate) layout: Layout,
    pub(crate) scalars: Scalars<T>,
}

/// A host kernel: [`entry`] of some body.
pub type Entry<T> = fn(&mut Args<'_, T>);

/// Runs `B` over a whole batch and returns when it is done. Usable as a constant of type [`Entry`].
pub fn entry<B: Body>(args: &mut Args<'_, B::Element>) {
    schedule::run(args, tile::work::<B>());
}
