//! The one place where a launch is checked.
//!
//! Everything a backend could object to is compared with the task and the device's limits before the backend
//! is called, in the same order on every target. A refused launch has started nothing and written nothing.

mod limits;
mod operands;

pub(crate) use limits::{Limits, check_limits};

use crate::device::{Backend, Device};
use crate::element::Real;
use crate::error::Error;
use crate::host;
use crate::kernel::{Access, Target, Task, Variant};
use crate::storage::foreign;
pub use operands::Operands;

/// Launches the variant that the task's table chooses for this device and batch. Asynchronous.
///
/// Every batch has as many problems as the first output (the first word operand that is written where a task has no
/// output). An empty batch is checked and launches nothing.
///
/// # Errors
/// Any mismatch of element type, count, shape, layout, length or device, a missing variant, and the limits of the
/// device. Compile and load errors of the kernel on its first launch.
pub fn launch<T: Real>(
    task: &'static Task,
    device: &Device,
    operands: Operands<'_, '_, '_, T>,
) -> Result<(), Error> {
    operands.check(task, device)?;
    let target = device.target();
    let row = task.choose_row(target, device.arch(), operands.n_problems() as u64).ok_or_else(|| {
        let mut available: Vec<Target> = Vec::new();
        for row in task.choices {
            if !available.contains(&row.target) {
                available.push(row.target);
            }
        }
        Error::NoVariant { kernel: task.symbol, target, available }
    })?;
    launch_checked(task, &task.variants[row.variant_idx], row.reason, device, operands)
}

/// Launches one variant of a task, for tests and tuning. The checks are those of [`launch`].
///
/// # Errors
/// Those of [`launch`], an index past the variants, and a variant for another target.
pub fn launch_variant<T: Real>(
    task: &'static Task,
    variant_idx: usize,
    device: &Device,
    operands: Operands<'_, '_, '_, T>,
) -> Result<(), Error> {
    operands.check(task, device)?;
    launch_checked(task, variant(task, variant_idx)?, "asked for by the caller", device, operands)
}

/// The variant with this index.
pub(crate) fn variant(task: &'static Task, variant_idx: usize) -> Result<&'static Variant, Error> {
    task.variants.get(variant_idx).ok_or(Error::VariantOutOfRange {
        kernel: task.symbol,
        given: variant_idx,
        n_variants: task.variants.len(),
    })
}

fn launch_checked<T: Real>(
    task: &'static Task,
    variant: &'static Variant,
    reason: &str,
    device: &Device,
    operands: Operands<'_, '_, '_, T>,
) -> Result<(), Error> {
    let n_problems = operands.n_problems();
    check_limits(task, variant, device.target(), &device.inner.backend.limits(), n_problems as u64)?;
    if n_problems == 0 {
        return Ok(());
    }
    tracing::debug!(kernel = variant.symbol, device = device.name(), n_problems, reason, "launch");
    match &device.inner.backend {
        Backend::Host => launch_host(task, variant, operands),
        #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
        Backend::Cuda(context) => {
            use crate::cuda::ScalarBits;
            use crate::storage::Storage;
            let buffers = operands.buffers(Storage::cuda, Storage::cuda)?;
            let scalars: Vec<_> = operands.scalars.iter().map(ScalarBits::of).collect();
            // The limits bound the number of problems.
            context.launch(task, variant, &buffers, n_problems as u32, &scalars)
        }
        #[cfg(feature = "wgpu")]
        Backend::Wgpu(context) => {
            use crate::storage::Storage;
            let buffers = operands.buffers(Storage::wgpu, Storage::wgpu)?;
            let mut arguments = crate::wgpu30::Arguments::default();
            arguments[0] = n_problems as u32;
            for (argument, scalar) in arguments[1..].iter_mut().zip(operands.scalars) {
                // Batches on wgpu hold 32-bit elements, as every constructor checks.
                *argument = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(scalar)[..4]);
            }
            context.launch(task, variant, &buffers, &arguments)
        }
    }
}

fn launch_host<T: Real>(
    task: &'static Task,
    variant: &'static Variant,
    operands: Operands<'_, '_, '_, T>,
) -> Result<(), Error> {
    let Some(entry) = T::host_entry(&variant.code) else {
        let message = format!("a host variant of another type than {}", task.dtype);
        return Err(Error::MalformedTask { kernel: variant.symbol, message });
    };
    let n_problems = operands.n_problems();
    let Operands { inputs, word_inputs, outputs, words, scalars } = operands;
    let inputs = inputs
        .iter()
        .map(|batch| Ok(host::Input { data: batch.host()?.as_slice(), elements: batch.elements }))
        .collect::<Result<_, Error>>()?;
    let word_inputs = word_inputs
        .iter()
        .map(|batch| Ok(host::Input { data: batch.host()?.as_slice(), elements: batch.elements }))
        .collect::<Result<_, Error>>()?;
    let outputs = outputs
        .iter_mut()
        .zip(task.outputs())
        .map(|(batch, operand)| {
            let buffer = batch.storage.host_mut().ok_or_else(|| foreign(Target::Host))?;
            let is_read = operand.access == Access::InOut;
            Ok(host::Output { data: buffer.as_mut_slice(), elements: batch.elements, is_read })
        })
        .collect::<Result<_, Error>>()?;
    let words = words
        .iter_mut()
        .map(|batch| {
            let buffer = batch.storage.host_mut().ok_or_else(|| foreign(Target::Host))?;
            Ok(host::Words { data: buffer.as_mut_slice(), count: batch.elements })
        })
        .collect::<Result<_, Error>>()?;
    let layout = task.layout;
    entry(&mut host::Args { inputs, word_inputs, outputs, words, n_problems, layout, scalars });
    Ok(())
}
