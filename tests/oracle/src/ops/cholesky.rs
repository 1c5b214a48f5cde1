//! `A = L L'` and its solves: potrf, posv, potrs.

use super::Operation;
use super::triangular_solve::{Sweep, residual, solve_column};
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{Check, Opposite, Reg, Uplo};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `l` (n x n); word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Potrf {
    /// Rows and columns.
    pub n: usize,
    /// `L` replaces the lower triangle of `a`.
    pub in_place: bool,
    /// The upper triangle of an out-of-place `L`.
    pub opposite: Opposite,
    /// Approximate pivots: bounds only, no bits.
    pub rsqrt: bool,
    /// Whether there is a status.
    pub check: Check,
}

/// Operands `a` (n x n), `b` and `x` (n x nrhs); in place, `L` is left in `a` and the unknowns in `b`. Word `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posv {
    /// Rows and columns of `A`.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// Shift of the diagonal, scalar `rho`.
    pub reg: Reg,
    /// `a` and `b` are overwritten.
    pub in_place: bool,
    /// Approximate pivots: bounds only, no bits.
    pub rsqrt: bool,
    /// Whether there is a status.
    pub check: Check,
}

/// Operands `l` (n x n, lower), `b` and, out of place, `x` (n x nrhs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Potrs {
    /// Rows and columns of `L`.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// The unknowns replace `b`.
    pub in_place: bool,
}

impl Potrf {
    /// Out of place, +0 above, with a status.
    pub fn new(n: usize) -> Self {
        Self { n, in_place: false, opposite: Opposite::Zero, rsqrt: false, check: Check::On }
    }
}

impl Posv {
    /// One right-hand side, out of place, no shift, with a status.
    pub fn new(n: usize) -> Self {
        Self { n, nrhs: 1, reg: Reg::None, in_place: false, rsqrt: false, check: Check::On }
    }
}

/// What one factorisation leaves behind beside the factor.
pub(crate) struct Pivots<T> {
    /// Reciprocals of the pivots; NaN for a bad one.
    pub(crate) reciprocals: Vec<T>,
    /// 1-based number of the first bad pivot, or 0.
    pub(crate) status: u32,
}

impl<T> Pivots<T> {
    pub(crate) fn report(&self, words: &mut [Vec<u32>]) {
        if let Some(status) = words.first_mut() {
            status[0] = self.status;
        }
    }
}

/// Factors the lower triangle of a packed matrix in place; nothing above the diagonal is read or written.
pub(crate) fn cholesky<T: Real>(n: usize, a: &mut [T], rsqrt: bool) -> Pivots<T> {
    let mut pivots = Pivots { reciprocals: Vec::with_capacity(n), status: 0 };
    for j in 0..n {
        let mut d = a[j + j * n];
        for r in 0..j {
            let l = a[j + r * n];
            d = l.negated().fma(l, d);
        }
        let is_good = d > T::ZERO && d.is_finite();
        if !is_good && pivots.status == 0 {
            pivots.status = j as u32 + 1;
        }
        let root = if is_good { d.root() } else { T::NAN };
        let reciprocal = if is_good { root.reciprocal() } else { T::NAN };
        let root = if rsqrt { d.times(reciprocal) } else { root };
        a[j + j * n] = root;
        pivots.reciprocals.push(reciprocal);
        for i in j + 1..n {
            let mut s = a[i + j * n];
            for r in 0..j {
                s = a[i + r * n].negated().fma(a[j + r * n], s);
            }
            a[i + j * n] = s.times(reciprocal);
        }
    }
    pivots
}

/// Forward with `L`, backward with its transpose, the same reciprocals both times.
pub(crate) fn cholesky_solve<T: Real>(n: usize, l: &[T], reciprocals: &[T], x: &mut [T]) {
    for x in x.chunks_exact_mut(n) {
        for trans in [false, true] {
            solve_column(n, l, Sweep { uplo: Uplo::Lower, trans }, Some(reciprocals), x);
        }
    }
}

/// A positive definite matrix in the lower triangle of `stored`; for `Failing` one pivot is bad.
pub(crate) fn fill_positive<T: Real>(n: usize, stored: &mut [T], draw: &mut Draw, flavour: Flavour) {
    let condition = if flavour == Flavour::Hard { 1e4 } else { 20.0 };
    let a = draw.scaled_spd(n, condition);
    a.store(stored, |i, j| i >= j);
    if flavour == Flavour::Failing {
        spoil(n, stored, draw);
    }
}

