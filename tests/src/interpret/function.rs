//! The functions of values, as the specification defines them.

use glass_codegen::kernel::{Function, PivotKind};
use glass_oracle::Real;
use std::cmp::Ordering;

/// The value of a function.
///
/// # Errors
/// If it takes another number of arguments.
pub(super) fn evaluate<T: Real>(function: Function, args: &[T]) -> Result<T, String> {
    let flag = |holds: bool| if holds { T::ONE } else { T::ZERO };
    Ok(match (function, args) {
        (Function::Neg, [x]) => x.negated(),
        (Function::Abs, [x]) => x.magnitude(),
        (Function::Add, [x, y]) => x.plus(*y),
        (Function::Sub, [x, y]) => x.plus(y.negated()),
        (Function::Mul, [x, y]) => x.times(*y),
        (Function::Fma, [x, y, z]) => x.fma(*y, *z),
        (Function::Max, [x, y]) => larger(*x, *y),
        (Function::Maximum, [x, y]) => extreme(*x, *y, Ordering::Greater),
        (Function::Minimum, [x, y]) => extreme(*x, *y, Ordering::Less),
        (Function::AtMost, [x, limit]) => {
            if x > limit {
                *limit
            } else {
                *x
            }
        }
        (Function::AtLeast, [x, limit]) => {
            if x < limit {
                *limit
            } else {
                *x
            }
        }
        (Function::Less, [x, y]) => flag(x < y),
        (Function::LessEqual, [x, y]) => flag(x <= y),
        (Function::Equal, [x, y]) => flag(x == y),
        (Function::NotEqual, [x, y]) => flag(x != y),
        (Function::And, [x, y]) => flag(*x != T::ZERO && *y != T::ZERO),
        (Function::Not, [x]) => flag(*x == T::ZERO),
        (Function::Select, [x, y, z]) => {
            if *x == T::ZERO {
                *z
            } else {
                *y
            }
        }
        (Function::OrOne, [x]) => {
            if x.is_nan() {
                T::ONE
            } else {
                *x
            }
        }
        (Function::Div, [x, y]) => x.over(*y),
        (Function::OrOther, [x, y]) => {
            if x.is_nan() {
                *y
            } else {
                *x
            }
        }
        (Function::Exp, [x]) => x.exponential(),
        (Function::Log, [x]) => x.logarithm(),
        (Function::Sqrt, [x]) => x.root(),
        (Function::Reciprocal, [x]) => x.reciprocal(),
        (Function::ExponentScale, [x]) => power_of_two(exponent(*x)),
        (Function::InverseExponentScale, [x]) => power_of_two(-exponent(*x)),
        (Function::Scale, [alpha, x]) => {
            if *alpha == T::ZERO {
                T::ZERO
            } else {
                alpha.times(*x)
            }
        }
        (Function::Axpy, [alpha, x, y]) => {
            if *alpha == T::ZERO {
                *y
            } else {
                alpha.fma(*x, *y)
            }
        }
        (Function::RotgCos, [a, b]) => rotg(*a, *b)[0],
        (Function::RotgSin, [a, b]) => rotg(*a, *b)[1],
        (Function::RotgRadius, [a, b]) => rotg(*a, *b)[2],
        _ => return Err(format!("{function:?} of {} arguments", args.len())),
    })
}

/// The pivot and its reciprocal; `None` where the value is bad.
pub(super) fn pivot<T: Real>(kind: PivotKind, value: T) -> Option<(T, T)> {
    if !value.is_finite() {
        return None;
    }
    let root = value.root();
    match kind {
        PivotKind::Cholesky => (value > T::ZERO).then(|| (root, root.reciprocal())),
        // Here the approximation is as good as it can be.
        PivotKind::Rsqrt => (value > T::ZERO).then(|| (value.times(root.reciprocal()), root.reciprocal())),
        PivotKind::General => (value != T::ZERO).then(|| (value, value.reciprocal())),
    }
}

fn larger<T: Real>(x: T, y: T) -> T {
    match x.partial_cmp(&y) {
        None if x.is_nan() => y,
        None | Some(Ordering::Greater | Ordering::Equal) => x,
        Some(Ordering::Less) => y,
    }
}

/// The one that compares as wanted, NaN where they do not compare; of two zeros the one whose sign is wanted.
fn extreme<T: Real>(x: T, y: T, wanted: Ordering) -> T {
    let is_negative = |value: T| value.to_f64().is_sign_negative();
    match x.partial_cmp(&y) {
        None => T::NAN,
        Some(Ordering::Equal) if is_negative(x) == (wanted == Ordering::Less) => x,
        Some(order) if order == wanted => x,
        Some(_) => y,
    }
}

