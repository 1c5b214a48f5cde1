//! The launches of a reduction: one per level and span.

use super::{Binding, KernelStep, LevelStep, Lowering, Source, Step};
use crate::graph::operation::ReductionNode;
use crate::reduction::plan::{kernel, n_handed};
use crate::reduction::{ReductionCode, Span};

impl Lowering<'_> {
    pub(super) fn reduction(&mut self, node: &ReductionNode, gate: u32) {
        for (span_idx, span) in node.plan.spans.iter().enumerate() {
            self.span(node, span, gate, node.accumulate || span_idx > 0);
        }
    }

    fn span(&mut self, node: &ReductionNode, span: &Span, gate: u32, accumulate: bool) {
        let (variant, slot) = (node.variant, node.slot);
        let n_levels = span.levels.len();
        let handed = self.handed(n_handed(variant, &span.levels));
        let input = |view_idx: &usize| {
            let (part, start) = self.part(*view_idx, span.start, span.len.into());
            (Source::View(part), start)
        };
        let mut inputs: Vec<(Source, u32)> = node.view_idxs.iter().map(input).collect();
        for (idx, level) in span.levels.iter().enumerate() {
            let partials = if idx + 1 < n_levels { self.memory_of.next().copied() } else { None };
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
                    bindings.extend(handed);
                    bindings.push(Source::Arena.written());
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
}
