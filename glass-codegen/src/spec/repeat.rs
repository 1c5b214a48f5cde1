//! The same steps again and again.

use super::{Map, Phase};

/// Steps over the parts of operands, the last part first. What a pass leaves in temporaries the next one finds there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// What a part is, in the singular.
    pub item: &'static str,
    /// How many parts there are.
    pub count: usize,
    /// Operands that consist of parts, with the elements of one. Accesses to them are those to a part.
    pub parts: Vec<(usize, usize)>,
    /// What a pass copies before its steps; none needs what another one wrote.
    pub loads: Vec<Map>,
    /// The steps of a pass.
    pub steps: Vec<Phase>,
    /// What a pass copies after its steps; none needs what another one wrote.
    pub stores: Vec<Map>,
    /// Pivots of a pass: those of the pass before come first in a status word.
    pub n_pivots: usize,
}

impl Repeat {
    pub(super) fn n_fmas(&self) -> usize {
        let copied = self.loads.iter().chain(&self.stores).map(Map::n_elements).sum::<usize>();
        self.count * (copied + self.steps.iter().map(Phase::n_fmas).sum::<usize>())
    }
}
