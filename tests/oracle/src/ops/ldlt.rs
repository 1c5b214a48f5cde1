//! `A = L D L'` without pivoting, and its solve.

use super::Operation;
use super::cholesky::{Pivots, is_beyond, require_zeros_above, status, write_source};
use super::triangular_solve::{Sweep, residual, solve_column};
use crate::case::{Case, Flavour, Operand};
use crate::choice::{Check, Opposite, Uplo};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operands `a` and, out of place, `ld` (n x n): `D` on the diagonal, unit `L` below. Words `status`, `inertia`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ldlt {
    /// Rows and columns.
    pub n: usize,
    /// The factors replace the lower triangle of `a`.
    pub in_place: bool,
    /// The upper triangle of an out-of-place result.
    pub opposite: Opposite,
    /// Whether there is a status.
    pub check: Check,
    /// Whether positive, negative and zero pivots are counted, as they are before a bad one becomes a NaN.
    pub inertia: bool,
}

/// Operands `ld` (n x n), `b` and, out of place, `x` (n x nrhs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LdltSolve {
    /// Rows and columns of the factors.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// The unknowns replace `b`.
    pub in_place: bool,
}

impl Ldlt {
    /// Out of place, +0 above, with a status, without inertia.
    pub fn new(n: usize) -> Self {
        Self { n, in_place: false, opposite: Opposite::Zero, check: Check::On, inertia: false }
    }
}

fn factor<T: Real>(n: usize, a: &mut [T]) -> (Pivots<T>, [u32; 3]) {
    let mut pivots = Pivots { reciprocals: Vec::with_capacity(n), status: 0 };
    let mut inertia = [0; 3];
    for j in 0..n {
        let w: Vec<T> = (0..j).map(|k| a[j + k * n].times(a[k + k * n])).collect();
        let mut d = a[j + j * n];
        for (k, &w) in w.iter().enumerate() {
            d = a[j + k * n].negated().fma(w, d);
        }
        inertia[0] += u32::from(d > T::ZERO);
        inertia[1] += u32::from(d < T::ZERO);
        inertia[2] += u32::from(d == T::ZERO);
        let is_good = d != T::ZERO && d.is_finite();
        if !is_good && pivots.status == 0 {
            pivots.status = j as u32 + 1;
        }
        let reciprocal = if is_good { d.reciprocal() } else { T::NAN };
        a[j + j * n] = if is_good { d } else { T::NAN };
        pivots.reciprocals.push(reciprocal);
        for i in j + 1..n {
            let mut s = a[i + j * n];
            for (k, &w) in w.iter().enumerate() {
                s = a[i + k * n].negated().fma(w, s);
            }
            a[i + j * n] = s.times(reciprocal);
        }
    }
    (pivots, inertia)
}

/// Unit `L` and the diagonal `D` of packed factors.
fn factors<T: Real>(stored: &[T], n: usize) -> (Matrix, Matrix) {
    let stored = Matrix::packed(stored, n, n);
    let l = stored.masked(|i, j| i > j).plus(&Matrix::identity(n));
    (l, stored.masked(|i, j| i == j))
}

