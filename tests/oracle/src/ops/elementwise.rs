//! Functions of one, two or three elements.

use super::Operation;
use crate::bound::Arithmetic;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Which function. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementFunction {
    /// `x + y`.
    Add,
    /// `x - y`.
    Sub,
    /// `x y`.
    Mult,
    /// The larger one; NaN where either is NaN. `-0` is smaller than `+0`.
    Max,
    /// The smaller one; NaN where either is NaN. `-0` is smaller than `+0`.
    Min,
    /// `abs x`.
    Abs,
    /// `t = x > hi ? hi : x`, then `t < lo ? lo : t`; operands `x`, `lo`, `hi`.
    Clip,
    /// `x < y`.
    Less,
    /// `x <= y`.
    LessEqual,
    /// `x > y`.
    Greater,
    /// `x >= y`.
    GreaterEqual,
    /// `x == y`.
    Equal,
    /// `x != y`.
    NotEqual,
    /// Neither is zero.
    And,
    /// `x` is zero.
    Not,
}

/// Operands `x`, for two or three sources `y` or `lo`, `hi`, and the result (n). Alpha can stand in for `y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elementwise {
    /// Which function.
    pub function: ElementFunction,
    /// Elements.
    pub n: usize,
    /// The second of two sources is alpha.
    pub scalar: bool,
}

impl ElementFunction {
    /// Every function.
    pub const ALL: [Self; 15] = [
        Self::Add,
        Self::Sub,
        Self::Mult,
        Self::Max,
        Self::Min,
        Self::Abs,
        Self::Clip,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
        Self::Equal,
        Self::NotEqual,
        Self::And,
        Self::Not,
    ];

    /// How many sources it has.
    pub fn n_sources(self) -> usize {
        match self {
            Self::Abs | Self::Not => 1,
            Self::Clip => 3,
            _ => 2,
        }
    }

    /// The definition, in the element's own arithmetic.
    fn of<T: Real>(self, x: T, y: T, z: T) -> T {
        let flag = |holds: bool| if holds { T::ONE } else { T::ZERO };
        match self {
            Self::Add => x.plus(y),
            Self::Sub => x.plus(y.negated()),
            Self::Mult => x.times(y),
            Self::Max | Self::Min if x.is_nan() || y.is_nan() => T::NAN,
            // Of two zeros one sign bit decides.
            Self::Max if x == y => T::from_pattern(x.to_pattern() & y.to_pattern()),
            Self::Min if x == y => T::from_pattern(x.to_pattern() | y.to_pattern()),
            Self::Max => {
                if x > y {
                    x
                } else {
                    y
                }
            }
            Self::Min => {
                if x < y {
                    x
                } else {
                    y
                }
            }
            Self::Abs => x.magnitude(),
            Self::Clip => {
                let t = if x > z { z } else { x };
                if t < y { y } else { t }
            }
            Self::Less => flag(x < y),
            Self::LessEqual => flag(x <= y),
            Self::Greater => flag(x > y),
            Self::GreaterEqual => flag(x >= y),
            Self::Equal => flag(x == y),
            Self::NotEqual => flag(x != y),
            Self::And => flag(x != T::ZERO && y != T::ZERO),
            Self::Not => flag(x == T::ZERO),
        }
    }

