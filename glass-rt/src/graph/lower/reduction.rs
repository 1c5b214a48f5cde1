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
        let (variant, n_words) = (node.variant, node.n_words);
        let n_levels = span.levels.len();
        let handed = self.handed(n_handed(variant, n_words, span.levels[0].groups));
        let input = |view_idx: &usize| {
            let (part, start) = self.part(*view_idx, span.start, span.len.into());
            (Source::View(part), start)
        };
        let mut inputs: Vec<(Source, u32)> = node.view_idxs.iter().map(input).collect();
        for (idx, level) in span.levels.iter().enumerate() {
            let partials = if idx + 1 < n_levels { self.memory_of.next().copied() } else { None };
            let len = u64::from(level.groups) * u64::from(n_words);
            let sums = partials.map(|memory| Source::Partials { memory, len });
            let (x, x_start) = inputs[0];
            let (y, y_start) = inputs.get(1).map_or((None, 0), |(y, y_start)| (Some(*y), *y_start));
            let host = |entry, finish, words_of_each: u32| LevelStep {
                entry,
                finish,
                group_words: (variant.threads * variant.elements_per_thread * words_of_each) as usize,
                n_groups: level.groups as usize,
                n_words: n_words as usize,
                x: x.from(x_start),
                y: y.map(|y| y.from(y_start)),
                partials,
                slots: node.slots.clone(),
                gate,
                accumulate,
            };
            self.steps.push(match (variant.code, kernel(variant, idx, n_levels)) {
                (ReductionCode::Host { chunk, finish, .. }, _) if idx == 0 => {
                    Step::Level(host(chunk, finish, 1))
                }
                (ReductionCode::Host { fold, finish, .. }, _) => Step::Level(host(fold, finish, n_words)),
                (_, None) => unreachable!("only the host has no kernel"),
                (_, Some(kernel)) => {
                    let mut bindings: Vec<Binding> =
                        [Some(x), y].into_iter().flatten().map(Source::read).collect();
                    bindings.extend(sums.map(Source::written));
                    bindings.extend(handed);
                    bindings.push(Source::Arena.written());
                    let accumulate = u32::from(accumulate);
                    let mut words =
                        vec![level.n, level.groups, x_start, y_start, node.slots[0], gate, accumulate];
                    words.extend(&node.slots[1..]);
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
