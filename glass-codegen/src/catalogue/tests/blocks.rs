//! The phases of a pivoted `L D L'` as plain f64 arithmetic on whole matrices, words as numbers.

use super::interpreter::Problem;
use crate::spec::{BlockDiagonal, Blocks, BunchKaufman, Opposite};

impl Problem<'_> {
    /// Complete pivoting in place of the op's rule: the largest diagonal element, or the largest pair of rows, whichever
    /// divides better.
    pub(super) fn bunch_kaufman(&mut self, factor: &BunchKaufman) {
        let n = factor.n;
        let given = &self.values[factor.source];
        let mut a: Vec<f64> =
            (0..n * n).map(|at| given[(at % n).max(at / n) + (at % n).min(at / n) * n]).collect();
        let mut k = 0;
        while k < n {
            let at = |i: usize, j: usize| a[i + j * n].abs();
            let single = (k..n).max_by(|i, j| at(*i, *i).total_cmp(&at(*j, *j))).expect("a row is left");
            let below = |j: usize| (j + 1..n).map(move |i| (i, j));
            let pair = (k..n).flat_map(below).max_by(|x, y| at(x.0, x.1).total_cmp(&at(y.0, y.1)));
            // The op exchanges the second row of a pair alone.
            let pair = pair.filter(|pair| pair.1 == k && at(pair.0, k) > at(single, single));
            let (p, row) = pair.map_or((k, single), |(row, _)| (k + 1, row));
            (0..n).for_each(|j| a.swap(p + j * n, row + j * n));
            (k..n).for_each(|i| a.swap(i + p * n, i + row * n));
            let word = if pair.is_some() { -1.0 - row as f64 } else { row as f64 };
            self.values[factor.pivots][k..=p].fill(word);
            let block: Vec<usize> = (k..=p).collect();
            let inverse = inverse(&a, n, &block);
            let old = a.clone();
            for i in p + 1..n {
                for (own, &j) in block.iter().enumerate() {
                    let terms =
                        block.iter().enumerate().map(|(other, &t)| old[i + t * n] * inverse[other][own]);
                    a[i + j * n] = terms.sum();
                }
                for j in p + 1..n {
                    a[i + j * n] -= block.iter().map(|&t| a[i + t * n] * old[j + t * n]).sum::<f64>();
                }
            }
            k = p + 1;
        }
        for (at, element) in self.values[factor.target].iter_mut().enumerate() {
            if at % n >= at / n {
                *element = a[at];
            } else if factor.opposite == Opposite::Zero {
                *element = 0.0;
            }
        }
    }

    pub(super) fn blocks(&mut self, blocks: &Blocks) {
        let n = blocks.n;
        let mut k = 0;
        while k < n {
            let word = self.values[blocks.pivots][k];
            let end = if word < 0.0 { k + 2 } else { k + 1 };
            let block: Vec<usize> = (k..end).collect();
            let stored = &self.values[blocks.factors];
            let inverse = inverse(stored, n, &block);
            self.values[blocks.seconds][k..end].fill(n as f64);
            self.values[blocks.rows][k] = if word < 0.0 { n as f64 } else { word };
            self.values[blocks.reciprocals][k] = inverse[0][0];
            if let [first, second] = block[..] {
                // The pair of rows is multiplied with `scale`, then with the inverse in units of it.
                let scale = -inverse[0][1];
                self.values[blocks.seconds][first] = second as f64;
                self.values[blocks.rows][second] = -1.0 - word;
                self.values[blocks.reciprocals][first..end].fill(scale);
                self.values[blocks.ratios][first] = inverse[0][0] / scale;
                self.values[blocks.ratios][n + first] = inverse[1][1] / scale;
            }
            k = end;
        }
    }

    pub(super) fn block_diagonal(&mut self, diagonal: &BlockDiagonal) {
        let n = diagonal.n;
        let firsts = (0..n - 1).filter(|k| self.values[diagonal.seconds][*k] == (k + 1) as f64);
        for (k, rhs) in firsts.flat_map(|k| (0..diagonal.nrhs).map(move |rhs| (k, rhs))).collect::<Vec<_>>() {
            let ratio = |column: usize| self.values[diagonal.ratios][k + column * n];
            let old = [0, 1].map(|row| self.values[diagonal.target][k + row + rhs * n]);
            let solved = [ratio(0) * old[0] - old[1], ratio(1) * old[1] - old[0]];
            self.values[diagonal.target][k + rhs * n..][..2].copy_from_slice(&solved);
        }
    }
}

/// The inverse of a diagonal block of one row or of two, from the lower triangle.
fn inverse(a: &[f64], n: usize, block: &[usize]) -> Vec<Vec<f64>> {
    match *block {
        [k] => vec![vec![1.0 / a[k + k * n]]],
        [k, l] => {
            let (first, off, second) = (a[k + k * n], a[l + k * n], a[l + l * n]);
            let determinant = first * second - off * off;
            vec![
                vec![second / determinant, -off / determinant],
                vec![-off / determinant, first / determinant],
            ]
        }
        _ => unreachable!("blocks have one row or two"),
    }
}
