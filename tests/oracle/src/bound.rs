//! How far from the exact result a correct contraction may be.
//!
//! With `d` the depth of the sum (k serial, ceil(k/p) + log2 p reduced), `u` the unit roundoff and
//! `eta` the smallest subnormal:
//!
//! `|error| <= (d + 3) u (|alpha| sum |a||b| + |beta||c|) + (k + 3) eta max(1, |alpha|)`
//!
//! The specification states the second term with `d` in place of `k`. That is the same for the
//! serial form, but not a bound for the reduced ones: each of the k multiply-adds may lose half an
//! `eta` by underflow and the lanes add these losses up, so 64 products of `0.5 eta` in 32 lanes
//! give zero instead of `32 eta` where `(d + 3) eta` is `10 eta`. The test
//! `underflow_adds_up_over_terms_not_over_depth` holds the case.
//!
//! On WGSL the constants double and subnormals may be flushed, on input and after every operation:
//! terms with a subnormal factor may vanish, and `eta` becomes the smallest normal number.

use crate::problem::{Contraction, Form};
use crate::real::Real;
use crate::reference::{self, Expected};
use std::fmt;

/// Which arithmetic the bound is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Correctly rounded, subnormals kept: CUDA and the host.
    Ieee,
    /// What WGSL guarantees.
    Wgsl,
}

/// Roundings on the longest way from a product to the sum.
pub fn depth(k: usize, form: Form) -> usize {
    match form {
        Form::Serial => k,
        Form::Reduced { lanes_per_output: p } => k.div_ceil(p) + p.ilog2() as usize,
    }
}

/// The error one element may have.
pub fn limit<T: Real>(contraction: &Contraction<T>, arithmetic: Arithmetic, expected: &Expected) -> f64 {
    let k = contraction.shape.k;
    let relative = (depth(k, contraction.form) + 3) as f64 * T::UNIT_ROUNDOFF * expected.magnitude;
    let n_underflows = (k + 3) as f64 * expected.factor;
    match arithmetic {
        Arithmetic::Ieee => relative + n_underflows * T::SMALLEST_SUBNORMAL,
        Arithmetic::Wgsl => 2.0 * relative + expected.flushable + n_underflows * T::SMALLEST_NORMAL,
    }
}

/// The largest errors of a checked batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// Largest error as a fraction of its own bound; at most 1.
    pub fraction: f64,
    /// Largest absolute error.
    pub absolute: f64,
}

/// The first element beyond its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// Problem of the element.
    pub problem_idx: usize,
    /// Its column-major index inside the problem.
    pub element_idx: usize,
    /// The exact value, rounded.
    pub expected: f64,
    /// The value given.
    pub actual: f64,
    /// The largest error allowed.
    pub limit: f64,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem_idx, element_idx, expected, actual, limit } = self;
        write!(
            f,
            "problem {problem_idx}, element {element_idx}: expected {expected:e}, given {actual:e}, error {:e}, \
             allowed {limit:e}",
            (actual - expected).abs()
        )
    }
}

impl std::error::Error for Excess {}

