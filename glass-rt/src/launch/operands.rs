//! The batches and scalars of one launch, compared with the task and handed to a backend.

use crate::batch::Batch;
use crate::device::Device;
use crate::element::{Element, Real};
use crate::error::{ArgumentKind, Error};
use crate::kernel::{Layout, MAX_SCALARS, Operand, Task};
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
use crate::storage::Storage;

/// What a launch is given, group by group in the task's order. Batches that are written are held exclusively, so none of
/// them is given twice.
#[derive(Debug)]
pub struct Operands<'a, 'o, 'w, T: Real> {
    /// Real operands that are only read.
    pub inputs: &'a [&'a Batch<T>],
    /// Word operands that are only read.
    pub word_inputs: &'a [&'a Batch<u32>],
    /// Real operands that are written.
    pub outputs: &'a mut [&'o mut Batch<T>],
    /// Word operands that are written.
    pub words: &'a mut [&'w mut Batch<u32>],
    /// Run-time scalars.
    pub scalars: &'a [T],
}

/// Nothing.
impl<T: Real> Default for Operands<'_, '_, '_, T> {
    fn default() -> Self {
        Operands { inputs: &[], word_inputs: &[], outputs: &mut [], words: &mut [], scalars: &[] }
    }
}

impl<T: Real> Operands<'_, '_, '_, T> {
    /// Problems of the batch: those of the first output, or of the first word operand where there is no output.
    pub(super) fn n_problems(&self) -> usize {
        let output = self.outputs.first().map(|batch| batch.n_problems);
        output.or_else(|| self.words.first().map(|batch| batch.n_problems)).unwrap_or(0)
    }

    /// Compares everything with the task.
    pub(super) fn check(&self, task: &'static Task, device: &Device) -> Result<(), Error> {
        let kernel = task.symbol;
        let malformed = |message: String| Error::MalformedTask { kernel, message };
        if task.dtype != T::DTYPE {
            return Err(Error::WrongDType { kernel, given: T::DTYPE, expected: task.dtype });
        }
        let (inputs, word_inputs, outputs, words) = task.groups();
        let n_ordered = inputs.len() + word_inputs.len() + outputs.len() + words.len();
        if let Some(operand) = task.operands.get(n_ordered) {
            let message = format!(
                "operand `{}` is out of order: inputs, then word inputs, outputs, words",
                operand.name
            );
            return Err(malformed(message));
        }
        if outputs.is_empty() && words.is_empty() {
            return Err(malformed("no operand is written".into()));
        }
        if task.scalars.len() > MAX_SCALARS {
            return Err(malformed(format!("{} scalars, at most {MAX_SCALARS} exist", task.scalars.len())));
        }
        let count = |kind, given, operands: &[Operand]| {
            check_count(task, kind, given, operands.len(), || {
                operands.iter().map(|operand| operand.name).collect()
            })
        };
        count(ArgumentKind::Input, self.inputs.len(), inputs)?;
        count(ArgumentKind::WordInput, self.word_inputs.len(), word_inputs)?;
        count(ArgumentKind::Output, self.outputs.len(), outputs)?;
        count(ArgumentKind::Word, self.words.len(), words)?;
        let scalars = task.scalars;
        check_count(task, ArgumentKind::Scalar, self.scalars.len(), scalars.len(), || scalars.to_vec())?;

        let expected = Expected { task, device, n_problems: self.n_problems() };
        for (operand, batch) in inputs.iter().zip(self.inputs) {
            expected.compare(operand, batch, task.layout)?;
        }
        for (operand, batch) in word_inputs.iter().zip(self.word_inputs) {
            expected.compare(operand, batch, Layout::Contiguous)?;
        }
        for (operand, batch) in outputs.iter().zip(&*self.outputs) {
            expected.compare(operand, batch, task.layout)?;
        }
        for (operand, batch) in words.iter().zip(&*self.words) {
            expected.compare(operand, batch, Layout::Contiguous)?;
        }
        Ok(())
    }

    /// The memory of all operands in launch order, of the backend that `real` and `word` ask for.
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
    pub(super) fn buffers<B>(
        &self,
        real: fn(&Storage<T>) -> Option<&B>,
        word: fn(&Storage<u32>) -> Option<&B>,
    ) -> Result<Vec<&B>, Error> {
        let inputs = self.inputs.iter().map(|batch| memory(batch, real));
        let word_inputs = self.word_inputs.iter().map(|batch| memory(batch, word));
        let outputs = self.outputs.iter().map(|batch| memory(batch, real));
        let words = self.words.iter().map(|batch| memory(batch, word));
        inputs.chain(word_inputs).chain(outputs).chain(words).collect()
    }
}

/// The memory of a batch, where it is that of the backend.
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
fn memory<E: Element, B>(batch: &Batch<E>, of_backend: fn(&Storage<E>) -> Option<&B>) -> Result<&B, Error> {
    of_backend(&batch.storage).ok_or_else(|| batch.foreign())
}

fn check_count(
    task: &'static Task,
    kind: ArgumentKind,
    given: usize,
    expected: usize,
    names: impl FnOnce() -> Vec<&'static str>,
) -> Result<(), Error> {
    if given != expected {
        return Err(Error::ArgumentCount { kernel: task.symbol, kind, given, names: names() });
    }
    Ok(())
}

/// What every batch of a launch has to agree with.
struct Expected<'a> {
    task: &'static Task,
    device: &'a Device,
    n_problems: usize,
}

impl Expected<'_> {
    fn compare<T: Element>(
        &self,
        operand: &'static Operand,
        batch: &Batch<T>,
        layout: Layout,
    ) -> Result<(), Error> {
        let (kernel, name) = (self.task.symbol, operand.name);
        if batch.elements != operand.elements() {
            return Err(Error::WrongElements {
                kernel,
                operand: name,
                given: batch.elements,
                expected: operand.elements(),
                rows: operand.rows,
                cols: operand.cols,
            });
        }
        if batch.layout != layout {
            let (given, expected) = (batch.layout, layout);
            return Err(Error::WrongLayout { kernel, operand: name, given, expected });
        }
        if batch.device != *self.device {
            let (given, expected) = (batch.device.name().into(), self.device.name().into());
            return Err(Error::WrongDevice { kernel, operand: name, given, expected });
        }
        if batch.n_problems != self.n_problems {
            let (given, expected) = (batch.n_problems, self.n_problems);
            return Err(Error::WrongLength { kernel, operand: name, given, expected });
        }
        Ok(())
    }
}
