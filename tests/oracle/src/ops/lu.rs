//! `P A = L U` with partial pivoting, and its solve.

use super::Operation;
use super::cholesky::status;
use super::exchange::{draw_pivots, exchange};
use super::triangular_solve::residual;
use crate::case::{Case, Flavour, Operand};
use crate::choice::Check;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `lu` (n x n); words `status`, `pivots` (n): row k was exchanged with row `pivots[k] >= k`, 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Getrf {
    /// Rows and columns.
    pub n: usize,
    /// The factors replace `a`.
    pub in_place: bool,
    /// Whether there is a status.
    pub check: Check,
}

/// Operands `lu` (n x n), `b` and, out of place, `x` (n x nrhs), and the words `pivots` (n), which are only read and exchange
/// rows as those of [`Laswp`](super::Laswp) do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Getrs {
    /// Rows and columns.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// Solves with the transpose.
    pub trans: bool,
    /// The unknowns replace `b`.
    pub in_place: bool,
}

/// Out of place, operands `a` (n x n), `b` and `x` (n x nrhs), word `status`. In place, `a` becomes the factors and `b` the
/// unknowns, and the words are those of [`Getrf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gesv {
    /// Rows and columns.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// Factors and unknowns replace `a` and `b`.
    pub in_place: bool,
    /// Whether there is a status.
    pub check: Check,
}

/// Factors in place; returns the status and the exchanges.
fn factor<T: Real>(n: usize, a: &mut [T]) -> (u32, Vec<u32>) {
    let (mut status, mut exchanges) = (0, Vec::with_capacity(n));
    for k in 0..n {
        let mut at = k;
        let mut largest = T::ZERO;
        for i in k..n {
            let magnitude = a[i + k * n].magnitude();
            if magnitude > largest {
                (at, largest) = (i, magnitude);
            }
        }
        exchanges.push(at as u32);
        if at != k {
            (0..n).for_each(|j| a.swap(k + j * n, at + j * n));
        }
        let p = a[k + k * n];
        let is_good = p != T::ZERO && p.is_finite();
        if is_good {
            let r = p.reciprocal();
            (k + 1..n).for_each(|i| a[i + k * n] = a[i + k * n].times(r));
        } else {
            a[k + k * n] = T::NAN;
            if status == 0 {
                status = k as u32 + 1;
            }
        }
        for j in k + 1..n {
            for i in k + 1..n {
                a[i + j * n] = a[i + k * n].negated().fma(a[k + j * n], a[i + j * n]);
            }
        }
    }
    (status, exchanges)
}

/// A matrix whose every step must exchange rows: one large element per row and column, off the diagonal.
pub(super) fn matrix<T: Real>(n: usize, target: &mut [T], draw: &mut Draw, flavour: Flavour) {
    let mut a = draw.general(n, n, 1.0);
    for i in 0..n {
        let j = (i + 1) % n;
        a.set(i, j, a.at(i, j) + 2.0.into());
    }
    a.store(target, |_, _| true);
    match flavour {
        // A zero leading pivot is no failure here.
        Flavour::Hard if n > 1 => target[0] = T::ZERO,
        Flavour::Failing => {
            let column = draw.below(n as u64) as usize;
            target[column * n..][..n].fill(T::ZERO);
        }
        _ => {}
    }
}

/// Rows of a matrix after the exchanges.
fn exchanged(a: &Matrix, exchanges: &[u32]) -> Matrix {
    let mut rows: Vec<usize> = (0..a.rows).collect();
    exchange(&mut rows, exchanges, false);
    Matrix::from_fn(a.rows, a.cols, |i, j| a.at(rows[i], j))
}

fn factors<T: Real>(stored: &[T], n: usize) -> (Matrix, Matrix) {
    let stored = Matrix::packed(stored, n, n);
    (stored.masked(|i, j| i > j).plus(&Matrix::identity(n)), stored.masked(|i, j| i <= j))
}

