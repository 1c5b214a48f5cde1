//! Runs a body over tiles of 32 problems.
//!
//! Full interleaved tiles are read and written in place. Every other tile (contiguous problems, the ragged last
//! tile) passes through a scratch tile in interleaved order that stays in the first-level cache, so a body is
//! compiled for one view of memory only. Padding is read at most and never written.

use std::ops::{Index, IndexMut};

use super::buffer::Buffer;
use super::schedule::Shared;
use super::transpose::{self, Portable, Transpose};
use super::{Body, MAX_INPUTS};
use crate::element::{Element, Sealed};
use crate::kernel::{Access, Layout};
use crate::layout::TILE;

/// A run of whole tiles (the last one may be ragged) and the part of the output that belongs to it.
pub(super) struct Chunk<'a, T> {
    pub(super) shared: &'a Shared<'a, T>,
    pub(super) first_problem: usize,
    pub(super) n_problems: usize,
    pub(super) output: &'a mut [T],
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
struct View<'a, T: Element>(&'a [T::Pack]);

impl<T: Element> Index<usize> for View<'_, T> {
    type Output = T::Pack;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &T::Pack {
        &self.0[element_idx * (TILE / T::LANES)]
    }
}

/// One group of lanes of the output tile, indexed by element.
struct ViewMut<'a, T: Element>(&'a mut [T::Pack]);

impl<T: Element> Index<usize> for ViewMut<'_, T> {
    type Output = T::Pack;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &T::Pack {
        &self.0[element_idx * (TILE / T::LANES)]
    }
}

impl<T: Element> IndexMut<usize> for ViewMut<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, element_idx: usize) -> &mut T::Pack {
        &mut self.0[element_idx * (TILE / T::LANES)]
    }
}

#[inline(always)]
fn run_chunk<B: Body, M: Transpose<B::Element>>(chunk: Chunk<'_, B::Element>) {
    let Chunk { shared, first_problem, n_problems, output } = chunk;
    let n_inputs = shared.inputs.len();
    let mut scratch = Scratch::new(shared, n_problems);
    for tile_idx in 0..n_problems.div_ceil(TILE) {
        let n_valid = (n_problems - tile_idx * TILE).min(TILE);
        let tile_problem = first_problem + tile_idx * TILE;
        let mut views = [View::<B::Element>(&[]); MAX_INPUTS];

        if n_valid == TILE && shared.layout == Layout::Interleaved {
            for (view, (input, &elements)) in
                views.iter_mut().zip(shared.inputs.iter().zip(shared.input_elements))
            {
                *view = View(packs(&input[tile_problem * elements..][..TILE * elements]));
            }
            let tile_len = TILE * shared.output_elements;
            let out = packs_mut(&mut output[tile_idx * tile_len..][..tile_len]);
            run_groups::<B>(&views[..n_inputs], out, shared);
            continue;
        }

        let (scratch_in, scratch_out) = scratch.split();
        let mut rest = scratch_in;
        for (view, (input, &elements)) in
            views.iter_mut().zip(shared.inputs.iter().zip(shared.input_elements))
        {
            let (tile, after) = rest.split_at_mut(TILE * elements);
            rest = after;
            match shared.layout {
                Layout::Contiguous => {
                    let problems = &input[tile_problem * elements..][..n_valid * elements];
                    transpose::into_tile::<_, M>(problems, n_valid, elements, tile);
                }
                Layout::Interleaved => {
                    copy_lanes(&input[tile_problem * elements..][..TILE * elements], tile, n_valid);
                }
            }
            *view = View(packs(tile));
        }

        let elements = shared.output_elements;
        let read_old = shared.output_access == Access::InOut;
        match shared.layout {
            Layout::Contiguous => {
                let problems = &mut output[tile_idx * TILE * elements..][..n_valid * elements];
                if read_old {
                    transpose::into_tile::<_, M>(problems, n_valid, elements, scratch_out);
                }
                run_groups::<B>(&views[..n_inputs], packs_mut(scratch_out), shared);
                transpose::from_tile::<_, M>(scratch_out, n_valid, elements, problems);
            }
            Layout::Interleaved => {
                let tile = &mut output[tile_idx * TILE * elements..][..TILE * elements];
                if read_old {
                    copy_lanes(tile, scratch_out, n_valid);
                }
                run_groups::<B>(&views[..n_inputs], packs_mut(scratch_out), shared);
                copy_lanes(scratch_out, tile, n_valid);
            }
        }
    }
}