/// Makes one pivot bad.
fn spoil<T: Real>(n: usize, stored: &mut [T], draw: &mut Draw) {
    let j = draw.below(n as u64) as usize;
    let i = j + draw.below((n - j) as u64) as usize;
    match draw.below(6) {
        0 => stored[j + j * n] = stored[j + j * n].plus(T::from_f64(10.0)).negated(),
        1 => stored[0] = T::ZERO,
        2 => stored[j + j * n] = T::from_f64(f64::INFINITY),
        // Below the diagonal it spoils pivot i.
        3 => stored[i + j * n] = T::NAN,
        4 => (0..n * n).filter(|at| at % n >= at / n).for_each(|at| stored[at] = stored[at].negated()),
        _ => stored[j + j * n] = T::from_f64(-0.0),
    }
}

/// The lower triangle with shifted diagonal, mirrored; each shift rounds once, as specified.
pub(crate) fn shifted<T: Real>(n: usize, stored: &[T], reg: Reg, scalars: &[T]) -> Matrix {
    let mut a = Matrix::packed(stored, n, n);
    for j in 0..n {
        let entry = T::from_f64(a.at(j, j).hi);
        a.set(j, j, reg.shifted(scalars, entry).to_f64().into());
    }
    a.mirrored()
}

/// The shift of a diagonal in exact arithmetic, and what it does to the size of the matrix.
pub(crate) struct Damping {
    reg: Reg,
    rho: f64,
    /// Factor of the plain size.
    pub(crate) grown: f64,
    /// Added to each diagonal entry.
    pub(crate) added: f64,
}

impl Damping {
    pub(crate) fn new<T: Real>(reg: Reg, scalars: &[T]) -> Damping {
        let rho = scalars.first().map_or(0.0, |rho| rho.to_f64());
        let grown = if reg == Reg::DiagShift { 1.0 + rho.abs() } else { 1.0 };
        let added = if reg == Reg::Shift { rho.abs() } else { 0.0 };
        Damping { reg, rho, grown, added }
    }

    pub(crate) fn of(&self, a: &Matrix) -> Matrix {
        Matrix::from_fn(a.rows, a.cols, |i, j| match self.reg {
            Reg::Shift if i == j => a.at(i, j) + self.rho.into(),
            Reg::DiagShift if i == j => a.at(i, j) + a.at(i, j).scale(self.rho),
            _ => a.at(i, j),
        })
    }

    /// A bound of the norm from one of the plain matrix.
    pub(crate) fn norm(&self, plain: f64, n: usize) -> f64 {
        plain * self.grown + self.added * (n as f64).sqrt()
    }
}

/// The constant of the residual of a gain: two products over the states, a factor, two sweeps over the controls.
pub(crate) fn gain_constant(nx: usize, nu: usize, rsqrt: bool) -> f64 {
    2.0 * nx as f64 + 3.0 * nu as f64 * (nu as f64).sqrt() + 11.0 + approximation(rsqrt)
}

/// Makes one diagonal entry of a lower triangle bad.
pub(crate) fn spoil_diagonal<T: Real>(n: usize, stored: &mut [T], draw: &mut Draw) {
    let j = draw.below(n as u64) as usize;
    stored[j + j * n] = T::from_f64([-1e6, f64::NAN, f64::INFINITY][draw.below(3) as usize]);
}

/// Whether what the op reads of a symmetric matrix is finite.
pub(crate) fn is_finite(a: &Matrix) -> bool {
    (0..a.cols).all(|j| (j..a.rows).all(|i| a.at(i, j).hi.is_finite()))
}

