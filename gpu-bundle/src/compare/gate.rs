//! How wrong a result is, as a fraction of what it may be: the same measure for every variant and peer, in f64.
//!
//! `u` is the unit roundoff of the element type, norms are those of Frobenius, matrices are column-major.

use super::shape::Shape;

/// The bounds as a declaration states them.
pub(super) const TOLERANCES: [&str; 3] = [
    "gemm: |C - A B| <= (k + 3) u |A| |B|, element by element",
    "potrf: |A - L L'| <= 8 n u |A| in the norm of Frobenius, each problem",
    "posv: |b - A x| <= 8 n u (|A| |x| + |b|) in the norm of Frobenius, each right-hand side",
];

/// Error of one problem over its bound; NaN where the result is none.
///
/// `inputs` are A and, where there is one, B or b; symmetric matrices are read in their lower triangle. The `output`
/// of a factorisation is L; only its lower triangle is read.
pub(super) fn fraction(shape: Shape, u: f64, inputs: &[Vec<f64>], output: &[f64]) -> f64 {
    match shape {
        Shape::Gemm { m, n, k } => product((m, n, k), u, (&inputs[0], &inputs[1]), output),
        Shape::Potrf { n } => factor(n, u, &inputs[0], output),
        Shape::Posv { n, nrhs: _ } => {
            let sides = inputs[1].chunks_exact(n).zip(output.chunks_exact(n));
            worst(sides.map(|(b, x)| solve(n, u, &inputs[0], (b, x))))
        }
    }
}

/// The largest; a NaN is larger than everything.
pub(super) fn worst(fractions: impl Iterator<Item = f64>) -> f64 {
    fractions.fold(
        0.0,
        |worst: f64, fraction| {
            if worst.is_nan() || fraction.is_nan() { f64::NAN } else { worst.max(fraction) }
        },
    )
}

fn product((m, n, k): (usize, usize, usize), u: f64, (a, b): (&[f64], &[f64]), c: &[f64]) -> f64 {
    worst((0..m * n).map(|at| {
        let (i, j) = (at % m, at / m);
        let terms = || (0..k).map(|t| a[i + t * m] * b[t + j * k]);
        let (exact, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        over((c[at] - exact).abs(), (k + 3) as f64 * u * size)
    }))
}

fn factor(n: usize, u: f64, a: &[f64], l: &[f64]) -> f64 {
    let (mut error, mut size) = (0.0, 0.0);
    for j in 0..n {
        for i in j..n {
            let product: f64 = (0..=j).map(|t| l[i + t * n] * l[j + t * n]).sum();
            // Each element above the diagonal has its twin below.
            let n_twins = if i == j { 1.0 } else { 2.0 };
            error += n_twins * (a[i + j * n] - product).powi(2);
            size += n_twins * a[i + j * n].powi(2);
        }
    }
    over(error.sqrt(), 8.0 * n as f64 * u * size.sqrt())
}

fn solve(n: usize, u: f64, a: &[f64], (b, x): (&[f64], &[f64])) -> f64 {
    let at = |i: usize, j: usize| a[i.max(j) + i.min(j) * n];
    let norm = |vector: &[f64]| vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    let residual: Vec<f64> = (0..n).map(|i| b[i] - (0..n).map(|j| at(i, j) * x[j]).sum::<f64>()).collect();
    let all: Vec<f64> = (0..n * n).map(|index| at(index % n, index / n)).collect();
    over(norm(&residual), 8.0 * n as f64 * u * (norm(&all) * norm(x) + norm(b)))
}

/// An error of nothing is within a bound of nothing.
fn over(error: f64, bound: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / bound }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U: f64 = f64::EPSILON / 2.0;

    /// A 2 x 2 problem whose factor and solution are whole numbers.
    #[test]
    fn exact_results_have_no_error_and_wrong_ones_do() {
        let a = vec![4.0, 2.0, f64::NAN, 10.0];
        let l = [2.0, 1.0, f64::NAN, 3.0];
        assert_eq!(fraction(Shape::Potrf { n: 2 }, U, std::slice::from_ref(&a), &l), 0.0);
        assert!(fraction(Shape::Potrf { n: 2 }, U, std::slice::from_ref(&a), &[2.0, 1.0, 0.0, 3.001]) > 1.0);
        let inputs = [a, vec![10.0, 32.0]];
        let posv = Shape::Posv { n: 2, nrhs: 1 };
        assert_eq!(fraction(posv, U, &inputs, &[1.0, 3.0]), 0.0);
        assert!(fraction(posv, U, &inputs, &[1.0, 3.0 + 1e-13]) > 1.0);
        assert!(fraction(posv, U, &inputs, &[1.0, 3.0 + 4e-16]) <= 1.0);
        assert!(fraction(posv, U, &inputs, &[f64::NAN, 3.0]).is_nan());
    }

    #[test]
    fn products_are_held_element_by_element() {
        let inputs = [vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![1.0, -1.0, 0.5]];
        let gemm = Shape::Gemm { m: 2, n: 1, k: 3 };
        assert_eq!(fraction(gemm, U, &inputs, &[0.5, 1.0]), 0.0);
        assert!(fraction(gemm, U, &inputs, &[0.5, 1.0 + 1e-14]) > 1.0);
        assert!(fraction(gemm, U, &inputs, &[0.5, 1.0 + 4e-16]) <= 1.0);
        assert!(worst([0.5, f64::NAN, 0.1].into_iter()).is_nan());
    }
}
