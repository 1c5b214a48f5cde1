//! The executable definitions against a library that shares nothing with them, in f64.
//!
//! Both sides round; their distance is held against the condition of the problem times a small multiple of the unit
//! roundoff, which is stated at each comparison.

use glass_oracle::{
    Case, Congruence, Flavour, Form, Gemm, GnStep, Inv, Ldlt, LdltPivoted, LdltPivotedSolve, LdltSolve, Posv,
    Potrf, Reduction, ReductionKind, Reg, Riccati, RiccatiStep, Syrk, Task, Trsm, Uplo,
};
use nalgebra::{DMatrix, DVector};

const U: f64 = f64::EPSILON / 2.0;
const SIZES: [usize; 6] = [1, 2, 3, 6, 7, 14];
const FLAVOURS: [Flavour; 2] = [Flavour::Mixed, Flavour::Hard];

fn matrix(values: &[f64], rows: usize) -> DMatrix<f64> {
    DMatrix::from_column_slice(rows, values.len() / rows, values)
}

/// The full matrix of a stored lower triangle.
fn symmetric(values: &[f64], n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| values[i.max(j) + i.min(j) * n])
}

/// The first seeds of both flavours that succeed.
fn visit(task: impl Into<Task>, form: Form, mut f: impl FnMut(&Case<f64>, &Case<f64>)) {
    let task = task.into();
    let scalars = task.scalar_values::<f64>(0);
    for flavour in FLAVOURS {
        for seed in 0..4 {
            let before = task.case::<f64>(seed, flavour, &scalars);
            f(&before, &task.result(form, &before));
        }
    }
}

/// Relative distance in the Frobenius norm.
fn assert_close(expected: &DMatrix<f64>, actual: &DMatrix<f64>, allowed: f64, what: &str) {
    let distance = (expected - actual).norm();
    let allowed = allowed * expected.norm();
    assert!(distance <= allowed, "{what}: distance {distance:e}, allowed {allowed:e}");
}

fn condition(a: &DMatrix<f64>) -> f64 {
    let values = a.clone().singular_values();
    values.max() / values.min()
}

#[test]
fn products() {
    let tree = Form::Reduced { lanes_per_output: 8 };
    for form in [Form::Serial, tree] {
        visit(Gemm { trans_a: true, trans_b: true, ..Gemm::new(5, 4, 21) }, form, |before, after| {
            let (a, b) = (matrix(&before.inputs[0], 21), matrix(&before.inputs[1], 4));
            let expected = a.transpose() * b.transpose();
            // Both sums of 21 terms; |A||B| in place of the result, which may cancel.
            let allowed = 2.0 * 24.0 * U * a.norm() * b.norm();
            let actual = matrix(&after.outputs[0], 5);
            assert!((expected - actual).norm() <= allowed);
        });
        visit(Syrk { trans: true, ..Syrk::new(6, 9) }, form, |before, after| {
            let a = matrix(&before.inputs[0], 9);
            let actual = matrix(&after.outputs[0], 6);
            assert!((a.tr_mul(&a) - actual).norm() <= 2.0 * 12.0 * U * a.norm().powi(2));
        });
        visit(Congruence::bilinear(7, 3, 5), form, |before, after| {
            let [x, m, y] = [0, 1, 2].map(|idx| matrix(&before.inputs[idx], 7));
            let allowed = 2.0 * 18.0 * U * x.norm() * m.norm() * y.norm();
            assert!((x.tr_mul(&(m * y)) - matrix(&after.outputs[0], 3)).norm() <= allowed);
        });
    }
}

#[test]
fn norms() {
    for n in [1, 7, 33] {
        visit(Reduction { kind: ReductionKind::Nrm2, n }, Form::Serial, |before, after| {
            // Scaled by hand: the library squares the numbers as they are.
            let largest = before.inputs[0].iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let scaled = DVector::from_iterator(n, before.inputs[0].iter().map(|x| x / largest));
            let expected = scaled.norm() * largest;
            assert!((after.outputs[0][0] - expected).abs() <= (n as f64 + 10.0) * U * expected);
        });
    }
}

#[test]
fn cholesky_factors_and_solutions() {
    for n in SIZES {
        visit(Potrf::new(n), Form::Serial, |before, after| {
            let a = symmetric(&before.inputs[0], n);
            let expected = a.clone().cholesky().expect("positive definite").l();
            // Perturbation of the factor: the condition times the backward errors of both sides.
            let allowed = 2.0 * (n as f64 + 4.0) * n as f64 * U * condition(&a);
            assert_close(&expected, &matrix(&after.outputs[0], n), allowed, &format!("factor of {n}"));
        });
        for reg in Reg::ALL {
            visit(Posv { nrhs: 3, reg, ..Posv::new(n) }, Form::Serial, |before, after| {
                let mut a = symmetric(&before.inputs[0], n);
                let rho = before.scalars.first().copied().unwrap_or(0.0);
                for i in 0..n {
                    a[(i, i)] += if reg == Reg::DiagShift { rho * a[(i, i)] } else { rho };
                }
                let b = matrix(&before.inputs[1], n);
                let expected = a.clone().cholesky().expect("positive definite").solve(&b);
                let allowed = 2.0 * (3.0 * n as f64 + 8.0) * n as f64 * U * condition(&a);
                assert_close(&expected, &matrix(&after.outputs[0], n), allowed, &format!("solution of {n}"));
            });
        }
    }
}

