//! `X = A^-1` by Gauss-Jordan elimination, without pivoting and with row exchanges.

use super::Operation;
use super::cholesky::status;
use crate::case::{Case, Flavour, Operand};
use crate::choice::Check;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `x` (n x n); word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inv {
    /// Rows and columns.
    pub n: usize,
    /// The inverse replaces `a`.
    pub in_place: bool,
    /// Whether there is a status.
    pub check: Check,
    /// Rows are exchanged, so that the pivot is the largest magnitude of its column, the first one on a tie.
    pub pivoted: bool,
}

impl Inv {
    /// Out of place, with a status, without pivoting.
    pub fn new(n: usize) -> Self {
        Self { n, in_place: false, check: Check::On, pivoted: false }
    }
}

/// Returns the 1-based number of the first bad pivot, or 0.
fn invert<T: Real>(n: usize, w: &mut [T], pivoted: bool) -> u32 {
    let (mut status, mut exchanges) = (0, Vec::new());
    for k in 0..n {
        if pivoted {
            let at = pivot_row(n, k, w);
            (0..n).for_each(|j| w.swap(k + j * n, at + j * n));
            exchanges.push(at);
        }
        let p = w[k + k * n];
        let is_good = p != T::ZERO && p.is_finite();
        if !is_good && status == 0 {
            status = k as u32 + 1;
        }
        let r = if is_good { p.reciprocal() } else { T::NAN };
        for j in (0..n).filter(|&j| j != k) {
            w[k + j * n] = w[k + j * n].times(r);
        }
        for i in (0..n).filter(|&i| i != k) {
            let f = w[i + k * n];
            for j in (0..n).filter(|&j| j != k) {
                w[i + j * n] = f.negated().fma(w[k + j * n], w[i + j * n]);
            }
            w[i + k * n] = f.times(r).negated();
        }
        w[k + k * n] = r;
    }
    // The columns of the inverse follow the rows of the matrix.
    for (k, &at) in exchanges.iter().enumerate().rev() {
        (0..n).for_each(|i| w.swap(i + k * n, i + at * n));
    }
    status
}

/// The row of the largest magnitude of column `k` from row `k` on; NaN is skipped.
fn pivot_row<T: Real>(n: usize, k: usize, w: &[T]) -> usize {
    let (mut at, mut largest) = (k, T::ZERO);
    for i in k..n {
        let magnitude = w[i + k * n].magnitude();
        if magnitude > largest {
            (at, largest) = (i, magnitude);
        }
    }
    at
}

/// The pivots of elimination, up to the first that is zero or no number.
fn exact_pivots(a: &Matrix, pivoted: bool) -> Vec<f64> {
    let n = a.rows;
    let mut w = a.clone();
    let mut pivots = Vec::new();
    for k in 0..n {
        if pivoted {
            let column: Vec<f64> = (0..n).map(|i| w.at(i, k).hi).collect();
            let mut at = k;
            for i in k..n {
                if column[i].abs() > column[at].abs() || (column[at].is_nan() && !column[i].is_nan()) {
                    at = i;
                }
            }
            let from = |i: usize| {
                if i == k {
                    at
                } else if i == at {
                    k
                } else {
                    i
                }
            };
            w = Matrix::from_fn(n, n, |i, j| w.at(from(i), j));
        }
        let p = w.at(k, k);
        pivots.push(p.hi);
        if p.hi == 0.0 || !p.hi.is_finite() {
            break;
        }
        for i in k + 1..n {
            let f = w.at(i, k) / p;
            for j in k + 1..n {
                w.set(i, j, w.at(i, j) - f * w.at(k, j));
            }
        }
    }
    pivots
}

/// A zero or small leading entry is no failure here; a column of zeros is one, and so is what is no number.
fn pivoted_matrix<T: Real>(n: usize, stored: &mut [T], draw: &mut Draw, flavour: Flavour) {
    super::lu::matrix(n, stored, draw, flavour);
    match (flavour, draw.below(3)) {
        (Flavour::Hard, 0) if n > 1 => stored[0] = T::from_f64(1e-7),
        (Flavour::Failing, 0) => stored[draw.below(n as u64) as usize] = T::from_f64(f64::INFINITY),
        (Flavour::Failing, 1) => stored[draw.below((n * n) as u64) as usize] = T::NAN,
        _ => {}
    }
}

impl Operation for Inv {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        let mut operands = if self.in_place {
            vec![Operand::updated("a", elements)]
        } else {
            vec![Operand::source("a", elements), Operand::result("x", elements)]
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let n = self.n;
        if self.pivoted {
            let stored = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
            return pivoted_matrix(n, stored, draw, flavour);
        }
        let a = match flavour {
            Flavour::Hard => draw.spd(n, 1e4, 8.0),
            Flavour::Cancelling => draw.scaled_spd(n, 20.0),
            _ => draw.dominant(n),
        };
        let stored = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        a.store(stored, |_, _| true);
        if flavour != Flavour::Failing {
            return;
        }
        let k = draw.below(n as u64) as usize;
        match draw.below(4) {
            0 => stored[k + k * n] = T::NAN,
            1 => stored[k + k * n] = T::from_f64(f64::INFINITY),
            2 => stored[0] = T::ZERO,
            _ => {
                // Nothing to the left and above: pivot k stays the zero it is.
                for i in 0..=k {
                    (stored[i + k * n], stored[k + i * n]) = (T::ZERO, T::ZERO);
                }
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[0].clone();
        }
        let status = invert(self.n, &mut case.outputs[0], self.pivoted);
        if let Some(word) = case.words.first_mut() {
            word[0] = status;
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let n = self.n;
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        if tally.flushes() && !source.iter().all(|a| a.is_finite()) {
            return;
        }
        let a = Matrix::packed(source, n, n);
        let pivots = exact_pivots(&a, self.pivoted);
        let is_bad = |p: &f64| *p == 0.0 || !p.is_finite();
        let expected = pivots.iter().position(is_bad).map_or(0, |k| k as u32 + 1);
        let status = status(self.check, after);
        tally.require(status.is_none_or(|status| status == expected), || {
            format!("status {status:?} instead of {expected}")
        });
        if expected != 0 {
            return;
        }
        let x = Matrix::packed(&after.outputs[0], n, n);
        let rest = a.times(&x).minus(&Matrix::identity(n));
        let relative = tally.relative::<T>((8 * n) as f64, n as f64);
        tally.error(|| "|A X - I|".into(), rest.norm(), relative * a.norm() * x.norm());
    }
}
