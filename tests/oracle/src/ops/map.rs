//! Element by element: axpy, copy, scal and axpby on vectors or on tiles inside larger arrays.

use super::{Operation, View};
use crate::blend::Sums;
use crate::bound::Arithmetic;
use crate::case::{Case, Flavour, Operand, Scalar, poison};
use crate::choice::{AlphaChoice, BetaChoice, Epilogue};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::epilogue;

/// Which function of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    /// `fma(alpha, x, y)`; `y` where alpha is zero.
    Axpy,
    /// `alpha x`; where alpha is one the bits, NaN payload included.
    Copy,
    /// `alpha x`; +0 where alpha is zero.
    Scal,
    /// `fma(beta, y, alpha x)` by the rules of every epilogue.
    Axpby,
    /// `x y`, one rounding.
    Mult,
}

/// Out of place, operands `x`, for two sources `y`, and the result `z`. In place, `y` of axpy and axpby and `x` of scal
/// are the result. Strided (`ldx`, `ldy` beyond the rows, never out of place for axpy): the tile of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// Which function.
    pub kind: MapKind,
    /// Rows of the tile; elements of a vector.
    pub rows: usize,
    /// Columns of the tile; 1 for a vector.
    pub cols: usize,
    /// Leading dimension of the source.
    pub ldx: usize,
    /// Leading dimension of the result and of the second source.
    pub ldy: usize,
    /// Scalars; only axpby takes a beta.
    pub epilogue: Epilogue,
    /// The result replaces a source.
    pub in_place: bool,
}

const RUNTIME_ALPHA: Epilogue = Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Zero };

impl Map {
    /// A vector op with alpha from the launch (axpby: both scalars), out of place; copy with alpha one.
    pub fn vector(kind: MapKind, n: usize) -> Self {
        let epilogue = match kind {
            MapKind::Axpy | MapKind::Scal => RUNTIME_ALPHA,
            MapKind::Copy | MapKind::Mult => Epilogue::default(),
            MapKind::Axpby => Epilogue::RUNTIME,
        };
        Self { kind, rows: n, cols: 1, ldx: n, ldy: n, epilogue, in_place: false }
    }

    /// axpy_strided: an m x n tile, alpha from the launch.
    pub fn axpy_strided(m: usize, n: usize, ldx: usize, ldy: usize) -> Self {
        Self { rows: m, cols: n, ldx, ldy, in_place: true, ..Self::vector(MapKind::Axpy, 1) }
    }

    /// copy_strided: an m x n tile, alpha one.
    pub fn copy_strided(m: usize, n: usize, ldx: usize, ldy: usize) -> Self {
        Self { rows: m, cols: n, ldx, ldy, ..Self::vector(MapKind::Copy, 1) }
    }

    fn has_y(&self) -> bool {
        matches!(self.kind, MapKind::Axpy | MapKind::Axpby | MapKind::Mult)
    }

    /// The effective factors: axpy and mult always read `y`.
    fn values<T: Real>(&self, scalars: &[T]) -> (f64, f64) {
        let (alpha, beta) = self.epilogue.values(scalars);
        (alpha, if matches!(self.kind, MapKind::Axpy | MapKind::Mult) { 1.0 } else { beta })
    }

    /// The elements `x` and `y` of the tile; `y` is `x`'s neighbour only where the op has one.
    fn sources<'a, T>(&self, case: &'a Case<T>) -> (&'a [T], Option<&'a [T]>) {
        let sources: Vec<&[T]> = case.inputs.iter().map(Vec::as_slice).collect();
        match (self.has_y(), self.in_place) {
            (true, false) => (sources[0], Some(sources[1])),
            (true, true) => (sources[0], Some(&case.outputs[0])),
            (false, false) => (sources[0], None),
            (false, true) => (&case.outputs[0], None),
        }
    }

    fn element<T: Real>(&self, scalars: &[T], x: T, y: Option<T>) -> T {
        let (alpha, beta) = self.epilogue.factors(scalars);
        let factor = self.epilogue.values(scalars).0;
        match (self.kind, y) {
            (MapKind::Axpy, Some(y)) if factor == 0.0 => y,
            (MapKind::Axpy, Some(y)) => T::from_f64(factor).fma(x, y),
            (MapKind::Mult, Some(y)) => x.times(y),
            (MapKind::Axpby, Some(y)) => epilogue(alpha, beta, || x, || y).unwrap_or(y),
            _ if factor == 1.0 => x,
            _ if factor == 0.0 => T::ZERO,
            _ => T::from_f64(factor).times(x),
        }
    }
}

