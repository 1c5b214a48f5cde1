//! From recorded operations to the steps of a run: one per launch, with every number its kernel receives.

#![cfg_attr(
    not(any(feature = "cuda", feature = "cuda-unpinned")),
    allow(dead_code, reason = "some numbers are for CUDA kernels only")
)]

use super::operation::{Node, ReductionNode, Work};
use super::{Life, Placement, View};
use crate::arena::ScalarStep;
use crate::reduction::plan::{kernel, partials};
use crate::reduction::task::NO_GATE;
use crate::reduction::{LevelEntry, ReductionCode, ReductionKernel, Span, unaligned};

/// A graph ready for a backend.
pub(crate) struct Lowered {
    pub(crate) steps: Vec<Step>,
    /// Elements of each memory for partial sums.
    pub(crate) memories: Vec<usize>,
    /// Words of the arena.
    pub(crate) n_words: usize,
}

/// One launch, or one pass on the host.
pub(crate) enum Step {
    Level(LevelStep),
    Scalar(ScalarStep),
}

/// One level of a reduction.
pub(crate) struct LevelStep {
    pub(crate) code: LevelCode,
    /// Threads of a group.
    pub(crate) threads: u32,
    /// Elements of a group.
    pub(crate) group_elements: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) x: Source,
    pub(crate) y: Option<Source>,
    /// Memory of the partial sums it writes.
    pub(crate) partials: Option<usize>,
    /// A launch that finishes itself needs the word for it.
    pub(crate) has_ticket: bool,
    pub(crate) arguments: Arguments,
}

/// The code of a level.
#[derive(Clone, Copy)]
pub(crate) enum LevelCode {
    Kernel(&'static ReductionKernel),
    Host(LevelEntry),
}

/// What a binding holds.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Elements of an imported vector.
    View { view_idx: usize, start: u64, len: u64 },
    /// The first elements of a memory for partial sums.
    Partials { memory: usize, len: u64 },
}

/// The numbers a kernel receives, in the order of the kernel interface.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) n: u32,
    pub(crate) n_groups: u32,
    pub(crate) x_start: u32,
    pub(crate) y_start: u32,
    pub(crate) slot: u32,
    pub(crate) gate: u32,
    pub(crate) accumulate: bool,
}

impl Arguments {
    /// As words.
    pub(crate) fn words(&self) -> [u32; 7] {
        let accumulate = u32::from(self.accumulate);
        [self.n, self.n_groups, self.x_start, self.y_start, self.slot, self.gate, accumulate]
    }
}

impl Lowered {
    /// The steps of `nodes`, with bindings that begin at multiples of `alignment` bytes.
    pub(super) fn of(nodes: &[Node], views: &[View], n_words: usize, alignment: u32) -> Lowered {
        let placement = Placement::of(&lives(nodes));
        let mut lowering =
            Lowering { views, alignment, memory_of: placement.memory_of.iter(), steps: Vec::new() };
        for node in nodes {
            match &node.work {
                Work::Reduction(reduction) => lowering.reduction(reduction, node.gate.unwrap_or(NO_GATE)),
                Work::Scalar(step) => {
                    let gate = node.gate.unwrap_or(NO_GATE);
                    lowering.steps.push(Step::Scalar(ScalarStep { gate, ..*step }));
                }
            }
        }
        Lowered { steps: lowering.steps, memories: placement.memories, n_words }
    }
}

/// The partial sums of all nodes, in the order of the steps that write them.
fn lives(nodes: &[Node]) -> Vec<Life> {
    let (mut lives, mut n_steps) = (Vec::new(), 0);
    for node in nodes {
        match &node.work {
            Work::Reduction(reduction) => {
                for span in &reduction.plan.spans {
                    lives.extend(partials(reduction.variant, &span.levels, n_steps));
                    n_steps += span.levels.len();
                }
            }
            Work::Scalar(_) => n_steps += 1,
        }
    }
    lives
}

struct Lowering<'a> {
    views: &'a [View],
    alignment: u32,
    /// Memories of the partial sums that are still to be written.
    memory_of: std::slice::Iter<'a, usize>,
    steps: Vec<Step>,
}

impl Lowering<'_> {
    fn reduction(&mut self, node: &ReductionNode, gate: u32) {
        for (span_idx, span) in node.plan.spans.iter().enumerate() {
            self.span(node, span, gate, node.accumulate || span_idx > 0);
        }
    }

    fn span(&mut self, node: &ReductionNode, span: &Span, gate: u32, accumulate: bool) {
        let variant = node.variant;
        let n_levels = span.levels.len();
        let has_ticket = matches!(variant.code, ReductionCode::OneLaunch(_));
        let mut inputs =
            node.view_idxs.iter().map(|view_idx| self.input(*view_idx, span)).collect::<Vec<_>>();
        for (idx, level) in span.levels.iter().enumerate() {
            let writes_partials = has_ticket || idx + 1 < n_levels;
            let partials = if writes_partials { self.memory_of.next().copied() } else { None };
            let code = match (variant.code, kernel(variant, idx, n_levels)) {
                (ReductionCode::Host { chunk, .. }, _) if idx == 0 => LevelCode::Host(chunk),
                (ReductionCode::Host { fold, .. }, _) => LevelCode::Host(fold),
                (_, Some(kernel)) => LevelCode::Kernel(kernel),
                (_, None) => unreachable!("only the host has no kernel"),
            };
            let (x, x_start) = inputs[0];
            let (y, y_start) = inputs.get(1).map_or((None, 0), |(y, y_start)| (Some(*y), *y_start));
            let (n, n_groups) = (level.n, level.groups);
            self.steps.push(Step::Level(LevelStep {
                code,
                threads: variant.threads,
                group_elements: variant.threads as usize * variant.elements_per_thread as usize,
                grid: level.grid,
                x,
                y,
                partials,
                has_ticket,
                arguments: Arguments { n, n_groups, x_start, y_start, slot: node.slot, gate, accumulate },
            }));
            if let Some(memory) = partials {
                inputs = vec![(Source::Partials { memory, len: n_groups.into() }, 0)];
            }
        }
    }

    /// The binding of an input that holds a span, and where the span begins in it.
    fn input(&self, view_idx: usize, span: &Span) -> (Source, u32) {
        let first = self.views[view_idx].offset + span.start;
        let skipped = unaligned(first, self.alignment);
        let len = skipped + u64::from(span.len);
        // Less than an alignment.
        (Source::View { view_idx, start: first - skipped, len }, skipped as u32)
    }
}
