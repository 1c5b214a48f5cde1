//! How one level of a long reduction is computed: a block owns a chunk.

use super::{Form, Mapping, Plan, Staging, Target, Tier, Unroll};
use crate::spec::{Layout, Spec};

/// How the threads of a block add up what each has summed. Decides the bits, as the form of a batch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// One tree of halving offsets over all threads, in shared memory.
    Tree,
    /// A tree inside each warp, then one over the warps.
    Warps,
}

impl Meeting {
    /// Spelling in symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Meeting::Tree => "tree",
            Meeting::Warps => "warps",
        }
    }
}

/// Where a level's sums go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// One element of a vector for each chunk.
    Partials,
    /// A word of the arena: the level has one chunk.
    Scalar,
    /// Both: the block that finishes last adds up the others' sums.
    LastBlock,
}

impl Destination {
    /// Spelling in symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Destination::Partials => "partials",
            Destination::Scalar => "scalar",
            Destination::LastBlock => "last_block",
        }
    }
}

/// A level of a long reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// How the threads of a block meet.
    pub meeting: Meeting,
    /// Where its sums go.
    pub destination: Destination,
}

/// Elements of one thread that are written out; more are a loop, which a compiler writes out in part.
const MAX_WRITTEN_ELEMENTS: usize = 16;

impl Plan {
    /// The plan of a level whose chunk is the problem of a spec, on blocks of so many threads.
    pub fn of_level(spec: &Spec, target: Target, level: Level, threads_per_block: usize) -> Plan {
        let form = Form::Reduced { lanes_per_output: threads_per_block };
        let mapping = Mapping::new(Tier::Block, form, Staging::Direct, threads_per_block);
        let unroll = Unroll::PerOutput { max_terms: MAX_WRITTEN_ELEMENTS };
        let plan = Plan::sized(spec, Layout::Contiguous, target, mapping);
        // In WGSL the gate's word and the sum of a single chunk lie in workgroup memory, too.
        let n_words = match (target, level.destination) {
            (Target::Wgsl, Destination::Scalar) => 2,
            (Target::Wgsl, _) => 1,
            (Target::Cuda | Target::Host, _) => 0,
        };
        let shared_bytes = plan.shared_bytes + 16 * n_words;
        Plan { level: Some(level), unroll, shared_bytes, ..plan }
    }

    /// The same, for sums that other blocks of the launch hand over.
    pub(crate) fn handed(mut self) -> Plan {
        self.accesses[0].is_handed = true;
        self
    }
}
