//! The host form of the vector equations: element by element as a thread of a group takes them, many threads at a
//! time where a block of neighbours is whole.

use rayon::prelude::*;

use super::task::ElementEntry;
use crate::element::SealedReal;
pub use crate::host::{Body, Lanes};
use crate::host::{CHUNK_BYTES, Width};
use crate::reduction::LevelEntry;
use crate::reduction::host::{Identity, level, met, of_threads};
use crate::reduction::task::MAX_CHAIN;

/// Neighbouring elements that are evaluated at once.
type Block = <f32 as SealedReal>::Pack;
const BLOCK: usize = <f32 as SealedReal>::LANES;

/// The elements of a run of whole groups; only the last group may be short. Made by a graph only.
#[derive(Debug)]
pub struct Elements<'a> {
    /// First element of the run.
    pub(crate) first: usize,
    /// Elements of the run.
    pub(crate) n: usize,
    /// All elements of the vectors that are read.
    pub(crate) inputs: &'a [&'a [f32]],
    pub(crate) products: &'a [Product<'a>],
    /// The run's elements of the vectors that are written.
    pub(crate) outputs: Vec<&'a mut [f32]>,
    /// For every sum the sums of the run's groups.
    pub(crate) sums: Vec<&'a mut [f32]>,
    pub(crate) scalars: &'a [f32],
}

/// A matrix in compressed sparse rows and the vector that it multiplies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product<'a> {
    pub(crate) offsets: &'a [u32],
    pub(crate) columns: &'a [u32],
    pub(crate) values: &'a [f32],
    pub(crate) vector: &'a [f32],
}

impl Product<'_> {
    /// The element of the product in `row`.
    #[inline(always)]
    fn element(&self, row: usize) -> f32 {
        let stored = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let mut acc = 0.0;
        for (value, column) in self.values[stored.clone()].iter().zip(&self.columns[stored]) {
            acc = value.mul_add(self.vector[*column as usize], acc);
        }
        acc
    }
}

/// The vector equations of `B` in groups of `THREADS` threads, each with `ELEMENTS` elements, that have `SLOTS` accumulators,
/// as many for every thread. Those of a thread meet first, then the threads in trees of `LANES` neighbours and then in one
/// over their totals.
///
/// `B::run` sees one element of every operand, at index 0. `inputs`: the operands that are [`OperandKind::Read`], in
/// order, then the element of each product, in order. `outputs`: the operands that are written, in order
/// ([`OperandKind::ReadWrite`] ones with their old values, [`OperandKind::Write`] ones unspecified), then an
/// accumulator per sum, to which the element's term is to be added. `words`: none. `scalars`: all, in order, as they
/// are before the operation; a `u32` as 1 where it is not 0, else 0.
///
/// [`OperandKind::Read`]: super::OperandKind::Read
/// [`OperandKind::Write`]: super::OperandKind::Write
/// [`OperandKind::ReadWrite`]: super::OperandKind::ReadWrite
pub const fn vector<
    B: Body<Element = f32>,
    const THREADS: usize,
    const ELEMENTS: usize,
    const LANES: usize,
    const SLOTS: usize,
>() -> ElementEntry {
    run::<B, THREADS, ELEMENTS, LANES, SLOTS>
}

/// One group of `THREADS` threads that adds all sums of groups; the threads meet as in [`vector`].
pub const fn fold<const THREADS: usize, const LANES: usize>() -> LevelEntry {
    level::<Identity, THREADS, { MAX_CHAIN as usize }, LANES, THREADS>()
}

/// Under the widest instructions this processor has.
fn run<
    B: Body<Element = f32>,
    const THREADS: usize,
    const ELEMENTS: usize,
    const LANES: usize,
    const SLOTS: usize,
>(
    elements: Elements<'_>,
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the features.
        return unsafe { run_avx2::<B, THREADS, ELEMENTS, LANES, SLOTS>(elements) };
    }
    groups::<B, THREADS, ELEMENTS, LANES, SLOTS>(elements);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<
    B: Body<Element = f32>,
    const THREADS: usize,
    const ELEMENTS: usize,
    const LANES: usize,
    const SLOTS: usize,
>(
    elements: Elements<'_>,
) {
    groups::<B, THREADS, ELEMENTS, LANES, SLOTS>(elements);
}

#[inline(always)]
fn groups<
    B: Body<Element = f32>,
    const THREADS: usize,
    const ELEMENTS: usize,
    const LANES: usize,
    const SLOTS: usize,