/// Holds `A - L L'` on the columns before the first bad pivot against `constant u |L| |L|'`, and the status, where there
/// is one, against the pivot that the earlier columns leave. `extra` is the error `A` itself may have.
pub(crate) fn measure_factor<T: Real>(
    tally: &mut Tally,
    (a, extra): (&Matrix, Option<&Matrix>),
    stored: &[T],
    (status, rsqrt): (Option<u32>, bool),
) {
    let n = a.rows;
    let relative = tally.relative::<T>((n + if rsqrt { 9 } else { 4 }) as f64, 2.0);
    let l = Matrix::packed(stored, n, n).masked(|i, j| i >= j);
    let first_bad = (0..n).find(|&j| !l.at(j, j).hi.is_finite());
    let n_valid =
        status.map_or(first_bad.unwrap_or(n), |status| if status == 0 { n } else { status as usize - 1 });
    if n_valid > n {
        return tally.fail(|| format!("status {status:?} of {n} pivots"));
    }
    let rest_of = |i: usize, j: usize, n_terms: usize| {
        let mut rest = a.at(i, j);
        let mut size = 0.0;
        for r in 0..n_terms {
            rest = rest - l.at(i, r) * l.at(j, r);
            size += (l.at(i, r) * l.at(j, r)).abs().hi;
        }
        (rest.hi, size)
    };
    let extra = |i, j| extra.map_or(0.0, |extra| extra.at(i, j).hi);
    for j in 0..n_valid {
        tally.require(l.at(j, j).hi > 0.0, || format!("L({j}, {j}) = {:e}", l.at(j, j).hi));
        // An element that is no number spoils its own row.
        for i in (j..n).filter(|&i| (0..=j).all(|r| a.at(i, r).hi.is_finite())) {
            let (rest, size) = rest_of(i, j, j + 1);
            tally.error(|| format!("A - L L' ({i}, {j})"), rest.abs(), relative * size + extra(i, j));
        }
    }
    if n_valid < n {
        let j = n_valid;
        let (rest, size) = rest_of(j, j, j);
        let slack = relative * (size + a.at(j, j).abs().hi) + extra(j, j);
        tally.require(!rest.is_finite() || rest <= slack, || {
            format!("status {status:?} where pivot {} is {rest:e}, slack {slack:e}", j + 1)
        });
    }
}

/// What approximate pivots add to the constant of a solve. The reciprocal r of a root may be off by 3 u: five more for the
/// factor, as stated for potrf, and in each of two sweeps seven for the diagonal, since `r L = d r^2` is one within 7 u.
pub(crate) fn approximation(rsqrt: bool) -> f64 {
    if rsqrt { 19.0 } else { 0.0 }
}

/// The status word, if the op has one.
pub(crate) fn status<T>(check: Check, after: &Case<T>) -> Option<u32> {
    (check == Check::On).then(|| after.words[0][0])
}

/// Whether there are unknowns to check; a status is held against that of the exact pivots.
pub(crate) fn is_solved<T: Real>(tally: &mut Tally, a: &Matrix, status: Option<u32>) -> bool {
    let Some(expected) = a.cholesky_status::<T>() else { return false };
    tally.require(status.is_none_or(|status| status == expected), || {
        format!("status {status:?} instead of {expected}")
    });
    expected == 0
}

/// A WGSL device may assume that NaN and infinity do not occur.
pub(crate) fn is_beyond(tally: &Tally, a: &Matrix) -> bool {
    tally.flushes() && !is_finite(a)
}

impl Operation for Potrf {
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
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let a = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        fill_positive(self.n, a, draw, flavour);
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            write_source(self.n, &case.inputs[0], self.opposite, &mut case.outputs[0]);
        }
        cholesky(self.n, &mut case.outputs[0], self.rsqrt).report(&mut case.words);
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        let a = Matrix::packed(source, self.n, self.n);
        if is_beyond(tally, &a) {
            return;
        }
        measure_factor(tally, (&a, None), &after.outputs[0], (status(self.check, after), self.rsqrt));
        if !self.in_place {
            require_zeros_above(self.n, &after.outputs[0], self.opposite, tally);
        }
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        let is_lower = element_idx % self.n >= element_idx / self.n;
        is_lower || (!self.in_place && self.opposite == Opposite::Zero)
    }
}

/// The start of an out-of-place factor: the lower triangle of the source, and above it what `opposite` says.
pub(crate) fn write_source<T: Real>(n: usize, source: &[T], opposite: Opposite, target: &mut [T]) {
    for at in 0..n * n {
        if at % n >= at / n {
            target[at] = source[at];
        } else if opposite == Opposite::Zero {
            target[at] = T::ZERO;
        }
    }
}

