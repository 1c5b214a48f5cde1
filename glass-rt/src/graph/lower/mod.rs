//! From recorded operations to the steps of a run: one per launch, with every number its kernel receives. On the host
//! a vector operation is one step.

#![cfg_attr(
    not(all(feature = "wgpu", any(feature = "cuda", feature = "cuda-unpinned"))),
    allow(
        dead_code,
        reason = "CUDA does not say what a binding is for, and WGSL says itself how many threads a group has"
    )
)]

mod reduction;
mod vector;

use std::ops::Range;

use super::operation::{Node, VectorNode, Work};
use super::{Life, Placement, View};
use crate::arena::ScalarStep;
use crate::reduction::plan::partials;
use crate::reduction::task::NO_GATE;
use crate::reduction::{FinishEntry, LevelEntry, ReductionKernel, unaligned};
use crate::vector_op::{ElementEntry, StepEntry, VectorTask};

/// A graph ready for a backend.
pub(crate) struct Lowered {
    pub(crate) steps: Vec<Step>,
    /// Elements of each memory for partial sums.
    pub(crate) memories: Vec<usize>,
    /// Most sums that the groups of one launch hand over to its last one.
    pub(crate) n_handed: u64,
}

/// One launch, or one pass on the host.
pub(crate) enum Step {
    Scalar(ScalarStep),
    /// A launch on a GPU.
    Kernel(KernelStep),
    /// A level of a reduction on the host.
    Level(LevelStep),
    /// A vector operation on the host.
    Vector(VectorStep),
}

/// A launch of a reduction or a vector operation.
pub(crate) struct KernelStep {
    pub(crate) kernel: &'static ReductionKernel,
    /// Threads of a group.
    pub(crate) threads: u32,
    pub(crate) grid: [u32; 3],
    /// In the order of the kernel interface.
    pub(crate) bindings: Vec<Binding>,
    /// Arguments in the order of the kernel interface.
    pub(crate) words: Vec<u32>,
}

/// One level of a reduction on the host.
pub(crate) struct LevelStep {
    pub(in crate::graph) entry: LevelEntry,
    pub(in crate::graph) finish: FinishEntry,
    /// Words of `x` that belong to a group.
    pub(in crate::graph) group_words: usize,
    pub(in crate::graph) n_groups: usize,
    /// Words of a sum or a state.
    pub(in crate::graph) n_words: usize,
    pub(in crate::graph) x: Source,
    pub(in crate::graph) y: Option<Source>,
    /// Memory of the partial sums it writes; `None` where it writes the results.
    pub(in crate::graph) partials: Option<usize>,
    /// Words of the results.
    pub(in crate::graph) slots: Vec<u32>,
    pub(in crate::graph) gate: u32,
    pub(in crate::graph) accumulate: bool,
}

/// A vector operation on the host.
pub(crate) struct VectorStep {
    pub(in crate::graph) task: &'static VectorTask,
    pub(in crate::graph) element: ElementEntry,
    pub(in crate::graph) fold: LevelEntry,
    pub(in crate::graph) step: Option<StepEntry>,
    pub(in crate::graph) n: usize,
    /// Elements of a group.
    pub(in crate::graph) group_elements: usize,
    pub(in crate::graph) n_groups: usize,
    /// Vectors that are read element by element.
    pub(in crate::graph) inputs: Vec<Part>,
    /// Row offsets, columns and values of each product's matrix, and its vector.
    pub(in crate::graph) products: Vec<[Part; 4]>,
    /// Vectors that are written.
    pub(in crate::graph) outputs: Vec<Part>,
    /// Memory of the groups' sums.
    pub(in crate::graph) partials: Option<usize>,
    /// Words of the scalars.
    pub(in crate::graph) words: Vec<u32>,
    pub(in crate::graph) gate: u32,
    /// Word that is set to 0 first.
    pub(in crate::graph) cleared: Option<u32>,
}

/// A binding of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) source: Source,
    pub(crate) is_written: bool,
}