>(
    mut elements: Elements<'_>,
) {
    let n_groups = elements.n.div_ceil(THREADS * ELEMENTS);
    let mut accumulators = vec![[0.0; SLOTS]; elements.sums.len()];
    let mut block = Operands::<Block>::of(&elements);
    let mut single = Operands::<f32>::of(&elements);
    for group in 0..n_groups {
        accumulators.fill([0.0; SLOTS]);
        let start = group * THREADS * ELEMENTS;
        let end = elements.n.min(start + THREADS * ELEMENTS);
        // One element of every accumulator at a time.
        for start in (start..end).step_by(SLOTS) {
            let n_slots = SLOTS.min(end - start);
            let n_whole = n_slots / BLOCK * BLOCK;
            for slot in (0..n_whole).step_by(BLOCK) {
                block.run::<B, SLOTS>(&mut elements, start + slot, &mut accumulators, slot);
            }
            for slot in n_whole..n_slots {
                single.run::<B, SLOTS>(&mut elements, start + slot, &mut accumulators, slot);
            }
        }
        for (sums, accumulators) in elements.sums.iter_mut().zip(&mut accumulators) {
            sums[group] = met::<THREADS, LANES>(&mut of_threads(accumulators));
        }
    }
}

/// Evaluates all groups of `group_elements` elements, on all cores where that is worth it.
pub(crate) fn spread(entry: ElementEntry, group_elements: usize, elements: Elements<'_>) {
    let Elements { n, inputs, products, scalars, outputs, sums, .. } = elements;
    // The rows of a matrix count as one element: how long they are, their offsets tell only one by one.
    let element_bytes = (inputs.len() + products.len() + outputs.len()) * size_of::<f32>();
    let n_groups = (CHUNK_BYTES / (element_bytes * group_elements).max(1)).max(1);
    let chunk = n_groups * group_elements;
    let part = |first| {
        let n = chunk.min(n - first);
        let (outputs, sums) = (Vec::with_capacity(outputs.len()), Vec::with_capacity(sums.len()));
        Elements { first, n, inputs, products, outputs, sums, scalars }
    };
    let mut parts: Vec<Elements<'_>> = (0..n).step_by(chunk).map(part).collect();
    for output in outputs {
        parts.iter_mut().zip(output.chunks_mut(chunk)).for_each(|(part, output)| part.outputs.push(output));
    }
    for sums in sums {
        parts.iter_mut().zip(sums.chunks_mut(n_groups)).for_each(|(part, sums)| part.sums.push(sums));
    }
    if parts.len() > 1 { parts.into_par_iter().for_each(entry) } else { parts.into_iter().for_each(entry) }
}

/// What a body sees of neighbouring elements, one per lane of `V`.
struct Operands<V> {
    inputs: Vec<[V; 1]>,
    outputs: Vec<[V; 1]>,
}

impl<V: Lanes<f32> + bytemuck::Pod> Operands<V> {
    fn of(elements: &Elements<'_>) -> Self {
        let values = |len| vec![[V::splat(0.0)]; len];
        let inputs = values(elements.inputs.len() + elements.products.len());
        Operands { inputs, outputs: values(elements.outputs.len() + elements.sums.len()) }
    }

    /// Evaluates the body on the elements of the run from `at` on, whose accumulators are those from `slot` on.
    #[inline(always)]
    fn run<B: Body<Element = f32>, const SLOTS: usize>(
        &mut self,
        elements: &mut Elements<'_>,
        at: usize,
        accumulators: &mut [[f32; SLOTS]],
        slot: usize,
    ) {
        let Elements { first, inputs, products, outputs, scalars, .. } = elements;
        let row = *first + at;
        let (read, multiplied) = self.inputs.split_at_mut(inputs.len());
        for (input, [value]) in inputs.iter().zip(read) {
            *value = lanes(input, row);
        }
        for (product, value) in products.iter().zip(multiplied) {
            let values: &mut [f32] = bytemuck::cast_slice_mut(value);
            values.iter_mut().enumerate().for_each(|(lane, value)| *value = product.element(row + lane));
        }
        let (written, added) = self.outputs.split_at_mut(outputs.len());
        for (output, [value]) in outputs.iter().zip(&mut *written) {
            *value = lanes(output, at);
        }
        for (accumulator, [value]) in accumulators.iter().zip(&mut *added) {
            *value = lanes(accumulator, slot);
        }
        let no_words: &mut [[<V as Width>::Words; 1]] = &mut [];
        B::run(&self.inputs, &mut self.outputs, no_words, scalars);
        let (written, added) = self.outputs.split_at(outputs.len());
        for (output, [value]) in outputs.iter_mut().zip(written) {
            *lanes_mut(output, at) = *value;
        }
        for (accumulator, [value]) in accumulators.iter_mut().zip(added) {
            *lanes_mut(accumulator, slot) = *value;
        }
    }
}

/// The lanes from `at` on.
#[inline(always)]
fn lanes<V: bytemuck::Pod>(values: &[f32], at: usize) -> V {
    bytemuck::cast_slice(&values[at..at + size_of::<V>() / size_of::<f32>()])[0]
}

