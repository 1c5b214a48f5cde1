//! `P A P' = L D L'` by the rule of Bunch and Kaufman, and its solve.

use super::Operation;
use super::cholesky::{is_finite, require_zeros_above, status, write_source};
use super::exchange::exchange;
use super::triangular_solve::residual;
use crate::case::{Case, Flavour, Operand};
use crate::choice::{Check, Opposite};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `l` (n x n): unit `L` below the diagonal, `D` on it, with the element off the diagonal of
/// a block of two in the place below its first row. Words `status`, `inertia` and `pivots` (n): for a block of one the row
/// that its row was exchanged with; for a block of two, twice, the row that its second row was exchanged with, all bits
/// inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LdltPivoted {
    /// Rows and columns.
    pub n: usize,
    /// The factors replace the lower triangle of `a`.
    pub in_place: bool,
    /// The upper triangle of an out-of-place result.
    pub opposite: Opposite,
    /// Whether there is a status.
    pub check: Check,
    /// Whether the positive, negative and zero eigenvalues of `D` are counted.
    pub inertia: bool,
}

/// Operands `l` (n x n), `b` and, out of place, `x` (n x nrhs), and the words `pivots` (n), which are only read. A negative
/// word starts a block of two where its row is neither the last one nor the second one of such a block; a row is exchanged
/// where its word, inverted for the second row of a block, names a row below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LdltPivotedSolve {
    /// Rows and columns of the factors.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// The unknowns replace `b`.
    pub in_place: bool,
}

impl LdltPivoted {
    /// Out of place, +0 above, with a status, without inertia.
    pub fn new(n: usize) -> Self {
        Self { n, in_place: false, opposite: Opposite::Zero, check: Check::On, inertia: false }
    }
}

/// `(1 + sqrt 17) / 8`.
fn threshold() -> f64 {
    (1.0 + 17f64.sqrt()) / 8.0
}

/// A whole symmetric matrix from row `k` on, with the rows of `L` before it.
struct Working<T> {
    n: usize,
    entries: Vec<T>,
}

impl<T: Real> Working<T> {
    fn at(&self, i: usize, j: usize) -> T {
        self.entries[i + j * self.n]
    }

    fn set(&mut self, i: usize, j: usize, value: T) {
        self.entries[i + j * self.n] = value;
    }

    fn exchange(&mut self, p: usize, r: usize) {
        let n = self.n;
        (0..n).for_each(|j| self.entries.swap(p + j * n, r + j * n));
        (p..n).for_each(|i| self.entries.swap(i + p * n, i + r * n));
    }

    /// The largest magnitude among some elements of a column, and the first row that has it; NaN is skipped.
    fn largest(&self, rows: impl Iterator<Item = usize>, col: usize) -> Option<(usize, T)> {
        let sizes = rows.map(|i| (i, self.at(i, col).magnitude()));
        sizes.filter(|(_, size)| *size > T::ZERO).reduce(|most, own| if own.1 > most.1 { own } else { most })
    }

    /// What row `k` is exchanged with, and whether it is the first of a block of two, whose second row is exchanged.
    fn choice(&self, k: usize) -> (usize, bool) {
        let threshold = T::from_f64(threshold());
        let Some((r, column_size)) = self.largest(k + 1..self.n, k) else { return (k, false) };
        let (_, row_size) =
            self.largest((k..self.n).filter(|&j| j != r), r).expect("it has the element of the column");
        let own = self.at(k, k).magnitude();
        if own.times(row_size.over(column_size)) >= threshold.times(column_size) {
            (k, false)
        } else {
            (r, self.at(r, r).magnitude() < threshold.times(row_size) || self.at(r, r).is_nan())
        }
    }

    /// Takes `factor * column` from the rest of a column behind a block, and from the row that mirrors it.
    fn update(&mut self, (i, j): (usize, usize), factor: T, column: T) {
        let value = factor.negated().fma(column, self.at(i, j));
        self.set(i, j, value);
        self.set(j, i, value);
    }

    /// Eliminates with one row; says whether its pivot is good.
    fn single(&mut self, k: usize) -> bool {
        let pivot = self.at(k, k);
        let is_good = is_good(pivot);
        let scale = if is_good { pivot.reciprocal() } else { T::ONE };
        let column: Vec<T> = (k + 1..self.n).map(|i| self.at(i, k)).collect();
        for (i, factor) in (k + 1..self.n).zip(&column) {
            for (j, &right) in (k + 1..=i).zip(&column) {
                self.update((i, j), factor.times(scale), right);
            }
            self.set(i, k, factor.times(scale));
        }
        self.set(k, k, if is_good { pivot } else { T::NAN });
        is_good
    }