impl Operation for Getrf {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        let mut operands = match self.in_place {
            true => vec![Operand::updated("a", elements)],
            false => vec![Operand::source("a", elements), Operand::result("lu", elements)],
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands.push(Operand::word("pivots", self.n));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let target = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        matrix(self.n, target, draw, flavour);
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[0].clone();
        }
        let (status, exchanges) = factor(self.n, &mut case.outputs[0]);
        *case.words.last_mut().expect("pivots") = exchanges;
        if self.check == Check::On {
            case.words[0][0] = status;
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let n = self.n;
        let exchanges = after.words.last().expect("pivots");
        if !exchanges.iter().enumerate().all(|(k, &at)| (k..n).contains(&(at as usize))) {
            return tally.fail(|| format!("exchanges {exchanges:?}"));
        }
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        let a = exchanged(&Matrix::packed(source, n, n), exchanges);
        let (l, u) = factors(&after.outputs[0], n);
        // Without a status the pivot itself tells.
        let first_bad = (0..n).find(|&j| !u.at(j, j).hi.is_finite()).map_or(0, |j| j as u32 + 1);
        let status = status(self.check, after).unwrap_or(first_bad);
        let n_valid = if status == 0 { n } else { status as usize - 1 };
        let relative = tally.relative::<T>((n + 4) as f64, 1.0);
        for j in 0..n_valid {
            for i in 0..n {
                let (mut rest, mut size) = (a.at(i, j), 0.0);
                for k in 0..=i.min(j) {
                    let term = l.at(i, k) * u.at(k, j);
                    rest = rest - term;
                    size += term.abs().hi;
                }
                tally.error(|| format!("P A - L U ({i}, {j})"), rest.abs().hi, relative * size);
                // The pivot was the largest of its column, up to the roundings of a quotient.
                let growth = l.at(i, j).abs().hi;
                tally.require(i <= j || growth <= 1.0 + relative, || format!("L({i}, {j}) = {growth:e}"));
            }
        }
        if status != 0 {
            let j = n_valid;
            for i in j..n {
                let (mut rest, mut size) = (a.at(i, j), a.at(i, j).abs().hi);
                for k in 0..j {
                    rest = rest - l.at(i, k) * u.at(k, j);
                    size += (l.at(i, k) * u.at(k, j)).abs().hi;
                }
                let is_zero = rest.abs().hi <= relative * size;
                tally.require(is_zero, || format!("status {status}, but row {i} holds {:e}", rest.hi));
            }
        }
    }
}

