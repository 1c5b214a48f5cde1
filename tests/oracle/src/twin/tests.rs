//! Known sums, and the identities every correct kernel shares.

use super::*;
use crate::{bits, inputs};

const KS: [usize; 16] = [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65];

fn reduced(p: usize) -> Form {
    Form::Reduced { lanes_per_output: p }
}

/// Runs a case on its seeded inputs; the old result is returned beside the new one.
fn run<T: Real>(case: &str, contraction: &Contraction<T>, n_problems: usize) -> (Vec<T>, Vec<T>) {
    let operands = inputs::operands::<T>(case, &contraction.shape, n_problems);
    let mut c = operands.c.clone();
    contract_batch(contraction, &operands.a, &operands.b, &mut c);
    (operands.c, c)
}

#[test]
fn serial_adds_in_ascending_order() {
    // 2^24 + 1 rounds back to 2^24, three times; the other order would keep 2^24 + 4.
    let terms = [16_777_216.0f32, 1.0, 1.0, 1.0];
    assert_eq!(dot(Form::Serial, 4, |t| (terms[t], 1.0)), 16_777_216.0);
}

#[test]
fn the_tree_adds_halves() {
    // Four lanes, one term each: (0 + 2) + (1 + 3), where 0 + 1 first would lose the ones.
    let terms = [16_777_216.0f32, 1.0, 1.0, 1.0];
    assert_eq!(dot(reduced(4), 4, |t| (terms[t], 1.0)), 16_777_218.0);
    // Two lanes: (0 + 2) and (1 + 3) as chains, then both: the same pairs.
    assert_eq!(dot(reduced(2), 4, |t| (terms[t], 1.0)), 16_777_218.0);
    // The first level pairs slot l with slot l + 16: a large number and its negative meet there,
    // the small one in between survives.
    let mut terms = [0.0f32; 32];
    (terms[3], terms[19], terms[4]) = (1e20, -1e20, 1.0);
    assert_eq!(dot(reduced(32), 32, |t| (terms[t], 1.0)), 1.0);
    (terms[19], terms[20]) = (0.0, -1e20);
    assert_eq!(dot(reduced(32), 32, |t| (terms[t], 1.0)), 0.0);
}

#[test]
fn lanes_take_every_pth_term() {
    // p = 2: lane 0 holds 1e8 - 1e8, lane 1 holds 3 + 4. In serial order the 3 is rounded away.
    let terms = [1e8f32, 3.0, -1e8, 4.0];
    assert_eq!(dot(reduced(2), 4, |t| (terms[t], 1.0)), 7.0);
    assert_eq!(dot(Form::Serial, 4, |t| (terms[t], 1.0)), 4.0);
}

#[test]
fn a_multiply_add_rounds_once() {
    let x = 1.0f32 + 2f32.powi(-12);
    assert_eq!(dot(Form::Serial, 2, |t| [(-1.0, 1.0), (x, x)][t]), 2f32.powi(-11) + 2f32.powi(-24));
}

fn negative_zero<T: Real>() {
    let tiny = T::from_f64(T::SMALLEST_NORMAL);
    let minus_tiny = T::from_f64(-T::SMALLEST_NORMAL);
    let minus_zero = T::from_f64(-0.0);
    let pattern = |form, k, a, b| dot::<T>(form, k, |_| (a, b)).to_pattern();
    // -0 times 1 is -0, but the sum starts from +0.
    assert_eq!(pattern(Form::Serial, 1, minus_zero, T::ONE), T::ZERO.to_pattern());
    // An underflowing negative product is rounded to -0 after the addition of +0.
    assert_eq!(pattern(Form::Serial, 1, minus_tiny, tiny), minus_zero.to_pattern());
    assert_eq!(pattern(reduced(1), 1, minus_tiny, tiny), minus_zero.to_pattern());
    // Full lanes keep it, one empty lane does not.
    for p in [2, 4, 8, 16, 32] {
        assert_eq!(pattern(reduced(p), p, minus_tiny, tiny), minus_zero.to_pattern(), "p = {p}, full");
        assert_eq!(pattern(reduced(p), p - 1, minus_tiny, tiny), T::ZERO.to_pattern(), "p = {p}, one empty");
    }
}

#[test]
fn negative_zero_f32() {
    negative_zero::<f32>();
}

#[test]
fn negative_zero_f64() {
    negative_zero::<f64>();
}

fn one_lane_is_serial<T: Real>() {
    for k in KS {
        let shape = Shape::gemm(3, 2, k);
        let (_, serial) = run::<T>("one lane", &Contraction::new(shape, Form::Serial), 16);
        let (_, one_lane) = run::<T>("one lane", &Contraction::new(shape, reduced(1)), 16);
        assert_eq!(bits::compare(&serial, &one_lane, 6), Ok(()), "k = {k}");
    }
}

#[test]
fn one_lane_is_serial_f32() {
    one_lane_is_serial::<f32>();
}

#[test]
fn one_lane_is_serial_f64() {
    one_lane_is_serial::<f64>();
}

#[test]
fn forms_differ_where_they_should() {
    // Otherwise the identities above would hold for a twin that ignores the form.
    let shape = Shape::gemv(7, 33);
    let results: Vec<_> = [Form::Serial, reduced(2), reduced(4), reduced(8), reduced(16), reduced(32)]
        .map(|form| run::<f32>("forms", &Contraction::new(shape, form), 16).1)
        .into();
    for (i, one) in results.iter().enumerate() {
        for other in &results[..i] {
            assert!(bits::compare(one, other, 7).is_err());
        }
    }
}

