//! Runs a body over tiles of 32 problems.
//!
//! Full interleaved tiles are read and written in place. Every other tile (contiguous problems, the ragged last
//! tile) passes through a scratch tile in interleaved order that stays in the first-level cache, so a body is
//! compiled for one view of memory only. Words always do. Padding is read at most and never written.

use std::array;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Index, IndexMut};

use super::buffer::Buffer;
use super::schedule::Shared;
use super::transpose::{self, Portable, Transpose};
use super::{Body, MAX_OPERANDS, Output, Words};
use crate::element::{Element, Real, Sealed, SealedReal};
use crate::layout::{Layout, TILE};

/// A run of whole tiles (the last one may be ragged) and the parts of the written operands that belong to it.
pub(super) struct Chunk<'a, T> {
    pub(super) shared: &'a Shared<'a, T>,
    pub(super) first_problem: usize,
    pub(super) n_problems: usize,
    pub(super) outputs: Vec<Output<'a, T>>,
    pub(super) words: Vec<Words<'a>>,
}

/// Runs a body over a chunk; unsafe because it may need processor features.
pub(super) type Work<T> = unsafe fn(Chunk<'_, T>);

/// The widest implementation this processor has.
pub(super) fn work<B: Body>() -> Work<B::Element> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return chunk_avx2::<B>;
    }
    chunk_baseline::<B>
}

/// What the target guarantees: SSE2 and a correct `fma` in software on x86-64, NEON with fused
/// multiply-add on 64-bit Arm.
fn chunk_baseline<B: Body>(chunk: Chunk<'_, B::Element>) {
    run_chunk::<B, Portable>(chunk);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn chunk_avx2<B: Body>(chunk: Chunk<'_, B::Element>) {
    run_chunk::<B, <B::Element as Sealed>::Wide>(chunk);
}

/// One group of lanes of a read-only tile, indexed by element.
#[derive(Clone, Copy)]
struct View<'a, T: Real>(&'a [T::Pack]);

impl<T: Real> Index<usize> for View<'_, T> {
    type Output = T::Pack;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &T::Pack {
        &self.0[element_idx * (TILE / T::LANES)]
    }
}

/// One group of lanes of a written tile, indexed by element; `P` is the pack or the words of `T`.
struct ViewMut<'a, T, P> {
    tile: &'a mut [P],
    element: PhantomData<T>,
}

impl<T: Real, P> Index<usize> for ViewMut<'_, T, P> {
    type Output = P;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &P {
        &self.tile[element_idx * (TILE / T::LANES)]
    }
}

impl<T: Real, P> IndexMut<usize> for ViewMut<'_, T, P> {
    #[inline(always)]
    fn index_mut(&mut self, element_idx: usize) -> &mut P {
        &mut self.tile[element_idx * (TILE / T::LANES)]
    }
}

#[inline(always)]
fn run_chunk<B: Body, M: Transpose<B::Element>>(chunk: Chunk<'_, B::Element>) {
    let Chunk { shared, first_problem, n_problems, mut outputs, mut words } = chunk;
    let layout = shared.layout;
    let mut scratch = Scratch::new(shared, &outputs, &words, n_problems);
    for tile_idx in 0..n_problems.div_ceil(TILE) {
        let n_valid = (n_problems - tile_idx * TILE).min(TILE);
        let in_place = n_valid == TILE && layout == Layout::Interleaved;
        let (mut reals_rest, mut words_rest) = (scratch.reals.as_mut_slice(), scratch.words.as_mut_slice());

        let mut views = [View::<B::Element>(&[]); MAX_OPERANDS];
        for (view, input) in views.iter_mut().zip(shared.inputs) {
            let elements = input.elements;
            let at = (first_problem + tile_idx * TILE) * elements;
            let stored = &input.data[at..][..layout.buffer_len(elements, n_valid)];
            *view = View(if in_place {
                bytemuck::cast_slice(stored)
            } else {
                let tile = cut(&mut reals_rest, TILE * elements);
                load::<_, M>(layout, stored, n_valid, elements, tile);
                bytemuck::cast_slice(tile)
            });
        }
        let views = &views[..shared.inputs.len()];

        let mut word_tiles: [&mut [u32]; MAX_OPERANDS] = array::from_fn(|_| Default::default());
        for (tile, words) in word_tiles.iter_mut().zip(&words) {
            *tile = cut(&mut words_rest, TILE * words.count);
        }
        let word_tiles = &mut word_tiles[..words.len()];

        let mut tiles: [&mut [B::Element]; MAX_OPERANDS] = array::from_fn(|_| Default::default());
        let tiles = &mut tiles[..outputs.len()];
        if in_place {
            for (tile, output) in tiles.iter_mut().zip(&mut outputs) {
                *tile = stored_tile(output.data, layout, tile_idx, n_valid, output.elements);
            }
            run_groups::<B>(views, tiles, word_tiles, shared.scalars);
        } else {
            for (tile, output) in tiles.iter_mut().zip(&mut outputs) {
                *tile = cut(&mut reals_rest, TILE * output.elements);
                if output.is_read {
                    let stored = stored_tile(output.data, layout, tile_idx, n_valid, output.elements);
                    load::<_, M>(layout, stored, n_valid, output.elements, tile);
                }
            }
            run_groups::<B>(views, tiles, word_tiles, shared.scalars);
            for (tile, output) in tiles.iter().zip(&mut outputs) {
                let stored = stored_tile(output.data, layout, tile_idx, n_valid, output.elements);
                store::<_, M>(layout, tile, n_valid, output.elements, stored);
            }
        }
        for (tile, words) in word_tiles.iter().zip(&mut words) {
            let stored = stored_tile(words.data, Layout::Contiguous, tile_idx, n_valid, words.count);
            store::<_, Portable>(Layout::Contiguous, tile, n_valid, words.count, stored);
        }
    }
}

