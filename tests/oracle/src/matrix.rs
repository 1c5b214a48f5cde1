//! Dense matrices of about 100 bits, for truths that owe nothing to the twins.

use crate::double_double::DoubleDouble;
use crate::real::Real;

/// A matrix in exact storage order of its own; built from stored operands by whole columns or rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    columns: Vec<Vec<DoubleDouble>>,
}

impl Matrix {
    pub(crate) fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> DoubleDouble) -> Self {
        let columns = (0..cols).map(|j| (0..rows).map(|i| f(i, j)).collect()).collect();
        Self { rows, cols, columns }
    }

    /// A column-major operand with leading dimension `ld`.
    pub(crate) fn columns<T: Real>(stored: &[T], rows: usize, cols: usize, ld: usize) -> Self {
        let columns: Vec<Vec<DoubleDouble>> = stored
            .chunks(ld)
            .take(cols)
            .map(|column| column.iter().take(rows).map(|value| value.to_f64().into()).collect())
            .collect();
        assert!(
            columns.len() == cols && columns.iter().all(|column| column.len() == rows),
            "stored elements"
        );
        Self { rows, cols, columns }
    }

    /// A packed column-major operand.
    pub(crate) fn packed<T: Real>(stored: &[T], rows: usize, cols: usize) -> Self {
        Self::columns(stored, rows, cols, rows)
    }

    /// A packed row-major operand.
    pub(crate) fn row_major<T: Real>(stored: &[T], rows: usize, cols: usize) -> Self {
        Self::packed(stored, cols, rows).transposed()
    }

    pub(crate) fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { DoubleDouble::ONE } else { DoubleDouble::ZERO })
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> DoubleDouble {
        self.columns[j][i]
    }

    pub(crate) fn set(&mut self, i: usize, j: usize, value: DoubleDouble) {
        self.columns[j][i] = value;
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self.at(j, i))
    }

    pub(crate) fn transposed_if(self, transposed: bool) -> Self {
        if transposed { self.transposed() } else { self }
    }

    pub(crate) fn map(&self, f: impl Fn(DoubleDouble) -> DoubleDouble) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| f(self.at(i, j)))
    }

    pub(crate) fn abs(&self) -> Self {
        self.map(DoubleDouble::abs)
    }

    /// Numbers a device may flush replaced by zero.
    pub(crate) fn flushed<T: Real>(&self) -> Self {
        self.map(|value| if T::from_f64(value.hi).is_subnormal() { DoubleDouble::ZERO } else { value })
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        assert_eq!(self.cols, other.rows, "inner sizes");
        Self::from_fn(self.rows, other.cols, |i, j| {
            (0..self.cols).fold(DoubleDouble::ZERO, |sum, t| sum + self.at(i, t) * other.at(t, j))
        })
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| self.at(i, j) + other.at(i, j))
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| self.at(i, j) - other.at(i, j))
    }

    /// The lower triangle, mirrored.
    pub(crate) fn mirrored(&self) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| self.at(i.max(j), i.min(j)))
    }

    /// Zero where `keep` is false.
    pub(crate) fn masked(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        Self::from_fn(
            self.rows,
            self.cols,
            |i, j| if keep(i, j) { self.at(i, j) } else { DoubleDouble::ZERO },
        )
    }

    /// `L` with `self = L L'`; reads the lower triangle. NaN from the first pivot that is not positive.
    pub(crate) fn cholesky(&self) -> Self {
        let n = self.rows;
        let mut l = Self::from_fn(n, n, |_, _| DoubleDouble::ZERO);
        for i in 0..n {
            for j in 0..=i {
                let rest = (0..j).fold(self.at(i, j), |rest, r| rest - l.at(i, r) * l.at(j, r));
                l.set(i, j, if i == j { rest.sqrt() } else { rest / l.at(j, j) });
            }
        }
        l
    }

    /// The 1-based number of the first Cholesky pivot that is not a positive number, or 0; `None` where a pivot before it
    /// is so small that roundings decide.
    pub(crate) fn cholesky_status<T: Real>(&self) -> Option<u32> {
        let l = self.cholesky();
        for j in 0..self.cols {
            let (mut rest, mut size) = (self.at(j, j), self.at(j, j).abs().hi);
            for r in 0..j {
                let square = l.at(j, r) * l.at(j, r);
                rest = rest - square;
                size += square.hi;
            }
            // Zero without a term is zero in any arithmetic; zero left by terms is not.
            let slack = (64 * self.cols) as f64 * T::UNIT_ROUNDOFF * size;
            if size > 0.0 && rest.hi.is_finite() && rest.abs().hi <= slack {
                return None;
            }
            if !(rest.hi > 0.0 && rest.hi.is_finite()) {
                return Some(j as u32 + 1);
            }
        }
        Some(0)
    }

    /// Frobenius norm.
    pub(crate) fn norm(&self) -> f64 {
        self.columns.iter().flatten().fold(DoubleDouble::ZERO, |sum, &x| sum + x * x).sqrt().hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_orders_agree() {
        let columns = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let padded = [1.0f32, 2.0, 9.0, 3.0, 4.0, 9.0, 5.0, 6.0, 9.0];
        let rows = [1.0f32, 3.0, 5.0, 2.0, 4.0, 6.0];
        let matrix = Matrix::packed(&columns, 2, 3);
        assert_eq!(matrix.at(1, 2).hi, 6.0);
        assert_eq!(matrix, Matrix::columns(&padded, 2, 3, 3));
        assert_eq!(matrix, Matrix::row_major(&rows, 2, 3));
        assert_eq!(matrix.transposed(), Matrix::packed(&rows, 3, 2));
    }

    #[test]
    fn a_cholesky_factor_multiplies_back() {
        let a = Matrix::packed(&[4.0f64, 2.0, 1.0, 2.0, 5.0, 3.0, 1.0, 3.0, 6.0], 3, 3);
        let l = a.cholesky();
        assert_eq!((l.at(0, 0).hi, l.at(1, 0).hi, l.at(1, 1).hi), (2.0, 1.0, 2.0));
        assert!(l.times(&l.transposed()).minus(&a).norm() < 1e-29);
        assert_eq!(a.cholesky_status::<f32>(), Some(0));
    }

    #[test]
    fn a_doubtful_pivot_has_no_status() {
        let status = |last: f64| Matrix::packed(&[1.0f64, 3.0, 3.0, last], 2, 2).cholesky_status::<f32>();
        assert_eq!((status(10.0), status(8.0), status(f64::INFINITY)), (Some(0), Some(2), Some(2)));
        assert_eq!((status(9.0 + 1e-7), status(9.0)), (None, None));
        assert_eq!(Matrix::packed(&[1.0f64, 0.0, 0.0, 0.0], 2, 2).cholesky_status::<f32>(), Some(2));
        assert_eq!(Matrix::packed(&[-1.0f64, 0.0, 0.0, 1.0], 2, 2).cholesky_status::<f64>(), Some(1));
    }
}
