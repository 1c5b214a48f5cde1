//! Straight-line contractions: the terms walk outside, so that operands stream through once and only the
//! accumulators stay.

use super::contraction::{Sums, constant_outputs};
use super::emit::{Emit, Position, constant_position};
use crate::spec::{Access, Contraction, Domain, Order, Phase, Role, Spec};

/// A contraction whose accumulators are open.
struct Open<'s> {
    sums: Sums<'s>,
    outputs: Vec<(Position, String)>,
}

impl<'s> Open<'s> {
    /// The accumulators of some outputs, at `+0`.
    fn new(sums: Sums<'s>, outputs: Vec<Position>, emit: &mut Emit<'_>) -> Open<'s> {
        let base = sums.acc(emit);
        let outputs = outputs.into_iter().map(|position| {
            let acc = emit.label(&base, &sums.indices(&position));
            emit.var(&acc, None);
            (position, acc)
        });
        Open { outputs: outputs.collect(), sums }
    }

    /// Adds one term to every accumulator; what the term needs is read first.
    fn term(&self, term: usize, emit: &mut Emit<'_>) {
        let terms = constant_position(&self.sums.contraction.terms, term);
        let with_terms = |position: &Position| [position.as_slice(), &terms].concat();
        for product in &self.sums.contraction.products {
            for (position, _) in &self.outputs {
                let index = Emit::index(&product.left, &with_terms(position));
                emit.read(product.left.operand, &index, "");
            }
        }
        for (position, acc) in &self.outputs {
            self.sums.term(acc, &with_terms(position), "", emit);
        }
    }

    fn close(&self, emit: &mut Emit<'_>) {
        for (position, acc) in &self.outputs {
            self.sums.finish(acc, position, emit);
        }
    }
}

/// All terms of all outputs.
pub(super) fn contraction(sums: Sums<'_>, emit: &mut Emit<'_>) {
    let open = Open::new(sums, constant_outputs(sums.contraction), emit);
    for term in 0..sums.contraction.n_terms() {
        if open.outputs.len() > 1 {
            emit.comment(format!("term {term}"));
        }
        open.term(term, emit);
    }
    open.close(emit);
}

/// The first phase and those after it that can stream through the rows of its result: a contraction to a temporary,
/// then contractions over the rows of that temporary. Empty where there is nothing to stream.
pub(super) fn stream<'s>(spec: &Spec, phases: &'s [Phase]) -> Vec<&'s Contraction> {
    let [Phase::Contraction(producer), rest @ ..] = phases else { return Vec::new() };
    let is_producer = spec.operands[producer.destination.operand].role == Role::Temporary
        && producer.domain == Domain::Full
        && producer.outputs.len() == 2
        && producer.order == Order::Serial;
    let mut stream = vec![producer];
    if is_producer {
        stream.extend(rest.iter().map_while(|phase| consumer(producer, phase)));
    }
    if stream.len() > 1 { stream } else { Vec::new() }
}

/// A phase that sums over the rows of the producer's result and reads nothing else of it.
fn consumer<'s>(producer: &Contraction, phase: &'s Phase) -> Option<&'s Contraction> {
    let Phase::Contraction(consumer) = phase else { return None };
    let [row] = consumer.terms.as_slice() else { return None };
    let produced = producer.destination.operand;
    let stride = |access: &Access, letter| {
        access.strides.iter().find(|(name, _)| *name == letter).map(|(_, stride)| *stride)
    };
    let own_stride = stride(&producer.destination, producer.outputs[0].name);
    let reads = |access: &Access| access.operand == produced;
    let streams =
        |access: &Access| !reads(access) || (access.offset == 0 && stride(access, row.name) == own_stride);
    let accesses = || {
        let products = consumer.products.iter();
        products
            .flat_map(|product| [Some(&product.left), Some(&product.right), product.scale.as_ref()])
            .flatten()
    };
    let consumes = row.extent == producer.outputs[0].extent
        && accesses().any(reads)
        && accesses().all(streams)
        && consumer.addend.as_ref().is_none_or(|addend| !reads(addend));
    consumes.then_some(consumer)
}

/// Row by row of the producer's result: no more than one row of it is alive.
pub(super) fn streamed(producer: &Contraction, consumers: &[&Contraction], emit: &mut Emit<'_>) {
    let sums = |contraction| Sums { contraction, is_alone: false };
    let open: Vec<_> = consumers
        .iter()
        .map(|consumer| Open::new(sums(*consumer), constant_outputs(consumer), emit))
        .collect();
    let all = constant_outputs(producer);
    for row in 0..producer.outputs[0].extent {
        emit.comment(format!("row {row}"));
        let outputs = all.iter().filter(|position| position[0].1.as_constant() == Some(row)).cloned();
        let own = Open::new(sums(producer), outputs.collect(), emit);
        for term in 0..producer.n_terms() {
            own.term(term, emit);
        }
        own.close(emit);
        for consumer in &open {
            consumer.term(row, emit);
        }
    }
    for consumer in &open {
        consumer.close(emit);
    }
}
