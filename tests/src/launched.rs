//! One launch on a device, with poison wherever a kernel may not look and sentinels wherever it may not write.

use crate::contraction::{ignores_destination, ignores_sources};
use glass_oracle::{Alpha, Beta, Contraction, Real, bits, inputs, layout};
use glass_rt::{Batch, Device, Element, Layout, Scalars, Task, launch, launch_variant};

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

/// Operands as given and the result, problem after problem.
#[derive(Clone, Debug)]
pub struct Launched<T> {
    /// All `A`; poisoned if alpha excludes them.
    pub a: Vec<T>,
    /// All `B`; poisoned if alpha excludes them.
    pub b: Vec<T>,
    /// All old `C`; poisoned if beta excludes them.
    pub c: Vec<T>,
    /// All new `C`.
    pub actual: Vec<T>,
}

/// Launches `n_problems` problems of a case and waits for the result.
///
/// # Errors
/// What the run time refuses, an input that changed, or a padding slot that was written.
pub fn launched<T: Element + Real>(
    device: &Device,
    task: &'static Task,
    which: Which,
    contraction: &Contraction<T>,
    n_problems: usize,
) -> Result<Launched<T>, String> {
    let shape = &contraction.shape;
    let inputs::Operands { mut a, mut b, mut c } = inputs::operands::<T>(task.symbol, shape, n_problems);
    if ignores_sources(contraction) {
        a.fill(T::NAN);
        b.fill(T::NAN);
    }
    if ignores_destination(contraction) {
        c.fill(T::NAN);
    }
    let said = |error: glass_rt::Error| error.to_string();
    let upload = |given: &[T], elements: usize| -> Result<(Vec<T>, Batch<T>), String> {
        let stored = match task.layout {
            Layout::Contiguous => given.to_vec(),
            Layout::Interleaved => layout::interleave(given, elements, T::NAN),
        };
        let batch = device.upload_raw(&stored, elements, n_problems, task.layout).map_err(said)?;
        Ok((stored, batch))
    };
    let (stored_a, batch_a) = upload(&a, shape.a_elements())?;
    let (stored_b, batch_b) = upload(&b, shape.b_elements())?;
    let (stored_c, mut batch_c) = upload(&c, shape.c_elements())?;
    // A scalar that the task does not take must be without influence.
    let scalars = Scalars {
        alpha: if let Alpha::Runtime(alpha) = contraction.alpha { alpha } else { T::NAN },
        beta: if let Beta::Runtime(beta) = contraction.beta { beta } else { T::NAN },
    };
    match which {
        Which::Chosen => launch(task, device, &[&batch_a, &batch_b], &mut batch_c, scalars),
        Which::Variant(idx) => {
            launch_variant(task, idx, device, &[&batch_a, &batch_b], &mut batch_c, scalars)
        }
    }
    .map_err(said)?;
    for (name, stored, batch) in [("first", stored_a, batch_a), ("second", stored_b, batch_b)] {
        let after = batch.download_raw().map_err(said)?;
        bits::unchanged(&stored, &after, batch.elements())
            .map_err(|difference| format!("the {name} input changed: {difference}"))?;
    }
    let raw = batch_c.download_raw().map_err(said)?;
    let actual = match task.layout {
        Layout::Contiguous => raw,
        Layout::Interleaved => {
            let padding = |stored: &[T]| layout::padding(stored, shape.c_elements(), n_problems);
            bits::unchanged(&padding(&stored_c), &padding(&raw), shape.c_elements())
                .map_err(|difference| format!("the padding changed: {difference}"))?;
            layout::deinterleave(&raw, shape.c_elements(), n_problems)
        }
    };
    Ok(Launched { a, b, c, actual })
}
