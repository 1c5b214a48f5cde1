//! Constants, identities, and what is added to a diagonal.

use super::Operation;
use crate::bound::Arithmetic;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// Operand `x` (n): each element becomes alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetConst {
    /// Elements.
    pub n: usize,
}

/// Operand `a` (n x n): ones on the diagonal, +0 elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetIdentity {
    /// Rows and columns.
    pub n: usize,
}

/// Operands `a` and, out of place, `b` (n x n): alpha is added to the first entries of the diagonal, the rest is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddIdentity {
    /// Rows and columns.
    pub n: usize,
    /// Diagonal entries that change.
    pub d: usize,
    /// The result replaces `a`.
    pub in_place: bool,
}

fn require_bits<T: Real>(tally: &mut Tally, at: usize, expected: T, actual: T) {
    tally.require(expected.to_pattern() == actual.to_pattern(), || {
        format!("element {at}: {actual:?} instead of {expected:?}")
    });
}

impl Operation for SetConst {
    fn operands(&self) -> Vec<Operand> {
        vec![Operand::result("x", self.n)]
    }

    fn scalars(&self) -> Vec<Scalar> {
        vec![Scalar::Alpha]
    }

    fn fill<T: Real>(&self, _case: &mut Case<T>, _draw: &mut Draw, _flavour: Flavour) {}

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        case.outputs[0].fill(case.scalars[0]);
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for (at, actual) in after.outputs[0].iter().enumerate() {
            require_bits(tally, at, before.scalars[0], *actual);
        }
    }
}

impl Operation for SetIdentity {
    fn operands(&self) -> Vec<Operand> {
        vec![Operand::result("a", self.n * self.n)]
    }

    fn fill<T: Real>(&self, _case: &mut Case<T>, _draw: &mut Draw, _flavour: Flavour) {}

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        case.outputs[0].fill(T::ZERO);
        case.outputs[0].iter_mut().step_by(self.n + 1).for_each(|entry| *entry = T::ONE);
    }

    fn measure<T: Real>(&self, _form: Form, _before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for (at, actual) in after.outputs[0].iter().enumerate() {
            let is_diagonal = at % self.n == at / self.n;
            require_bits(tally, at, if is_diagonal { T::ONE } else { T::ZERO }, *actual);
        }
    }
}

impl AddIdentity {
    fn source<'a, T>(&self, case: &'a Case<T>) -> &'a [T] {
        if self.in_place { &case.outputs[0] } else { &case.inputs[0] }
    }

    fn changes(&self, at: usize) -> bool {
        at % self.n == at / self.n && at % self.n < self.d
    }
}

impl Operation for AddIdentity {
    fn operands(&self) -> Vec<Operand> {
        let elements = self.n * self.n;
        match self.in_place {
            true => vec![Operand::updated("a", elements)],
            false => vec![Operand::source("a", elements), Operand::result("b", elements)],
        }
    }

    fn scalars(&self) -> Vec<Scalar> {
        vec![Scalar::Alpha]
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let alpha = case.scalars[0];
        let source = if self.in_place { &mut case.outputs[0] } else { &mut case.inputs[0] };
        for at in (0..self.n * self.n).filter(|at| !self.in_place || self.changes(*at)) {
            source[at] = match flavour {
                Flavour::Cancelling if alpha != T::ZERO => draw.nearly_negated(alpha),
                _ => draw.a(flavour.family()),
            };
        }
    }

    fn run<T: Real>(&self, _form: Form, case: &mut Case<T>) {
        let mut result = self.source(case).to_vec();
        result
            .iter_mut()
            .step_by(self.n + 1)
            .take(self.d)
            .for_each(|entry| *entry = entry.plus(case.scalars[0]));
        case.outputs[0] = result;
    }

    fn measure<T: Real>(&self, _form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let alpha = before.scalars[0].to_f64();
        for (at, (old, new)) in self.source(before).iter().zip(&after.outputs[0]).enumerate() {
            if !self.changes(at) {
                require_bits(tally, at, *old, *new);
                continue;
            }
            // Sums of two f32 round in f64 like once.
            let exact = old.to_f64() + alpha;
            if tally.arithmetic == Arithmetic::Ieee {
                require_bits(tally, at, T::from_f64(exact), *new);
                continue;
            }
            let allowed = tally.relative::<T>(1.0, 0.0) * exact.abs() + 2.0 * T::SMALLEST_NORMAL;
            tally.error(|| format!("element {at}"), (exact - new.to_f64()).abs(), allowed);
        }
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        !self.in_place || self.changes(element_idx)
    }
}
