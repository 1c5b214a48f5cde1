//! How one level of a long reduction is computed: a block owns a chunk.

use super::{Form, Mapping, Plan, Staging, Target, Tier};
use crate::spec::{Layout, Spec};

/// Where a level's sums go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// One element of a vector for each chunk.
    Partials,
    /// A word of the arena: the level has one chunk.
    Scalar,
}

impl Destination {
    /// Spelling in symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Destination::Partials => "partials",
            Destination::Scalar => "scalar",
        }
    }
}

impl Plan {
    /// The plan of a level whose chunk is the problem of a spec.
    pub fn of_level(spec: &Spec, target: Target, form: Form, destination: Destination) -> Plan {
        let mapping = Mapping {
            tier: Tier::Block,
            form,
            staging: Staging::Direct,
            threads_per_block: form.lanes_per_output(),
            min_blocks: None,
        };
        let destination = Some(destination);
        Plan { destination, ..Plan::new(spec, Layout::Contiguous, target, mapping) }
    }
}
