//! What the workers of a problem, and the blocks of a launch, hand to each other.

use super::{Lines, Meeting, Writer};
use crate::kernel::{COUNT, Index};
use crate::plan::WARP;
use crate::spec::{Element, Expression, Merge};

impl Writer<'_> {
    /// The statement that merges a word with another one.
    pub(super) fn merged(&self, acc: &str, merge: Merge, other: Expression) -> String {
        let value = self.formula(&merge.of(Expression::name(acc), other));
        self.fill("set_word", &[("acc", acc), ("value", &value)])
    }

    pub(super) fn combine(&self, acc: &str, width: usize, merge: Option<Merge>, lines: &mut Lines) {
        let halves =
            || std::iter::successors(Some(width / 2), |half| Some(half / 2)).take_while(|half| *half > 0);
        let slot_barrier = match self.facts.meeting {
            Meeting::Shuffle(level) if width <= WARP => {
                for half in halves() {
                    let [offset, lanes] = [self.literal(half), width.to_string()];
                    let arguments = [("acc", acc), ("offset", &offset), ("lanes", &lanes)];
                    lines.push(&match merge {
                        None => self.fill(level, &arguments),
                        Some(merge) => {
                            self.merged(acc, merge, Expression::Name(self.fill("shuffled", &arguments)))
                        }
                    });
                }
                return;
            }
            Meeting::Shuffle(_) => "barrier_block",
            Meeting::Slots => "barrier_workgroup",
            Meeting::Alone => unreachable!("one worker has no lanes to meet"),
        };
        let worker = self.worker.expect("a tree is over the lanes of a body");
        // All workers together are one segment, of which each is the part that its index says.
        let part = if self.plan.level.is_some() { worker } else { "part" };
        let barrier = self.fill(slot_barrier, &[]);
        lines.push(&self.fill("publish", &[("worker", worker), ("acc", acc)]));
        lines.push(&barrier);
        for half in halves() {
            let offset = self.literal(half);
            lines.push(&match merge {
                None => self.fill("fold", &[("worker", worker), ("part", part), ("offset", &offset)]),
                Some(merge) => {
                    let other = Expression::Name(format!("slots[{worker} + {offset}]"));
                    let merge = self.merged(&format!("slots[{worker}]"), merge, other);
                    self.fill("fold_words", &[("part", part), ("offset", &offset), ("merge", &merge)])
                }
            });
            lines.push(&barrier);
        }
        lines.push(&self.fill("collect", &[("worker", worker), ("acc", acc)]));
    }

    pub(super) fn deal(&self, acc: &str, n_warps: usize, merge: Option<Merge>, lines: &mut Lines) {
        let worker = self.worker.expect("sums are dealt to the lanes of a body");
        let n_warps = self.literal(n_warps);
        lines.push(&self.fill("publish_total", &[("worker", worker), ("acc", acc)]));
        lines.push(&self.fill("barrier_block", &[]));
        let identity = merge.map_or_else(String::new, |merge| self.literal(merge.identity() as usize));
        let component = if merge.is_some() { "collect_word" } else { "collect_total" };
        let arguments = [("worker", worker), ("acc", acc), ("n_warps", &n_warps), ("identity", &identity)];
        lines.push(&self.fill(component, &arguments));
    }

    pub(super) fn meet_subgroups(&self, acc: &str, merge: Option<Merge>, lines: &mut Lines) {
        let worker = self.worker.expect("the workers of a body meet");
        let component = match merge {
            None | Some(Merge::Sum) => "subgroup_sum",
            Some(Merge::Least) => "subgroup_least",
            Some(Merge::Greatest) => "subgroup_greatest",
        };
        let nothing =
            merge.map_or_else(|| self.fill("zero", &[]), |merge| self.literal(merge.identity() as usize));
        let arguments = [("worker", worker), ("acc", acc), ("nothing", &nothing)];
        lines.push(&self.fill(component, &arguments));
        lines.push(&self.fill("publish_subgroup", &arguments));
        lines.push(&self.fill("barrier_workgroup", &[]));
        lines.push(&self.fill("collect_subgroup", &arguments));
    }

    /// Sums of other blocks, or the words of their states.
    pub(super) fn take_handed(
        &self,
        names: &[String],
        operand: usize,
        (index, stride): (&Index, usize),
        lines: &mut Lines,
    ) {
        let operand = &self.spec.operands[operand];
        let taken = format!("{}_taken", operand.name);
        let [index, stride] = [self.index(index), self.literal(stride)];
        let arguments = [
            ("name", taken.as_str()),
            ("operand", operand.name),
            ("index", &index),
            ("stride", &stride),
            ("limit", COUNT),
        ];
        if operand.element == Element::Real {
            lines.push(&self.fill("take_handed", &arguments));
            return self.components(names, &taken, lines);
        }
        lines.push(&self.fill("take_states", &arguments));
        for (position, name) in names.iter().enumerate() {
            let places = [position / operand.width(), position % operand.width()];
            let [state, word] = places.map(|place| self.literal(place));
            let arguments = [("name", name.as_str()), ("taken", &taken), ("state", &state), ("word", &word)];
            lines.push(&self.fill("taken_word", &arguments));
        }
    }
}
