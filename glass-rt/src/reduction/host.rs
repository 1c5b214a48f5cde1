//! The host form of a level: the tree that its strategy names, evaluated group by group.

pub use super::state::{
    Extent, Finite, Keys, MarkedMax, MarkedMin, Max, Min, Numbers, Signed, State, Total, Unsigned, finish,
    merge, states,
};
use super::task::LevelEntry;

/// What is added for an element, as a type.
pub trait Term {
    /// `acc` with the term of `x` (and of the bits `y`, where there is a second vector) added; one rounding.
    fn add(acc: f32, x: f32, y: u32) -> f32;
}

/// `x`.
pub enum Identity {}
/// `x * x`.
pub enum Square {}
/// `x * y`.
pub enum Multiply {}
/// `x` where the word of the mask is not 0.
pub enum Select {}

impl Term for Identity {
    fn add(acc: f32, x: f32, _: u32) -> f32 {
        acc + x
    }
}

impl Term for Square {
    fn add(acc: f32, x: f32, _: u32) -> f32 {
        x.mul_add(x, acc)
    }
}

impl Term for Multiply {
    fn add(acc: f32, x: f32, y: u32) -> f32 {
        x.mul_add(f32::from_bits(y), acc)
    }
}

impl Term for Select {
    fn add(acc: f32, x: f32, mask: u32) -> f32 {
        acc + if mask == 0 { 0.0 } else { x }
    }
}

/// A level whose groups of `THREADS` threads, each with `ELEMENTS` elements, have `SLOTS` accumulators, as many for every
/// thread. Those of a thread meet first, then the threads in segments of `LANES` neighbours, and then, in a third tree,
/// the totals of the segments. All threads are one segment where they meet in one tree.
pub const fn level<
    T: Term,
    const THREADS: usize,
    const ELEMENTS: usize,
    const LANES: usize,
    const SLOTS: usize,
>() -> LevelEntry {
    run::<T, THREADS, ELEMENTS, LANES, SLOTS>
}

fn run<T: Term, const THREADS: usize, const ELEMENTS: usize, const LANES: usize, const SLOTS: usize>(
    x: &[u32],
    y: Option<&[u32]>,
    sums: &mut [u32],
) {
    let chunk = THREADS * ELEMENTS;
    // A map of one vector ignores the second.
    let second = y.unwrap_or(x);
    let x: &[f32] = bytemuck::cast_slice(x);
    for ((x, y), sum) in x.chunks(chunk).zip(second.chunks(chunk)).zip(sums) {
        let mut slots = [0.0; SLOTS];
        for (x, y) in x.chunks(SLOTS).zip(y.chunks(SLOTS)) {
            for ((slot, x), y) in slots.iter_mut().zip(x).zip(y) {
                *slot = T::add(*slot, *x, *y);
            }
        }
        *sum = met::<THREADS, LANES>(&mut of_threads(&mut slots)).to_bits();
    }
}

/// The sum of everything, added to the old result where there is one.
pub fn finish_sum(sum: &[u32], old: Option<&[u32]>, result: &mut [u32]) {
    result[0] = match old {
        Some(old) => (f32::from_bits(old[0]) + f32::from_bits(sum[0])).to_bits(),
        None => sum[0],
    };
}

/// What each thread's accumulators, which are neighbours, add up to.
#[inline(always)]
pub(crate) fn of_threads<const THREADS: usize, const SLOTS: usize>(
    slots: &mut [f32; SLOTS],
) -> [f32; THREADS] {
    let mut threads = [0.0; THREADS];
    for (thread, slots) in threads.iter_mut().zip(slots.chunks_mut(SLOTS / THREADS)) {
        *thread = halved(slots);
    }
    threads
}

/// What the threads of a group add up to, from their accumulators: trees of `LANES` neighbours, then one over their
/// totals.
#[inline(always)]
pub(crate) fn met<const THREADS: usize, const LANES: usize>(slots: &mut [f32; THREADS]) -> f32 {
    let n_segments = THREADS / LANES;
    for segment in 0..n_segments {
        slots[segment] = halved(&mut slots[segment * LANES..][..LANES]);
    }
    halved(&mut slots[..n_segments])
}

/// The sum of a power of two of slots: by offsets that halve from half of them down to 1.
fn halved(slots: &mut [f32]) -> f32 {
    let mut half = slots.len() / 2;
    while half > 0 {
        let (low, high) = slots.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        half /= 2;
    }
    slots[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums that a level of these elements leaves.
    fn sums<const N: usize>(entry: LevelEntry, x: &[f32], y: Option<&[f32]>) -> [f32; N] {
        let mut sums = [u32::MAX; N];
        entry(bytemuck::cast_slice(x), y.map(bytemuck::cast_slice), &mut sums);
        sums.map(f32::from_bits)
    }

    #[test]
    fn short_and_whole_groups_sum_exactly() {
        let x: Vec<f32> = (0..1000).map(|value| value as f32).collect();
        assert_eq!(
            sums(level::<Identity, 64, 4, 64, 64>(), &x, None),
            [32640.0, 98176.0, 163712.0, 204972.0]
        );
        let by_warps: [f32; 4] = sums(level::<Identity, 64, 4, 32, 256>(), &x, None);
        assert_eq!(by_warps.iter().sum::<f32>(), 499_500.0);
        assert_eq!(sums(level::<Multiply, 64, 4, 32, 64>(), &x[..3], Some(&[2.0, 3.0, 4.0])), [11.0]);
        assert_eq!(sums(level::<Square, 64, 1, 64, 64>(), &[3.0, 4.0], None), [25.0]);
    }

    #[test]
    fn red_30_what_a_mask_leaves_out_has_no_influence() {
        let x = [f32::NAN, 1.0, f32::INFINITY, 2.0];
        // A word selects by its bits, and -0 has one.
        assert_eq!(sums(level::<Select, 4, 1, 4, 4>(), &x, Some(&[0.0, 9.0, 0.0, -0.0])), [3.0]);
        assert!(sums::<1>(level::<Select, 4, 1, 4, 4>(), &x, Some(&[1.0; 4]))[0].is_nan());
    }

    #[test]
    fn the_tree_decides_the_bits() {
        // One tree of four adds (0, 2) and (1, 3); segments of two add the neighbours (0, 1) and (2, 3) first.
        let x = [1.0, 1e8, 3.0, -1e8];
        assert_eq!(sums(level::<Identity, 4, 1, 4, 4>(), &x, None), [4.0]);
        assert_eq!(sums(level::<Identity, 4, 1, 2, 4>(), &x, None), [(1.0f32 + 1e8) + (3.0f32 - 1e8)]);
    }

    #[test]
    fn negative_zeros_sum_to_zero() {
        let [sum] = sums(level::<Identity, 4, 1, 4, 4>(), &[-0.0; 4], None);
        assert!(sum == 0.0 && sum.is_sign_positive());
    }
}
