//! What every text of a contraction shares: names, accesses, the epilogue.

use super::emit::{Emit, Position};
use super::{Epilogue, Index, Stmt};
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
        self.named("acc", emit)
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
        let scaled = emit.product(&name, &right, &scale);
        (left, scaled)
    }

    /// Adds one term of one output to its accumulator.
    pub(super) fn term(&self, acc: &str, position: &Position, suffix: &str, emit: &mut Emit<'_>) {
        for product in &self.contraction.products {
            let (left, right) = self.factors(product, position, suffix, emit);
            emit.fma(acc, &left, &right);
        }
    }

    /// From a finished sum to the stored result, in both triangles where they mirror each other.
    pub(super) fn finish(&self, acc: &str, position: &Position, emit: &mut Emit<'_>) {
        let contraction = self.contraction;
        let destination = &contraction.destination;
        let addend = contraction.addend.as_ref().unwrap_or(destination);
        self.store(acc, "out", destination, addend, position, emit);
        if contraction.domain != Domain::Mirrored {
            return;
        }
        let (row, col) = (contraction.outputs[0].name, contraction.outputs[1].name);
        let value = |letter| position.iter().find(|(name, _)| *name == letter).map(|(_, index)| index);
        if emit.is_straight && value(row) == value(col) {
            return;
        }
        self.store(acc, "mirror", &destination.swapped(row, col), &addend.swapped(row, col), position, emit);
    }

    fn store(
        &self,
        acc: &str,
        label: &str,
        destination: &Access,
        addend: &Access,
        position: &Position,
        emit: &mut Emit<'_>,
    ) {
        let epilogue = Epilogue {
            alpha: self.contraction.alpha == Alpha::Runtime,
            accumulates: self.contraction.beta != Beta::Zero,
            beta: self.contraction.beta == Beta::Runtime,
        };
        let index = Emit::index(destination, position);
        if !epilogue.alpha && !epilogue.accumulates {
            return emit.write(destination.operand, &index, acc);
        }
        let stored = match (emit.is_straight, index.as_constant()) {
            (true, Some(element)) => emit.element_name(destination.operand, element),
            _ => self.named(label, emit),
        };
        let old = epilogue.accumulates.then(|| {
            let index = Emit::index(addend, position);
            emit.read_old(addend.operand, &index, &format!("old_{stored}"))
        });
        emit.push(Stmt::Finish { name: stored.clone(), acc: acc.to_owned(), old, epilogue });
        emit.write(destination.operand, &index, &stored);
    }
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
