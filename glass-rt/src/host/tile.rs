//! Runs a body over tiles of 32 problems.
//!
//! Full interleaved tiles are read and written in place. Every other tile (contiguous problems, the ragged last
//! tile) passes through a scratch tile in interleaved order that stays in the first-level cache, so a body is
//! compiled for one view of memory only. Words always do. Padding is read at most and never written.

use std::array;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Index, IndexMut};

use bytemuck::Pod;

use super::buffer::Buffer;
use super::schedule::Shared;
use super::transpose::{self, Portable, Transpose};
use super::{Body, Input, MAX_OPERANDS, Output, Words};
use crate::element::{Element, Real, Sealed, SealedReal};
use crate::layout::{Layout, TILE};

/// A run of whole tiles (the last one may be ragged) and the parts of the written operands that belong to it.
pub(super) struct Chunk<'a, 'b, T> {
    pub(super) shared: &'a Shared<'a, T>,
    pub(super) first_problem: usize,
    pub(super) n_problems: usize,
    pub(super) outputs: &'a mut [Output<'b, T>],
    pub(super) words: &'a mut [Words<'b>],
}

/// Runs a body over a chunk; unsafe because it may need processor features.
pub(super) type Work<T> = unsafe fn(Chunk<'_, '_, T>);

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
fn chunk_baseline<B: Body>(chunk: Chunk<'_, '_, B::Element>) {
    run_chunk::<B, Portable>(chunk);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn chunk_avx2<B: Body>(chunk: Chunk<'_, '_, B::Element>) {
    run_chunk::<B, <B::Element as Sealed>::Wide>(chunk);
}

/// One group of lanes of a read-only tile, indexed by element.
#[derive(Clone, Copy)]
struct View<'a, T: Real> {
    tile: &'a [T::Pack],
    group_idx: usize,
}

/// One group of lanes of a written tile, indexed by element; `P` is the pack or the words of `T`.
struct ViewMut<'a, T, P> {
    tile: &'a mut [P],
    group_idx: usize,
    element: PhantomData<T>,
}

/// Position of a pack in its tile. A tile of one group does not even look at which one it is.
#[inline(always)]
fn position<T: Real>(element_idx: usize, group_idx: usize) -> usize {
    if T::LANES == TILE { element_idx } else { element_idx * (TILE / T::LANES) + group_idx }
}

impl<T: Real> Index<usize> for View<'_, T> {
    type Output = T::Pack;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &T::Pack {
        &self.tile[position::<T>(element_idx, self.group_idx)]
    }
}

impl<T: Real, P> Index<usize> for ViewMut<'_, T, P> {
    type Output = P;

    #[inline(always)]
    fn index(&self, element_idx: usize) -> &P {
        &self.tile[position::<T>(element_idx, self.group_idx)]
    }
}

impl<T: Real, P> IndexMut<usize> for ViewMut<'_, T, P> {
    #[inline(always)]
    fn index_mut(&mut self, element_idx: usize) -> &mut P {
        &mut self.tile[position::<T>(element_idx, self.group_idx)]
    }
}

/// Views of real tiles that are written, and of the words beside them.
type RealView<'a, T> = ViewMut<'a, T, <T as SealedReal>::Pack>;
type WordView<'a, T> = ViewMut<'a, T, <T as SealedReal>::Words>;

impl<'a, T: Real, P: Pod> ViewMut<'a, T, P> {
    /// As many views of no tile as a task has operands.
    #[inline(always)]
    fn none() -> [Self; MAX_OPERANDS] {
        array::from_fn(|_| ViewMut { tile: &mut [], group_idx: 0, element: PhantomData })
    }

    /// Gives each of the first views a tile of `scratch`.
    #[inline(always)]
    fn place<E: Pod>(views: &mut [Self], scratch: &mut &'a mut [E], elements: impl Iterator<Item = usize>) {
        for (view, elements) in views.iter_mut().zip(elements) {
            view.tile = bytemuck::cast_slice_mut(cut(scratch, TILE * elements));
        }
    }
}

#[inline(always)]
fn run_chunk<B: Body, M: Transpose<B::Element>>(chunk: Chunk<'_, '_, B::Element>) {
    let Chunk { shared, first_problem, n_problems, outputs, words } = chunk;
    let given = shared.word_inputs.iter().map(|input| input.elements);
    let counts = given.chain(words.iter().map(|words| words.count));
    let mut scratch = Buffer::<u32>::scratch(TILE * counts.clone().sum::<usize>());
    let mut word_views = WordView::<B::Element>::none();
    let word_views = &mut word_views[..shared.word_inputs.len() + words.len()];
    WordView::place(word_views, &mut scratch.as_mut_slice(), counts);

    let n_in_place = match shared.layout {
        Layout::Contiguous => 0,
        Layout::Interleaved => n_problems / TILE * TILE,
    };
    if n_in_place > 0 {
        let in_place = Chunk { shared, first_problem, n_problems: n_in_place, outputs, words };
        run_in_place::<B>(in_place, word_views);
    }
    if n_in_place < n_problems {
        let (first_problem, n_problems) = (first_problem + n_in_place, n_problems - n_in_place);
        let rest = Chunk { shared, first_problem, n_problems, outputs, words };
        run_through_scratch::<B, M>(rest, word_views);
    }
}

