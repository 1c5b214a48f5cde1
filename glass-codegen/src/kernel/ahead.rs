//! Straight-line text that reads ahead: what it loads is copied to a ring of slots in shared memory, group by group,
//! long before it is taken from there.
//!
//! A compiler places a load shortly before its use to save registers; a copy in flight takes none.

use super::{Index, Stmt};
use crate::plan::{RING_GROUP, RING_SLOTS, is_stageable};
use crate::spec::Spec;

/// One element of an operand.
type Element = (usize, Index);

/// Replaces the loads of real arguments. Returns the statements and the slots that they use.
///
/// Every element is loaded once and before it is written, so copies may start at any earlier point.
pub(super) fn read_ahead(spec: &Spec, stmts: Vec<Stmt>) -> (Vec<Stmt>, usize) {
    let elements: Vec<Element> = stmts.iter().filter_map(|stmt| Some(loaded(spec, stmt)?.1)).collect();
    let n_slots = RING_SLOTS.min(elements.len());
    let groups: Vec<&[Element]> = elements.chunks(RING_GROUP).collect();
    let n_ahead = RING_SLOTS / RING_GROUP;
    let copy = |group: usize| Stmt::CopyAhead {
        elements: groups[group].to_vec(),
        first_slot: group % n_ahead * RING_GROUP,
    };
    let mut n_copied = n_ahead.min(groups.len());
    let copies: Vec<Stmt> = (0..n_copied).map(copy).collect();
    let start = stmts.iter().position(|stmt| loaded(spec, stmt).is_some()).unwrap_or(0);
    let mut result = Vec::with_capacity(stmts.len() + 2 * groups.len());
    let mut n_taken = 0;
    for (position, stmt) in stmts.into_iter().enumerate() {
        if position == start {
            result.extend(copies.iter().cloned());
        }
        let Some((name, _)) = loaded(spec, &stmt) else {
            result.push(stmt);
            continue;
        };
        if n_taken % RING_GROUP == 0 {
            let group = n_taken / RING_GROUP;
            // The slots of the group before this one are free again.
            if group > 0 && n_copied < groups.len() {
                result.push(copy(n_copied));
                n_copied += 1;
            }
            result.push(Stmt::Await { n_pending: n_copied - group - 1 });
        }
        result.push(Stmt::Take { name, slot: n_taken % RING_SLOTS });
        n_taken += 1;
    }
    (result, n_slots)
}

/// Name and element of a load that may run ahead.
fn loaded(spec: &Spec, stmt: &Stmt) -> Option<(String, Element)> {
    match stmt {
        Stmt::Load { names, operand, index } if is_stageable(&spec.operands[*operand]) => {
            let [name] = names.as_slice() else { return None };
            Some((name.clone(), (*operand, index.clone())))
        }
        _ => None,
    }
}

/// What a check knows of the ring: which group each slot waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    slots: Vec<Option<usize>>,
    n_groups: usize,
    n_arrived: usize,
}

impl Ring {
    pub(super) fn new(n_slots: usize) -> Ring {
        Ring { slots: vec![None; n_slots], ..Ring::default() }
    }

    /// A group of copies starts into slots that were taken from.
    pub(super) fn copy(&mut self, first_slot: usize, n_elements: usize) -> Result<(), String> {
        for slot in first_slot..first_slot + n_elements {
            match self.slots.get_mut(slot) {
                None => return Err(format!("slot {slot} is outside the ring")),
                Some(Some(_)) => return Err(format!("slot {slot} is copied to before it is taken from")),
                Some(free) => *free = Some(self.n_groups),
            }
        }
        self.n_groups += 1;
        Ok(())
    }

    /// All but the last `n_pending` groups have arrived.
    pub(super) fn wait(&mut self, n_pending: usize) -> Result<(), String> {
        let arrived = self.n_groups.checked_sub(n_pending);
        self.n_arrived = arrived.ok_or_else(|| format!("{n_pending} groups pending of {}", self.n_groups))?;
        Ok(())
    }

    /// A slot is taken from, once.
    pub(super) fn take(&mut self, slot: usize) -> Result<(), String> {
        match self.slots.get_mut(slot).and_then(Option::take) {
            Some(group) if group < self.n_arrived => Ok(()),
            Some(_) => Err(format!("slot {slot} is taken from before its copy has arrived")),
            None => Err(format!("slot {slot} holds nothing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_tells_what_is_too_early() {
        let mut ring = Ring::new(4);
        assert!(ring.copy(0, 2).is_ok() && ring.copy(2, 2).is_ok());
        assert_eq!(ring.take(0), Err("slot 0 is taken from before its copy has arrived".to_owned()));
        let mut ring = Ring::new(4);
        assert!(ring.copy(0, 2).is_ok() && ring.copy(2, 2).is_ok() && ring.wait(1).is_ok());
        assert!(ring.take(0).is_ok() && ring.take(1).is_ok());
        assert_eq!(ring.take(1), Err("slot 1 holds nothing".to_owned()));
        assert!(ring.copy(0, 2).is_ok());
        assert_eq!(ring.copy(2, 1), Err("slot 2 is copied to before it is taken from".to_owned()));
        assert_eq!(ring.copy(4, 1), Err("slot 4 is outside the ring".to_owned()));
        assert_eq!(ring.wait(4), Err("4 groups pending of 3".to_owned()));
    }
}