    /// Eliminates with rows `k` and `k + 1`; says whether the block is good.
    fn double(&mut self, k: usize) -> bool {
        let (first, off, second) = (self.at(k, k), self.at(k + 1, k), self.at(k + 1, k + 1));
        let block = Block::of(first, off, second);
        let columns: Vec<[T; 2]> = (k + 2..self.n).map(|i| [self.at(i, k), self.at(i, k + 1)]).collect();
        for (i, row) in (k + 2..self.n).zip(&columns) {
            let factors = block.solved(row.map(|entry| entry.times(block.scale)));
            for (j, right) in (k + 2..=i).zip(&columns) {
                self.update((i, j), factors[0], right[0]);
                self.update((i, j), factors[1], right[1]);
            }
            self.set(i, k, factors[0]);
            self.set(i, k + 1, factors[1]);
        }
        self.set(k + 1, k, if block.is_good { off } else { T::NAN });
        block.is_good
    }
}

fn is_good<T: Real>(pivot: T) -> bool {
    pivot != T::ZERO && pivot.is_finite()
}

/// The inverse of a symmetric block of two, in units of its element off the diagonal.
struct Block<T> {
    is_good: bool,
    scale: T,
    first: T,
    second: T,
}

impl<T: Real> Block<T> {
    fn of(first: T, off: T, second: T) -> Self {
        let inverse = if is_good(off) { off.reciprocal() } else { T::NAN };
        let (first, second) = (first.times(inverse), second.times(inverse));
        let determinant = first.fma(second, T::ONE.negated());
        let is_good = is_good(determinant);
        let scale = if is_good { determinant.reciprocal().times(inverse) } else { T::NAN };
        Self { is_good, scale, first, second }
    }

    /// The unknowns of a right-hand side that has been multiplied with the scale.
    fn solved(&self, [p, q]: [T; 2]) -> [T; 2] {
        [self.second.fma(p, q.negated()), self.first.fma(q, p.negated())]
    }
}

/// What a factorisation tells besides its factors.
struct Told {
    status: u32,
    inertia: [u32; 3],
    pivots: Vec<u32>,
}

/// Factors the lower triangle of a packed matrix in place.
fn factor<T: Real>(n: usize, a: &mut [T]) -> Told {
    let mirrored = |at: usize| a[(at % n).max(at / n) + (at % n).min(at / n) * n];
    let mut working = Working { n, entries: (0..n * n).map(mirrored).collect() };
    let mut told = Told { status: 0, inertia: [0; 3], pivots: Vec::with_capacity(n) };
    while told.pivots.len() < n {
        let k = told.pivots.len();
        let (row, is_double) = working.choice(k);
        working.exchange(if is_double { k + 1 } else { k }, row);
        let is_good = if is_double {
            told.pivots.extend([!(row as u32); 2]);
            told.inertia[0] += 1;
            told.inertia[1] += 1;
            working.double(k)
        } else {
            told.pivots.push(row as u32);
            let pivot = working.at(k, k);
            told.inertia[0] += u32::from(pivot > T::ZERO);
            told.inertia[1] += u32::from(pivot < T::ZERO);
            told.inertia[2] += u32::from(pivot == T::ZERO);
            working.single(k)
        };
        if !is_good && told.status == 0 {
            told.status = k as u32 + 1;
        }
    }
    for j in 0..n {
        a[j * n + j..(j + 1) * n].copy_from_slice(&working.entries[j * n + j..(j + 1) * n]);
    }
    told
}

/// First rows of the blocks of two that words stand for, and what each row is exchanged with.
fn blocks(pivots: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let (mut firsts, mut rows) = (Vec::new(), Vec::new());
    for (k, &word) in pivots.iter().enumerate() {
        let is_second = firsts.last().is_some_and(|first| first + 1 == k);
        rows.push(if is_second { !word } else { word });
        if word.cast_signed() < 0 && !is_second && k + 1 < pivots.len() {
            firsts.push(k);
        }
    }
    (firsts, rows)
}

