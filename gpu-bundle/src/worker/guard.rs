//! One launch at raw addresses, every operand between two guard zones.

use crate::cuda::Gpu;
use crate::cuda::arena::{ALIGNMENT, Arena};
use crate::cuda::module::{Geometry, Module};
use crate::kernel_id::Generated;
use glass_codegen::spec::{Element, Layout, Role};
use glass_oracle::{Case, layout};

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
    let images = images(generated, &before);
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
    for (idx, operand) in generated.spec.arguments().iter().enumerate() {
        if operand.role == Role::In && written(idx) != images[idx] {
            return Err(format!("guarded launch: input {} changed", operand.name));
        }
    }
    if !generated.promises_bits() {
        return Ok(());
    }
    let expected: Vec<Case<T>> = before.iter().map(|case| task.result(generated.form(), case)).collect();
    let expected = self::images(generated, &expected);
    for (idx, operand) in generated.spec.arguments().iter().enumerate() {
        let same = match operand.element {
            Element::Word => written(idx) == expected[idx],
            // All NaNs are alike, also those of padding.
            Element::Real => {
                let numbers = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
                let (expected, actual) = (numbers(&expected[idx]), numbers(written(idx)));
                glass_oracle::bits::compare(&expected, &actual, operand.elements()).is_ok()
            }
        };
        if !same {
            return Err(format!("guarded launch: `{}` has other bits", operand.name));
        }
    }
    Ok(())
}

/// The arguments of a batch as they lie in memory; padding is NaN.
fn images<T: glass_rt::Real + glass_oracle::Real>(generated: &Generated, cases: &[Case<T>]) -> Vec<Vec<u8>> {
    let (mut n_inputs, mut n_outputs, mut n_words) = (0, 0, 0);
    let image = |operand: &glass_codegen::spec::Operand| {
        if operand.element == Element::Word {
            n_words += 1;
            let words: Vec<u32> = cases.iter().flat_map(|case| &case.words[n_words - 1]).copied().collect();
            return bytemuck::cast_slice(&words).to_vec();
        }
        let numbers: Vec<T> = if operand.role == Role::In {
            n_inputs += 1;
            cases.iter().flat_map(|case| &case.inputs[n_inputs - 1]).copied().collect()
        } else {
            n_outputs += 1;
            cases.iter().flat_map(|case| &case.outputs[n_outputs - 1]).copied().collect()
        };
        let stored = match generated.layout {
            Layout::Contiguous => numbers,
            Layout::Interleaved => {
                layout::interleave(&numbers, operand.elements(), <T as glass_oracle::Real>::NAN)
            }
        };
        bytemuck::cast_slice(&stored).to_vec()
    };
    generated.spec.arguments().iter().map(image).collect()
}