#[test]
fn every_element_is_a_dot_product() {
    let shape = Shape::gemm(5, 3, 21).transposed(true, false);
    let operands = inputs::operands::<f64>("dots", &shape, 4);
    for form in Form::ALL {
        let (_, c) = run::<f64>("dots", &Contraction::new(shape, form), 4);
        for p in 0..4 {
            for (i, j) in (0..5).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let row = &operands.a[105 * p + 21 * i..][..21];
                let column = &operands.b[63 * p + 21 * j..][..21];
                let expected = dot(form, 21, |t| (row[t], column[t]));
                assert_eq!(bits::compare(&[expected], &[c[15 * p + i + 5 * j]], 1), Ok(()));
            }
        }
    }
}

#[test]
fn transposed_storage_changes_no_bit() {
    let shape = Shape::gemm(4, 3, 14);
    let plain = run::<f32>("storage", &Contraction::new(shape, reduced(4)), 8).1;
    for (trans_a, trans_b) in [(true, false), (false, true), (true, true)] {
        let contraction = Contraction::new(shape.transposed(trans_a, trans_b), reduced(4));
        assert_eq!(bits::compare(&plain, &run::<f32>("storage", &contraction, 8).1, 12), Ok(()));
    }
}

fn runtime_scalars_match_compile_time<T: Real>() {
    let contraction = Contraction::<T>::new(Shape::gemm(3, 2, 14), reduced(4));
    let pairs = [
        (Beta::Zero, Beta::Runtime(T::ZERO)),
        (Beta::Zero, Beta::Runtime(T::from_f64(-0.0))),
        (Beta::One, Beta::Runtime(T::ONE)),
    ];
    for alpha in [Alpha::One, Alpha::Runtime(T::from_f64(0.3)), Alpha::Runtime(T::ZERO)] {
        for (compile_time, runtime) in pairs {
            let expected = run::<T>("scalars", &contraction.with_scalars(alpha, compile_time), 8).1;
            let actual = run::<T>("scalars", &contraction.with_scalars(alpha, runtime), 8).1;
            assert_eq!(bits::compare(&expected, &actual, 6), Ok(()), "{alpha:?} {runtime:?}");
        }
    }
    for beta in [Beta::Zero, Beta::One, Beta::Runtime(T::from_f64(-2.5))] {
        let expected = run::<T>("scalars", &contraction.with_scalars(Alpha::One, beta), 8).1;
        let actual = run::<T>("scalars", &contraction.with_scalars(Alpha::Runtime(T::ONE), beta), 8).1;
        assert_eq!(bits::compare(&expected, &actual, 6), Ok(()), "{beta:?}");
    }
}

#[test]
fn runtime_scalars_match_compile_time_f32() {
    runtime_scalars_match_compile_time::<f32>();
}

#[test]
fn runtime_scalars_match_compile_time_f64() {
    runtime_scalars_match_compile_time::<f64>();
}

#[test]
fn excluded_operands_are_not_touched() {
    let contraction = Contraction::<f32>::new(Shape::gemv(2, 3), Form::Serial);
    // Sources of length zero: reading one element would panic.
    let zero_alpha = |beta| {
        let mut c = [-0.0f32, f32::NAN];
        contract(&contraction.with_scalars(Alpha::Runtime(-0.0), beta), &[], &[], &mut c);
        c.map(f32::to_bits)
    };
    let kept = [-0.0f32, f32::NAN].map(f32::to_bits);
    assert_eq!(zero_alpha(Beta::Zero), [0, 0]);
    assert_eq!(zero_alpha(Beta::Runtime(-0.0)), [0, 0]);
    assert_eq!(zero_alpha(Beta::One), kept);
    assert_eq!(zero_alpha(Beta::Runtime(1.0)), kept);
    assert_eq!(zero_alpha(Beta::Runtime(-2.0))[0], 0, "-2 times -0");
    // An old result of NaN does not survive beta zero.
    let mut c = [f32::NAN; 2];
    contract(&contraction, &[1.0; 6], &[1.0; 3], &mut c);
    assert_eq!(c, [3.0; 2]);
}

#[test]
fn a_nan_scalar_counts_as_non_zero() {
    let contraction = Contraction::<f64>::new(Shape::gemv(1, 1), Form::Serial);
    let mut c = [5.0];
    contract(&contraction.with_scalars(Alpha::Runtime(f64::NAN), Beta::Zero), &[1.0], &[1.0], &mut c);
    assert!(c[0].is_nan());
    let mut c = [5.0];
    contract(&contraction.with_scalars(Alpha::Runtime(0.0), Beta::Runtime(f64::NAN)), &[], &[], &mut c);
    assert!(c[0].is_nan());
}

#[test]
fn the_blend_rounds_like_the_table() {
    // fma(beta, c, alpha * acc): alpha * acc is rounded first, beta * c is not.
    let (x, beta) = (1.0f32 + 2f32.powi(-12), 1.0f32 + 2f32.powi(-12));
    let contraction = Contraction::new(Shape::gemv(1, 1), Form::Serial)
        .with_scalars(Alpha::Runtime(-1.0), Beta::Runtime(beta));
    let mut c = [x];
    contract(&contraction, &[1.0], &[1.0], &mut c);
    assert_eq!(c[0], 2f32.powi(-11) + 2f32.powi(-24));
}
