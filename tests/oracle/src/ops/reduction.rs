//! One number from one or two vectors: dot, reduce, asum, nrm1_diff, nrm2, and the order-free infnorm and iamax.

use super::Operation;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, factors};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{accumulate, dot};

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionKind {
    /// `sum x y`.
    Dot,
    /// `sum x`.
    Reduce,
    /// `sum |x|`.
    Asum,
    /// `sum |x - y|`, the difference rounded first.
    Nrm1Diff,
    /// `sqrt(sum x^2)`, scaled by a power of two.
    Nrm2,
    /// `max |x|`.
    Infnorm,
    /// Index of the largest `|x|`: a word.
    Iamax,
    /// Index of the largest `x`: a word.
    Argmax,
    /// Index of the smallest `x`: a word.
    Argmin,
}

/// Operands `x`, for two vectors `y`, and the one-element result; iamax has the word `index` instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Which number.
    pub kind: ReductionKind,
    /// Length of the vectors.
    pub n: usize,
}

impl ReductionKind {
    /// Every reduction.
    pub const ALL: [Self; 9] = [
        Self::Dot,
        Self::Reduce,
        Self::Asum,
        Self::Nrm1Diff,
        Self::Nrm2,
        Self::Infnorm,
        Self::Iamax,
        Self::Argmax,
        Self::Argmin,
    ];

    fn is_index(self) -> bool {
        matches!(self, Self::Iamax | Self::Argmax | Self::Argmin)
    }

    /// What an index is the largest of.
    fn key<T: Real>(self, x: T) -> T {
        match self {
            Self::Argmax => x,
            Self::Argmin => x.negated(),
            _ => x.magnitude(),
        }
    }

    fn has_two_vectors(self) -> bool {
        matches!(self, Self::Dot | Self::Nrm1Diff)
    }
}

