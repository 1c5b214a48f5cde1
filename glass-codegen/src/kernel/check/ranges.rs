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
        let (mut least, mut most) = (isize::MAX, isize::MIN);
        for value_of_root in self.int(root)?.range.clone() {
            let result = self.evaluated(value, root, value_of_root)?;
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

    fn evaluated(&self, value: &IntExpr, root: &str, value_of_root: isize) -> Result<isize, String> {
        let of_name = |name: &str| -> Result<isize, String> {
            if name == root {
                return Ok(value_of_root);
            }
            let inner = self.int(name)?.value.clone();
            self.evaluated(&inner.ok_or_else(|| format!("`{name}` has no formula"))?, root, value_of_root)
        };
        let of_index = |index: &Index| -> Result<isize, String> {
            let terms = index.terms.iter().map(|term| Ok(term.coefficient * of_name(&term.name)?));
            Ok(index.constant + terms.sum::<Result<isize, String>>()?)
        };
        Ok(match value {
            IntExpr::Affine(index) => of_index(index)?,
            IntExpr::Div(index, by) => of_index(index)? / *by as isize,
            IntExpr::Rem(index, by) => of_index(index)? % *by as isize,
            IntExpr::Min(name, limit) => of_name(name)?.min(*limit as isize),
            IntExpr::IfLess { left, right, then, otherwise } => {
                let taken = if of_name(left)? < of_name(right)? { then } else { otherwise };
                of_index(taken)?
            }
        })
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