impl Operation for Map {
    fn operands(&self) -> Vec<Operand> {
        let (x, y) = (self.ldx * self.cols, self.ldy * self.cols);
        let is_whole = self.ldy == self.rows;
        let result = |name| if is_whole { Operand::result(name, y) } else { Operand::updated(name, y) };
        match (self.has_y(), self.in_place) {
            (true, false) => vec![Operand::source("x", x), Operand::source("y", y), result("z")],
            (true, true) => vec![Operand::source("x", x), Operand::updated("y", y)],
            (false, false) => vec![Operand::source("x", x), result("y")],
            (false, true) => vec![Operand::updated("x", y)],
        }
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (alpha, beta) = self.values(&case.scalars);
        let (x_view, y_view) = (View::column_major(self.ldx), View::column_major(self.ldy));
        for j in 0..self.cols {
            for i in 0..self.rows {
                let (x_at, y_at) = (x_view.at(i, j), y_view.at(i, j));
                let mut x: T = draw.a(flavour.family());
                // Terms that cancel exactly or nearly.
                let y = match flavour {
                    Flavour::Cancelling if alpha != 0.0 => {
                        draw.nearly_negated(T::from_f64(alpha * x.to_f64()))
                    }
                    _ => draw.a(flavour.family()),
                };
                if flavour == Flavour::Failing && self.kind == MapKind::Copy && draw.below(3) == 0 {
                    x = poison(77 + i);
                }
                if alpha != 0.0 {
                    match (self.has_y(), self.in_place) {
                        (false, true) => case.outputs[0][y_at] = x,
                        _ => case.inputs[0][x_at] = x,
                    }
                }
                if self.has_y() && beta != 0.0 {
                    let target = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[1] };
                    target[y_at] = y;
                }
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let x_ld = if self.in_place && !self.has_y() { self.ldy } else { self.ldx };
        let (x_view, y_view) = (View::column_major(x_ld), View::column_major(self.ldy));
        for j in 0..self.cols {
            for i in 0..self.rows {
                let at = y_view.at(i, j);
                let (x, y) = self.sources(case);
                let value = self.element(&case.scalars, x[x_view.at(i, j)], y.map(|y| y[at]));
                case.outputs[0][at] = value;
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        if tally.arithmetic == Arithmetic::Ieee {
            // The definition is the rounding.
            let mut expected = before.clone();
            self.run(form, &mut expected);
            let same = expected.same_results(after);
            tally.require(same.is_ok(), || format!("{same:?}"));
        }
        let (x, y) = self.sources(before);
        let x_ld = if self.in_place && !self.has_y() { self.ldy } else { self.ldx };
        let x = Matrix::columns(x, self.rows, self.cols, x_ld);
        let new = Matrix::columns(&after.outputs[0], self.rows, self.cols, self.ldy);
        let old = y.map_or(new.clone(), |y| Matrix::columns(y, self.rows, self.cols, self.ldy));
        if self.kind == MapKind::Mult {
            let factors = [&x, &old].map(|m| m.map(DoubleDouble::abs));
            let product =
                |x: &Matrix, y: &Matrix| Matrix::from_fn(x.rows, x.cols, |i, j| x.at(i, j) * y.at(i, j));
            let flushed = product(&factors[0].flushed::<T>(), &factors[1].flushed::<T>());
            let (value, magnitude) = (product(&x, &old), product(&factors[0], &factors[1]));
            let sums = Sums { underflows: x.map(|_| 2.0.into()), value, magnitude, flushed };
            return sums.check::<T>(tally, 1.0, (1.0, 0.0), (&old, &new), |_, _| true);
        }
        let scalars = self.values(&before.scalars);
        let is_finite = |i, j| scalars.0 == 0.0 || x.at(i, j).hi.is_finite();
        let sums = Sums {
            magnitude: x.abs(),
            flushed: x.abs().flushed::<T>(),
            underflows: x.map(|_| 2.0.into()),
            value: x.clone(),
        };
        // One rounding, or two where a fused multiply-add is not fused.
        sums.check::<T>(tally, 2.0, scalars, (&old, &new), is_finite);
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        element_idx % self.ldy < self.rows
    }
}
