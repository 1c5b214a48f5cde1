//! The host form of states of words: they merge in any order with the same outcome, so there is no tree to follow.

use std::marker::PhantomData;

use super::task::{FinishEntry, LevelEntry};

/// A state of words, as a type.
pub trait State {
    /// The state of no element.
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

/// Which of the two extremes a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The least element so far.
    Least,
    /// The greatest.
    Greatest,
}

impl Side {
    /// What changes no word that it is merged with.
    const fn none(self) -> u32 {
        match self {
            Side::Least => u32::MAX,
            Side::Greatest => 0,
        }
    }

    fn merge(self, word: &mut u32, other: u32) {
        *word = match self {
            Side::Least => (*word).min(other),
            Side::Greatest => (*word).max(other),
        };
    }
}

/// Elements as keys, which are words in the order of the numbers.
pub trait Keys {
    /// The key of the bits of an element on one side.
    fn key(side: Side, x: u32) -> u32;

    /// The bits of a key.
    fn bits(side: Side, key: u32) -> u32;

    /// Whether it is the key of a value: otherwise of an element that is none, or what a state of nothing holds.
    fn is_value(side: Side, key: u32) -> bool;
}

/// `u32`: every word is the key of a value.
pub enum Unsigned {}
/// `i32`: the same.
pub enum Signed {}
/// `f32` of which only the finite ones are values: the keys of all others lie beyond theirs.
pub enum Finite {}
/// `f32` with infinities; a NaN is beyond them, whichever extreme is wanted.
pub enum Numbers {}

impl Keys for Unsigned {
    fn key(_: Side, x: u32) -> u32 {
        x
    }

    fn bits(_: Side, key: u32) -> u32 {
        key
    }

    fn is_value(_: Side, _: u32) -> bool {
        true
    }
}

impl Keys for Signed {
    fn key(_: Side, x: u32) -> u32 {
        x ^ SIGN
    }

    fn bits(_: Side, key: u32) -> u32 {
        key ^ SIGN
    }

    fn is_value(_: Side, _: u32) -> bool {
        true
    }
}

impl Keys for Finite {
    fn key(side: Side, x: u32) -> u32 {
        match side {
            Side::Least => ordered(x).wrapping_sub(NOT_FINITE),
            Side::Greatest => ordered(x).wrapping_add(NOT_FINITE),
        }
    }

    fn bits(side: Side, key: u32) -> u32 {
        float(match side {
            Side::Least => key.wrapping_add(NOT_FINITE),
            Side::Greatest => key.wrapping_sub(NOT_FINITE),
        })
    }

    fn is_value(side: Side, key: u32) -> bool {
        match side {
            Side::Least => key < 0u32.wrapping_sub(2 * NOT_FINITE),
            Side::Greatest => key >= 2 * NOT_FINITE,
        }
    }
}

impl Keys for Numbers {
    fn key(side: Side, x: u32) -> u32 {
        match side {
            _ if !f32::from_bits(x).is_nan() => ordered(x),
            Side::Least => u32::MIN,
            Side::Greatest => u32::MAX,
        }
    }

    fn bits(_: Side, key: u32) -> u32 {
        float(key)
    }

    fn is_value(side: Side, key: u32) -> bool {
        key != side.none()
    }
}

const SIGN: u32 = 1 << 31;

/// Floats of either sign that are not finite: as many words lie below the least finite one and above the greatest.
const NOT_FINITE: u32 = 1 << 23;

/// From the bits of a float to a word in the order of the floats.
fn ordered(x: u32) -> u32 {
    if x & SIGN == 0 { x | SIGN } else { !x }
}

/// The bits of the float of such a word.
fn float(word: u32) -> u32 {
    if word & SIGN == 0 { !word } else { word & !SIGN }
}

/// The smallest element.
pub struct Min<K>(PhantomData<K>);
/// The largest element.
pub struct Max<K>(PhantomData<K>);
/// Both.
pub struct Extent<K>(PhantomData<K>);
/// The smallest of the elements that a mask selects, where every word may be a key: a first word is 1 until there is a
/// value, then 0.
pub struct MarkedMin<K>(PhantomData<K>);
/// The largest of these.
pub struct MarkedMax<K>(PhantomData<K>);

