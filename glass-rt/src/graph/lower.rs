//! From recorded operations to the steps of a run: one per launch, with every number its kernel receives. On the host
//! a vector operation is one step.

#![cfg_attr(
    not(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu")),
    allow(dead_code, reason = "launches are for GPUs only")
)]

use std::ops::Range;

use super::operation::{Node, Operand, ReductionNode, VectorNode, Work};
use super::{Life, Placement, View};
use crate::arena::ScalarStep;
use crate::reduction::plan::{kernel, partials};
use crate::reduction::task::NO_GATE;
use crate::reduction::{LevelEntry, ReductionCode, ReductionKernel, Span, unaligned};
use crate::vector_op::{ElementEntry, OperandKind, RowProduct, StepEntry, VectorCode, VectorTask};

/// A graph ready for a backend.
pub(crate) struct Lowered {
    pub(crate) steps: Vec<Step>,
    /// Elements of each memory for partial sums.
    pub(crate) memories: Vec<usize>,
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
    pub(super) entry: LevelEntry,
    /// Elements of a group.
    pub(super) group_elements: usize,
    pub(super) n_groups: usize,
    pub(super) x: Source,
    pub(super) y: Option<Source>,
    /// Memory of the partial sums it writes; `None` where it writes the result.
    pub(super) partials: Option<usize>,
    /// Word of the result.
    pub(super) slot: u32,
    pub(super) gate: u32,
    pub(super) accumulate: bool,
}

