//! Seeded matrices with known structure, made in double-double and rounded once.

use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::real::Real;

impl Matrix {
    /// Rounds every element of `select` into a packed column-major operand; the others keep what is stored.
    pub(crate) fn store<T: Real>(&self, stored: &mut [T], select: impl Fn(usize, usize) -> bool) {
        for j in 0..self.cols {
            for i in (0..self.rows).filter(|&i| select(i, j)) {
                stored[i + j * self.rows] = T::from_f64(self.at(i, j).hi);
            }
        }
    }
}

impl Draw {
    /// Uniform in 0..1, at least 2^-52.
    fn positive(&mut self) -> f64 {
        self.unit().abs().max(2f64.powi(-52))
    }

    fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { 1.0 } else { -1.0 }
    }

    /// A matrix of numbers of both signs up to about `size`, three decades within a row.
    pub(crate) fn general(&mut self, rows: usize, cols: usize, size: f64) -> Matrix {
        let values: Vec<f64> =
            (0..rows * cols).map(|_| size * self.unit() * 2f64.powi(-(self.below(10) as i32))).collect();
        Matrix::packed(&values, rows, cols)
    }

    /// Symmetric, positive definite, exactly symmetric after rounding: eigenvalues fall geometrically from `size` to
    /// `size / condition` along directions that two reflections mix.
    pub(crate) fn spd(&mut self, n: usize, condition: f64, size: f64) -> Matrix {
        let step = if n > 1 { condition.powf(-1.0 / (n - 1) as f64) } else { 1.0 };
        let mut a =
            Matrix::from_fn(
                n,
                n,
                |i, j| if i == j { (size * step.powi(i as i32)).into() } else { 0.0.into() },
            );
        for _ in 0..2 {
            // H A H = A - v w' - w v' for the reflection H = I - 2 v v' / v'v, with w = 2 (A v - (v'A v / v'v) v) / v'v.
            let v = Matrix::packed(&(0..n).map(|_| self.unit()).collect::<Vec<f64>>(), n, 1);
            let image = a.times(&v);
            let length = v.transposed().times(&v).at(0, 0);
            let share = v.transposed().times(&image).at(0, 0) / length;
            let w = Matrix::from_fn(n, 1, |i, _| (image.at(i, 0) - share * v.at(i, 0)).scale(2.0) / length);
            a = Matrix::from_fn(n, n, |i, j| a.at(i, j) - v.at(i, 0) * w.at(j, 0) - w.at(i, 0) * v.at(j, 0));
        }
        a.mirrored()
    }

    /// SPD with rows and columns scaled by powers of two between 1/4 and 4: no longer of one size.
    pub(crate) fn scaled_spd(&mut self, n: usize, condition: f64) -> Matrix {
        let scales: Vec<f64> = (0..n).map(|_| 2f64.powi(self.below(5) as i32 - 2)).collect();
        let size = 2f64.powi(self.below(9) as i32 - 4);
        let a = self.spd(n, condition, size);
        Matrix::from_fn(n, n, |i, j| a.at(i, j).scale(scales[i] * scales[j]))
    }

    /// Lower triangular with a diagonal of both signs between 1/4 and 4 and a modest rest; `geometric`: the diagonal
    /// falls from 1e3 to 1e-3 instead.
    pub(crate) fn triangle(&mut self, n: usize, geometric: bool) -> Matrix {
        let step = if n > 1 { 1e-6f64.powf(1.0 / (n - 1) as f64) } else { 1.0 };
        let diagonal: Vec<f64> = (0..n)
            .map(|i| {
                let size = if geometric { 1e3 * step.powi(i as i32) } else { 2f64.powf(2.0 * self.unit()) };
                size * self.sign()
            })
            .collect();
        let rest = self.general(n, n, 1.0 / (n as f64).sqrt());
        Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => DoubleDouble::ZERO,
            std::cmp::Ordering::Equal => diagonal[i].into(),
            std::cmp::Ordering::Greater => rest.at(i, j).scale(diagonal[i].abs().min(diagonal[j].abs())),
        })
    }

    /// Not symmetric; every diagonal element outweighs its row and its column.
    pub(crate) fn dominant(&mut self, n: usize) -> Matrix {
        let rest = self.general(n, n, 1.0);
        let diagonal: Vec<f64> = (0..n)
            .map(|i| {
                let off: f64 = (0..n).map(|j| rest.at(i, j).abs().hi + rest.at(j, i).abs().hi).sum();
                self.sign() * (off + 0.1 + self.positive())
            })
            .collect();
        Matrix::from_fn(n, n, |i, j| if i == j { diagonal[i].into() } else { rest.at(i, j) })
    }

    /// Symmetric with `L D L'`, `D` of both signs.
    pub(crate) fn indefinite(&mut self, n: usize) -> Matrix {
        let mut l = self.triangle(n, false);
        let d: Vec<f64> = (0..n).map(|_| self.sign() * 2f64.powf(2.0 * self.unit())).collect();
        (0..n).for_each(|i| l.set(i, i, DoubleDouble::ONE));
        let d = Matrix::from_fn(n, n, |i, j| if i == j { d[i].into() } else { DoubleDouble::ZERO });
        l.times(&d).times(&l.transposed()).mirrored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spectra_are_those_asked_for() {
        let mut draw = Draw::new("spectra", 0);
        for (n, condition) in [(1, 1e4), (2, 20.0), (7, 1e4), (14, 20.0)] {
            let a = draw.spd(n, condition, 8.0);
            let step: f64 = if n > 1 { condition.powf(-1.0 / (n - 1) as f64) } else { 1.0 };
            let eigenvalues: Vec<f64> = (0..n).map(|i| 8.0 * step.powi(i as i32)).collect();
            let trace: f64 = (0..n).map(|i| a.at(i, i).hi).sum();
            let squares: f64 = eigenvalues.iter().map(|e| e * e).sum();
            let determinant: f64 = (0..n).map(|i| a.cholesky().at(i, i).hi.powi(2)).product();
            let close = |x: f64, y: f64| (x - y).abs() < 1e-10 * y;
            assert!(close(trace, eigenvalues.iter().sum()), "n {n}: trace {trace}");
            assert!(close(a.norm().powi(2), squares), "n {n}");
            assert!(close(determinant, eigenvalues.iter().product()), "n {n}: {determinant}");
            assert_eq!(a, a.transposed());
        }
    }

    #[test]
    fn triangles_keep_their_diagonals() {
        let mut draw = Draw::new("triangles", 0);
        let l = draw.triangle(7, true);
        assert!((l.at(0, 0).hi.abs() - 1e3).abs() < 1e-9 && (l.at(6, 6).hi.abs() - 1e-3).abs() < 1e-9);
        assert!((0..7).all(|j| (0..j).all(|i| l.at(i, j).hi == 0.0)));
        let a = draw.dominant(9);
        assert!((0..9).all(|i| 2.0 * a.at(i, i).abs().hi > (0..9).map(|j| a.at(i, j).abs().hi).sum()));
        assert_ne!(a, a.transposed());
    }
}