/// Checks every element of a batch against the [reference](mod@reference); `c` holds the old values, `actual` the
/// results, both problem after problem. A NaN never passes.
///
/// # Panics
/// If `actual` and `c` differ in length.
pub fn check<T: Real>(
    contraction: &Contraction<T>,
    arithmetic: Arithmetic,
    (a, b, c): (&[T], &[T], &[T]),
    actual: &[T],
) -> Result<Worst, Excess> {
    assert_eq!(actual.len(), c.len(), "length of the result");
    let elements = contraction.shape.c_elements();
    let mut worst = Worst::default();
    let expected = reference::contract_batch(contraction, a, b, c);
    assert_eq!(actual.len(), expected.len(), "operands of every problem");
    for (at, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        let limit = limit(contraction, arithmetic, expected);
        let error = expected.value.distance(actual.to_f64());
        if error.is_nan() || error > limit {
            return Err(Excess {
                problem_idx: at / elements,
                element_idx: at % elements,
                expected: expected.value.hi,
                actual: actual.to_f64(),
                limit,
            });
        }
        worst.absolute = worst.absolute.max(error);
        worst.fraction = worst.fraction.max(error / limit);
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Alpha, Beta, Shape};
    use crate::{inputs, twin};

    const KS: [usize; 17] = [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65, 200];

    #[test]
    fn depths() {
        let reduced = |p| Form::Reduced { lanes_per_output: p };
        assert_eq!(depth(14, Form::Serial), 14);
        assert_eq!(depth(14, reduced(1)), 14);
        assert_eq!(depth(14, reduced(4)), 6);
        assert_eq!(depth(65, reduced(32)), 8);
        assert_eq!(depth(1, reduced(32)), 6);
    }

    fn twin_stays_inside<T: Real>() {
        let scalars = inputs::scalars::<T>();
        let mut worst = 0.0f64;
        for (case_idx, k) in KS.into_iter().enumerate() {
            for form in Form::ALL {
                let shape = Shape::gemm(3, 2, k).transposed(k % 2 == 0, k % 3 == 0);
                let operands = inputs::operands::<T>(&format!("bound k{k}"), &shape, 16);
                let alpha = Alpha::Runtime(scalars[case_idx % scalars.len()]);
                let beta = Beta::Runtime(scalars[(case_idx / 2) % scalars.len()]);
                for contraction in
                    [Contraction::new(shape, form), Contraction::new(shape, form).with_scalars(alpha, beta)]
                {
                    let mut c = operands.c.clone();
                    twin::contract_batch(&contraction, &operands.a, &operands.b, &mut c);
                    let inputs = (&operands.a[..], &operands.b[..], &operands.c[..]);
                    let checked = check(&contraction, Arithmetic::Ieee, inputs, &c);
                    worst = worst.max(checked.unwrap_or_else(|e| panic!("{contraction:?}: {e}")).fraction);
                }
            }
        }
        // The bound is no empty promise: somewhere the twin comes near it.
        assert!(worst > 0.1, "worst fraction {worst}");
    }

    #[test]
    fn the_twin_stays_inside_f32() {
        twin_stays_inside::<f32>();
    }

    #[test]
    fn the_twin_stays_inside_f64() {
        twin_stays_inside::<f64>();
    }

    #[test]
    fn underflow_adds_up_over_terms_not_over_depth() {
        // Every product is 2^-150, half of the smallest subnormal: it rounds to zero.
        let (a, b) = ([2f32.powi(-75); 64], [2f32.powi(-75); 64]);
        let contraction = Contraction::new(Shape::gemv(1, 64), Form::Reduced { lanes_per_output: 32 });
        let mut c = [f32::NAN];
        twin::contract(&contraction, &a, &b, &mut c);
        assert_eq!(c[0].to_bits(), 0);
        let error = 64.0 * 2f64.powi(-150);
        assert!(error > (depth(64, contraction.form) + 3) as f64 * f32::SMALLEST_SUBNORMAL);
        let worst = check(&contraction, Arithmetic::Ieee, (&a, &b, &[f32::NAN]), &c).unwrap();
        assert_eq!(worst.absolute, error);
    }

    #[test]
    fn an_error_beyond_the_bound_is_located() {
        let shape = Shape::gemv(7, 14);
        let operands = inputs::operands::<f32>("excess", &shape, 5);
        let contraction = Contraction::new(shape, Form::Serial);
        let mut c = operands.c.clone();
        twin::contract_batch(&contraction, &operands.a, &operands.b, &mut c);
        let inputs = (&operands.a[..], &operands.b[..], &operands.c[..]);
        let at = 3 * 7 + 2;
        let allowed = limit(
            &contraction,
            Arithmetic::Ieee,
            &reference::contract_batch(&contraction, inputs.0, inputs.1, inputs.2)[at],
        );
        for wrong in [c[at] + 3.0 * allowed as f32, f32::NAN, f32::INFINITY] {
            let mut spoilt = c.clone();
            spoilt[at] = wrong;
            let excess = check(&contraction, Arithmetic::Ieee, inputs, &spoilt).unwrap_err();
            assert_eq!((excess.problem_idx, excess.element_idx), (3, 2));
        }
    }

    #[test]
    fn wgsl_may_flush_what_ieee_must_keep() {
        let contraction = Contraction::new(Shape::gemv(1, 1), Form::Serial);
        let (a, b) = ([f32::from_bits(1 << 22)], [1e6f32]);
        let inputs = (&a[..], &b[..], &[0.0f32][..]);
        assert!(check(&contraction, Arithmetic::Ieee, inputs, &[0.0]).is_err());
        assert!(check(&contraction, Arithmetic::Wgsl, inputs, &[0.0]).is_ok());
        assert!(check(&contraction, Arithmetic::Wgsl, inputs, &[1.0]).is_err());
    }
}
