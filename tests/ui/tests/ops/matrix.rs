//! Small column-major matrices of whole numbers.

/// A matrix; a vector has one column.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) data: Vec<f64>,
}

impl Matrix {
    pub(crate) fn new(rows: usize, cols: usize, element: impl Fn(usize, usize) -> f64) -> Matrix {
        let data = (0..rows * cols).map(|idx| element(idx % rows, idx / rows)).collect();
        Matrix { rows, cols, data }
    }

    /// Whole numbers from -3 to 3, another matrix for every seed.
    pub(crate) fn whole(rows: usize, cols: usize, seed: usize) -> Matrix {
        Matrix::new(rows, cols, |row, col| ((row * 5 + col * 3 + seed * 11 + row * col) % 7) as f64 - 3.0)
    }

    /// Symmetric whole numbers.
    pub(crate) fn symmetric(n: usize, seed: usize) -> Matrix {
        let whole = Matrix::whole(n, n, seed);
        whole.plus(&whole.transposed())
    }

    /// A lower triangle with 1, 2, 4 and so on, and again 1, on the diagonal.
    pub(crate) fn lower(n: usize, seed: usize) -> Matrix {
        let whole = Matrix::whole(n, n, seed);
        Matrix::new(n, n, |row, col| match row.cmp(&col) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => f64::from(1 << ((row + seed) % 3)),
            std::cmp::Ordering::Greater => whole.at(row, col),
        })
    }

    /// A lower triangle with ones on the diagonal.
    pub(crate) fn unit_lower(n: usize, seed: usize) -> Matrix {
        let lower = Matrix::lower(n, seed);
        Matrix::new(n, n, |row, col| if row == col { 1.0 } else { lower.at(row, col) })
    }

    pub(crate) fn scalar(value: f64) -> Matrix {
        Matrix::new(1, 1, |_, _| value)
    }

    pub(crate) fn diagonal(n: usize, value: impl Fn(usize) -> f64) -> Matrix {
        Matrix::new(n, n, |row, col| if row == col { value(row) } else { 0.0 })
    }

    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        self.data[row + col * self.rows]
    }

    pub(crate) fn transposed(&self) -> Matrix {
        Matrix::new(self.cols, self.rows, |row, col| self.at(col, row))
    }

    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.cols, other.rows);
        Matrix::new(self.rows, other.cols, |row, col| {
            (0..self.cols).map(|term| self.at(row, term) * other.at(term, col)).sum()
        })
    }

    pub(crate) fn plus(&self, other: &Matrix) -> Matrix {
        assert_eq!((self.rows, self.cols), (other.rows, other.cols));
        Matrix::new(self.rows, self.cols, |row, col| self.at(row, col) + other.at(row, col))
    }

    pub(crate) fn minus(&self, other: &Matrix) -> Matrix {
        self.plus(&other.scaled(-1.0))
    }

    pub(crate) fn scaled(&self, factor: f64) -> Matrix {
        Matrix::new(self.rows, self.cols, |row, col| factor * self.at(row, col))
    }

    /// The same with NaN above the diagonal, where nothing may be read.
    pub(crate) fn dead_above(&self) -> Matrix {
        Matrix::new(self.rows, self.cols, |row, col| if row < col { f64::NAN } else { self.at(row, col) })
    }

    /// `X` of `self X = other` for a lower triangle.
    pub(crate) fn solved(&self, other: &Matrix) -> Matrix {
        let mut x = other.clone();
        for col in 0..x.cols {
            for row in 0..x.rows {
                let known: f64 = (0..row).map(|idx| self.at(row, idx) * x.at(idx, col)).sum();
                x.data[row + col * x.rows] = (x.at(row, col) - known) / self.at(row, row);
            }
        }
        x
    }

    /// `X` of `self' X = other` for a lower triangle.
    pub(crate) fn solved_transposed(&self, other: &Matrix) -> Matrix {
        // The mirror image in both directions of an upper triangle is a lower one.
        let flipped = |matrix: &Matrix, both: bool| {
            Matrix::new(matrix.rows, matrix.cols, |row, col| {
                matrix.at(matrix.rows - 1 - row, if both { matrix.cols - 1 - col } else { col })
            })
        };
        let x = flipped(&self.transposed(), true).solved(&flipped(other, false));
        flipped(&x, false)
    }
}
