//! Words of independent lanes.

use super::Pack;

/// How many lanes there are, told by what holds a word for each of them.
pub trait Width: Copy {
    /// A `u32` per lane: status words and counts.
    type Words: Copy;

    /// Zero in every lane.
    fn no_words() -> Self::Words {
        Self::words(0)
    }

    /// The same word in every lane.
    fn words(word: u32) -> Self::Words;

    /// `word` where it is at most `limit`. Elsewhere 0: there `fault` becomes 1, and `status` takes `number` if it is
    /// still 0. The number 0 leaves `status` alone.
    #[must_use]
    fn place(
        word: Self::Words,
        limit: u32,
        number: u32,
        fault: &mut Self::Words,
        status: &mut Self::Words,
    ) -> Self::Words;
}

impl<T: Copy, const W: usize> Width for Pack<T, W> {
    type Words = Pack<u32, W>;

    #[inline(always)]
    fn words(word: u32) -> Pack<u32, W> {
        Pack([word; W])
    }

    #[inline(always)]
    fn place(
        mut word: Pack<u32, W>,
        limit: u32,
        number: u32,
        fault: &mut Pack<u32, W>,
        status: &mut Pack<u32, W>,
    ) -> Pack<u32, W> {
        for lane in 0..W {
            word.0[lane] = placed(word.0[lane], limit, number, &mut fault.0[lane], &mut status.0[lane]);
        }
        word
    }
}

/// A word of a lane as a place.
#[inline(always)]
fn placed(word: u32, limit: u32, number: u32, fault: &mut u32, status: &mut u32) -> u32 {
    let is_place = word <= limit;
    *fault |= u32::from(!is_place);
    *status = noted(*status, is_place, number);
    if is_place { word } else { 0 }
}

/// The word of a lane after a pivot or a place.
#[inline(always)]
pub(super) fn noted(status: u32, is_good: bool, number: u32) -> u32 {
    if is_good | (status != 0) { status } else { number }
}

macro_rules! one_lane {
    ($($float:ident)*) => { $(
        impl Width for $float {
            type Words = u32;

            #[inline(always)]
            fn words(word: u32) -> u32 {
                word
            }

            #[inline(always)]
            fn place(word: u32, limit: u32, number: u32, fault: &mut u32, status: &mut u32) -> u32 {
                placed(word, limit, number, fault, status)
            }
        }
    )* };
}

one_lane!(f32 f64);