#[inline(always)]
fn run_groups<B: Body>(
    tiles: &[View<'_, B::Element>],
    output: &mut [<B::Element as Sealed>::Pack],
    shared: &Shared<'_, B::Element>,
) {
    for group_idx in 0..TILE / B::Element::LANES {
        let mut views = [View::<B::Element>(&[]); MAX_INPUTS];
        for (view, tile) in views.iter_mut().zip(tiles) {
            *view = View(&tile.0[group_idx..]);
        }
        let mut out = ViewMut::<B::Element>(&mut output[group_idx..]);
        B::run(&views[..tiles.len()], &mut out, shared.scalars);
    }
}

/// Copies the first `n_lanes` lanes of every element of an interleaved tile.
fn copy_lanes<T: Element>(from: &[T], to: &mut [T], n_lanes: usize) {
    for (from, to) in from.chunks_exact(TILE).zip(to.chunks_exact_mut(TILE)) {
        to[..n_lanes].copy_from_slice(&from[..n_lanes]);
    }
}

fn packs<T: Element>(tile: &[T]) -> &[T::Pack] {
    bytemuck::cast_slice(tile)
}

fn packs_mut<T: Element>(tile: &mut [T]) -> &mut [T::Pack] {
    bytemuck::cast_slice_mut(tile)
}

/// One tile of every operand in interleaved order; empty when all tiles can be used in place.
struct Scratch<T> {
    buffer: Option<Buffer<T>>,
    output_len: usize,
}

impl<T: Element> Scratch<T> {
    fn new(shared: &Shared<'_, T>, n_problems: usize) -> Self {
        let needed = shared.layout == Layout::Contiguous || !n_problems.is_multiple_of(TILE);
        let elements = shared.input_elements.iter().sum::<usize>() + shared.output_elements;
        let buffer = needed.then(|| Buffer::scratch(TILE * elements));
        Scratch { buffer, output_len: TILE * shared.output_elements }
    }

    /// The input tiles and the output tile.
    fn split(&mut self) -> (&mut [T], &mut [T]) {
        let all = self.buffer.as_mut().map(Buffer::as_mut_slice).unwrap_or_default();
        let n_inputs = all.len() - self.output_len.min(all.len());
        all.split_at_mut(n_inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Args, Lanes, schedule};
    use crate::kernel::Scalars;

    const N_OUT: usize = 3;
    const K: usize = 5;

    /// y += alpha A x.
    struct Accumulate;

    impl Body for Accumulate {
        type Element = f64;

        #[inline(always)]
        fn run<V, A, Y>(inputs: &[A], output: &mut Y, scalars: Scalars<f64>)
        where
            V: Lanes<f64>,
            A: Index<usize, Output = V>,
            Y: IndexMut<usize, Output = V>,
        {
            for i in 0..N_OUT {
                let mut acc = V::splat(0.0);
                for t in 0..K {
                    acc = inputs[0][i + t * N_OUT].mul_add(inputs[1][t], acc);
                }
                output[i] = output[i].add(V::splat(scalars.alpha).mul(acc));
            }
        }
    }

    fn values(len: usize, seed: f64) -> Vec<f64> {
        (0..len).map(|i| ((i as f64 + seed) * 12.9898).sin() * 437.585).collect()
    }

    /// The same body on one lane, problem after problem.
    fn one_by_one(a: &[f64], x: &[f64], y: &mut [f64], scalars: Scalars<f64>) {
        let problems = a.chunks(N_OUT * K).zip(x.chunks(K)).zip(y.chunks_mut(N_OUT));
        for ((a, x), y) in problems {
            let mut out = y.to_vec();
            Accumulate::run(&[a.to_vec(), x.to_vec()], &mut out, scalars);
            y.copy_from_slice(&out);
        }
    }

    #[test]
    fn every_implementation_gives_the_bits_of_one_lane() {
        // The last size is large enough to be spread over the cores.
        for n_problems in [1, 31, 32, 33, 100, 1000, 4001] {
            let (a, x, old) = (
                values(n_problems * N_OUT * K, 0.1),
                values(n_problems * K, 0.2),
                values(n_problems * N_OUT, 0.3),
            );
            let scalars = Scalars { alpha: -1.75, beta: 0.0 };
            let mut wanted = old.clone();
            one_by_one(&a, &x, &mut wanted, scalars);
            for layout in [Layout::Contiguous, Layout::Interleaved] {
                for work in [work::<Accumulate>(), chunk_baseline::<Accumulate>] {
                    let stored = |problems: &[f64], elements: usize| {
                        let mut stored = vec![f64::NAN; layout.buffer_len(elements, n_problems)];
                        for (idx, value) in problems.iter().enumerate() {
                            stored[layout.offset(elements, idx / elements, idx % elements)] = *value;
                        }
                        stored
                    };
                    let (a, x, mut y) = (stored(&a, N_OUT * K), stored(&x, K), stored(&old, N_OUT));
                    let mut args = Args {
                        inputs: &[&a, &x],
                        input_elements: &[N_OUT * K, K],
                        output: &mut y,
                        output_elements: N_OUT,
                        output_access: Access::InOut,
                        n_problems,
                        layout,
                        scalars,
                    };
                    schedule::run(&mut args, work);
                    let bits =
                        |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    // Padding is still the NaN it was.
                    assert_eq!(bits(&y), bits(&stored(&wanted, N_OUT)), "{layout} {n_problems}");
                }
            }
        }
    }
}