impl Operation for Getrs {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.nrhs;
        let (lu, pivots) = (Operand::source("lu", self.n * self.n), Operand::given_word("pivots", self.n));
        match self.in_place {
            true => vec![lu, pivots, Operand::updated("b", elements)],
            false => vec![lu, Operand::source("b", elements), pivots, Operand::result("x", elements)],
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let n = self.n;
        let (lower, upper) = (draw.triangle(n, false), draw.triangle(n, flavour == Flavour::Hard));
        lower.store(&mut case.inputs[0], |i, j| i > j);
        upper.transposed().store(&mut case.inputs[0], |i, j| i <= j);
        let b = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
        b.iter_mut().for_each(|b| *b = draw.a(flavour.family()));
        draw_pivots(&mut case.words[0], draw, flavour);
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        use super::triangular_solve::{Sweep, solve_column};
        use crate::choice::Uplo::{Lower, Upper};
        let n = self.n;
        if !self.in_place {
            case.outputs[0] = case.inputs[1].clone();
        }
        let lu = &case.inputs[0];
        let reciprocals: Vec<T> = lu.iter().step_by(n + 1).map(|p| p.reciprocal()).collect();
        let trans = self.trans;
        for x in case.outputs[0].chunks_exact_mut(n) {
            if trans {
                solve_column(n, lu, Sweep { uplo: Upper, trans }, Some(&reciprocals), x);
                solve_column(n, lu, Sweep { uplo: Lower, trans }, None, x);
                exchange(x, &case.words[0], true);
            } else {
                exchange(x, &case.words[0], false);
                solve_column(n, lu, Sweep { uplo: Lower, trans }, None, x);
                solve_column(n, lu, Sweep { uplo: Upper, trans }, Some(&reciprocals), x);
            }
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (n, nrhs) = (self.n, self.nrhs);
        let (l, u) = factors(&before.inputs[0], n);
        let given = if self.in_place { &before.outputs[0] } else { &before.inputs[1] };
        let b = Matrix::packed(given, n, nrhs);
        let x = Matrix::packed(&after.outputs[0], n, nrhs);
        let (product, magnitude) = (l.times(&u), l.abs().times(&u.abs()));
        let relative = tally.relative::<T>((3 * n + 7) as f64, 1.0);
        if self.trans {
            // U' L' (P x) = b.
            let x = exchanged(&x, &before.words[0]);
            residual::<T>(tally, relative, (&product.transposed(), &magnitude.transposed()), &x, &b);
        } else {
            let b = exchanged(&b, &before.words[0]);
            residual::<T>(tally, relative, (&product, &magnitude), &x, &b);
        }
    }
}

impl Operation for Gesv {
    fn operands(&self) -> Vec<Operand> {
        let (a, b) = (self.n * self.n, self.n * self.nrhs);
        let mut operands = match self.in_place {
            true => vec![Operand::updated("a", a), Operand::updated("b", b)],
            false => vec![Operand::source("a", a), Operand::source("b", b), Operand::result("x", b)],
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands.extend(self.in_place.then(|| Operand::word("pivots", self.n)));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let given = if self.in_place { &mut case.outputs } else { &mut case.inputs };
        matrix(self.n, &mut given[0], draw, flavour);
        given[1].iter_mut().for_each(|b| *b = draw.a(flavour.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        use super::triangular_solve::{Sweep, solve_column};
        use crate::choice::Uplo::{Lower, Upper};
        let n = self.n;
        let given = if self.in_place { &case.outputs } else { &case.inputs };
        let (mut lu, mut x) = (given[0].clone(), given[1].clone());
        let (status, exchanges) = factor(n, &mut lu);
        let reciprocals: Vec<T> = lu.iter().step_by(n + 1).map(|p| p.reciprocal()).collect();
        for x in x.chunks_exact_mut(n) {
            exchanges.iter().enumerate().for_each(|(k, &at)| x.swap(k, at as usize));
            solve_column(n, &lu, Sweep { uplo: Lower, trans: false }, None, x);
            solve_column(n, &lu, Sweep { uplo: Upper, trans: false }, Some(&reciprocals), x);
        }
        *case.outputs.last_mut().expect("unknowns") = x;
        if self.in_place {
            case.outputs[0] = lu;
            *case.words.last_mut().expect("pivots") = exchanges;
        }
        if self.check == Check::On {
            case.words[0][0] = status;
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (n, nrhs) = (self.n, self.nrhs);
        let given = if self.in_place { &before.outputs } else { &before.inputs };
        // The factors are held against the matrix by themselves; out of place only their sizes are needed.
        let mut own = given[0].clone();
        let (own_status, own_exchanges) = factor(n, &mut own);
        let (lu, exchanges) = match self.in_place {
            true => (&after.outputs[0], after.words.last().expect("pivots")),
            false => (&own, &own_exchanges),
        };
        if self.in_place {
            let factors = Getrf { n, in_place: true, check: self.check };
            let only = |case: &Case<T>| Case { outputs: vec![case.outputs[0].clone()], ..case.clone() };
            factors.measure(form, &only(before), &only(after), tally);
        }
        let reported = status(self.check, after).unwrap_or(own_status);
        // Other roundings may find another column singular.
        let is_near = tally.flushes() && reported as usize <= n && (reported == 0) == (own_status == 0);
        tally.require(reported == own_status || is_near, || format!("status {reported}, not {own_status}"));
        if own_status != 0 || !exchanges.iter().all(|at| (*at as usize) < n) {
            return;
        }
        let (l, u) = factors(lu, n);
        let magnitude = l.abs().times(&u.abs());
        let a = exchanged(&Matrix::packed(&given[0], n, n), exchanges);
        let b = exchanged(&Matrix::packed(&given[1], n, nrhs), exchanges);
        let x = Matrix::packed(after.outputs.last().expect("unknowns"), n, nrhs);
        // Factoring and both solves, as for the other factorisations.
        let relative = tally.relative::<T>((3 * n + 7) as f64, 1.0);
        residual::<T>(tally, relative, (&a, &magnitude), &x, &b);
    }
}