/// Unit `L` and block diagonal `D` of packed factors.
fn factors<T: Real>(stored: &[T], n: usize, firsts: &[usize]) -> (Matrix, Matrix) {
    let stored = Matrix::packed(stored, n, n);
    let is_coupled = |i: usize, j: usize| i == j + 1 && firsts.contains(&j);
    let l = stored.masked(|i, j| i > j && !is_coupled(i, j)).plus(&Matrix::identity(n));
    let d = stored.masked(|i, j| i == j || is_coupled(i, j));
    let upper = stored.masked(is_coupled).transposed();
    (l, d.plus(&upper))
}

/// Rows and columns of a symmetric matrix after the exchanges.
fn exchanged(a: &Matrix, rows: &[u32]) -> Matrix {
    let mut order: Vec<usize> = (0..a.rows).collect();
    exchange(&mut order, rows, false);
    Matrix::from_fn(a.rows, a.cols, |i, j| a.at(order[i], order[j]))
}

impl LdltPivoted {
    /// A symmetric matrix of which no step is alike.
    fn draw(&self, draw: &mut Draw, flavour: Flavour) -> Matrix {
        let n = self.n;
        let a = draw.general(n, n, 1.0).mirrored();
        match flavour {
            // Nothing on the diagonal; ties; rows of any size.
            Flavour::Cancelling => a.masked(|i, j| i != j),
            Flavour::Vanishing => {
                let values: Vec<f64> = (0..n * n).map(|_| draw.below(5) as f64 - 2.0).collect();
                Matrix::packed(&values, n, n).mirrored()
            }
            Flavour::Subnormal => a.map(|value| value.scale(2f64.powi(-80))),
            Flavour::Hard => {
                let sizes: Vec<f64> = (0..n).map(|_| 2f64.powi(draw.below(21) as i32 - 10)).collect();
                Matrix::from_fn(n, n, |i, j| a.at(i, j).scale(sizes[i] * sizes[j]))
            }
            Flavour::Mixed | Flavour::Failing => a,
        }
    }

    /// Spoils what is read of a matrix.
    fn spoil<T: Real>(&self, stored: &mut [T], draw: &mut Draw) {
        let n = self.n;
        let j = draw.below(n as u64) as usize;
        let i = j + draw.below((n - j) as u64) as usize;
        match draw.below(4) {
            0 => stored[i + j * n] = T::NAN,
            1 => stored[i + j * n] = T::from_f64(f64::NEG_INFINITY),
            2 => (0..n).for_each(|i| stored[i.max(j) + i.min(j) * n] = T::ZERO),
            // v v' with v = (1, 2, 4, ...) eliminates exactly.
            _ => Matrix::from_fn(n, n, |i, j| 2f64.powi((i + j) as i32 % 60).into())
                .store(stored, |i, j| i >= j),
        }
    }
}

