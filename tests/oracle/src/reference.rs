//! The exact result of a contraction, to about 100 bits, and what an error bound needs beside it.
//!
//! f32 and f64 inputs take the same double-double path: an `f32` product is exact in `f64`, and the
//! sum keeps far more than one precision up. Only the last bit of an `f64` product below the
//! subnormals can be lost, at most half a smallest subnormal per term.
//!
//! The matrices are first written out as rows and columns of `op(A)` and `op(B)`, so the index
//! arithmetic differs from the [twin](crate::twin)'s.

use crate::double_double::DoubleDouble;
use crate::problem::{Alpha, Beta, Contraction};
use crate::real::Real;

/// One element of the exact result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The value.
    pub value: DoubleDouble,
    /// `|alpha| * sum |a||b| + |beta||c|`.
    pub magnitude: f64,
    /// The part of [`magnitude`](Self::magnitude) whose terms have a subnormal factor: what a device that flushes
    /// subnormal inputs to zero may drop.
    pub flushable: f64,
    /// The larger of one and |alpha|: the factor applied after the sum.
    pub factor: f64,
}

fn row_major_op<T: Real>(stored: &[T], rows: usize, cols: usize, transposed: bool) -> Vec<Vec<T>> {
    if transposed {
        stored.chunks_exact(cols).map(<[T]>::to_vec).collect()
    } else {
        (0..rows).map(|row| stored.iter().skip(row).step_by(rows).copied().collect()).collect()
    }
}

/// Every element of `C` for one problem, column-major; `c` holds the old values. Operands that the
/// scalars exclude are not read and may be empty.
pub fn contract<T: Real>(contraction: &Contraction<T>, a: &[T], b: &[T], c: &[T]) -> Vec<Expected> {
    let shape = &contraction.shape;
    let alpha = match contraction.alpha {
        Alpha::One => T::ONE,
        Alpha::Runtime(alpha) => alpha,
    };
    let beta = match contraction.beta {
        Beta::Zero => T::ZERO,
        Beta::One => T::ONE,
        Beta::Runtime(beta) => beta,
    };
    let reads_sources = alpha != T::ZERO;
    let reads_old = beta != T::ZERO;
    let rows = if reads_sources { row_major_op(a, shape.m, shape.k, shape.trans_a) } else { Vec::new() };
    // The columns of op(B) are the rows of its transpose.
    let columns = if reads_sources { row_major_op(b, shape.n, shape.k, !shape.trans_b) } else { Vec::new() };

    let mut expected = Vec::with_capacity(shape.c_elements());
    for j in 0..shape.n {
        for i in 0..shape.m {
            let mut sum = DoubleDouble::ZERO;
            let (mut magnitude, mut flushable) = (0.0, 0.0);
            if reads_sources {
                for (&x, &y) in rows[i].iter().zip(&columns[j]) {
                    let term = (x.to_f64() * y.to_f64()).abs();
                    sum = sum.add_product(x.to_f64(), y.to_f64());
                    magnitude += term;
                    if x.is_subnormal() || y.is_subnormal() {
                        flushable += term;
                    }
                }
            }
            let alpha_f64 = alpha.to_f64();
            let mut value = sum.scale(alpha_f64);
            magnitude *= alpha_f64.abs();
            flushable = if alpha.is_subnormal() { magnitude } else { flushable * alpha_f64.abs() };
            if reads_old {
                let old = c[i + j * shape.m];
                let term = (beta.to_f64() * old.to_f64()).abs();
                value = value.add_product(beta.to_f64(), old.to_f64());
                magnitude += term;
                if old.is_subnormal() || beta.is_subnormal() {
                    flushable += term;
                }
            }
            expected.push(Expected { value, magnitude, flushable, factor: alpha_f64.abs().max(1.0) });
        }
    }
    expected
}

/// A batch stored problem after problem; `c` holds the old values and decides how many problems
/// there are.
pub fn contract_batch<T: Real>(contraction: &Contraction<T>, a: &[T], b: &[T], c: &[T]) -> Vec<Expected> {
    let shape = &contraction.shape;
    let operands = a.chunks_exact(shape.a_elements()).zip(b.chunks_exact(shape.b_elements()));
    operands
        .zip(c.chunks_exact(shape.c_elements()))
        .flat_map(|((a, b), c)| contract(contraction, a, b, c))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Form, Shape};

    fn values(contraction: &Contraction<f32>, a: &[f32], b: &[f32], c: &[f32]) -> Vec<f64> {
        contract(contraction, a, b, c).iter().map(|e| e.value.hi).collect()
    }

    #[test]
    fn all_four_transpose_pairs_of_a_product_by_hand() {
        // [1 2; 3 4; 5 6] * [7 8 9 10; 11 12 13 14]
        let (a, a_trans) = ([1., 3., 5., 2., 4., 6.], [1., 2., 3., 4., 5., 6.]);
        let (b, b_trans) = ([7., 11., 8., 12., 9., 13., 10., 14.], [7., 8., 9., 10., 11., 12., 13., 14.]);
        let expected = [29., 65., 101., 32., 72., 112., 35., 79., 123., 38., 86., 134.];
        for (trans_a, a) in [(false, &a), (true, &a_trans)] {
            for (trans_b, b) in [(false, &b), (true, &b_trans)] {
                let shape = Shape::gemm(3, 4, 2).transposed(trans_a, trans_b);
                let contraction = Contraction::new(shape, Form::Serial);
                assert_eq!(values(&contraction, a, b, &[0.0; 12]), expected, "{trans_a} {trans_b}");
            }
        }
    }

    #[test]
    fn scalars_enter_value_and_magnitude() {
        let contraction = Contraction::new(Shape::gemv(1, 2), Form::Serial)
            .with_scalars(Alpha::Runtime(-2.0), Beta::Runtime(0.5));
        let expected = contract(&contraction, &[3.0f64, -1.0], &[1.0, 2.0], &[8.0])[0];
        assert_eq!(expected.value.hi, 2.0);
        assert_eq!(expected.magnitude, 14.0);
        assert_eq!((expected.factor, expected.flushable), (2.0, 0.0));
    }

    #[test]
    fn subnormal_factors_are_flushable() {
        let tiny = f32::from_bits(3);
        let contraction = Contraction::new(Shape::gemv(1, 2), Form::Serial);
        let expected = contract(&contraction, &[tiny, 1.0], &[4.0, 2.0], &[0.0])[0];
        assert_eq!(expected.flushable, 4.0 * f64::from(tiny));
    }
}