/// A vector operation on the host.
pub(crate) struct VectorStep {
    pub(super) task: &'static VectorTask,
    pub(super) element: ElementEntry,
    pub(super) fold: LevelEntry,
    pub(super) step: Option<StepEntry>,
    pub(super) n: usize,
    /// Elements of a group.
    pub(super) group_elements: usize,
    pub(super) n_groups: usize,
    /// Vectors that are read element by element.
    pub(super) inputs: Vec<Part>,
    /// Row offsets, columns and values of each product's matrix, and its vector.
    pub(super) products: Vec<[Part; 4]>,
    /// Vectors that are written.
    pub(super) outputs: Vec<Part>,
    /// Memory of the groups' sums.
    pub(super) partials: Option<usize>,
    /// Words of the scalars.
    pub(super) words: Vec<u32>,
    pub(super) gate: u32,
    /// Word that is set to 0 first.
    pub(super) cleared: Option<u32>,
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
    /// The word by which the groups of a launch find out which one is the last.
    Ticket,
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
    pub(super) fn range(self) -> Range<usize> {
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
    pub(super) fn of(nodes: &[Node], views: &[View], alignment: u32) -> Lowered {
        let placement = Placement::of(&lives(nodes));
        let mut lowering =
            Lowering { views, alignment, memory_of: placement.memory_of.iter(), steps: Vec::new() };
        for node in nodes {
            let gate = node.gate.unwrap_or(NO_GATE);
            match &node.work {
                Work::Reduction(reduction) => lowering.reduction(reduction, gate),
                Work::Vector(vector) => lowering.vector(vector, gate),
                Work::Scalar(step) => lowering.steps.push(Step::Scalar(ScalarStep { gate, ..*step })),
            }
        }
        Lowered { steps: lowering.steps, memories: placement.memories }
    }
}

/// The partial sums of all nodes, in the order of the launches that write them.
fn lives(nodes: &[Node]) -> Vec<Life> {
    let (mut lives, mut n_launches) = (Vec::new(), 0);
    for node in nodes {
        match &node.work {
            Work::Reduction(reduction) => {
                for span in &reduction.plan.spans {
                    lives.extend(partials(reduction.variant, &span.levels, n_launches));
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
    steps: Vec<Step>,
}

impl Lowering<'_> {
    fn reduction(&mut self, node: &ReductionNode, gate: u32) {
        for (span_idx, span) in node.plan.spans.iter().enumerate() {
            self.span(node, span, gate, node.accumulate || span_idx > 0);
        }
    }

    fn span(&mut self, node: &ReductionNode, span: &Span, gate: u32, accumulate: bool) {
        let (variant, slot) = (node.variant, node.slot);
        let n_levels = span.levels.len();
        let has_ticket = matches!(variant.code, ReductionCode::OneLaunch(_));
        let input = |view_idx: &usize| {
            let (part, start) = self.part(*view_idx, span.start, span.len.into());
            (Source::View(part), start)
        };
        let mut inputs: Vec<(Source, u32)> = node.view_idxs.iter().map(input).collect();
        for (idx, level) in span.levels.iter().enumerate() {
            let writes_partials = has_ticket || idx + 1 < n_levels;
            let partials = if writes_partials { self.memory_of.next().copied() } else { None };
            let sums = partials.map(|memory| Source::Partials { memory, len: level.groups.into() });
            let (x, x_start) = inputs[0];
            let (y, y_start) = inputs.get(1).map_or((None, 0), |(y, y_start)| (Some(*y), *y_start));
            let host = |entry| LevelStep {
                entry,
                group_elements: variant.threads as usize * variant.elements_per_thread as usize,
                n_groups: level.groups as usize,
                x: x.from(x_start),
                y: y.map(|y| y.from(y_start)),
                partials,
                slot,
                gate,
                accumulate,
            };
            self.steps.push(match (variant.code, kernel(variant, idx, n_levels)) {
                (ReductionCode::Host { chunk, .. }, _) if idx == 0 => Step::Level(host(chunk)),
                (ReductionCode::Host { fold, .. }, _) => Step::Level(host(fold)),
                (_, None) => unreachable!("only the host has no kernel"),
                (_, Some(kernel)) => {
                    let mut bindings: Vec<Binding> =
                        [Some(x), y].into_iter().flatten().map(Source::read).collect();
                    bindings.extend(sums.map(Source::written));
                    bindings.push(Source::Arena.written());
                    bindings.extend(has_ticket.then_some(Source::Ticket.written()));
                    let words =
                        vec![level.n, level.groups, x_start, y_start, slot, gate, u32::from(accumulate)];
                    Step::Kernel(KernelStep {
                        kernel,
                        threads: variant.threads,
                        grid: level.grid,
                        bindings,
                        words,
                    })
                }
            });
            if let Some(sums) = sums {
                inputs = vec![(sums, 0)];
            }
        }
    }

    fn vector(&mut self, node: &VectorNode, gate: u32) {
        let partials = if node.plan.n_partials > 0 { self.memory_of.next().copied() } else { None };
        let parts: Vec<Vec<(Part, u32)>> =
            node.operands.iter().map(|operand| self.operand(*operand)).collect();
        let (chunk, finish) = match &node.variant.code {
            VectorCode::OneLaunch(kernel) => (kernel, None),
            VectorCode::TwoLaunches { chunk, finish } => (chunk, Some(finish)),
            VectorCode::Host { element, fold, step } => {
                let entries = (*element, *fold, *step);
                self.steps.push(Step::Vector(host_step(node, entries, &parts, partials, gate)));
                return;
            }
        };
        let n_groups = node.plan.launches[0].groups;
        let sums = partials.map(|memory| Source::Partials { memory, len: node.plan.n_partials });
        let mut bindings = Vec::new();
        let mut starts = Vec::new();
        for (operand, parts) in node.task.operands.iter().zip(&parts) {
            let is_written = operand.kind.is_written();
            bindings
                .extend(parts.iter().map(|(part, _)| Binding { source: Source::View(*part), is_written }));
            starts.extend(
                parts.iter().map(|(_, start)| *start).filter(|_| operand.kind != OperandKind::Matrix),
            );
        }
        bindings.extend(sums.map(Source::written));
        bindings.push(Source::Arena.written());
        bindings.extend(sums.filter(|_| finish.is_none()).map(|_| Source::Ticket.written()));
        let words = |cleared| {
            let numbers = [node.plan.n, n_groups, gate, cleared];
            numbers.into_iter().chain(starts.iter().copied()).chain(node.words.iter().copied()).collect()
        };
        let threads = node.variant.threads;
        let (grid, words_of_chunk) = (node.plan.launches[0].grid, words(node.cleared.unwrap_or(NO_GATE)));
        self.steps.push(Step::Kernel(KernelStep {
            kernel: chunk,
            threads,
            grid,
            bindings,
            words: words_of_chunk,
        }));
        if let Some(kernel) = finish {
            let bindings = sums.map(Source::read).into_iter().chain([Source::Arena.written()]).collect();
            let (grid, words) = ([1, 1, 1], words(NO_GATE));
            self.steps.push(Step::Kernel(KernelStep { kernel, threads, grid, bindings, words }));
        }
    }

    /// The bindings of an operand, and where it begins in each.
    fn operand(&self, operand: Operand) -> Vec<(Part, u32)> {
        let whole = |view_idx: usize| self.part(view_idx, 0, self.views[view_idx].len);
        match operand {
            Operand::Vector { view_idx } => vec![whole(view_idx)],
            Operand::Matrix { first_view_idx } => (first_view_idx..first_view_idx + 3).map(whole).collect(),
        }
    }

    /// The binding that holds `len` elements of a view from `start` on, and where they begin in it.
    fn part(&self, view_idx: usize, start: u64, len: u64) -> (Part, u32) {
        let first = self.views[view_idx].offset + start;
        let skipped = unaligned(first, self.alignment);
        // Less than an alignment.
        (Part { view_idx, start: first - skipped, len: skipped + len }, skipped as u32)
    }
}

fn host_step(
    node: &VectorNode,
    (element, fold, step): (ElementEntry, LevelEntry, Option<StepEntry>),
    parts: &[Vec<(Part, u32)>],
    partials: Option<usize>,
    gate: u32,
) -> VectorStep {
    let VectorNode { task, variant, words, cleared, plan, .. } = node;
    let whole = |(part, start): &(Part, u32)| part.from(*start);
    let vectors = |belongs: fn(OperandKind) -> bool| {
        let operands = task.operands.iter().zip(parts).filter(|(operand, _)| belongs(operand.kind));
        operands.map(|(_, parts)| whole(&parts[0])).collect()
    };
    let product = |product: &RowProduct| {
        let [offsets, columns, values] = [0, 1, 2].map(|array| whole(&parts[product.matrix][array]));
        [offsets, columns, values, whole(&parts[product.vector][0])]
    };
    VectorStep {
        task,
        element,
        fold,
        step,
        n: plan.n as usize,
        group_elements: variant.threads as usize * variant.elements_per_thread as usize,
        n_groups: plan.launches[0].groups as usize,
        inputs: vectors(|kind| kind == OperandKind::Read),
        products: task.products.iter().map(product).collect(),
        outputs: vectors(OperandKind::is_written),
        partials,
        words: words.clone(),
        gate,
        cleared: *cleared,
    }
}