/// What a binding holds.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    View(Part),
    /// The first elements of a memory for partial sums.
    Partials {
        memory: usize,
        len: u64,
    },
    /// The words of the scalars.
    Arena,
    /// Where the groups of a launch hand sums over to its last one: all zeros between launches.
    Handover,
}

/// Elements of an imported vector, or of an array of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) view_idx: usize,
    /// First element, from the start of the memory.
    pub(crate) start: u64,
    pub(crate) len: u64,
}

impl Part {
    /// The elements from the `start`th on: the host reads them where they lie.
    fn from(self, start: u32) -> Part {
        let start = u64::from(start);
        Part { start: self.start + start, len: self.len - start, ..self }
    }

    /// The elements on the host, whose memory holds them.
    pub(in crate::graph) fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl Source {
    /// [`Part::from`] of a view; all of anything else.
    fn from(self, start: u32) -> Source {
        match self {
            Source::View(part) => Source::View(part.from(start)),
            whole => whole,
        }
    }

    fn read(self) -> Binding {
        Binding { source: self, is_written: false }
    }

    fn written(self) -> Binding {
        Binding { source: self, is_written: true }
    }
}

impl Lowered {
    /// The steps of `nodes`, with bindings that begin at multiples of `alignment` bytes.
    pub(in crate::graph) fn of(nodes: &[Node], views: &[View], alignment: u32) -> Lowered {
        let placement = Placement::of(&lives(nodes));
        let mut lowering = Lowering {
            views,
            alignment,
            memory_of: placement.memory_of.iter(),
            n_handed: 0,
            steps: Vec::new(),
        };
        for node in nodes {
            let gate = node.gate.unwrap_or(NO_GATE);
            match &node.work {
                Work::Reduction(reduction) => lowering.reduction(reduction, gate),
                Work::Vector(vector) => lowering.vector(vector, gate),
                Work::Scalar(step) => lowering.steps.push(Step::Scalar(ScalarStep { gate, ..*step })),
            }
        }
        Lowered { steps: lowering.steps, memories: placement.memories, n_handed: lowering.n_handed }
    }
}

/// The partial sums of all nodes, in the order of the launches that write them.
fn lives(nodes: &[Node]) -> Vec<Life> {
    let (mut lives, mut n_launches) = (Vec::new(), 0);
    for node in nodes {
        match &node.work {
            Work::Reduction(reduction) => {
                for span in &reduction.plan.spans {
                    lives.extend(partials(reduction.n_words, &span.levels, n_launches));
                    n_launches += span.levels.len();
                }
            }
            Work::Vector(VectorNode { plan, .. }) => {
                let last = n_launches + plan.launches.len() - 1;
                if plan.n_partials > 0 {
                    // Bindings hold them, so their number fits.
                    lives.push(Life { len: plan.n_partials as usize, first: n_launches, last });
                }
                n_launches = last + 1;
            }
            Work::Scalar(_) => n_launches += 1,
        }
    }
    lives
}

struct Lowering<'a> {
    views: &'a [View],
    alignment: u32,
    /// Memories of the partial sums that are still to be written.
    memory_of: std::slice::Iter<'a, usize>,
    n_handed: u64,
    steps: Vec<Step>,
}

impl Lowering<'_> {
    /// The binding for so many sums that groups hand over; `None` where they hand over none.
    fn handed(&mut self, n_handed: u64) -> Option<Binding> {
        self.n_handed = self.n_handed.max(n_handed);
        (n_handed > 0).then_some(Source::Handover.written())
    }

    /// The binding that holds `len` elements of a view from `start` on, and where they begin in it.
    fn part(&self, view_idx: usize, start: u64, len: u64) -> (Part, u32) {
        let first = self.views[view_idx].offset + start;
        let skipped = unaligned(first, self.alignment);
        // Less than an alignment.
        (Part { view_idx, start: first - skipped, len: skipped + len }, skipped as u32)
    }
}