#[inline(always)]
fn run_groups<B: Body>(
    inputs: &[View<'_, B::Element>],
    outputs: &mut [&mut [B::Element]],
    words: &mut [&mut [u32]],
    scalars: &[B::Element],
) {
    let (n_inputs, n_outputs, n_words) = (inputs.len(), outputs.len(), words.len());
    for group_idx in 0..TILE / B::Element::LANES {
        let mut views = [View::<B::Element>(&[]); MAX_OPERANDS];
        for (view, tile) in views.iter_mut().zip(inputs) {
            *view = View(&tile.0[group_idx..]);
        }
        let mut output_views = no_views::<B::Element, <B::Element as SealedReal>::Pack>();
        for (view, tile) in output_views.iter_mut().zip(outputs.iter_mut()) {
            view.tile = &mut bytemuck::cast_slice_mut(tile)[group_idx..];
        }
        let mut word_views = no_views::<B::Element, <B::Element as SealedReal>::Words>();
        for (view, tile) in word_views.iter_mut().zip(words.iter_mut()) {
            view.tile = &mut bytemuck::cast_slice_mut(tile)[group_idx..];
        }
        B::run(&views[..n_inputs], &mut output_views[..n_outputs], &mut word_views[..n_words], scalars);
    }
}

#[inline(always)]
fn no_views<'a, T, P: 'a>() -> [ViewMut<'a, T, P>; MAX_OPERANDS] {
    array::from_fn(|_| ViewMut { tile: &mut [], element: PhantomData })
}

/// Takes the first `len` elements off `rest`.
#[inline(always)]
fn cut<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (first, after) = mem::take(rest).split_at_mut(len);
    *rest = after;
    first
}

/// What a chunk of an operand stores for its `tile_idx`th tile.
#[inline(always)]
fn stored_tile<T>(
    chunk: &mut [T],
    layout: Layout,
    tile_idx: usize,
    n_valid: usize,
    elements: usize,
) -> &mut [T] {
    &mut chunk[tile_idx * TILE * elements..][..layout.buffer_len(elements, n_valid)]
}

/// Fills the first `n_valid` lanes of a scratch tile.
#[inline(always)]
fn load<T: Real, M: Transpose<T>>(
    layout: Layout,
    stored: &[T],
    n_valid: usize,
    elements: usize,
    tile: &mut [T],
) {
    match layout {
        Layout::Contiguous => transpose::into_tile::<T, M>(stored, n_valid, elements, tile),
        Layout::Interleaved => copy_lanes(stored, tile, n_valid),
    }
}

/// Stores the first `n_valid` lanes of a scratch tile.
#[inline(always)]
fn store<T: Element, M: Transpose<T>>(
    layout: Layout,
    tile: &[T],
    n_valid: usize,
    elements: usize,
    stored: &mut [T],
) {
    match layout {
        Layout::Contiguous => transpose::from_tile::<T, M>(tile, n_valid, elements, stored),
        Layout::Interleaved => copy_lanes(tile, stored, n_valid),
    }
}

/// Copies the first `n_lanes` lanes of every element of an interleaved tile.
fn copy_lanes<T: Element>(from: &[T], to: &mut [T], n_lanes: usize) {
    for (from, to) in from.chunks_exact(TILE).zip(to.chunks_exact_mut(TILE)) {
        to[..n_lanes].copy_from_slice(&from[..n_lanes]);
    }
}

/// One tile of every operand in interleaved order. There is none of a real operand when all tiles can be used in
/// place.
struct Scratch<T> {
    reals: Buffer<T>,
    words: Buffer<u32>,
}

impl<T: Real> Scratch<T> {
    fn new(
        shared: &Shared<'_, T>,
        outputs: &[Output<'_, T>],
        words: &[Words<'_>],
        n_problems: usize,
    ) -> Self {
        let in_place = shared.layout == Layout::Interleaved && n_problems.is_multiple_of(TILE);
        let elements = shared.inputs.iter().map(|input| input.elements).sum::<usize>()
            + outputs.iter().map(|output| output.elements).sum::<usize>();
        let count = words.iter().map(|words| words.count).sum::<usize>();
        Scratch {
            reals: Buffer::scratch(if in_place { 0 } else { TILE * elements }),
            words: Buffer::scratch(TILE * count),
        }
    }
}