pub(crate) fn require_zeros_above<T: Real>(n: usize, factor: &[T], opposite: Opposite, tally: &mut Tally) {
    if opposite == Opposite::Zero {
        for (j, column) in factor.chunks(n).enumerate() {
            let is_zero = column[..j].iter().all(|value| value.to_pattern() == 0);
            tally.require(is_zero, || format!("column {j} is not +0 above the diagonal"));
        }
    }
}

impl Operation for Posv {
    fn operands(&self) -> Vec<Operand> {
        let (a, b) = (self.n * self.n, self.n * self.nrhs);
        let mut operands = if self.in_place {
            vec![Operand::updated("a", a), Operand::updated("b", b)]
        } else {
            vec![Operand::source("a", a), Operand::source("b", b), Operand::result("x", b)]
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.reg.scalars(Scalar::Rho)
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let sources = if self.in_place { &mut case.outputs } else { &mut case.inputs };
        fill_positive(self.n, &mut sources[0], draw, flavour);
        sources[1].iter_mut().for_each(|b| *b = draw.a(Flavour::Mixed.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let mut l = if self.in_place { case.outputs[0].clone() } else { case.inputs[0].clone() };
        let mut x = if self.in_place { case.outputs[1].clone() } else { case.inputs[1].clone() };
        for entry in l.iter_mut().step_by(self.n + 1) {
            *entry = self.reg.shifted(&case.scalars, *entry);
        }
        let pivots = cholesky(self.n, &mut l, self.rsqrt);
        cholesky_solve(self.n, &l, &pivots.reciprocals, &mut x);
        pivots.report(&mut case.words);
        case.outputs = if self.in_place { vec![l, x] } else { vec![x] };
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let sources = if self.in_place { &before.outputs } else { &before.inputs };
        let a = shifted(self.n, &sources[0], self.reg, &before.scalars);
        if is_beyond(tally, &a) {
            return;
        }
        let b = Matrix::packed(&sources[1], self.n, self.nrhs);
        let results = after.outputs.last().expect("unknowns");
        let status = status(self.check, after);
        if self.in_place {
            measure_factor(tally, (&a, None), &after.outputs[0], (status, self.rsqrt));
        }
        if !is_solved::<T>(tally, &a, status) {
            return;
        }
        let l = a.cholesky();
        let x = Matrix::packed(results, self.n, self.nrhs);
        let relative = tally.relative::<T>((3 * self.n + 7) as f64 + approximation(self.rsqrt), 4.0);
        // The shift of a WGSL device may round twice.
        let relative = if tally.flushes() { relative + T::UNIT_ROUNDOFF } else { relative };
        let magnitude = l.abs().times(&l.abs().transposed());
        residual::<T>(tally, relative, (&a, &magnitude), &x, &b);
    }

    fn is_written(&self, output_idx: usize, element_idx: usize) -> bool {
        !self.in_place || output_idx == 1 || element_idx % self.n >= element_idx / self.n
    }
}

impl Operation for Potrs {
    fn operands(&self) -> Vec<Operand> {
        let (l, b) = (Operand::source("l", self.n * self.n), self.n * self.nrhs);
        if self.in_place {
            vec![l, Operand::updated("b", b)]
        } else {
            vec![l, Operand::source("b", b), Operand::result("x", b)]
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let condition = if flavour == Flavour::Hard { 1e4 } else { 20.0 };
        let l = draw.scaled_spd(self.n, condition).cholesky();
        l.store(&mut case.inputs[0], |i, j| i >= j);
        let b = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
        b.iter_mut().for_each(|b| *b = draw.a(flavour.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[1].clone();
        }
        let l = &case.inputs[0];
        let reciprocals: Vec<T> = l.iter().step_by(self.n + 1).map(|l| l.reciprocal()).collect();
        cholesky_solve(self.n, l, &reciprocals, &mut case.outputs[0]);
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let l = Matrix::packed(&before.inputs[0], self.n, self.n).masked(|i, j| i >= j);
        let b = Matrix::packed(
            if self.in_place { &before.outputs[0] } else { &before.inputs[1] },
            self.n,
            self.nrhs,
        );
        let x = Matrix::packed(&after.outputs[0], self.n, self.nrhs);
        let (a, magnitude) = (l.times(&l.transposed()), l.abs().times(&l.abs().transposed()));
        let relative = tally.relative::<T>((3 * self.n + 7) as f64, 2.0);
        residual::<T>(tally, relative, (&a, &magnitude), &x, &b);
    }
}
