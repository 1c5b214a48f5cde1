//! Square sparse matrices in compressed rows, on the host and in `f64`.

/// An n x n matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Csr {
    /// n + 1: row i has the elements `offsets[i]..offsets[i + 1]`.
    pub(crate) offsets: Vec<u32>,
    /// Ascending within a row, each column once.
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// One element, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Element {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) value: f64,
}

/// Why a matrix is not symmetric positive definite, or not in `f32`. Rows and columns count from 1, as in a file.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum NotDefinite {
    #[error("element ({row}, {column}) is {value:e}; allowed: finite in f32")]
    Value { row: usize, column: usize, value: f64 },
    #[error(
        "element ({row}, {column}) is {value:e}, its mirror image {mirrored:e}; allowed: a symmetric matrix"
    )]
    Asymmetric { row: usize, column: usize, value: f64, mirrored: f64 },
    #[error("the diagonal element of row {row} is {value:e}; allowed: positive in f32")]
    Diagonal { row: usize, value: f64 },
}

impl Csr {
    /// The n x n matrix of these elements, in any order. Those of the same place are added in the order given.
    pub(crate) fn from_elements(n: usize, mut elements: Vec<Element>) -> Self {
        // Stable: keeps the order of the additions.
        elements.sort_by_key(|element| (element.row, element.column));
        elements.dedup_by(|next, kept| {
            let is_same_place = (next.row, next.column) == (kept.row, kept.column);
            if is_same_place {
                kept.value += next.value;
            }
            is_same_place
        });
        let mut offsets = vec![0; n + 1];
        for element in &elements {
            offsets[element.row as usize + 1] += 1;
        }
        for row in 0..n {
            offsets[row + 1] += offsets[row];
        }
        let columns = elements.iter().map(|element| element.column).collect();
        let values = elements.iter().map(|element| element.value).collect();
        Self { offsets, columns, values }
    }

    /// n.
    pub(crate) fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Columns and values of one row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        self.columns[range.clone()]
            .iter()
            .map(|&column| column as usize)
            .zip(self.values[range].iter().copied())
    }

    /// The element at a place, 0 where none is stored.
    fn at(&self, row: usize, column: usize) -> f64 {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let found = self.columns[range.clone()].binary_search(&(column as u32));
        found.map_or(0.0, |idx| self.values[range][idx])
    }

    /// A x.
    pub(crate) fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let product = |row| self.row(row).map(|(column, value)| value * x[column]).sum();
        (0..self.n_rows()).map(product).collect()
    }

    /// The diagonal.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        (0..self.n_rows()).map(|row| self.at(row, row)).collect()
    }

    /// The 2-norm of each row.
    pub(crate) fn row_norms(&self) -> Vec<f64> {
        let norm = |row| self.row(row).map(|(_, value)| value * value).sum::<f64>().sqrt();
        (0..self.n_rows()).map(norm).collect()
    }

    /// Most elements of a row.
    pub(crate) fn longest_row(&self) -> usize {
        self.offsets.windows(2).map(|row| (row[1] - row[0]) as usize).max().unwrap_or(0)
    }

    /// Refuses what cannot be symmetric positive definite in `f32`: such values, asymmetry, and diagonal elements
    /// that are not positive. The rest shows when the system is solved.
    pub(crate) fn check_definite(&self) -> Result<(), NotDefinite> {
        for i in 0..self.n_rows() {
            for (j, value) in self.row(i) {
                let (row, column) = (i + 1, j + 1);
                if !is_f32(value) {
                    return Err(NotDefinite::Value { row, column, value });
                }
                let mirrored = self.at(j, i);
                if value != mirrored {
                    return Err(NotDefinite::Asymmetric { row, column, value, mirrored });
                }
            }
            let value = self.at(i, i);
            if value as f32 <= 0.0 {
                return Err(NotDefinite::Diagonal { row: i + 1, value });
            }
        }
        Ok(())
    }
}

/// Whether a value is finite and stays so in `f32`.
pub(crate) fn is_f32(value: f64) -> bool {
    (value as f32).is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element((row, column, value): (u32, u32, f64)) -> Element {
        Element { row, column, value }
    }

    fn matrix(n: usize, elements: &[(u32, u32, f64)]) -> Csr {
        Csr::from_elements(n, elements.iter().copied().map(element).collect())
    }

    #[test]
    fn elements_in_any_order_make_rows_and_repeated_places_add() {
        let matrix =
            matrix(3, &[(2, 2, 1.0), (0, 1, 2.0), (2, 0, -1.0), (0, 0, 4.0), (2, 2, 0.5), (0, 1, -7.0)]);
        assert_eq!(matrix.offsets, [0, 2, 2, 4]);
        assert_eq!(matrix.columns, [0, 1, 0, 2]);
        assert_eq!(matrix.values, [4.0, -5.0, -1.0, 1.5]);
        assert_eq!(matrix.multiply(&[1.0, 2.0, 4.0]), [-6.0, 0.0, 5.0]);
        assert_eq!(matrix.diagonal(), [4.0, 0.0, 1.5]);
        assert_eq!(matrix.row_norms(), [41f64.sqrt(), 0.0, 3.25f64.sqrt()]);
        assert_eq!(matrix.longest_row(), 2);
    }

    #[test]
    fn what_cannot_be_definite_is_named() {
        assert_eq!(matrix(2, &[(0, 0, 4.0), (1, 1, 3.0), (0, 1, 1.0), (1, 0, 1.0)]).check_definite(), Ok(()));
        for (elements, message) in [
            (&[(0, 0, 4.0), (1, 1, 3.0), (1, 0, 1.0)][..], "element (2, 1) is 1e0, its mirror image 0e0; "),
            (&[(0, 0, 1.0)], "the diagonal element of row 2 is 0e0; "),
            (&[(0, 0, 1.0), (1, 1, -2.0)], "the diagonal element of row 2 is -2e0; "),
            (&[(0, 0, 1e-60), (1, 1, 1.0)], "the diagonal element of row 1 is 1e-60; "),
            (&[(0, 0, 3e38), (0, 0, 3e38)], "element (1, 1) is 6e38; "),
            (&[(0, 0, f64::NAN)], "element (1, 1) is NaN; "),
        ] {
            let error = matrix(2, elements).check_definite().unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }
}