macro_rules! extremes {
    ($name:ident, $n_marks:literal, [$($none:expr),+], [$($side:ident),+], $is_empty:expr) => {
        impl<K: Keys> State for $name<K> {
            const NONE: &'static [u32] = &[$($none),+];

            fn take(state: &mut [u32], x: u32) {
                let (marks, keys) = state.split_at_mut($n_marks);
                marks.fill(0);
                for (side, key) in [$(Side::$side),+].into_iter().zip(keys) {
                    side.merge(key, K::key(side, x));
                }
            }

            fn merge(state: &mut [u32], other: &[u32]) {
                let (marks, keys) = state.split_at_mut($n_marks);
                marks.iter_mut().zip(other).for_each(|(mark, other)| *mark &= other);
                for ((side, key), other) in [$(Side::$side),+].into_iter().zip(keys).zip(&other[$n_marks..]) {
                    side.merge(key, *other);
                }
            }

            /// Old extremes are one more element, unless their status says that there is none or one of them is no value.
            fn take_results(state: &mut [u32], results: &[u32]) {
                let (status, extremes) = results.split_last().expect("a status is a result");
                let sides = [$(Side::$side),+].into_iter().zip(extremes);
                let olds = sides.map(|(side, old)| (side, K::key(side, *old)));
                if *status != 0 || olds.clone().any(|(side, old)| !K::is_value(side, old)) {
                    return;
                }
                let (marks, keys) = state.split_at_mut($n_marks);
                marks.fill(0);
                for (key, (side, old)) in keys.iter_mut().zip(olds) {
                    side.merge(key, old);
                }
            }

            fn results(state: &[u32], results: &mut [u32]) {
                let is_empty: fn(&[u32]) -> bool = $is_empty;
                let (status, extremes) = results.split_last_mut().expect("a status is a result");
                *status = u32::from(is_empty(state));
                let sides = [$(Side::$side),+].into_iter().zip(&state[$n_marks..]);
                for (result, (side, key)) in extremes.iter_mut().zip(sides) {
                    *result = if *status == 0 { K::bits(side, *key) } else { 0 };
                }
            }
        }
    };
}

extremes!(Min, 0, [Side::Least.none()], [Least], |state| !K::is_value(Side::Least, state[0]));
extremes!(Max, 0, [Side::Greatest.none()], [Greatest], |state| !K::is_value(Side::Greatest, state[0]));
extremes!(Extent, 0, [Side::Least.none(), Side::Greatest.none()], [Least, Greatest], |state| {
    state[0] > state[1]
});
extremes!(MarkedMin, 1, [1, Side::Least.none()], [Least], |state| state[0] == 1);
extremes!(MarkedMax, 1, [1, Side::Greatest.none()], [Greatest], |state| state[0] == 1);

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
        let keys: Vec<u32> = ordered.iter().map(|x| super::ordered(x.to_bits())).collect();
        assert!(keys.is_sorted_by(|x, y| x < y));
        for x in ordered {
            assert_eq!(float(super::ordered(x.to_bits())), x.to_bits());
        }
        assert!([u32::MIN, u32::MAX].iter().all(|key| f32::from_bits(float(*key)).is_nan()));
        let signed = [i32::MIN, -1, 0, 1, i32::MAX].map(|x| Signed::key(Side::Least, x.cast_unsigned()));
        assert!(signed.is_sorted_by(|x, y| x < y));
    }

    #[test]
    fn red_32_what_is_not_finite_lies_beyond_all_that_is() {
        let not_finite = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN].map(f32::to_bits);
        let not_finite = not_finite.into_iter().chain([0x7f80_0001, 0xff80_0001, u32::MAX, u32::MAX >> 1]);
        let finite = [f32::MIN, -1.5, -0.0, 0.0, 1e-45, f32::MAX].map(f32::to_bits);
        for side in [Side::Least, Side::Greatest] {
            for x in not_finite.clone() {
                let key = Finite::key(side, x);
                assert!(!Finite::is_value(side, key), "{side:?} {x:#x}");
                for y in finite {
                    let mut word = Finite::key(side, y);
                    assert!(Finite::is_value(side, word), "{side:?} {y:#x}");
                    side.merge(&mut word, key);
                    assert_eq!(Finite::bits(side, word), y, "{side:?} {x:#x}");
                }
            }
            assert!(!Finite::is_value(side, side.none()));
        }
    }

    #[test]
    fn red_32_states_of_nothing_change_nothing() {
        let mut states_of = [[7; 2]; 2];
        let x = [f32::NAN, f32::INFINITY, 3.0, -4.0].map(f32::to_bits);
        states::<Extent<Finite>, 2>()(&x, None, states_of.as_flattened_mut());
        let mut results = [9; 3];
        finish::<Extent<Finite>>()(&states_of[0], None, &mut results);
        assert_eq!(results, [0, 0, 1]);
        let mut all = [0; 2];
        merge::<Extent<Finite>, 2>()(states_of.as_flattened(), None, &mut all);
        finish::<Extent<Finite>>()(&all, None, &mut results);
        assert_eq!(results, [(-4f32).to_bits(), 3f32.to_bits(), 0]);
        finish::<Extent<Finite>>()(Extent::<Finite>::NONE, None, &mut results);
        assert_eq!(results, [0, 0, 1]);
        // What was nothing before adds nothing, whatever the words hold.
        finish::<Extent<Finite>>()(&all, Some(&[0, 0, 1]), &mut results);
        assert_eq!(results, [(-4f32).to_bits(), 3f32.to_bits(), 0]);
    }

    #[test]
    fn red_32_a_mask_tells_nothing_from_the_word_that_nothing_holds() {
        let mut results = [9; 2];
        for (mask, expected) in [([1, 0], [u32::MAX, 0]), ([0, 0], [0, 1])] {
            let mut state = [7; 2];
            states::<MarkedMin<Unsigned>, 2>()(&[u32::MAX, 5], Some(&mask), &mut state);
            finish::<MarkedMin<Unsigned>>()(&state, None, &mut results);
            assert_eq!(results, expected);
        }
    }
}
