//! Vector operations and the matrices they read.

use super::operation::{Operand, VectorNode, Work, written};
use super::{Graph, Handle, Operation, View, refused};
use crate::csr::Csr;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::vector_op::{
    Extent, OperandKind, ScalarArgument, VectorArgument, VectorOp, VectorOperand, VectorPlan, VectorTask,
};
use crate::word::Format;

/// A matrix that a graph knows.
#[derive(Clone, Copy, Debug)]
pub struct MatrixHandle {
    graph: u64,
    matrix_idx: usize,
}

/// An imported matrix.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    /// Views of row offsets, columns and values, one after the other.
    first_view_idx: usize,
    extent: Extent,
}

impl Graph {
    /// Makes a matrix an operand of vector operations.
    ///
    /// # Errors
    /// A matrix of another device.
    pub fn import_matrix(&mut self, matrix: &Csr) -> Result<MatrixHandle, Error> {
        self.check_device("import", matrix.device())?;
        let first_view_idx = self.views.len();
        let Csr { offsets, columns, values, .. } = matrix;
        let arrays = [
            (offsets.memory(), Format::U32),
            (columns.memory(), Format::U32),
            (values.memory(), Format::F32),
        ];
        for (memory, format) in arrays {
            self.push_view(memory, format, 0, memory.len);
        }
        let [rows, columns, values] =
            [matrix.n_rows(), matrix.n_columns(), matrix.n_values()].map(|count| count as u64);
        self.matrices.push(Matrix { first_view_idx, extent: Extent::Matrix { rows, columns, values } });
        Ok(MatrixHandle { graph: self.id, matrix_idx: self.matrices.len() - 1 })
    }

    /// Adds a vector operation.
    ///
    /// # Errors
    /// A name that is empty or taken, operands of another graph or of sizes that do not fit, scalars of another arena,
    /// memory that is written under two handles, and what no plan of the device serves.
    pub fn vector<K: VectorOp>(&mut self, name: &str, operation: K) -> Result<Operation<'_>, Error> {
        let task = K::TASK;
        let (operands, extents) = self.operands(name, task, &operation.operands())?;
        let words = self.words(name, task, &operation.scalars())?;
        self.check_aliases(name, task, &operands)?;
        let plan = VectorPlan::new(task, &extents, &self.limits, &self.options)
            .map_err(|reason| refused(name, reason))?;
        let variant = &task.variants[plan.variant_idx];
        self.push(name, Work::Vector(VectorNode { task, variant, operands, words, cleared: None, plan }))
    }

    /// The operands and their sizes.
    fn operands(
        &self,
        name: &str,
        task: &'static VectorTask,
        arguments: &[VectorArgument],
    ) -> Result<(Vec<Operand>, Vec<Extent>), Error> {
        let kinds = task.operands.iter().map(|operand| operand.kind == OperandKind::Matrix);
        if !arguments.iter().map(|argument| matches!(argument, VectorArgument::Matrix(_))).eq(kinds) {
            return Err(malformed(task, "operands of another number or kind than the task's"));
        }
        let known = |(argument, operand): (&VectorArgument, &VectorOperand)| match *argument {
            VectorArgument::Vector(Handle { graph, view_idx }) if graph == self.id => {
                self.check_format(name, operand.name, view_idx, Format::F32)?;
                let View { offset, len, .. } = self.views[view_idx];
                Ok((Operand::Vector { view_idx }, Extent::Vector { offset, len }))
            }
            VectorArgument::Matrix(MatrixHandle { graph, matrix_idx }) if graph == self.id => {
                let Matrix { first_view_idx, extent } = self.matrices[matrix_idx];
                Ok((Operand::Matrix { first_view_idx }, extent))
            }
            VectorArgument::Vector(_) | VectorArgument::Matrix(_) => {
                Err(refused(name, Refusal::ForeignGraph))
            }
        };
        if task.products.iter().any(|product| task.operands[product.vector].kind.is_written()) {
            return Err(malformed(task, "a product with a vector that it writes"));
        }
        arguments.iter().zip(task.operands).map(known).collect()
    }

    /// The words of the scalars.
    fn words(
        &self,
        name: &str,
        task: &'static VectorTask,
        arguments: &[ScalarArgument],
    ) -> Result<Vec<u32>, Error> {
        let formats = task.scalars.iter().map(|scalar| scalar.format);
        if !arguments.iter().map(|argument| argument.format).eq(formats) {
            return Err(malformed(task, "scalars of another number or format than the task's"));
        }
        if arguments.iter().any(|argument| argument.arena != self.arena.id) {
            return Err(refused(name, Refusal::ForeignArena));
        }
        let words: Vec<u32> = arguments.iter().map(|argument| argument.word).collect();
        let uses =
            task.scalars.iter().zip(&words).map(|(scalar, word)| (scalar.name, *word, scalar.is_written));
        check_shared(name, uses.collect())?;
        Ok(words)
    }

    /// Refuses to write memory that has a second name.
    fn check_aliases(
        &self,
        name: &str,
        task: &'static VectorTask,
        operands: &[Operand],
    ) -> Result<(), Error> {
        let uses = task.operands.iter().zip(operands).filter_map(|(operand, given)| match *given {
            Operand::Vector { view_idx } => Some((operand.name, view_idx, operand.kind.is_written())),
            Operand::Matrix { .. } => None,
        });
        check_shared(name, uses.collect())?;
        for view_idx in written(task, operands) {
            let memory = &self.views[view_idx].memory;
            if self.views.iter().filter(|view| !view.is_part && view.memory.is(memory)).count() > 1 {
                return Err(refused(name, Refusal::Aliased));
            }
        }
        Ok(())
    }
}

/// Refuses one thing under two names where it is written: name, identity and whether it is written.
fn check_shared<T: PartialEq>(name: &str, uses: Vec<(&'static str, T, bool)>) -> Result<(), Error> {
    for (idx, (second, other, is_other_written)) in uses.iter().enumerate() {
        for (first, this, is_written) in &uses[..idx] {
            if this == other && (*is_written || *is_other_written) {
                return Err(refused(name, Refusal::SharedOperand { first, second }));
            }
        }
    }
    Ok(())
}

fn malformed(task: &'static VectorTask, message: &str) -> Error {
    Error::MalformedTask { kernel: task.symbol, message: message.into() }
}