impl Operation for LdltPivoted {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        let mut operands = match (self.in_place, self.opposite) {
            (true, _) => vec![Operand::updated("a", elements)],
            (false, Opposite::Zero) => vec![Operand::source("a", elements), Operand::result("l", elements)],
            (false, Opposite::Untouched) => {
                vec![Operand::source("a", elements), Operand::updated("l", elements)]
            }
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands.extend(self.inertia.then(|| Operand::word("inertia", 3)));
        operands.push(Operand::word("pivots", self.n));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let stored = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        self.draw(draw, flavour).store(stored, |i, j| i >= j);
        if flavour == Flavour::Failing {
            self.spoil(stored, draw);
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            write_source(self.n, &case.inputs[0], self.opposite, &mut case.outputs[0]);
        }
        let told = factor(self.n, &mut case.outputs[0]);
        let mut words = Vec::new();
        words.extend((self.check == Check::On).then(|| vec![told.status]));
        words.extend(self.inertia.then(|| told.inertia.to_vec()));
        words.push(told.pivots);
        case.words = words;
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let n = self.n;
        if !self.in_place {
            require_zeros_above(n, &after.outputs[0], self.opposite, tally);
        }
        let pivots = after.words.last().expect("pivots");
        let (firsts, rows) = blocks(pivots);
        let is_row = |k: usize| (k..n).contains(&(rows[k] as usize));
        let is_pair = |first: &usize| pivots[*first] == pivots[first + 1];
        let is_first = |k: &usize| firsts.contains(k);
        if !(0..n).all(|k| is_first(&k) || is_row(k)) || !firsts.iter().all(is_pair) {
            return tally.fail(|| format!("pivots {pivots:?}"));
        }
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        let a = exchanged(&Matrix::packed(source, n, n).mirrored(), &rows);
        let (l, d) = factors(&after.outputs[0], n, &firsts);
        // The rows that share a block with row `j`, up to it and in all.
        let block = |j: usize| match () {
            () if is_first(&j) => j..j + 2,
            () if j > 0 && is_first(&(j - 1)) => j - 1..j + 1,
            () => j..j + 1,
        };
        // Without a status the factors themselves tell.
        let is_bad = |j: &usize| block(*j).any(|i| !d.at(i, *j).hi.is_finite());
        let first_bad = (0..n).find(is_bad).map_or(0, |j| block(j).start as u32 + 1);
        let status = status(self.check, after).unwrap_or(first_bad);
        if status as usize > n {
            return tally.fail(|| format!("status {status} of {n} rows"));
        }
        let n_valid = if status == 0 { n } else { status as usize - 1 };
        // Eliminating with a block of two takes three divisions; their errors meet in its multipliers.
        let relative = tally.relative::<T>((n + 16) as f64, 6.0);
        let rest_of = |(i, j): (usize, usize), n_columns: usize| {
            let (mut rest, mut size) = (a.at(i, j), 0.0);
            for q in 0..n_columns.min(j + 1) {
                for p in block(q) {
                    let term = l.at(i, p) * d.at(p, q) * l.at(j, q);
                    rest = rest - term;
                    size += term.abs().hi;
                }
            }
            (rest.hi, size)
        };
        for j in 0..n_valid {
            let is_regular = block(j).len() == 2 || d.at(j, j).hi != 0.0;
            tally.require(is_regular && !is_bad(&j), || {
                format!("row {j} of D in a result of status {status}")
            });
        }
        let is_known = |i: usize, j: usize| (0..block(j).end).all(|k| a.at(i, k).hi.is_finite());
        for (i, j) in (0..n_valid).flat_map(|j| (j..n).map(move |i| (i, j))).filter(|&(i, j)| is_known(i, j))
        {
            let (rest, size) = rest_of((i, j), n_valid);
            tally.error(|| format!("P A P' - L D L' ({i}, {j})"), rest.abs(), relative * size);
        }
        for &first in firsts.iter().filter(|first| **first < n_valid) {
            let (top, off, bottom) = (d.at(first, first), d.at(first + 1, first), d.at(first + 1, first + 1));
            let is_indefinite = (top * bottom - off * off).hi < 0.0;
            tally.require(is_indefinite, || format!("block of two {first} is not indefinite"));
        }
        if n_valid < n {
            // The columns of the bad block hold what is no number, or nothing is left of the only one.
            let own = block(n_valid);
            let rest = |i, j| rest_of((i, j), n_valid);
            let is_regular = own.clone().all(|j| (j..n).all(|i| rest(i, j).0.is_finite()));
            let is_zero = |i| {
                let (rest, size) = rest(i, n_valid);
                rest.abs() <= relative * (size + a.at(i, n_valid).abs().hi)
            };
            let is_singular = !is_regular || (own.len() == 1 && (n_valid..n).all(is_zero));
            tally.require(is_singular, || format!("status {status} of a regular column"));
        }
        if self.inertia && is_finite(&a) {
            // A bad pivot of a finite matrix was zero.
            let singles = (0..n).filter(|&j| block(j).len() == 1);
            let count = |is: &dyn Fn(f64) -> bool| singles.clone().filter(|&j| is(d.at(j, j).hi)).count();
            let n_pairs = firsts.len();
            let counts =
                [count(&|d| d > 0.0) + n_pairs, count(&|d| d < 0.0) + n_pairs, count(&|d| d.is_nan())];
            let given = &after.words[after.words.len() - 2];
            let expected = counts.map(|count| count as u32);
            tally.require(given[..] == expected, || format!("inertia {given:?} instead of {expected:?}"));
        }
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        let is_lower = element_idx % self.n >= element_idx / self.n;
        is_lower || (!self.in_place && self.opposite == Opposite::Zero)
    }
}

