//! Which values an expression of integers may take.

use super::Scope;
use crate::kernel::{Index, IntExpr};
use std::ops::RangeInclusive;

impl Scope<'_> {
    pub(super) fn range_of(&self, value: &IntExpr) -> Result<RangeInclusive<isize>, String> {
        Ok(match value {
            IntExpr::Affine(index) => self.range_of_index(index)?,
            IntExpr::Div(index, by) => {
                let range = self.range_of_dividend(index)?;
                range.start() / *by as isize..=range.end() / *by as isize
            }
            IntExpr::Rem(index, by) => {
                let range = self.range_of_dividend(index)?;
                0..=(*range.end()).min(*by as isize - 1)
            }
            IntExpr::Min(name, limit) => {
                let range = &self.int(name)?.range;
                let limit = *limit as isize;
                (*range.start()).min(limit)..=(*range.end()).min(limit)
            }
            IntExpr::IfLess { .. } => self.range_by_values(value)?,
        })
    }

    /// Languages differ in how they divide negative numbers.
    fn range_of_dividend(&self, index: &Index) -> Result<RangeInclusive<isize>, String> {
        let range = self.range_of_index(index)?;
        match *range.start() < 0 {
            true => Err(format!("division of a negative `{index}`")),
            false => Ok(range),
        }
    }

    pub(super) fn range_of_index(&self, index: &Index) -> Result<RangeInclusive<isize>, String> {
        let (mut least, mut most) = (index.constant, index.constant);
        for term in &index.terms {
            let range = &self.int(&term.name)?.range;
            let ends = [term.coefficient * range.start(), term.coefficient * range.end()];
            least += ends[0].min(ends[1]);
            most += ends[0].max(ends[1]);
        }
        let Some(packing) = index.packing else { return Ok(least..=most) };
        let n_elements = (packing.order * packing.order).cast_signed();
        match least >= 0 && most < n_elements {
            true => Ok(0..=packing.n_places().cast_signed() - 1),
            false => Err(format!("`{index}` spans {least}..={most} of {n_elements} elements")),
        }
    }

    /// The range of an expression whose parts depend on each other: by every value of the one integer behind them.
    fn range_by_values(&self, value: &IntExpr) -> Result<RangeInclusive<isize>, String> {
        let mut roots = Vec::new();
        self.roots(value, &mut roots)?;
        let [root] = roots.as_slice() else {
            return Err(format!("`{value}` depends on {} integers", roots.len()));
        };
        let program = Program::new(self, root, value)?;
        let (mut least, mut most) = (isize::MAX, isize::MIN);
        let mut slots = Vec::new();
        for value_of_root in self.int(root)?.range.clone() {
            let result = program.result(value_of_root, &mut slots);
            least = least.min(result);
            most = most.max(result);
        }
        Ok(least..=most)
    }

    /// The integers that an expression goes back to.
    fn roots(&self, value: &IntExpr, roots: &mut Vec<String>) -> Result<(), String> {
        for name in names(value) {
            match &self.int(&name)?.value {
                Some(inner) if is_derived(inner) => self.roots(inner, roots)?,
                _ if roots.contains(&name) => {}
                _ => roots.push(name),
            }
        }
        Ok(())
    }
}

/// An expression and the integers that it is made from, in an order in which each follows from those before. There may be
/// millions of values to try, so names are looked up once.
struct Program {
    /// The root, then what each step makes.
    names: Vec<String>,
    steps: Vec<Step>,
}

enum Step {
    Sum(Sum),
    Div(Sum, isize),
    Rem(Sum, isize),
    Min(usize, isize),
    IfLess { left: usize, right: usize, then: Sum, otherwise: Sum },
}

/// A constant, and coefficients of slots.
struct Sum {
    constant: isize,
    terms: Vec<(isize, usize)>,
}

impl Program {
    fn new(scope: &Scope<'_>, root: &str, value: &IntExpr) -> Result<Program, String> {
        let mut program = Program { names: vec![root.to_owned()], steps: Vec::new() };
        let last = program.step(scope, value)?;
        program.steps.push(last);
        Ok(program)
    }

    fn result(&self, root: isize, slots: &mut Vec<isize>) -> isize {
        slots.clear();
        slots.push(root);
        for step in &self.steps {
            slots.push(step.value(slots));
        }
        slots[slots.len() - 1]
    }

    /// Where the value of a name stands.
    fn slot(&mut self, scope: &Scope<'_>, name: &str) -> Result<usize, String> {
        if let Some(slot) = self.names.iter().position(|known| known == name) {
            return Ok(slot);
        }
        let inner = scope.int(name)?.value.as_ref().ok_or_else(|| format!("`{name}` has no formula"))?;
        let step = self.step(scope, inner)?;
        self.steps.push(step);
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }

    fn sum(&mut self, scope: &Scope<'_>, index: &Index) -> Result<Sum, String> {
        let terms = index.terms.iter().map(|term| Ok((term.coefficient, self.slot(scope, &term.name)?)));
        Ok(Sum { constant: index.constant, terms: terms.collect::<Result<_, String>>()? })
    }

    fn step(&mut self, scope: &Scope<'_>, value: &IntExpr) -> Result<Step, String> {
        Ok(match value {
            IntExpr::Affine(index) => Step::Sum(self.sum(scope, index)?),
            IntExpr::Div(index, by) => Step::Div(self.sum(scope, index)?, by.cast_signed()),
            IntExpr::Rem(index, by) => Step::Rem(self.sum(scope, index)?, by.cast_signed()),
            IntExpr::Min(name, limit) => Step::Min(self.slot(scope, name)?, limit.cast_signed()),
            IntExpr::IfLess { left, right, then, otherwise } => Step::IfLess {
                left: self.slot(scope, left)?,
                right: self.slot(scope, right)?,
                then: self.sum(scope, then)?,
                otherwise: self.sum(scope, otherwise)?,
            },
        })
    }
}

impl Step {
    fn value(&self, slots: &[isize]) -> isize {
        match self {
            Step::Sum(sum) => sum.value(slots),
            Step::Div(sum, by) => sum.value(slots) / by,
            Step::Rem(sum, by) => sum.value(slots) % by,
            Step::Min(slot, limit) => slots[*slot].min(*limit),
            Step::IfLess { left, right, then, otherwise } => {
                if slots[*left] < slots[*right] { then } else { otherwise }.value(slots)
            }
        }
    }
}

impl Sum {
    fn value(&self, slots: &[isize]) -> isize {
        self.terms.iter().fold(self.constant, |sum, (coefficient, slot)| sum + coefficient * slots[*slot])
    }
}

/// Made from one other integer, so that each value of that one gives one value.
fn is_derived(value: &IntExpr) -> bool {
    match value {
        IntExpr::Affine(index) | IntExpr::Div(index, _) | IntExpr::Rem(index, _) => index.terms.len() == 1,
        IntExpr::IfLess { .. } => true,
        IntExpr::Min(..) => false,
    }
}

/// The integers that an expression names.
pub(super) fn names(value: &IntExpr) -> Vec<String> {
    let of_index = |index: &Index| index.terms.iter().map(|term| term.name.clone()).collect::<Vec<_>>();
    match value {
        IntExpr::Affine(index) | IntExpr::Div(index, _) | IntExpr::Rem(index, _) => of_index(index),
        IntExpr::Min(name, _) => vec![name.clone()],
        IntExpr::IfLess { left, right, then, otherwise } => {
            [vec![left.clone(), right.clone()], of_index(then), of_index(otherwise)].concat()
        }
    }
}