/// Runs full tiles of the interleaved layout and takes them off the written operands.
#[inline(always)]
fn run_in_place<B: Body>(chunk: Chunk<'_, '_, B::Element>, word_views: &mut [WordView<'_, B::Element>]) {
    let Chunk { shared, first_problem, n_problems, outputs, words } = chunk;
    let mut views = [View::<B::Element> { tile: &[], group_idx: 0 }; MAX_OPERANDS];
    let views = &mut views[..shared.inputs.len()];
    let mut output_views = RealView::<B::Element>::none();
    let output_views = &mut output_views[..outputs.len()];
    for tile_problem in (first_problem..first_problem + n_problems).step_by(TILE) {
        for (view, Input { data, elements }) in views.iter_mut().zip(shared.inputs) {
            view.tile = bytemuck::cast_slice(&data[tile_problem * elements..][..TILE * elements]);
        }
        for (view, Output { data, elements, .. }) in output_views.iter_mut().zip(outputs.iter_mut()) {
            view.tile = bytemuck::cast_slice_mut(cut(data, TILE * *elements));
        }
        load_words(shared.word_inputs, tile_problem, TILE, word_views);
        for group_idx in 0..TILE / B::Element::LANES {
            if B::Element::LANES < TILE {
                views.iter_mut().for_each(|view| view.group_idx = group_idx);
            }
            run_group::<B, _>(views, output_views, word_views, group_idx, shared.scalars);
        }
        store_words(&word_views[shared.word_inputs.len()..], words, TILE);
    }
}

/// Runs tiles of any kind and takes them off the written operands.
#[inline(always)]
fn run_through_scratch<B: Body, M: Transpose<B::Element>>(
    chunk: Chunk<'_, '_, B::Element>,
    word_views: &mut [WordView<'_, B::Element>],
) {
    let Chunk { shared, first_problem, n_problems, outputs, words } = chunk;
    let layout = shared.layout;
    let input_elements = shared.inputs.iter().map(|input| input.elements);
    let output_elements = outputs.iter().map(|output| output.elements);
    let elements = input_elements.clone().chain(output_elements.clone()).sum::<usize>();
    let mut scratch = Buffer::<B::Element>::scratch(TILE * elements);
    let scratch = &mut scratch.as_mut_slice();
    let mut views = RealView::<B::Element>::none();
    let views = &mut views[..shared.inputs.len()];
    RealView::place(views, scratch, input_elements);
    let mut output_views = RealView::<B::Element>::none();
    let output_views = &mut output_views[..outputs.len()];
    RealView::place(output_views, scratch, output_elements);

    for first_valid in (0..n_problems).step_by(TILE) {
        let n_valid = (n_problems - first_valid).min(TILE);
        let tile_problem = first_problem + first_valid;
        for (view, Input { data, elements }) in views.iter_mut().zip(shared.inputs) {
            let stored = &data[tile_problem * elements..][..layout.buffer_len(*elements, n_valid)];
            load::<_, M>(layout, stored, n_valid, *elements, bytemuck::cast_slice_mut(view.tile));
        }
        for (view, Output { data, elements, is_read }) in output_views.iter_mut().zip(outputs.iter()) {
            if *is_read {
                let stored = &data[..layout.buffer_len(*elements, n_valid)];
                load::<_, M>(layout, stored, n_valid, *elements, bytemuck::cast_slice_mut(view.tile));
            }
        }
        load_words(shared.word_inputs, tile_problem, n_valid, word_views);
        for group_idx in 0..TILE / B::Element::LANES {
            if B::Element::LANES < TILE {
                views.iter_mut().for_each(|view| view.group_idx = group_idx);
            }
            run_group::<B, _>(views, output_views, word_views, group_idx, shared.scalars);
        }
        for (view, Output { data, elements, .. }) in output_views.iter().zip(outputs.iter_mut()) {
            let stored = cut(data, layout.buffer_len(*elements, n_valid));
            store::<_, M>(layout, bytemuck::cast_slice(view.tile), n_valid, *elements, stored);
        }
        store_words(&word_views[shared.word_inputs.len()..], words, n_valid);
    }
}

/// Runs the body on one group of lanes; `inputs` already look at it.
#[inline(always)]
fn run_group<B: Body, A: Index<usize, Output = <B::Element as SealedReal>::Pack>>(
    inputs: &[A],
    outputs: &mut [RealView<'_, B::Element>],
    words: &mut [WordView<'_, B::Element>],
    group_idx: usize,
    scalars: &[B::Element],
) {
    if B::Element::LANES < TILE {
        outputs.iter_mut().for_each(|view| view.group_idx = group_idx);
        words.iter_mut().for_each(|view| view.group_idx = group_idx);
    }
    B::run(inputs, outputs, words, scalars);
}

/// Fills the first views with the words that a tile is given.
#[inline(always)]
fn load_words<T: Real>(
    inputs: &[Input<'_, u32>],
    first_problem: usize,
    n_valid: usize,
    views: &mut [WordView<'_, T>],
) {
    for (view, Input { data, elements }) in views.iter_mut().zip(inputs) {
        let stored = &data[first_problem * elements..][..n_valid * elements];
        transpose::into_tile::<u32, Portable>(
            stored,
            n_valid,
            *elements,
            bytemuck::cast_slice_mut(view.tile),
        );
    }
}

/// Stores the words of a tile and takes them off their operands.
#[inline(always)]
fn store_words<T: Real>(views: &[WordView<'_, T>], words: &mut [Words<'_>], n_valid: usize) {
    for (view, Words { data, count }) in views.iter().zip(words) {
        let stored = cut(data, n_valid * *count);
        transpose::from_tile::<u32, Portable>(bytemuck::cast_slice(view.tile), n_valid, *count, stored);
    }
}

/// Takes the first `len` elements off `rest`.
#[inline(always)]
fn cut<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (first, after) = mem::take(rest).split_at_mut(len);
    *rest = after;
    first
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
fn store<T: Real, M: Transpose<T>>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Args, Lanes, schedule};

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
                        word_inputs: vec![],
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
            word_inputs: vec![],
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