impl Operation for Reduction {
    fn operands(&self) -> Vec<Operand> {
        let mut operands = vec![Operand::source("x", self.n)];
        if self.kind.has_two_vectors() {
            operands.push(Operand::source("y", self.n));
        }
        operands.push(match self.kind {
            kind if kind.is_index() => Operand::word("index", 1),
            _ => Operand::result("result", 1),
        });
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (x, y) = factors::<T>(draw, flavour, (1, 1, self.n));
        let x: Vec<T> = x.into_iter().flatten().collect();
        let y: Vec<T> = y.into_iter().flatten().collect();
        // Sums without products cancel among the second factors, which come in nearly opposite pairs.
        case.inputs[0] =
            if flavour == Flavour::Cancelling && !self.kind.has_two_vectors() { y.clone() } else { x };
        if self.kind.has_two_vectors() {
            case.inputs[1] = y;
        }
        let alone = !matches!(self.kind, ReductionKind::Dot | ReductionKind::Nrm1Diff);
        if flavour == Flavour::Hard && alone {
            // Squares that overflow or underflow; a tie of the largest magnitudes.
            let exponents = if T::FRACTION_BITS == 23 { [100, -140, 126] } else { [800, -1060, 1022] };
            let factor = exponents[draw.below(3) as usize];
            // The norm itself must stay a number.
            let factor = if self.kind == ReductionKind::Nrm2 { factor - self.n.ilog2() as i32 } else { 0 };
            for x in &mut case.inputs[0] {
                *x = T::from_f64(draw.unit() * 2f64.powi(factor / 2) * 2f64.powi(factor - factor / 2));
            }
            let (from, to) = (draw.below(self.n as u64) as usize, draw.below(self.n as u64) as usize);
            case.inputs[0][to] = case.inputs[0][from].negated();
        }
        if flavour == Flavour::Failing {
            let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            for _ in 0..=draw.below(2) {
                let at = draw.below(self.n as u64) as usize;
                case.inputs[0][at] = T::from_f64(special[draw.below(3) as usize]);
            }
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let x = &case.inputs[0];
        let value = match self.kind {
            ReductionKind::Dot => dot(form, self.n, |t| (x[t], case.inputs[1][t])),
            ReductionKind::Reduce => accumulate(form, self.n, |t, sum: T| sum.plus(x[t])),
            ReductionKind::Asum => accumulate(form, self.n, |t, sum: T| sum.plus(x[t].magnitude())),
            ReductionKind::Nrm1Diff => {
                let y = &case.inputs[1];
                accumulate(form, self.n, |t, sum: T| sum.plus(x[t].plus(y[t].negated()).magnitude()))
            }
            ReductionKind::Nrm2 => scaled_norm(form, x),
            ReductionKind::Infnorm => largest(x),
            ReductionKind::Iamax | ReductionKind::Argmax | ReductionKind::Argmin => {
                case.words[0][0] = index_of_largest(self.kind, x) as u32;
                return;
            }
        };
        case.outputs[0][0] = value;
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let x = &before.inputs[0];
        if self.kind.is_index() {
            return measure_index(self.kind, x, after.words[0][0] as usize, tally);
        }
        let actual = after.outputs[0][0].to_f64();
        let mut read = before.inputs.iter().flatten();
        if !read.all(|value| value.is_finite()) {
            return self.measure_special(before, actual, tally);
        }
        let d = depth(self.n, form) as f64;
        let value = |x: T| DoubleDouble::from(x.to_f64());
        let terms: Vec<DoubleDouble> = match self.kind {
            ReductionKind::Dot => {
                x.iter().zip(&before.inputs[1]).map(|(&x, &y)| value(x) * value(y)).collect()
            }
            ReductionKind::Reduce => x.iter().map(|&x| value(x)).collect(),
            ReductionKind::Nrm1Diff => {
                // The bound is against rounded differences.
                let pairs = x.iter().zip(&before.inputs[1]);
                pairs.map(|(x, y)| value(T::from_f64((value(*x) - value(*y)).hi)).abs()).collect()
            }
            _ => x.iter().map(|&x| value(x).abs()).collect(),
        };
        if self.kind == ReductionKind::Infnorm {
            let exact = terms.iter().fold(0.0f64, |most, term| most.max(term.hi));
            let allowed = if tally.flushes() { T::SMALLEST_NORMAL } else { 0.0 };
            return tally.error(|| "result".into(), (exact - actual).abs(), allowed);
        }
        let n = self.n as f64;
        let flushed = if tally.flushes() { n * T::SMALLEST_NORMAL } else { 0.0 };
        let magnitude: f64 = terms.iter().map(|term| term.abs().hi).sum();
        let sum = |terms: &[DoubleDouble]| terms.iter().fold(DoubleDouble::ZERO, |sum, &term| sum + term);
        let (exact, allowed) = match self.kind {
            ReductionKind::Dot => {
                let pairs = before.inputs[0].iter().zip(&before.inputs[1]);
                let flushable: f64 = pairs
                    .filter(|(x, y)| x.is_subnormal() || y.is_subnormal())
                    .map(|(x, y)| (x.to_f64() * y.to_f64()).abs())
                    .sum();
                let flushed = if tally.flushes() { flushable } else { 0.0 };
                let relative = tally.relative::<T>(d + 3.0, 0.0) * magnitude;
                (sum(&terms), relative + (n + 3.0) * tally.underflow::<T>() + flushed)
            }
            ReductionKind::Reduce => (sum(&terms), tally.relative::<T>(d + 3.0, 0.0) * magnitude + flushed),
            ReductionKind::Asum => (sum(&terms), tally.relative::<T>(d + 1.0, 0.0) * magnitude + flushed),
            ReductionKind::Nrm1Diff => {
                (sum(&terms), tally.relative::<T>(d + 2.0, 0.0) * magnitude + 2.0 * flushed)
            }
            _ => {
                let norm = exact_norm(&terms);
                let relative = tally.relative::<T>(d / 2.0 + 4.0, 1.0) * norm.hi;
                (norm, relative + tally.underflow::<T>() + flushed)
            }
        };
        tally.error(|| "result".into(), exact.distance(actual), allowed);
    }
}

impl Reduction {
    /// NaN and infinite elements: what the result must be, without any size of error.
    fn measure_special<T: Real>(&self, before: &Case<T>, actual: f64, tally: &mut Tally) {
        let x = &before.inputs[0];
        if tally.flushes() {
            // A WGSL device may assume that neither occurs.
            return;
        }
        let expected = match self.kind {
            ReductionKind::Nrm2 | ReductionKind::Infnorm | ReductionKind::Asum => {
                if x.iter().any(|x| x.is_nan()) { f64::NAN } else { f64::INFINITY }
            }
            ReductionKind::Reduce => x.iter().map(|x| x.to_f64()).sum(),
            ReductionKind::Dot => x.iter().zip(&before.inputs[1]).map(|(x, y)| x.to_f64() * y.to_f64()).sum(),
            ReductionKind::Nrm1Diff => {
                x.iter().zip(&before.inputs[1]).map(|(x, y)| (x.to_f64() - y.to_f64()).abs()).sum()
            }
            ReductionKind::Iamax | ReductionKind::Argmax | ReductionKind::Argmin => return,
        };
        let same = expected == actual || (expected.is_nan() && actual.is_nan());
        tally.require(same, || format!("result {actual:e} instead of {expected:e}"));
    }
}

/// `2^exponent`, exact.
fn power<T: Real>(exponent: i32) -> T {
    T::from_f64(2f64.powi(exponent))
}

/// The exponent of the largest magnitude, clamped to that of a normal number.
fn clamped_exponent<T: Real>(x: &[T]) -> i32 {
    let (least, most) = if T::FRACTION_BITS == 23 { (-126, 126) } else { (-1022, 1022) };
    let largest = x.iter().fold(T::ZERO, |most, x| if x.magnitude() > most { x.magnitude() } else { most });
    let biased = (largest.to_pattern() >> T::FRACTION_BITS) as i32;
    // Zero and subnormal numbers have the biased exponent 0, infinity the largest: both are clamped.
    (biased - most - 1).clamp(least, most)
}

fn scaled_norm<T: Real>(form: Form, x: &[T]) -> T {
    let exponent = clamped_exponent(x);
    let (down, up) = (power::<T>(-exponent), power::<T>(exponent));
    let squares = accumulate(form, x.len(), |t, sum: T| {
        let y = x[t].times(down);
        y.fma(y, sum)
    });
    squares.root().times(up)
}

fn largest<T: Real>(x: &[T]) -> T {
    let mut most = T::ZERO;
    for x in x {
        if x.is_nan() {
            return T::NAN;
        }
        if x.magnitude() > most {
            most = x.magnitude();
        }
    }
    most
}

fn index_of_largest<T: Real>(kind: ReductionKind, x: &[T]) -> usize {
    // A magnitude has to be above zero to be found.
    let (mut index, mut most) = (0, if kind == ReductionKind::Iamax { T::ZERO } else { T::NAN });
    for (at, x) in x.iter().enumerate() {
        let key = kind.key(*x);
        if key > most || (most.is_nan() && !key.is_nan()) {
            (index, most) = (at, key);
        }
    }
    index
}

fn measure_index<T: Real>(kind: ReductionKind, x: &[T], index: usize, tally: &mut Tally) {
    let keys: Vec<f64> = x.iter().map(|x| kind.key(*x).to_f64()).collect();
    let most = keys.iter().copied().filter(|key| !key.is_nan()).fold(f64::NEG_INFINITY, f64::max);
    let first = keys.iter().position(|key| *key == most);
    let expected = first.filter(|_| kind != ReductionKind::Iamax || most > 0.0).unwrap_or(0);
    // WGSL compilers may take every number for finite.
    if tally.flushes() && keys.iter().any(|key| !key.is_finite()) {
        return;
    }
    // Where subnormal numbers may count as zero, so may their differences.
    let ties =
        tally.flushes() && keys.get(index).is_some_and(|key| (most - key).abs() <= 2.0 * T::SMALLEST_NORMAL);
    tally.require(ties || index == expected, || format!("index {index} instead of {expected}"));
}

/// The norm, with the largest element scaled to about one: squares neither overflow nor vanish.
fn exact_norm(magnitudes: &[DoubleDouble]) -> DoubleDouble {
    let most = magnitudes.iter().fold(0.0f64, |most, x| most.max(x.hi));
    if most == 0.0 {
        return DoubleDouble::ZERO;
    }
    let exponent = most.log2().floor() as i32;
    // In two steps: 2^1074 is no number.
    let half = exponent / 2;
    let scaled = |x: &DoubleDouble, sign: i32| {
        x.scale(2f64.powi(sign * half)).scale(2f64.powi(sign * (exponent - half)))
    };
    let squares = magnitudes.iter().map(|x| scaled(x, -1)).fold(DoubleDouble::ZERO, |sum, y| sum + y * y);
    scaled(&squares.sqrt(), 1)
}