/// The same, to write to.
#[inline(always)]
fn lanes_mut<V: bytemuck::Pod>(values: &mut [f32], at: usize) -> &mut V {
    &mut bytemuck::cast_slice_mut(&mut values[at..at + size_of::<V>() / size_of::<f32>()])[0]
}

#[cfg(test)]
mod tests {
    use std::ops::{Index, IndexMut};

    use super::*;

    /// `y = scale * x * ax + y`, and the sum of the new `y`.
    enum Both {}

    impl Body for Both {
        type Element = f32;

        fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[f32])
        where
            V: Lanes<f32>,
            A: Index<usize, Output = V>,
            Y: IndexMut<usize, Output = V>,
            S: IndexMut<usize, Output = V::Words>,
        {
            let ([x, ax], [y, sum], [], [scale]) = (inputs, outputs, words, scalars) else {
                panic!("operands")
            };
            y[0] = V::splat(*scale).mul(x[0]).mul_add(ax[0], y[0]);
            sum[0] = sum[0].add(y[0]);
        }
    }

    /// `y` and the groups' sums, with groups of 64 threads and three elements each that meet in trees of `LANES`.
    fn evaluated<const LANES: usize>(n: usize) -> (Vec<f32>, Vec<f32>) {
        // A diagonal of 2, stored as 1 + 1.
        let offsets: Vec<u32> = (0..=n as u32).map(|row| 2 * row).collect();
        let columns: Vec<u32> = (0..2 * n as u32).map(|k| k / 2).collect();
        let (values, x) = (vec![1.0; 2 * n], (0..n).map(|i| (i % 10) as f32).collect::<Vec<_>>());
        let product = Product { offsets: &offsets, columns: &columns, values: &values, vector: &x };
        let (mut y, mut sums) = (vec![1.0; n], vec![f32::NAN; n.div_ceil(192)]);
        let elements = Elements {
            first: 0,
            n,
            inputs: &[&x],
            products: &[product],
            outputs: vec![&mut y],
            sums: vec![&mut sums],
            scalars: &[0.5],
        };
        spread(vector::<Both, 64, 3, LANES, 64>(), 192, elements);
        (y, sums)
    }

    #[test]
    fn every_element_is_evaluated_once_whatever_the_length() {
        // The last one is more than a unit of work.
        for n in [1, 31, 32, 33, 64, 65, 191, 192, 193, 1000, 100_000] {
            let (y, sums) = evaluated::<64>(n);
            let wanted: Vec<f32> = (0..n).map(|i| ((i % 10) * (i % 10)) as f32 + 1.0).collect();
            assert_eq!(y, wanted, "{n}");
            assert_eq!(sums, wanted.chunks(192).map(|y| y.iter().sum()).collect::<Vec<f32>>(), "{n}");
            assert_eq!(evaluated::<32>(n), (y, sums), "exact sums have one value in every tree");
        }
    }

    #[test]
    fn the_tree_decides_the_bits() {
        /// The sum of `x`.
        enum Plain {}

        impl Body for Plain {
            type Element = f32;

            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], _: &mut [S], _: &[f32])
            where
                V: Lanes<f32>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                outputs[0][0] = outputs[0][0].add(inputs[0][0]);
            }
        }

        let sum = |entry: ElementEntry, x: &[f32]| {
            let mut sum = [0.0];
            let (outputs, sums) = (Vec::new(), vec![&mut sum[..]]);
            let n = x.len();
            entry(Elements { first: 0, n, inputs: &[x], products: &[], outputs, sums, scalars: &[] });
            sum[0]
        };
        // One tree of four adds (0, 2) and (1, 3); segments of two add the neighbours (0, 1) and (2, 3) first.
        let x = [1.0, 1e8, 3.0, -1e8];
        assert_eq!(sum(vector::<Plain, 4, 1, 4, 4>(), &x), 4.0);
        assert_eq!(sum(vector::<Plain, 4, 1, 2, 4>(), &x), (1.0f32 + 1e8) + (3.0f32 - 1e8));
        // Two threads with two neighbours each, which meet first.
        assert_eq!(sum(vector::<Plain, 2, 2, 2, 4>(), &x), (1.0f32 + 1e8) + (3.0f32 - 1e8));
        // Negative zeros are added to +0.
        assert_eq!(sum(vector::<Plain, 4, 1, 4, 4>(), &[-0.0; 3]).to_bits(), 0);

        // One group adds all sums of groups: thread t takes t, t + 2, ...
        let mut total = [0];
        fold::<2, 2>()(&[1.0f32, 1e8, 3.0, -1e8, 5.0].map(f32::to_bits), None, &mut total);
        assert_eq!(f32::from_bits(total[0]), 9.0);
    }
}
