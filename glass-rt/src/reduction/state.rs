//! The host form of states of words: they merge in any order with the same outcome, so there is no tree to follow.

use std::marker::PhantomData;

use super::task::{FinishEntry, LevelEntry};

/// A state of words, as a type.
pub trait State {
    /// The state of no element: as many words as there are results.
    const NONE: &'static [u32];

    /// Takes an element by its bits.
    fn take(state: &mut [u32], x: u32);

    /// Takes all that another state has taken.
    fn merge(state: &mut [u32], other: &[u32]);

    /// Takes results of before.
    fn take_results(state: &mut [u32], results: &[u32]);

    /// The results.
    fn results(state: &[u32], results: &mut [u32]);
}

/// The sum of integers modulo 2^32.
pub enum Total {}

impl State for Total {
    const NONE: &'static [u32] = &[0];

    fn take(state: &mut [u32], x: u32) {
        state[0] = state[0].wrapping_add(x);
    }

    fn merge(state: &mut [u32], other: &[u32]) {
        Self::take(state, other[0]);
    }

    fn take_results(state: &mut [u32], results: &[u32]) {
        Self::take(state, results[0]);
    }

    fn results(state: &[u32], results: &mut [u32]) {
        results[0] = state[0];
    }
}

/// What the bits of an element are: its keys, which are in the order of the numbers.
pub trait Keys {
    /// The keys by which it may be the least and the greatest; `None` of what is no value.
    fn keys(x: u32) -> Option<[u32; 2]>;

    /// The bits of a key.
    fn bits(key: u32) -> u32;
}

/// `u32`.
pub enum Unsigned {}
/// `i32`.
pub enum Signed {}
/// `f32` of which only the finite ones are values.
pub enum Finite {}
/// `f32` with infinities; a NaN is beyond them, whichever extreme is wanted.
pub enum Numbers {}

impl Keys for Unsigned {
    fn keys(x: u32) -> Option<[u32; 2]> {
        Some([x; 2])
    }

    fn bits(key: u32) -> u32 {
        key
    }
}

impl Keys for Signed {
    fn keys(x: u32) -> Option<[u32; 2]> {
        Some([x ^ SIGN; 2])
    }

    fn bits(key: u32) -> u32 {
        key ^ SIGN
    }
}

impl Keys for Finite {
    fn keys(x: u32) -> Option<[u32; 2]> {
        f32::from_bits(x).is_finite().then_some([key(x); 2])
    }

    fn bits(key: u32) -> u32 {
        float(key)
    }
}

impl Keys for Numbers {
    fn keys(x: u32) -> Option<[u32; 2]> {
        Some(if f32::from_bits(x).is_nan() { [u32::MIN, u32::MAX] } else { [key(x); 2] })
    }

    fn bits(key: u32) -> u32 {
        float(key)
    }
}

const SIGN: u32 = 1 << 31;

/// The key of the bits of a float.
fn key(x: u32) -> u32 {
    if x & SIGN == 0 { x | SIGN } else { !x }
}

/// The bits of the float of a key.
fn float(key: u32) -> u32 {
    if key & SIGN == 0 { !key } else { key & !SIGN }
}

/// Which of the two extremes a word is.
#[derive(Clone, Copy)]
enum Side {
    Least,
    Greatest,
}

impl Side {
    fn merge(self, word: &mut u32, other: u32) {
        *word = match self {
            Side::Least => (*word).min(other),
            Side::Greatest => (*word).max(other),
        };
    }

    fn of(self, [least, greatest]: [u32; 2]) -> u32 {
        match self {
            Side::Least => least,
            Side::Greatest => greatest,
        }
    }
}

/// The smallest element.
pub struct Min<K>(PhantomData<K>);
/// The largest element.
pub struct Max<K>(PhantomData<K>);
/// Both.
pub struct Extent<K>(PhantomData<K>);

macro_rules! extremes {
    ($name:ident, $($side:ident $none:expr),+) => {
        impl<K: Keys> State for $name<K> {
            /// No value yet, and for each extreme what any value is beyond.
            const NONE: &'static [u32] = &[1, $($none),+];

            fn take(state: &mut [u32], x: u32) {
                take::<K>(&[$(Side::$side),+], state, x);
            }

            fn merge(state: &mut [u32], other: &[u32]) {
                state[0] &= other[0];
                for ((side, word), other) in [$(Side::$side),+].iter().zip(&mut state[1..]).zip(&other[1..]) {
                    side.merge(word, *other);
                }
            }

            fn take_results(state: &mut [u32], results: &[u32]) {
                take_results::<K>(&[$(Side::$side),+], state, results);
            }

            fn results(state: &[u32], results: &mut [u32]) {
                let (status, extremes) = results.split_last_mut().expect("a status is a result");
                *status = state[0];
                for (result, key) in extremes.iter_mut().zip(&state[1..]) {
                    *result = if state[0] == 0 { K::bits(*key) } else { 0 };
                }
            }
        }
    };
}