/// Largest exponent of a number and of its reciprocal that are both normal.
fn max_exponent<T: Real>() -> i64 {
    if T::FRACTION_BITS == f32::MANTISSA_DIGITS - 1 { 126 } else { 1022 }
}

/// `floor(log2 x)` in the range where `2^e` and `2^-e` are normal.
fn exponent<T: Real>(x: T) -> i64 {
    let max = max_exponent::<T>();
    let biased = (x.to_pattern() >> T::FRACTION_BITS) as i64;
    (biased - (max + 1)).clamp(-max, max)
}

fn power_of_two<T: Real>(exponent: i64) -> T {
    T::from_pattern(((exponent + max_exponent::<T>() + 1) as u64) << T::FRACTION_BITS)
}

/// `c`, `s`, `r` of a Givens rotation.
fn rotg<T: Real>(a: T, b: T) -> [T; 3] {
    if b == T::ZERO {
        return [T::ONE, T::ZERO, a];
    }
    if a == T::ZERO {
        return [T::ZERO, T::ONE, b];
    }
    let is_a_larger = a.magnitude() > b.magnitude();
    let w = if is_a_larger { a.magnitude() } else { b.magnitude() };
    let (p, q) = (a.over(w), b.over(w));
    let root = p.fma(p, q.times(q)).root();
    let sign = if is_a_larger { a } else { b };
    let h = if sign < T::ZERO { root.negated() } else { root };
    [p.over(h), q.over(h), w.times(h)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_exact_inverses_up_to_the_edges() {
        let of = |function, x: f32| evaluate(function, &[x]).expect("one argument");
        for (x, up) in [
            (1.0, 1.0),
            (1.999, 1.0),
            (0.75, 0.5),
            (0.0, f32::MIN_POSITIVE),
            (f32::from_bits(1), f32::MIN_POSITIVE),
            (f32::MAX, 2f32.powi(126)),
            (f32::INFINITY, 2f32.powi(126)),
        ] {
            assert_eq!(of(Function::ExponentScale, x), up, "{x}");
            assert_eq!(of(Function::InverseExponentScale, x), 1.0 / up, "{x}");
        }
        let double: f64 = evaluate(Function::ExponentScale, &[f64::MAX]).expect("one argument");
        assert_eq!(double, 2f64.powi(1022));
    }

    #[test]
    fn a_maximum_prefers_numbers() {
        assert_eq!(larger(f32::NAN, 1.0), 1.0);
        assert_eq!(larger(1.0, f32::NAN), 1.0);
        assert_eq!(larger(1.0, 2.0), 2.0);
    }

    #[test]
    fn an_extreme_is_nan_beside_nan_and_tells_zeros_apart() {
        let of = |function, x: f32, y: f32| evaluate(function, &[x, y]).expect("two arguments");
        for (x, y) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(of(Function::Maximum, x, y).to_bits(), 0.0f32.to_bits());
            assert_eq!(of(Function::Minimum, x, y).to_bits(), (-0.0f32).to_bits());
        }
        assert!(
            of(Function::Maximum, f32::NAN, 1.0).is_nan() && of(Function::Minimum, 1.0, f32::NAN).is_nan()
        );
        assert_eq!((of(Function::Maximum, -2.0, 1.0), of(Function::Minimum, -2.0, 1.0)), (1.0, -2.0));
        assert_eq!((of(Function::Maximum, -3.0, -3.0), of(Function::Minimum, 3.0, 3.0)), (-3.0, 3.0));
    }

    #[test]
    fn bad_pivots_are_told_from_good_ones() {
        for (value, is_positive, is_nonzero) in [
            (4.0, true, true),
            (-1.0, false, true),
            (0.0, false, false),
            (-0.0, false, false),
            (f64::INFINITY, false, false),
            (f64::NAN, false, false),
        ] {
            assert_eq!(pivot(PivotKind::Cholesky, value).is_some(), is_positive, "{value}");
            assert_eq!(pivot(PivotKind::General, value).is_some(), is_nonzero, "{value}");
        }
        assert_eq!(pivot(PivotKind::Cholesky, 4.0), Some((2.0, 0.5)));
    }

    #[test]
    fn a_rotation_takes_the_sign_of_the_larger_input() {
        assert_eq!(rotg(3.0, 0.0), [1.0, 0.0, 3.0]);
        assert_eq!(rotg(0.0, -2.0), [0.0, 1.0, -2.0]);
        let [c, s, r] = rotg(-4.0f64, 3.0);
        assert!(r < 0.0 && c > 0.0 && s < 0.0);
        assert!(rotg(-4.0, 4.0)[2] > 0.0);
    }
}
