//! How one level of a long reduction is computed: a block owns a chunk.

use super::{Form, Mapping, Plan, Staging, Target, Tier, Unroll};
use crate::spec::{Element, Layout, Spec};

/// How the threads of a block add up what each has summed. Decides the bits, as the form of a batch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// One tree of halving offsets over all threads, in shared memory.
    Tree,
    /// A tree inside each warp, then one over the warps.
    Warps,
    /// A collective of each subgroup, whatever its size and order, then a tree over as many as there can be.
    Subgroups,
}

/// Lanes of the smallest subgroup that WGSL knows.
pub const MIN_SUBGROUP: usize = 4;

/// Subgroups that a workgroup of a power of two has at most.
pub(crate) fn most_subgroups(n_workers: usize) -> usize {
    n_workers / MIN_SUBGROUP
}

impl Meeting {
    /// Spelling in symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Meeting::Tree => "tree",
            Meeting::Warps => "warps",
            Meeting::Subgroups => "subgroups",
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
    /// Neighbouring elements that a thread loads at once, each for an accumulator of its own.
    pub vector_width: usize,
}

/// A shape that serves lengths up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Threads of a block.
    pub threads: usize,
    /// Elements of a chunk that each of them adds.
    pub elements: usize,
    /// The longest vector it is taken for.
    pub up_to: u32,
}

impl Shape {
    const fn new(threads: usize, elements: usize, up_to: u32) -> Shape {
        Shape { threads, elements, up_to }
    }

    /// Elements that a thread loads at once where only numbers or only words are read and the threads of a block meet by
    /// warps: 16 bytes, if a share is whole vectors of them.
    pub fn vector_width(&self, spec: &Spec, meeting: Meeting) -> usize {
        let has = |element| spec.operands.iter().any(|operand| operand.element == element);
        let is_mixed = has(Element::Word) && has(Element::Real);
        match meeting {
            Meeting::Warps if self.elements.is_multiple_of(WIDE) && !is_mixed => WIDE,
            Meeting::Warps | Meeting::Subgroups | Meeting::Tree => 1,
        }
    }

    /// The same of equations, which read and write numbers alone.
    pub(crate) fn vector_width_of_equations(&self) -> usize {
        if self.elements.is_multiple_of(WIDE) { WIDE } else { 1 }
    }
}

/// Elements of 16 bytes.
const WIDE: usize = 4;

/// The shapes of a single launch over one vector, as measured on sm_90: one block as long as it is enough, then blocks for
/// every multiprocessor, of which those of the next launch find places beside them, then ever fewer sums for the last one.
pub const ONE_LAUNCH: [Shape; 8] = [
    Shape::new(128, 8, 1 << 10),
    Shape::new(256, 16, 1 << 12),
    Shape::new(512, 32, 1 << 14),
    Shape::new(128, 16, 1 << 18),
    Shape::new(256, 16, 1 << 22),
    Shape::new(256, 32, 1 << 25),
    Shape::new(1024, 32, 1 << 27),
    Shape::new(1024, 64, u32::MAX),
];

/// The same over two vectors.
pub const ONE_LAUNCH_OF_TWO: [Shape; 7] = [
    Shape::new(128, 8, 1 << 10),
    Shape::new(512, 8, 1 << 12),
    Shape::new(128, 4, 1 << 14),
    Shape::new(256, 8, 1 << 22),
    Shape::new(512, 16, 1 << 25),
    Shape::new(1024, 32, 1 << 27),
    Shape::new(1024, 64, u32::MAX),
];

/// The shape of a launch a level.
pub const MANY_LAUNCHES: Shape = Shape::new(256, 16, u32::MAX);

/// The shapes of one launch of equations, as measured on sm_90: an element a thread while all threads are there at once.
/// With rows of matrices then several, and at last as few sums as one block can add.
pub const EQUATIONS_OF_ROWS: [Shape; 3] =
    [Shape::new(256, 1, 1 << 18), Shape::new(256, 4, 1 << 24), Shape::new(256, 16, u32::MAX)];

/// The same without matrices and with sums.
pub const EQUATIONS_WITH_SUMS: [Shape; 3] =
    [Shape::new(256, 1, 1 << 16), Shape::new(512, 4, 1 << 21), Shape::new(512, 8, u32::MAX)];

/// The same without either.
pub const EQUATIONS: [Shape; 2] = [Shape::new(256, 1, 1 << 18), Shape::new(256, 4, u32::MAX)];

/// Whether each thread of equations has one element, and waiting is what takes time: then the threads of a block fetch rows of
/// sparse matrices together, and everything is read before the gate is known. Where each thread has many, others hide its
/// waiting, and rows that each thread reads alone are faster, as measured on sm_90.
pub(crate) fn has_one_each(elements_per_thread: usize) -> bool {
    elements_per_thread == 1
}

/// The shape of equations and of the sums of chunks in launches of their own.
pub const EQUATIONS_THEN_SUMS: Shape = Shape::new(256, 4, u32::MAX);

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
        let totals = match level.meeting {
            Meeting::Subgroups => 4 * most_subgroups(threads_per_block),
            Meeting::Tree | Meeting::Warps => 0,
        };
        let shared_bytes = plan.shared_bytes + totals.next_multiple_of(16) + 16 * n_words;
        Plan { level: Some(level), unroll, shared_bytes, ..plan }
    }

    /// The same, for sums that other blocks of the launch hand over.
    pub(crate) fn handed(mut self) -> Plan {
        self.accesses[0].is_handed = true;
        self
    }
}
