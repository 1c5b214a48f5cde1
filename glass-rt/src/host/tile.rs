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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Args, Input, Lanes, schedule};

    const N_OUT: usize = 3;
    const K: usize = 5;

    /// Two inputs (a matrix and a vector), an old and a new output, a status word and three counts.
    ///
    /// `y -= s A x` and `z` = the pivots and their reciprocals of `y` and of the elements of `x`.
    #[inline(always)]
    fn arithmetic<T, V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[T])
    where
        T: Real,
        V: Lanes<T>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>,
        S: IndexMut<usize, Output = V::Words>,
    {
        let ([a, x], [y, z], [status, counts]) = (inputs, outputs, words) else { panic!("operands") };
        let mut first_bad = V::no_words();
        for i in 0..N_OUT {
            let mut acc = V::splat(T::default());
            for t in 0..K {
                acc = a[i + t * N_OUT].mul_add(x[t], acc);
            }
            y[i] = y[i].sub(V::splat(scalars[0]).mul(acc));
            (z[2 * i], z[2 * i + 1]) = y[i].cholesky_pivot(i as u32 + 1, &mut first_bad);
            counts[i] = first_bad;
        }
        z[2 * N_OUT] = x[0].general_pivot(9, &mut first_bad).1;
        status[0] = first_bad;
    }

    struct Double;
    struct Single;

    macro_rules! body {
        ($name:ident, $float:ty) => {
            impl Body for $name {
                type Element = $float;

                #[inline(always)]
                fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[$float])
                where
                    V: Lanes<$float>,
                    A: Index<usize, Output = V>,
                    Y: IndexMut<usize, Output = V>,
                    S: IndexMut<usize, Output = V::Words>,
                {
                    arithmetic(inputs, outputs, words, scalars);
                }
            }
        };
    }

    body!(Double, f64);
    body!(Single, f32);

    const ELEMENTS: [usize; 4] = [N_OUT * K, K, N_OUT, 2 * N_OUT + 1];
    const COUNTS: [usize; 2] = [1, N_OUT];

    fn values(len: usize, seed: f64) -> Vec<f64> {
        (0..len).map(|i| ((i as f64 + seed) * 12.9898).sin() * 437.585).collect()
    }

    /// Bits, with one pattern for all NaNs.
    fn bits<T: Real + Into<f64>>(values: &[T]) -> Vec<u64> {
        let bits = |value: f64| if value.is_nan() { u64::MAX } else { value.to_bits() };
        values.iter().map(|value| bits((*value).into())).collect()
    }

    /// A body's arithmetic on one problem.
    type OneLane<T> = fn(&[Vec<T>], &mut [Vec<T>], &mut [Vec<u32>], &[T]);

    fn check<B: Body<Element: Into<f64>>>(from_f64: fn(f64) -> B::Element, one_lane: OneLane<B::Element>) {
        let scalars = [from_f64(-1.75)];
        let poison = from_f64(12345.0);
        // The last size is large enough to be spread over the cores.
        for n_problems in [1, 31, 32, 33, 64, 100, 1000, 4001] {
            let data: Vec<Vec<_>> = ELEMENTS
                .iter()
                .enumerate()
                .map(|(idx, elements)| {
                    values(n_problems * elements, 0.1 * idx as f64).into_iter().map(from_f64).collect()
                })
                .collect();
            let mut wanted = [Vec::new(), Vec::new()];
            let mut wanted_words = [Vec::new(), Vec::new()];
            for problem in 0..n_problems {
                let of = |idx: usize| data[idx][problem * ELEMENTS[idx]..][..ELEMENTS[idx]].to_vec();
                let mut outputs = [of(2), of(3)];
                let mut words = COUNTS.map(|count| vec![77; count]);
                one_lane(&[of(0), of(1)], &mut outputs, &mut words, &scalars);
                for (wanted, output) in wanted.iter_mut().zip(outputs) {
                    wanted.extend(output);
                }
                for (wanted, words) in wanted_words.iter_mut().zip(words) {
                    wanted.extend(words);
                }
            }
            // Good problems and all kinds of bad ones take part.
            assert!(n_problems < 100 || (0..=3).all(|number| wanted_words[0].contains(&number)));

            for layout in [Layout::Contiguous, Layout::Interleaved] {
                for work in [work::<B>(), chunk_baseline::<B>] {
                    let stored = |problems: &[B::Element], elements: usize, padding| {
                        let mut stored = vec![padding; layout.buffer_len(elements, n_problems)];
                        for (idx, value) in problems.iter().enumerate() {
                            stored[layout.offset(elements, idx / elements, idx % elements)] = *value;
                        }
                        stored
                    };
                    let inputs = [0, 1].map(|idx| stored(&data[idx], ELEMENTS[idx], from_f64(f64::NAN)));
                    let mut outputs = [2, 3].map(|idx| stored(&data[idx], ELEMENTS[idx], poison));
                    let mut words = COUNTS.map(|count| vec![77; count * n_problems]);
                    let mut args = Args {
                        inputs: (inputs.iter().zip(ELEMENTS))
                            .map(|(data, elements)| Input { data, elements })
                            .collect(),
                        outputs: (outputs.iter_mut().zip(&ELEMENTS[2..]).zip([true, false]))
                            .map(|((data, &elements), is_read)| Output { data, elements, is_read })
                            .collect(),
                        words: (words.iter_mut().zip(COUNTS))
                            .map(|(data, count)| Words { data, count })
                            .collect(),
                        n_problems,
                        layout,
                        scalars: &scalars,
                    };
                    schedule::run(&mut args, work);
                    for (idx, output) in outputs.iter().enumerate() {
                        // Padding is still what it was.
                        let wanted = stored(&wanted[idx], ELEMENTS[2 + idx], poison);
                        assert_eq!(bits(output), bits(&wanted), "{layout} {n_problems} output {idx}");
                    }
                    assert_eq!(words, wanted_words, "{layout} {n_problems}");
                }
            }
        }
    }

    #[test]
    fn every_implementation_gives_the_bits_of_one_lane() {
        check::<Double>(|value| value, Double::run);
        check::<Single>(|value| value as f32, Single::run);
    }

    /// Nothing but words is written: there is no output to take the number of problems from.
    #[test]
    fn words_alone_are_enough() {
        struct Signs;
        impl Body for Signs {
            type Element = f32;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], _: &mut [Y], words: &mut [S], _: &[f32])
            where
                V: Lanes<f32>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                words[0][0] = V::no_words();
                for (number, element) in [(1, 0), (2, 1)] {
                    let _ = inputs[0][element].cholesky_pivot(number, &mut words[0][0]);
                }
            }
        }
        let n_problems = 20_000;
        let data: Vec<f32> = (0..2 * n_problems).map(|i| [1.0, -1.0, 2.0][i % 3]).collect();
        let mut words = vec![77; n_problems];
        let mut args = Args {
            inputs: vec![Input { data: &data, elements: 2 }],
            outputs: vec![],
            words: vec![Words { data: &mut words, count: 1 }],
            n_problems,
            layout: Layout::Contiguous,
            scalars: &[],
        };
        schedule::run(&mut args, work::<Signs>());
        let wanted: Vec<u32> = (0..n_problems).map(|problem| [2, 0, 1][problem % 3]).collect();
        assert_eq!(words, wanted);
    }
}
