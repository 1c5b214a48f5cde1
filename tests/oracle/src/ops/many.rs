//! Several independent matrices at once: each is what the op of a single one makes of it.

use super::{Inv, Operation, Potrf};
use crate::case::{Case, Flavour, Operand};
use crate::choice::{Check, Opposite};
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

/// What becomes of each matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyKind {
    /// `A = L L'`, +0 above the diagonal of an `L` out of place.
    Potrf,
    /// `X = A^-1`.
    Inv,
}

/// Operands `a0`, `a1`, ..., and, out of place, as many results; word `status`, one for each matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Many {
    /// What becomes of each.
    pub kind: ManyKind,
    /// The order of each.
    pub orders: Vec<usize>,
    /// Each result replaces its matrix.
    pub in_place: bool,
    /// Whether there are statuses.
    pub check: Check,
}

const NAMES: [(&str, &str); 4] = [("a0", "x0"), ("a1", "x1"), ("a2", "x2"), ("a3", "x3")];

/// The op of a single matrix.
macro_rules! single {
    ($many:expr, $order:expr, $op:ident => $body:expr) => {{
        let (n, in_place, check) = ($order, $many.in_place, $many.check);
        match $many.kind {
            ManyKind::Potrf => {
                let $op = Potrf { n, in_place, opposite: Opposite::Zero, rsqrt: false, check };
                $body
            }
            ManyKind::Inv => {
                let $op = Inv { in_place, check, ..Inv::new(n) };
                $body
            }
        }
    }};
}

/// What belongs to one of the matrices.
fn part<T: Real>(case: &Case<T>, idx: usize) -> Case<T> {
    Case {
        inputs: case.inputs.get(idx).cloned().into_iter().collect(),
        outputs: vec![case.outputs[idx].clone()],
        words: case.words.iter().map(|status| vec![status[idx]]).collect(),
        scalars: Vec::new(),
    }
}

/// Puts back what belongs to one of the matrices.
fn put<T: Real>(case: &mut Case<T>, idx: usize, part: Case<T>) {
    for (all, own) in [(&mut case.inputs, part.inputs), (&mut case.outputs, part.outputs)] {
        own.into_iter().for_each(|own| all[idx] = own);
    }
    for (status, own) in case.words.iter_mut().zip(part.words) {
        status[idx] = own[0];
    }
}

impl Operation for Many {
    fn operands(&self) -> Vec<Operand> {
        let matrices = || self.orders.iter().map(|n| n * n).zip(NAMES);
        let mut operands: Vec<_> = if self.in_place {
            matrices().map(|(elements, (name, _))| Operand::updated(name, elements)).collect()
        } else {
            let sources = matrices().map(|(elements, (name, _))| Operand::source(name, elements));
            sources.chain(matrices().map(|(elements, (_, name))| Operand::result(name, elements))).collect()
        };
        operands.extend((self.check == Check::On).then(|| Operand::word("status", self.orders.len())));
        operands
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        // One matrix fails, the others do not: neither may tell in another one's result.
        let failing = draw.below(self.orders.len() as u64) as usize;
        for (idx, n) in self.orders.iter().enumerate() {
            let flavour = match flavour {
                Flavour::Failing if idx != failing => Flavour::Mixed,
                flavour => flavour,
            };
            let mut own = part(case, idx);
            single!(self, *n, op => op.fill(&mut own, draw, flavour));
            put(case, idx, own);
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        for (idx, n) in self.orders.iter().enumerate() {
            let mut own = part(case, idx);
            single!(self, *n, op => op.run(form, &mut own));
            put(case, idx, own);
        }
    }

    fn is_written(&self, output_idx: usize, element_idx: usize) -> bool {
        single!(self, self.orders[output_idx], op => op.is_written(0, element_idx))
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for (idx, n) in self.orders.iter().enumerate() {
            let (before, after) = (part(before, idx), part(after, idx));
            single!(self, *n, op => op.measure(form, &before, &after, tally));
        }
    }
}
