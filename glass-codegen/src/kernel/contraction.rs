//! What every text of a contraction shares: names, accesses, the epilogue.

use super::emit::{Emit, Position};
use super::{Epilogue, Function, Index, Stmt};
use crate::spec::{Access, Alpha, Beta, Contraction, Domain, Product};

/// A contraction with the base name of its accumulators.
#[derive(Clone, Copy)]
pub(super) struct Sums<'s> {
    pub(super) contraction: &'s Contraction,
    /// The only phase of its spec: names need no destination.
    pub(super) is_alone: bool,
}

impl Sums<'_> {
    /// Base name of the accumulators.
    pub(super) fn acc(&self, emit: &Emit<'_>) -> String {
        self.named(if self.is_subtracted() { "taken" } else { "acc" }, emit)
    }

    /// What is taken from an earlier result has names beside those of that result.
    fn is_subtracted(&self) -> bool {
        self.contraction.products[0].is_subtracted
    }

    fn named(&self, base: &str, emit: &Emit<'_>) -> String {
        match self.is_alone {
            true => base.to_owned(),
            false => format!("{base}_{}", emit.spec.operands[self.contraction.destination.operand].name),
        }
    }

    /// The output letters' values, in order.
    pub(super) fn indices<'p>(&self, position: &'p Position) -> Vec<&'p Index> {
        position.iter().map(|(_, index)| index).collect()
    }

    /// The two factors of a product, read.
    pub(super) fn factors(
        &self,
        product: &Product,
        position: &Position,
        suffix: &str,
        emit: &mut Emit<'_>,
    ) -> (String, String) {
        let mut read = |access: &Access| {
            let index = Emit::index(access, position);
            let name = emit.spec.operands[access.operand].name;
            emit.read(access.operand, &index, &format!("{name}_{}_{suffix}", access.letters()))
        };
        let left = read(&product.left);
        let right = read(&product.right);
        let Some(scale) = &product.scale else { return (left, right) };
        let scale = read(scale);
        let name = format!("{right}_{scale}");
        let scaled = emit.value_once(&name, Function::Mul, &[&right, &scale]);
        (left, scaled)
    }

    /// Adds one term of one output to its accumulator.
    pub(super) fn term(&self, acc: &str, position: &Position, suffix: &str, emit: &mut Emit<'_>) {
        for product in &self.contraction.products {
            let (left, right) = self.factors(product, position, suffix, emit);
            emit.add_product(product, acc, &left, &right);
        }
    }

    /// From a finished sum to the stored result, in both triangles where they mirror each other.
    pub(super) fn finish(&self, acc: &str, position: &Position, emit: &mut Emit<'_>) {
        let contraction = self.contraction;
        let destination = &contraction.destination;
        let addend = contraction.addend.as_ref().unwrap_or(destination);
        let mut slots = vec![self.slot("out", destination, addend, position, emit)];
        if contraction.domain == Domain::Mirrored {
            let (row, col) = (contraction.outputs[0].name, contraction.outputs[1].name);
            let value = |letter| position.iter().find(|(name, _)| *name == letter).map(|(_, index)| index);
            if !emit.is_straight || value(row) != value(col) {
                let (destination, addend) = (destination.swapped(row, col), addend.swapped(row, col));
                slots.push(self.slot("mirror", &destination, &addend, position, emit));
            }
        }
        for slot in slots {
            let value = self.value(acc, &slot, emit);
            emit.write(slot.operand, &slot.index, &value);
        }
    }

    /// As [`finish`](Self::finish) in one place, with the product of two more values added to the result.
    pub(super) fn finish_with(
        &self,
        addition: &Product,
        acc: &str,
        position: &Position,
        emit: &mut Emit<'_>,
    ) {
        let destination = &self.contraction.destination;
        let slot = self.slot("out", destination, destination, position, emit);
        let value = self.value(acc, &slot, emit);
        let (left, right) = self.factors(addition, position, "added", emit);
        let sum = emit.value(&self.named("sum", emit), Function::Fma, &[&left, &right, &value]);
        emit.write(slot.operand, &slot.index, &sum);
    }

    /// A place for a result, with its old value. Old values are read before any result is stored: on the diagonal both
    /// places are the same.
    fn slot(
        &self,
        label: &str,
        destination: &Access,
        addend: &Access,
        position: &Position,
        emit: &mut Emit<'_>,
    ) -> Slot {
        let index = Emit::index(destination, position);
        let name = match (emit.is_straight, index.as_constant()) {
            (true, Some(element)) if self.is_subtracted() => {
                format!("rest_{}", emit.element_name(destination.operand, element))
            }
            (true, Some(element)) => emit.element_name(destination.operand, element),
            _ => self.named(label, emit),
        };
        let old = (self.contraction.beta != Beta::Zero).then(|| {
            let index = Emit::index(addend, position);
            emit.read_old(addend.operand, &index, &format!("old_{name}"))
        });
        Slot { name, operand: destination.operand, index, old }
    }

    /// What a place takes.
    fn value(&self, acc: &str, slot: &Slot, emit: &mut Emit<'_>) -> String {
        let Slot { name, old, .. } = slot;
        let epilogue = Epilogue {
            alpha: self.contraction.alpha == Alpha::Runtime,
            accumulates: old.is_some(),
            beta: self.contraction.beta == Beta::Runtime,
        };
        if !epilogue.alpha && !epilogue.accumulates {
            return acc.to_owned();
        }
        emit.push(Stmt::Finish { name: name.clone(), acc: acc.to_owned(), old: old.clone(), epilogue });
        name.clone()
    }
}

/// Where a result goes.
struct Slot {
    /// Name of the finished value.
    name: String,
    operand: usize,
    index: Index,
    /// Name of the old value, where it takes part.
    old: Option<String>,
}

/// The output positions of a contraction as constants, column by column.
pub(super) fn constant_outputs(contraction: &Contraction) -> Vec<Position> {
    let n_all: usize = contraction.outputs.iter().map(|letter| letter.extent).product();
    let is_output = |position: &Position| match contraction.domain {
        Domain::Full => true,
        Domain::Lower | Domain::Mirrored => position[0].1.as_constant() >= position[1].1.as_constant(),
    };
    (0..n_all)
        .map(|output| super::emit::constant_position(&contraction.outputs, output))
        .filter(is_output)
        .collect()
}
