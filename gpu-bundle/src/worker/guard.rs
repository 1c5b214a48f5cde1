//! One launch at raw addresses, every operand between two guard zones.

use super::cases::{self, Case, Operands};
use crate::cuda::Gpu;
use crate::cuda::arena::{ALIGNMENT, Arena};
use crate::cuda::module::{Geometry, Module};
use crate::kernel_id::Generated;
use glass_oracle::{Alpha, Beta, Real, bits};
use glass_rt::Element;

const N_PROBLEMS: usize = 3 * 32 + 5;
const GUARD: u64 = 4 * ALIGNMENT;
/// A byte whose repetition is a NaN in either element type, so that reading a guard shows too.
const GUARD_BYTE: u8 = 0xff;

/// Launches once and compares results, inputs and guards.
pub(super) fn check<T: Element + Real>(
    gpu: &Gpu,
    module: &Module,
    generated: &Generated,
) -> Result<(), String> {
    let contraction = generated.spec.contraction();
    let (alpha, beta) = (T::from_f64(0.7), T::from_f64(-1.0));
    let case = Case {
        n_problems: N_PROBLEMS,
        alpha: match contraction.alpha {
            glass_codegen::spec::Alpha::One => Alpha::One,
            glass_codegen::spec::Alpha::Runtime => Alpha::Runtime(alpha),
        },
        beta: match contraction.beta {
            glass_codegen::spec::Beta::Zero => Beta::Zero,
            glass_codegen::spec::Beta::One => Beta::One,
            glass_codegen::spec::Beta::Runtime => Beta::Runtime(beta),
        },
        shares_inputs: false,
    };
    let contraction = case.contraction(generated);
    let operands = Operands::new(generated, &contraction, &case);
    let stored = operands.stored(generated.layout);

    let mut images = Vec::new();
    let mut offsets = [0; 3];
    let mut end = 0u64;
    for (operand, offset) in [&stored.a, &stored.b, &stored.c].into_iter().zip(&mut offsets) {
        *offset = (end + GUARD).next_multiple_of(ALIGNMENT);
        let bytes: &[u8] = bytemuck::cast_slice(operand);
        end = *offset + bytes.len() as u64;
        images.push(bytes);
    }
    let n_bytes = end + GUARD;
    let arena = Arena::new(n_bytes)?;
    arena.set(0, n_bytes as usize, GUARD_BYTE)?;
    for (image, offset) in images.iter().zip(offsets) {
        arena.write(offset, image)?;
    }
    let geometry = Geometry::new(generated, N_PROBLEMS as u64)?.with_scalars(alpha.to_f64(), beta.to_f64());
    gpu.launch(module, &geometry, &offsets.map(|offset| arena.address() + offset))?;
    gpu.synchronize()?;

    let after = arena.read(0, n_bytes as usize)?;
    let mut guarded = after.clone();
    for (image, offset) in images.iter().zip(offsets) {
        guarded[offset as usize..][..image.len()].fill(GUARD_BYTE);
    }
    if let Some(at) = guarded.iter().position(|byte| *byte != GUARD_BYTE) {
        return Err(format!("guard byte {at} of {n_bytes} was written; operands at {offsets:?}"));
    }
    for (input_idx, name) in ["a", "b"].into_iter().enumerate() {
        if after[offsets[input_idx] as usize..][..images[input_idx].len()] != *images[input_idx] {
            return Err(format!("guarded launch: input {name} changed"));
        }
    }
    let raw: Vec<T> = bytemuck::pod_collect_to_vec(&after[offsets[2] as usize..][..images[2].len()]);
    let elements = operands.elements[2];
    cases::padding_unchanged(generated.layout, &stored.c, &raw, elements, N_PROBLEMS)?;
    let actual = cases::unstored(generated.layout, &raw, elements, N_PROBLEMS);
    bits::compare(&operands.expected(&contraction), &actual, elements)
        .map_err(|difference| format!("guarded launch: {difference}"))
}
