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
            Meeting::Shuffle(_)
                if width == WARP
                    && let Some(merge) = merge =>
            {
                let component = merge_in_warp(merge);
                return lines.push(&self.fill("merge_in_warp", &[("acc", acc), ("function", component)]));
            }
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

    pub(super) fn deal(&self, accs: &[(String, Option<Merge>)], n_warps: usize, lines: &mut Lines) {
        let worker = self.worker.expect("sums are dealt to the lanes of a body");
        let place = |position: usize, of: &str| match position {
            0 => of.to_owned(),
            _ => self.fill("totals_of", &[("first", &self.literal(position * n_warps)), ("of", of)]),
        };
        for (position, (acc, _)) in accs.iter().enumerate() {
            let place = place(position, &self.fill("own_warp", &[("worker", worker)]));
            lines.push(&self.fill("publish_total", &[("worker", worker), ("acc", acc), ("place", &place)]));
        }
        lines.push(&self.fill("barrier_block", &[]));
        let limit = self.literal(n_warps);
        for (position, (acc, merge)) in accs.iter().enumerate() {
            let nothing = match merge {
                None => self.fill("zero", &[]),
                Some(merge) => self.literal(merge.identity() as usize),
            };
            let place = place(position, &self.fill("own_lane", &[("worker", worker)]));
            let arguments = [
                ("worker", worker),
                ("acc", acc.as_str()),
                ("n_warps", &limit),
                ("place", &place),
                ("nothing", &nothing),
            ];
            lines.push(&self.fill("collect_total", &arguments));
        }
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
        lines.push(&self.fill("take_handed", &arguments));
        let component = match operand.element {
            Element::Real => "taken_number",
            Element::Word => "taken_word",
        };
        for (position, name) in names.iter().enumerate() {
            let places = [position / operand.width(), position % operand.width()];
            let [column, word] = places.map(|place| self.literal(place));
            let arguments =
                [("name", name.as_str()), ("taken", &taken), ("column", &column), ("word", &word)];
            lines.push(&self.fill(component, &arguments));
        }
    }
}

/// The function that merges the words of the lanes of a warp.
pub(in crate::render) fn merge_in_warp(merge: Merge) -> &'static str {
    match merge {
        Merge::Sum => "sum_of_warp",
        Merge::Least => "least_of_warp",
        Merge::Greatest => "greatest_of_warp",
    }
}
