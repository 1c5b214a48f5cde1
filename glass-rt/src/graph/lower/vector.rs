//! The launches of a vector operation, or its one step on the host.

use super::{Binding, KernelStep, Lowering, Part, Source, Step, VectorStep};
use crate::graph::operation::{Operand, VectorNode};
use crate::reduction::LevelEntry;
use crate::reduction::task::NO_GATE;
use crate::vector_op::{ElementEntry, OperandKind, RowProduct, StepEntry, VectorCode};

impl Lowering<'_> {
    pub(super) fn vector(&mut self, node: &VectorNode, gate: u32) {
        let VectorNode { task, variant, operands, words, cleared, plan } = node;
        let partials = if plan.n_partials > 0 { self.memory_of.next().copied() } else { None };
        let handed = self.handed(plan.n_handed);
        let parts: Vec<Vec<(Part, u32)>> = operands.iter().map(|operand| self.operand(*operand)).collect();
        let (chunk, finish) = match &variant.code {
            VectorCode::OneLaunch(kernel) => (kernel, None),
            VectorCode::TwoLaunches { chunk, finish } => (chunk, Some(finish)),
            VectorCode::Host { element, fold, step } => {
                let entries = (*element, *fold, *step);
                self.steps.push(Step::Vector(host_step(node, entries, &parts, partials, gate)));
                return;
            }
        };
        let sums = partials.map(|memory| Source::Partials { memory, len: plan.n_partials });
        let (mut bindings, mut starts) = (Vec::new(), Vec::new());
        for (operand, parts) in task.operands.iter().zip(&parts) {
            let is_written = operand.kind.is_written();
            let binding = |(part, _): &(Part, u32)| Binding { source: Source::View(*part), is_written };
            bindings.extend(parts.iter().map(binding));
            if operand.kind != OperandKind::Matrix {
                starts.push(parts[0].1);
            }
        }
        bindings.extend(sums.map(Source::written));
        bindings.extend(handed);
        bindings.push(Source::Arena.written());
        let mut launch = |kernel, grid, bindings, cleared| {
            let numbers = [plan.n, plan.launches[0].groups, gate, cleared];
            let words = numbers.iter().chain(&starts).chain(words).copied().collect();
            let threads = variant.threads;
            self.steps.push(Step::Kernel(KernelStep { kernel, threads, grid, bindings, words }));
        };
        launch(chunk, plan.launches[0].grid, bindings, cleared.unwrap_or(NO_GATE));
        if let Some(finish) = finish {
            let bindings = sums.map(Source::read).into_iter().chain([Source::Arena.written()]).collect();
            launch(finish, [1, 1, 1], bindings, NO_GATE);
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
