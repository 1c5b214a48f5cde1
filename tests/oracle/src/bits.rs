//! Equality by raw bytes.
//!
//! The payload and sign of a NaN are outside the numeric contract, so [`compare`] maps every NaN to
//! one pattern first; the sign of zero is inside and is compared. [`unchanged`] is for memory a
//! kernel promises not to write, where a NaN is a sentinel and its payload matters.

use crate::real::Real;
use std::fmt;

/// The first difference between two buffers of problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The buffers differ in length.
    Length {
        /// Elements expected.
        expected: usize,
        /// Elements given.
        actual: usize,
    },
    /// An element differs.
    Value {
        /// Problem of the first differing element.
        problem_idx: usize,
        /// Its column-major index inside the problem.
        element_idx: usize,
        /// Expected bit pattern.
        expected: u64,
        /// Given bit pattern.
        actual: u64,
        /// Hexadecimal digits of a pattern.
        digits: usize,
        /// How many elements differ in all.
        n_differing: usize,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, actual } => {
                write!(f, "{expected} elements expected, {actual} given")
            }
            Self::Value { problem_idx, element_idx, expected, actual, digits, n_differing } => {
                let (expected_value, actual_value) = if *digits == 8 {
                    (f64::from(f32::from_pattern(*expected)), f64::from(f32::from_pattern(*actual)))
                } else {
                    (f64::from_pattern(*expected), f64::from_pattern(*actual))
                };
                write!(
                    f,
                    "problem {problem_idx}, element {element_idx}: expected 0x{expected:0digits$x} \
                     ({expected_value:e}), given 0x{actual:0digits$x} ({actual_value:e}); \
                     {n_differing} elements differ"
                )
            }
        }
    }
}

impl std::error::Error for Difference {}

/// The bit pattern, with one pattern for every NaN.
pub fn canonical<T: Real>(value: T) -> u64 {
    if value.is_nan() { T::NAN.to_pattern() } else { value.to_pattern() }
}

/// Same bytes, all NaNs alike; `elements` per problem, stored problem after problem.
pub fn compare<T: Real>(expected: &[T], actual: &[T], elements: usize) -> Result<(), Difference> {
    first_difference(expected, actual, elements, canonical)
}

/// Same bytes, NaN payloads included; `elements` per problem, stored problem after problem.
pub fn unchanged<T: Real>(before: &[T], after: &[T], elements: usize) -> Result<(), Difference> {
    first_difference(before, after, elements, T::to_pattern)
}

fn first_difference<T: Real>(
    expected: &[T],
    actual: &[T],
    elements: usize,
    pattern: impl Fn(T) -> u64,
) -> Result<(), Difference> {
    if expected.len() != actual.len() {
        return Err(Difference::Length { expected: expected.len(), actual: actual.len() });
    }
    let mut differing = expected
        .iter()
        .zip(actual)
        .map(|(&e, &a)| (pattern(e), pattern(a)))
        .enumerate()
        .filter(|(_, (expected, actual))| expected != actual);
    let Some((at, (expected, actual))) = differing.next() else { return Ok(()) };
    Err(Difference::Value {
        problem_idx: at / elements,
        element_idx: at % elements,
        expected,
        actual,
        digits: T::HEX_DIGITS,
        n_differing: 1 + differing.count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_located() {
        let expected = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut actual = expected;
        actual[4] = 5.0f32.next_up();
        actual[5] = 0.0;
        let difference = compare(&expected, &actual, 3).unwrap_err();
        assert_eq!(
            difference.to_string(),
            "problem 1, element 1: expected 0x40a00000 (5e0), given 0x40a00001 \
             (5.000000476837158e0); 2 elements differ"
        );
    }

    #[test]
    fn zeros_differ_by_sign_and_nans_by_nothing() {
        assert!(compare(&[0.0f64], &[-0.0], 1).is_err());
        let (quiet, negative) = (f32::from_bits(0x7fc0_0001), f32::from_bits(0xffc0_0000));
        assert_eq!(compare(&[quiet], &[negative], 1), Ok(()));
        assert!(unchanged(&[quiet], &[negative], 1).is_err());
        assert!(compare(&[quiet], &[f32::INFINITY], 1).is_err());
        assert!(compare(&[1.0f32], &[quiet], 1).is_err());
    }

    #[test]
    fn lengths_are_compared() {
        let difference = compare(&[1.0f32; 3], &[1.0; 2], 3).unwrap_err();
        assert_eq!(difference, Difference::Length { expected: 3, actual: 2 });
    }
}