extremes!(Min, Least u32::MAX);
extremes!(Max, Greatest 0);
extremes!(Extent, Least u32::MAX, Greatest 0);

fn take<K: Keys>(sides: &[Side], state: &mut [u32], x: u32) {
    let Some(keys) = K::keys(x) else { return };
    state[0] = 0;
    for (side, word) in sides.iter().zip(&mut state[1..]) {
        side.merge(word, side.of(keys));
    }
}

/// Old extremes are one more element, unless their status says that there is none or one of them is no value.
fn take_results<K: Keys>(sides: &[Side], state: &mut [u32], results: &[u32]) {
    let (status, extremes) = results.split_last().expect("a status is a result");
    let keys: Option<Vec<_>> = extremes.iter().map(|old| K::keys(*old)).collect();
    let Some(keys) = keys.filter(|_| *status == 0) else { return };
    state[0] = 0;
    for ((side, word), keys) in sides.iter().zip(&mut state[1..]).zip(keys) {
        side.merge(word, side.of(keys));
    }
}

/// The first level, whose groups have `CHUNK` elements each.
pub const fn states<S: State, const CHUNK: usize>() -> LevelEntry {
    |x, mask, states| {
        for (group, (x, state)) in x.chunks(CHUNK).zip(states.chunks_mut(S::NONE.len())).enumerate() {
            state.copy_from_slice(S::NONE);
            match mask {
                None => x.iter().for_each(|x| S::take(state, *x)),
                Some(mask) => {
                    let selected = x.iter().zip(&mask[group * CHUNK..]).filter(|(_, mask)| **mask != 0);
                    selected.for_each(|(x, _)| S::take(state, *x));
                }
            }
        }
    }
}

/// A later level, whose groups have `CHUNK` states each.
pub const fn merge<S: State, const CHUNK: usize>() -> LevelEntry {
    |before, _, states| {
        let n_words = S::NONE.len();
        for (before, state) in before.chunks(CHUNK * n_words).zip(states.chunks_mut(n_words)) {
            state.copy_from_slice(S::NONE);
            before.chunks(n_words).for_each(|other| S::merge(state, other));
        }
    }
}

/// The results of a state.
pub const fn finish<S: State>() -> FinishEntry {
    |state, old, results| {
        let mut state = state.to_vec();
        if let Some(old) = old {
            S::take_results(&mut state, old);
        }
        S::results(&state, results);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_31_keys_are_in_the_order_of_the_floats_and_have_their_bits() {
        let ordered = [f32::NEG_INFINITY, f32::MIN, -1.5, -f32::MIN_POSITIVE, -1e-45, -0.0, 0.0, 1e-45, 2.0];
        let keys: Vec<u32> = ordered.iter().map(|x| key(x.to_bits())).collect();
        assert!(keys.is_sorted_by(|x, y| x < y));
        for x in ordered {
            assert_eq!(float(key(x.to_bits())), x.to_bits());
        }
        assert!([u32::MIN, u32::MAX].iter().all(|key| f32::from_bits(float(*key)).is_nan()));
        let signed = [i32::MIN, -1, 0, 1, i32::MAX].map(|x| Signed::keys(x.cast_unsigned()).unwrap()[0]);
        assert!(signed.is_sorted_by(|x, y| x < y));
    }

    #[test]
    fn red_32_states_of_nothing_change_nothing() {
        let mut states_of = [[7; 3]; 2];
        let x = [f32::NAN, f32::INFINITY, 3.0, -4.0].map(f32::to_bits);
        states::<Extent<Finite>, 2>()(&x, None, states_of.as_flattened_mut());
        assert_eq!(states_of[0], Extent::<Finite>::NONE);
        let mut all = [0; 3];
        merge::<Extent<Finite>, 2>()(states_of.as_flattened(), None, &mut all);
        let mut results = [9; 3];
        finish::<Extent<Finite>>()(&all, None, &mut results);
        assert_eq!(results, [(-4f32).to_bits(), 3f32.to_bits(), 0]);
        finish::<Extent<Finite>>()(Extent::<Finite>::NONE, None, &mut results);
        assert_eq!(results, [0, 0, 1]);
        // What was nothing before adds nothing, whatever the words hold.
        finish::<Extent<Finite>>()(&all, Some(&[0, 0, 1]), &mut results);
        assert_eq!(results, [(-4f32).to_bits(), 3f32.to_bits(), 0]);
    }
}
