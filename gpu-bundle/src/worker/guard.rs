//! One launch at raw addresses, every operand between two guard zones.

use crate::cuda::Gpu;
use crate::cuda::arena::{ALIGNMENT, Arena};
use crate::cuda::module::{Geometry, Module};
use crate::kernel_id::Generated;
use glass_oracle::{Case, Role, image};

const N_PROBLEMS: usize = 3 * 32 + 5;
const GUARD: u64 = 4 * ALIGNMENT;
/// A byte whose repetition is a NaN in either element type, so that reading a guard shows too.
const GUARD_BYTE: u8 = 0xff;

/// Launches once and compares results, inputs and guards.
pub(super) fn check<T: glass_rt::Real + glass_oracle::Real>(
    gpu: &Gpu,
    module: &Module,
    generated: &Generated,
) -> Result<(), String> {
    let task = generated.task();
    let scalars = task.scalar_values::<T>(0);
    let before = task.batch::<T>(N_PROBLEMS, &scalars);
    let images = image::images(&task, generated.is_interleaved(), &before);
    let mut end = 0u64;
    let offsets: Vec<u64> = images
        .iter()
        .map(|image| {
            let offset = (end + GUARD).next_multiple_of(ALIGNMENT);
            end = offset + image.len() as u64;
            offset
        })
        .collect();
    let n_bytes = end + GUARD;
    let arena = Arena::new(n_bytes)?;
    arena.set(0, n_bytes as usize, GUARD_BYTE)?;
    for (image, offset) in images.iter().zip(&offsets) {
        arena.write(*offset, image)?;
    }
    let scalars: Vec<f64> = scalars.iter().map(|scalar| glass_oracle::Real::to_f64(*scalar)).collect();
    let geometry = Geometry::new(generated, N_PROBLEMS as u64)?.with_scalars(scalars);
    let addresses: Vec<u64> = offsets.iter().map(|offset| arena.address() + offset).collect();
    gpu.launch(module, &geometry, &addresses)?;
    gpu.synchronize()?;

    let bytes = arena.read(0, n_bytes as usize)?;
    let mut guarded = bytes.clone();
    for (image, offset) in images.iter().zip(&offsets) {
        guarded[*offset as usize..][..image.len()].fill(GUARD_BYTE);
    }
    if let Some(at) = guarded.iter().position(|byte| *byte != GUARD_BYTE) {
        return Err(format!("guard byte {at} of {n_bytes} was written; operands at {offsets:?}"));
    }
    let written = |idx: usize| &bytes[offsets[idx] as usize..][..images[idx].len()];
    let operands = task.operands();
    let name = |idx: usize| generated.spec.arguments()[idx].name;
    for (idx, operand) in operands.iter().enumerate() {
        if operand.role == Role::In && written(idx) != images[idx] {
            return Err(format!("guarded launch: input {} changed", name(idx)));
        }
    }
    if !task.has_bits() {
        return Ok(());
    }
    let expected: Vec<Case<T>> = before.iter().map(|case| task.result(generated.form(), case)).collect();
    let expected = image::images(&task, generated.is_interleaved(), &expected);
    for (idx, operand) in operands.iter().enumerate() {
        image::compare::<T>(operand, &expected[idx], written(idx))
            .map_err(|reason| format!("guarded launch: `{}`: {reason}", name(idx)))?;
    }
    Ok(())
}