#[test]
fn indefinite_solutions() {
    for n in SIZES {
        visit(Ldlt::new(n), Form::Serial, |before, after| {
            let a = symmetric(&before.inputs[0], n);
            let solve = Task::from(LdltSolve { n, nrhs: 2, in_place: false });
            let mut case = solve.case::<f64>(0, Flavour::Mixed, &[]);
            case.inputs[0] = after.outputs[0].clone();
            let b = matrix(&case.inputs[1], n);
            let expected = a.clone().lu().solve(&b).expect("regular");
            let ld = matrix(&after.outputs[0], n);
            // Without pivoting the growth of the factors multiplies the condition.
            let l =
                DMatrix::from_fn(
                    n,
                    n,
                    |i, j| if i > j { ld[(i, j)].abs() } else { f64::from(u8::from(i == j)) },
                );
            let d = DMatrix::from_diagonal(&ld.diagonal().abs());
            let growth = (&l * d * l.transpose()).norm() / a.norm();
            let allowed = 2.0 * (3.0 * n as f64 + 9.0) * n as f64 * U * condition(&a) * growth;
            let actual = matrix(&solve.result(Form::Serial, &case).outputs[0], n);
            assert_close(&expected, &actual, allowed, &format!("solution of {n}"));
        });
    }
}

/// Factors and words go on to the solve; the signs of the eigenvalues are those of `D`.
#[test]
fn pivoted_solutions() {
    for n in SIZES {
        let factor = Task::from(LdltPivoted { inertia: true, ..LdltPivoted::new(n) });
        let solve = Task::from(LdltPivotedSolve { n, nrhs: 3, in_place: false });
        for flavour in [Flavour::Mixed, Flavour::Hard, Flavour::Cancelling] {
            for seed in 0..8 {
                let before = factor.case::<f64>(seed, flavour, &[]);
                let after = factor.result(Form::Serial, &before);
                let a = symmetric(&before.inputs[0], n);
                let eigenvalues = a.clone().symmetric_eigenvalues();
                // Signs of eigenvalues that roundings cannot turn; an odd matrix may be singular.
                let smallest = eigenvalues.iter().fold(f64::INFINITY, |least, value| least.min(value.abs()));
                if smallest <= 1e-12 * eigenvalues.amax() {
                    continue;
                }
                let count = |is: fn(&&f64) -> bool| eigenvalues.iter().filter(is).count() as u32;
                let signs = [count(|value| **value > 0.0), count(|value| **value < 0.0), 0];
                assert_eq!((after.words[0][0], &after.words[1][..]), (0, &signs[..]), "{flavour:?}, n = {n}");
                let mut right = solve.case::<f64>(seed, Flavour::Mixed, &[]);
                right.inputs[0] = after.outputs[0].clone();
                right.words[0] = after.words[2].clone();
                let found = solve.result(Form::Serial, &right);
                let b = matrix(&right.inputs[1], n);
                let expected = a.clone().full_piv_lu().solve(&b).expect("a regular matrix");
                let allowed = 1e3 * n as f64 * U * condition(&a);
                assert_close(&expected, &matrix(&found.outputs[0], n), allowed, "pivoted solution");
            }
        }
    }
}

#[test]
fn triangular_solutions() {
    for n in SIZES {
        for (uplo, trans) in
            [(Uplo::Lower, false), (Uplo::Lower, true), (Uplo::Upper, false), (Uplo::Upper, true)]
        {
            visit(Trsm { uplo, trans, ..Trsm::new(n, 2) }, Form::Serial, |before, after| {
                let stored = matrix(&before.inputs[0], n);
                let keep = |i: usize, j: usize| if uplo == Uplo::Lower { i >= j } else { i <= j };
                let a = DMatrix::from_fn(n, n, |i, j| if keep(i, j) { stored[(i, j)] } else { 0.0 });
                let a = if trans { a.transpose() } else { a };
                let b = matrix(&before.inputs[1], n);
                let expected = a.clone().lu().solve(&b).expect("regular");
                let allowed = 2.0 * (n as f64 + 5.0) * n as f64 * U * condition(&a);
                assert_close(
                    &expected,
                    &matrix(&after.outputs[0], n),
                    allowed,
                    &format!("{uplo:?} {trans} of {n}"),
                );
            });
        }
    }
}

#[test]
fn inverses() {
    for n in SIZES {
        visit(Inv::new(n), Form::Serial, |before, after| {
            let a = matrix(&before.inputs[0], n);
            let expected = a.clone().try_inverse().expect("regular");
            let allowed = 2.0 * 8.0 * n as f64 * U * condition(&a) * (n as f64).sqrt();
            assert_close(&expected, &matrix(&after.outputs[0], n), allowed, &format!("inverse of {n}"));
        });
    }
}