    /// The exact value by other means: f64 for both types, whose sums and products round like those of f32.
    fn exact(self, [x, y, z]: [f64; 3]) -> f64 {
        let order = x.partial_cmp(&y);
        let flag = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Add => x + y,
            Self::Sub => x - y,
            Self::Mult => x * y,
            Self::Max | Self::Min if order.is_none() => f64::NAN,
            Self::Max => {
                if x.total_cmp(&y).is_ge() {
                    x
                } else {
                    y
                }
            }
            Self::Min => {
                if x.total_cmp(&y).is_le() {
                    x
                } else {
                    y
                }
            }
            Self::Abs => x.copysign(1.0),
            // A comparison with NaN does not hold, so that bound is none.
            Self::Clip => {
                let t = if z.is_nan() || x.is_nan() || x <= z { x } else { z };
                if y.is_nan() || t.is_nan() || t >= y { t } else { y }
            }
            Self::Less => flag(order.is_some_and(|order| order.is_lt())),
            Self::LessEqual => flag(order.is_some_and(|order| order.is_le())),
            Self::Greater => flag(order.is_some_and(|order| order.is_gt())),
            Self::GreaterEqual => flag(order.is_some_and(|order| order.is_ge())),
            Self::Equal => flag(order.is_some_and(|order| order.is_eq())),
            Self::NotEqual => flag(!order.is_some_and(|order| order.is_eq())),
            Self::And => flag(x.abs() > 0.0 || x.is_nan()) * flag(y.abs() > 0.0 || y.is_nan()),
            Self::Not => flag(x.abs() == 0.0),
        }
    }

    fn is_flag(self) -> bool {
        !matches!(self, Self::Add | Self::Sub | Self::Mult | Self::Max | Self::Min | Self::Abs | Self::Clip)
    }
}

impl Elementwise {
    fn sources<T: Real>(&self, case: &Case<T>, at: usize) -> [T; 3] {
        let scalar = case.scalars.first().copied().unwrap_or(T::ZERO);
        std::array::from_fn(|idx| case.inputs.get(idx).map_or(scalar, |source| source[at]))
    }
}

impl Operation for Elementwise {
    fn operands(&self) -> Vec<Operand> {
        let names: &[&'static str] = match self.function.n_sources() {
            _ if self.scalar => &["x"],
            1 => &["x"],
            2 => &["x", "y"],
            _ => &["x", "lo", "hi"],
        };
        let sources = names.iter().map(|name| Operand::source(name, self.n));
        sources.chain([Operand::result("z", self.n)]).collect()
    }

    fn scalars(&self) -> Vec<Scalar> {
        if self.scalar { vec![Scalar::Alpha] } else { Vec::new() }
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for at in 0..self.n {
            let x: T = draw.a(flavour.family());
            for idx in 0..case.inputs.len() {
                let other = match flavour {
                    // Sums that cancel, and pairs that are equal or neighbours.
                    Flavour::Cancelling if self.function != ElementFunction::Add => {
                        draw.nearly_negated::<T>(x).negated()
                    }
                    Flavour::Cancelling => draw.nearly_negated(x),
                    _ => draw.a(flavour.family()),
                };
                let value = if idx == 0 { x } else { other };
                let is_special = flavour == Flavour::Failing && draw.below(3) == 0;
                let special = T::from_f64(special[draw.below(3) as usize]);
                case.inputs[idx][at] = if is_special { special } else { value };
            }
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        for at in 0..self.n {
            let [x, y, z] = self.sources(case, at);
            case.outputs[0][at] = self.function.of(x, y, z);
        }
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for (at, actual) in after.outputs[0].iter().enumerate() {
            let sources = self.sources(before, at);
            let exact = self.function.exact(sources.map(Real::to_f64));
            let expected = T::from_f64(exact);
            if tally.arithmetic == Arithmetic::Ieee {
                let same =
                    expected.to_pattern() == actual.to_pattern() || expected.is_nan() && actual.is_nan();
                tally.require(same, || format!("element {at}: {actual:?} instead of {expected:?}"));
                continue;
            }
            let is_plain = sources.iter().all(|source| source.is_finite());
            let is_tiny = sources.iter().any(|source| source.is_subnormal());
            // Neither what is no number nor a comparison of flushed numbers is promised.
            if is_plain && !(self.function.is_flag() && is_tiny) {
                // A subnormal source that counts as zero takes its part of the result with it.
                let largest = sources.iter().fold(1.0, |most: f64, source| most.max(source.to_f64().abs()));
                let flushed = T::SMALLEST_NORMAL * if is_tiny { 1.0 + largest } else { 1.0 };
                let allowed = tally.relative::<T>(1.0, 0.0) * exact.abs() + flushed;
                tally.error(|| format!("element {at}"), (exact - actual.to_f64()).abs(), allowed);
            }
        }
    }
}