impl Operation for LdltPivotedSolve {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.nrhs;
        let (l, pivots) = (Operand::source("l", self.n * self.n), Operand::given_word("pivots", self.n));
        match self.in_place {
            true => vec![l, pivots, Operand::updated("b", elements)],
            false => vec![l, Operand::source("b", elements), pivots, Operand::result("x", elements)],
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let n = self.n;
        let triangle = draw.triangle(n, flavour == Flavour::Hard);
        // Columns of unit size below a diagonal of any size.
        let mut factors = Matrix::from_fn(n, n, |i, j| {
            if i == j { triangle.at(i, j) } else { triangle.at(i, j) / triangle.at(j, j) }
        });
        let mut k = 0;
        while k < n {
            let is_double = k + 1 < n && draw.below(2) == 0;
            let end = if is_double { k + 2 } else { k + 1 };
            let row = (end - 1) as u64 + draw.below((n + 1 - end) as u64);
            let word = if is_double { !(row as u32) } else { row as u32 };
            case.words[0][k..end].fill(word);
            if is_double {
                // The product of the diagonal elements is small beside the square of the other one.
                let size = (factors.at(k, k) * factors.at(k + 1, k + 1)).abs().sqrt().hi;
                factors.set(k + 1, k, (2.0 * size * (1.0 + draw.unit().abs())).into());
            }
            k = end;
        }
        if flavour == Flavour::Failing {
            for (k, word) in case.words[0].iter_mut().enumerate() {
                let hostile = [0, n as u32, u32::MAX, 1 << 31, !(k as u32), i32::MAX as u32, *word, *word];
                *word = hostile[draw.below(hostile.len() as u64) as usize];
            }
        }
        factors.store(&mut case.inputs[0], |i, j| i >= j);
        let b = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
        b.iter_mut().for_each(|b| *b = draw.a(flavour.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let n = self.n;
        if !self.in_place {
            case.outputs[0] = case.inputs[1].clone();
        }
        let stored = &case.inputs[0];
        let at = |i: usize, j: usize| stored[i + j * n];
        let (firsts, rows) = blocks(&case.words[0]);
        let is_coupled = |i: usize, j: usize| i == j + 1 && firsts.contains(&j);
        for x in case.outputs[0].chunks_exact_mut(n) {
            exchange(x, &rows, false);
            for i in 0..n {
                for j in (0..i).filter(|&j| !is_coupled(i, j)) {
                    x[i] = at(i, j).negated().fma(x[j], x[i]);
                }
            }
            for k in 0..n {
                if firsts.contains(&k) {
                    let block = Block::of(at(k, k), at(k + 1, k), at(k + 1, k + 1));
                    let solved = block.solved([x[k].times(block.scale), x[k + 1].times(block.scale)]);
                    x[k..k + 2].copy_from_slice(&solved);
                } else if k == 0 || !firsts.contains(&(k - 1)) {
                    x[k] = x[k].times(at(k, k).reciprocal());
                }
            }
            for i in (0..n).rev() {
                for j in (i + 1..n).rev().filter(|&j| !is_coupled(j, i)) {
                    x[i] = at(j, i).negated().fma(x[j], x[i]);
                }
            }
            exchange(x, &rows, true);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (n, nrhs) = (self.n, self.nrhs);
        let (firsts, rows) = blocks(&before.words[0]);
        let (l, d) = factors(&before.inputs[0], n, &firsts);
        let is_tame = |&k: &usize| {
            let product = (d.at(k, k) * d.at(k + 1, k + 1)).abs().hi;
            product <= threshold().powi(2) * (d.at(k + 1, k) * d.at(k + 1, k)).hi
        };
        // Words that no factorisation gives make blocks that none has.
        if !firsts.iter().all(is_tame) {
            return;
        }
        let given = if self.in_place { &before.outputs[0] } else { &before.inputs[1] };
        let mut order: Vec<usize> = (0..n).collect();
        exchange(&mut order, &rows, false);
        let taken = |values: &Matrix| Matrix::from_fn(n, nrhs, |i, j| values.at(order[i], j));
        let b = taken(&Matrix::packed(given, n, nrhs));
        let x = taken(&Matrix::packed(&after.outputs[0], n, nrhs));
        let a = l.times(&d).times(&l.transposed());
        let magnitude = l.abs().times(&d.map(DoubleDouble::abs)).times(&l.abs().transposed());
        let relative = tally.relative::<T>((2 * n + 16) as f64, 6.0);
        residual::<T>(tally, relative, (&a, &magnitude), &x, &b);
    }
}