impl Operation for Ldlt {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        let mut operands = match (self.in_place, self.opposite) {
            (true, _) => vec![Operand::updated("a", elements)],
            (false, Opposite::Zero) => vec![Operand::source("a", elements), Operand::result("ld", elements)],
            (false, Opposite::Untouched) => {
                vec![Operand::source("a", elements), Operand::updated("ld", elements)]
            }
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", 1)));
        operands.extend(self.inertia.then(|| Operand::word("inertia", 3)));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let n = self.n;
        let stored = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        let a = if flavour == Flavour::Hard { draw.scaled_spd(n, 1e4) } else { draw.indefinite(n) };
        a.store(stored, |i, j| i >= j);
        if flavour != Flavour::Failing {
            return;
        }
        let j = draw.below(n as u64) as usize;
        match draw.below(4) {
            0 => stored[j + j * n] = T::NAN,
            1 => stored[j + j * n] = T::from_f64(f64::NEG_INFINITY),
            2 => stored[0] = T::from_f64(-0.0),
            // v v' with v = (1, 2, 3, ...) eliminates exactly: pivot 2 is zero.
            _ => {
                Matrix::from_fn(n, n, |i, j| (((i + 1) * (j + 1)) as f64).into()).store(stored, |i, j| i >= j)
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            write_source(self.n, &case.inputs[0], self.opposite, &mut case.outputs[0]);
        }
        let (pivots, inertia) = factor(self.n, &mut case.outputs[0]);
        if self.check == Check::On {
            pivots.report(&mut case.words);
        }
        if self.inertia {
            *case.words.last_mut().expect("inertia") = inertia.to_vec();
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let n = self.n;
        let source = if self.in_place { &before.outputs[0] } else { &before.inputs[0] };
        let a = Matrix::packed(source, n, n);
        if is_beyond(tally, &a) {
            return;
        }
        if !self.in_place {
            require_zeros_above(n, &after.outputs[0], self.opposite, tally);
        }
        let (l, d) = factors(&after.outputs[0], n);
        let status = status(self.check, after);
        let first_bad = (0..n).find(|&j| !d.at(j, j).hi.is_finite()).unwrap_or(n);
        let n_valid = status.map_or(first_bad, |status| if status == 0 { n } else { status as usize - 1 });
        if n_valid > n {
            return tally.fail(|| format!("status {status:?} of {n} pivots"));
        }
        let relative = tally.relative::<T>((n + 5) as f64, 1.0);
        let rest_of = |i: usize, j: usize, n_terms: usize| {
            let (mut rest, mut size) = (a.at(i, j), 0.0);
            for k in 0..n_terms {
                let term = l.at(i, k) * d.at(k, k) * l.at(j, k);
                rest = rest - term;
                size += term.abs().hi;
            }
            (rest.hi, size)
        };
        for j in 0..n_valid {
            let pivot = d.at(j, j).hi;
            tally.require(pivot != 0.0 && pivot.is_finite(), || format!("D({j}) = {pivot:e}"));
            for i in (j..n).filter(|&i| (0..=j).all(|k| a.at(i, k).hi.is_finite())) {
                let (rest, size) = rest_of(i, j, j + 1);
                tally.error(|| format!("A - L D L' ({i}, {j})"), rest.abs(), relative * size);
            }
        }
        if n_valid < n {
            let (rest, size) = rest_of(n_valid, n_valid, n_valid);
            let slack = relative * (size + a.at(n_valid, n_valid).abs().hi);
            tally.require(!rest.is_finite() || rest.abs() <= slack, || {
                format!("status {status:?} where pivot {} is {rest:e}", n_valid + 1)
            });
        } else if self.inertia {
            let count =
                |wanted: &dyn Fn(f64) -> bool| (0..n).filter(|&j| wanted(d.at(j, j).hi)).count() as u32;
            let expected = vec![count(&|d| d > 0.0), count(&|d| d < 0.0), 0];
            let given = after.words.last().expect("inertia");
            tally.require(*given == expected, || format!("inertia {given:?} instead of {expected:?}"));
        }
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        let is_lower = element_idx % self.n >= element_idx / self.n;
        is_lower || (!self.in_place && self.opposite == Opposite::Zero)
    }
}

impl Operation for LdltSolve {
    fn operands(&self) -> Vec<Operand> {
        let (ld, b) = (Operand::source("ld", self.n * self.n), self.n * self.nrhs);
        if self.in_place {
            vec![ld, Operand::updated("b", b)]
        } else {
            vec![ld, Operand::source("b", b), Operand::result("x", b)]
        }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let triangle = draw.triangle(self.n, flavour == Flavour::Hard);
        // Columns of unit size below a diagonal of any size.
        let ld = Matrix::from_fn(self.n, self.n, |i, j| {
            if i == j { triangle.at(i, j) } else { triangle.at(i, j) / triangle.at(j, j) }
        });
        ld.store(&mut case.inputs[0], |i, j| i >= j);
        let b = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
        b.iter_mut().for_each(|b| *b = draw.a(flavour.family()));
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        if !self.in_place {
            case.outputs[0] = case.inputs[1].clone();
        }
        let ld = &case.inputs[0];
        let reciprocals: Vec<T> = ld.iter().step_by(self.n + 1).map(|d| d.reciprocal()).collect();
        for x in case.outputs[0].chunks_exact_mut(self.n) {
            solve_column(self.n, ld, Sweep { uplo: Uplo::Lower, trans: false }, None, x);
            for (x, &reciprocal) in x.iter_mut().zip(&reciprocals) {
                *x = x.times(reciprocal);
            }
            solve_column(self.n, ld, Sweep { uplo: Uplo::Lower, trans: true }, None, x);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (l, d) = factors(&before.inputs[0], self.n);
        let b = Matrix::packed(
            if self.in_place { &before.outputs[0] } else { &before.inputs[1] },
            self.n,
            self.nrhs,
        );
        let x = Matrix::packed(&after.outputs[0], self.n, self.nrhs);
        let a = l.times(&d).times(&l.transposed());
        let magnitude = l.abs().times(&d.map(DoubleDouble::abs)).times(&l.abs().transposed());
        let relative = tally.relative::<T>((3 * self.n + 9) as f64, 1.0);
        residual::<T>(tally, relative, (&a, &magnitude), &x, &b);
    }
}