#[test]
fn gains() {
    for (nx, nu) in [(1, 1), (4, 2), (12, 4), (14, 7)] {
        visit(Riccati::new(nx, nu), Form::Serial, |before, after| {
            let [p, a, b] = [0, 1, 2].map(|idx| matrix(&before.inputs[idx], nx));
            let r = symmetric(&before.inputs[3], nu);
            let s = &r + b.tr_mul(&(&p * &b));
            let f = b.tr_mul(&(&p * &a));
            let expected = s.clone().cholesky().expect("positive definite").solve(&f);
            // The residual bound of the op over the smallest singular value of S, for both sides.
            let constant = 2.0 * nx as f64 + 3.0 * (nu as f64).powf(1.5) + 11.0;
            let size =
                (r.norm() + b.norm().powi(2) * p.norm()) * expected.norm() + b.norm() * p.norm() * a.norm();
            let allowed = 2.0 * constant * U * size / s.singular_values().min();
            let distance = (expected - matrix(&after.outputs[0], nu)).norm();
            assert!(distance <= allowed, "({nx}, {nu}): distance {distance:e}, allowed {allowed:e}");
        });
    }
}

#[test]
fn knots() {
    for (nx, nu) in [(1, 1), (4, 2), (12, 4), (14, 7)] {
        visit(RiccatiStep::new(nx, nu), Form::Serial, |before, after| {
            let [vxx, vx, fx, fu, lxx] = [0, 1, 2, 3, 4].map(|idx| matrix(&before.inputs[idx], nx));
            let (lux, luu) = (matrix(&before.inputs[5], nu), symmetric(&before.inputs[6], nu));
            let (lx, lu) = (matrix(&before.inputs[7], nx), matrix(&before.inputs[8], nu));
            let quu = &luu + fu.tr_mul(&(&vxx * &fu));
            let qux = &lux + fu.tr_mul(&(&vxx * &fx));
            let qu = &lu + fu.tr_mul(&vx);
            let factor = quu.clone().cholesky().expect("positive definite");
            let (k, d) = (factor.solve(&qux), factor.solve(&qu));
            let value = &lxx + fx.tr_mul(&(&vxx * &fx)) - qux.tr_mul(&k);
            let gradient = &lx + fx.tr_mul(&vx) - qux.tr_mul(&d);
            // The residual bounds of the op over the smallest singular value of Quu, for both sides.
            let constant = 2.0 * nx as f64 + 3.0 * (nu as f64).powf(1.5) + 11.0;
            let sigma = quu.singular_values().min();
            let quu_size = luu.norm() + fu.norm().powi(2) * vxx.norm();
            let of_k = quu_size * k.norm() + lux.norm() + fu.norm() * vxx.norm() * fx.norm();
            let of_d = quu_size * d.norm() + lu.norm() + fu.norm() * vx.norm();
            let near = |expected: &DMatrix<f64>, idx: usize, size: f64, what: &str| {
                let distance = (expected - matrix(&after.outputs[idx], expected.nrows())).norm();
                let allowed = 2.0 * constant * U * size;
                assert!(
                    distance <= allowed,
                    "({nx}, {nu}), {what}: distance {distance:e}, allowed {allowed:e}"
                );
            };
            near(&k, 0, of_k / sigma, "K");
            near(&d, 1, of_d / sigma, "d");
            let size = lxx.norm() + fx.norm().powi(2) * vxx.norm();
            near(&value, 2, size + 2.0 * of_k * k.norm() + qux.norm() * of_k / sigma, "Vxx");
            let size = lx.norm() + fx.norm() * vx.norm() + of_d * k.norm() + of_k * d.norm();
            near(&gradient, 3, size + qux.norm() * of_d / sigma, "Vx");
        });
    }
}

#[test]
fn damped_steps() {
    for reg in Reg::ALL {
        visit(GnStep { reg, ..GnStep::new(9, 6) }, Form::Serial, |before, after| {
            let (j, r) = (matrix(&before.inputs[0], 9), matrix(&before.inputs[1], 9));
            let lambda = before.scalars.first().copied().unwrap_or(0.0);
            let mut h = j.tr_mul(&j);
            for i in 0..6 {
                h[(i, i)] += if reg == Reg::DiagShift { lambda * h[(i, i)] } else { lambda };
            }
            let expected = h.clone().cholesky().expect("positive definite").solve(&j.tr_mul(&r));
            let constant = 9.0 + 3.0 * 6f64.powf(1.5) + 11.0;
            let size = (1.0 + lambda) * j.norm().powi(2) * expected.norm() + j.norm() * r.norm();
            let allowed = 2.0 * constant * U * (size + lambda * expected.norm()) / h.singular_values().min();
            assert!((expected - matrix(&after.outputs[0], 6)).norm() <= allowed);
        });
    }
}
