//! One launch on a device, with poison wherever a kernel may not look and sentinels wherever it may not write.

use glass_oracle::{Case, bits, layout};
use glass_rt::kernel::Operand;
use glass_rt::{Batch, Device, Element, Layout, Operands, Task, launch, launch_variant};

/// Batch sizes around the edges of a tile, and the empty batch.
pub const BATCHES: [usize; 7] = [0, 1, 31, 32, 33, 100, 1000];

/// Which kernel of a task runs.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// The one that the task chooses for the device and the batch.
    Chosen,
    /// The variant at this position.
    Variant(usize),
}

/// Launches the cases of a batch and waits for the results, in the order of the cases.
///
/// # Errors
/// What the run time refuses, an input that changed, or a padding slot that was written.
pub fn launched<T>(
    device: &Device,
    task: &'static Task,
    which: Which,
    cases: &[Case<T>],
    scalars: &[T],
) -> Result<Vec<Case<T>>, String>
where
    T: glass_rt::Real + glass_oracle::Real,
{
    let of =
        |operand: &Operand, arrays: fn(&Case<T>) -> &[Vec<T>], idx: usize| -> Result<Uploaded<T>, String> {
            let numbers = cases.iter().flat_map(|case| &arrays(case)[idx]).copied().collect();
            Uploaded::new(device, operand, task.layout, numbers, T::NAN, cases.len())
        };
    let inputs = task.inputs().iter().enumerate().map(|(idx, operand)| of(operand, |case| &case.inputs, idx));
    let inputs: Vec<_> = inputs.collect::<Result<_, _>>()?;
    let outputs =
        task.outputs().iter().enumerate().map(|(idx, operand)| of(operand, |case| &case.outputs, idx));
    let mut outputs: Vec<_> = outputs.collect::<Result<_, _>>()?;
    // A case has the words that are read before those that are written.
    let words = task.word_inputs().iter().chain(task.words()).enumerate().map(|(idx, operand)| {
        let words = cases.iter().flat_map(|case| &case.words[idx]).copied().collect();
        Uploaded::new(device, operand, Layout::Contiguous, words, 0, cases.len())
    });
    let mut word_inputs: Vec<_> = words.collect::<Result<_, _>>()?;
    let mut words = word_inputs.split_off(task.word_inputs().len());

    let operands = Operands {
        inputs: &inputs.iter().map(|input| &input.batch).collect::<Vec<_>>(),
        word_inputs: &word_inputs.iter().map(|words| &words.batch).collect::<Vec<_>>(),
        outputs: &mut outputs.iter_mut().map(|output| &mut output.batch).collect::<Vec<_>>(),
        words: &mut words.iter_mut().map(|words| &mut words.batch).collect::<Vec<_>>(),
        scalars,
    };
    match which {
        Which::Chosen => launch(task, device, operands),
        Which::Variant(idx) => launch_variant(task, idx, device, operands),
    }
    .map_err(said)?;

    for input in &inputs {
        let after = input.batch.download_raw().map_err(said)?;
        bits::unchanged(&input.stored, &after, input.batch.elements())
            .map_err(|difference| format!("input `{}` changed: {difference}", input.name))?;
    }
    for words in &word_inputs {
        if words.batch.download_raw().map_err(said)? != words.stored {
            return Err(format!("input `{}` changed", words.name));
        }
    }
    let mut after = cases.to_vec();
    for (idx, output) in outputs.iter().enumerate() {
        let raw = output.batch.download_raw().map_err(said)?;
        let elements = output.batch.elements();
        let numbers = match task.layout {
            Layout::Contiguous => raw,
            Layout::Interleaved => {
                let padding = |stored: &[T]| layout::padding(stored, elements, cases.len());
                bits::unchanged(&padding(&output.stored), &padding(&raw), elements).map_err(
                    |difference| format!("the padding of `{}` changed: {difference}", output.name),
                )?;
                layout::deinterleave(&raw, elements, cases.len())
            }
        };
        for (case, numbers) in after.iter_mut().zip(numbers.chunks_exact(elements)) {
            case.outputs[idx] = numbers.to_vec();
        }
    }
    for (idx, words) in words.iter().enumerate() {
        let raw = words.batch.download_raw().map_err(said)?;
        for (case, words) in after.iter_mut().zip(raw.chunks_exact(words.batch.elements())) {
            case.words[word_inputs.len() + idx] = words.to_vec();
        }
    }
    Ok(after)
}

/// An operand on the device, and what was sent there.
struct Uploaded<T: Element> {
    name: &'static str,
    stored: Vec<T>,
    batch: Batch<T>,
}

impl<T: Element> Uploaded<T> {
    fn new(
        device: &Device,
        operand: &Operand,
        layout: Layout,
        numbers: Vec<T>,
        padding: T,
        n_problems: usize,
    ) -> Result<Uploaded<T>, String> {
        let elements = operand.elements();
        let stored = match layout {
            Layout::Contiguous => numbers,
            Layout::Interleaved => layout::interleave(&numbers, elements, padding),
        };
        let batch = device.upload_raw(&stored, elements, n_problems, layout).map_err(said)?;
        Ok(Uploaded { name: operand.name, stored, batch })
    }
}

fn said(error: glass_rt::Error) -> String {
    error.to_string()
}
