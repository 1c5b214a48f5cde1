//! Copies to slots of a worker's own, which arrive no sooner than they are waited for.

use std::collections::{HashMap, VecDeque};

/// A slot with what each worker copies to it.
type Copy<T> = (usize, Vec<T>);

pub(super) struct Ring<T> {
    arrived: HashMap<usize, Vec<T>>,
    pending: VecDeque<Vec<Copy<T>>>,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { arrived: HashMap::new(), pending: VecDeque::new() }
    }
}

impl<T: Clone> Ring<T> {
    /// Starts a group of copies. From now on its slots may hold anything.
    pub(super) fn copy(&mut self, group: Vec<Copy<T>>) {
        for (slot, _) in &group {
            self.arrived.remove(slot);
        }
        self.pending.push_back(group);
    }

    /// All but the last groups arrive.
    pub(super) fn wait(&mut self, n_pending: usize) {
        let n_arriving = self.pending.len().saturating_sub(n_pending);
        self.arrived.extend(self.pending.drain(..n_arriving).flatten());
    }

    pub(super) fn take(&self, slot: usize) -> Result<Vec<T>, String> {
        self.arrived.get(&slot).cloned().ok_or_else(|| format!("nothing has arrived in slot {slot}"))
    }
}
