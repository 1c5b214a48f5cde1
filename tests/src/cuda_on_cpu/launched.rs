//! One launch of a batch of the oracle's cases, with everything checked that holds for every op.

use super::{Launch, Process};
use glass_oracle::bound::Arithmetic;
use glass_oracle::image::{images, position, values};
use glass_oracle::{Case, Element, Form, Real, Role, Task, bits, layout};

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Entry point.
    pub symbol: String,
    /// Tiles of 32 problems instead of problem after problem.
    pub is_interleaved: bool,
    /// Threads of a block.
    pub n_threads: usize,
    /// Problems that a block serves.
    pub problems_per_block: usize,
    /// Dynamic shared memory.
    pub shared_bytes: usize,
}

/// What a result must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contract {
    /// The oracle's bits.
    Bits,
    /// Within the bounds of the specification.
    Bounds,
}

/// Launches the problems and returns them with what the kernel left in every operand.
///
/// # Errors
/// A fault of the kernel, or bytes that it must not touch: inputs and padding.
pub fn launched<T: Real>(
    process: &mut Process,
    frame: &Frame,
    task: &Task,
    before: &[Case<T>],
) -> Result<Vec<Case<T>>, String> {
    let n_problems = before.len();
    let images = images(task, frame.is_interleaved, before);
    let narrow = |size: usize| u32::try_from(size).expect("a launch of a test is small");
    let launch = Launch {
        symbol: &frame.symbol,
        signature: &signature::<T>(task),
        n_blocks: narrow(n_problems.div_ceil(frame.problems_per_block)),
        n_threads: narrow(frame.n_threads),
        shared_bytes: narrow(frame.shared_bytes),
        n_problems: narrow(n_problems),
        scalars: &before[0].scalars.iter().map(|scalar| scalar.to_pattern()).collect::<Vec<_>>(),
        operands: &images,
    };
    let results = process.run(&launch)?;
    let mut after = before.to_vec();
    let operands = task.operands();
    for (idx, operand) in operands.iter().enumerate() {
        let (name, elements) = (operand.name, operand.elements);
        if operand.role == Role::In && results[idx] != images[idx] {
            return Err(format!("input `{name}` changed"));
        }
        if operand.element == Element::Word {
            let words: Vec<_> = results[idx].chunks_exact(4).map(word).collect();
            for (case, words) in after.iter_mut().zip(words.chunks_exact(elements)) {
                case.words[position(&operands, idx)] = words.to_vec();
            }
            continue;
        }
        let raw = values::<T>(&results[idx]);
        if frame.is_interleaved {
            let padding = |stored: &[T]| layout::padding(stored, elements, n_problems);
            bits::unchanged(&padding(&values(&images[idx])), &padding(&raw), elements)
                .map_err(|difference| format!("the padding of `{name}` changed: {difference}"))?;
        }
        let values =
            if frame.is_interleaved { layout::deinterleave(&raw, elements, n_problems) } else { raw };
        if operand.role != Role::In {
            for (case, values) in after.iter_mut().zip(values.chunks_exact(elements)) {
                case.outputs[position(&operands, idx)] = values.to_vec();
            }
        }
    }
    Ok(after)
}

/// Holds every problem of a launch against the oracle.
///
/// # Errors
/// The first problem that differs, and where.
pub fn judge<T: Real>(
    task: &Task,
    form: Form,
    contract: Contract,
    before: &[Case<T>],
    after: &[Case<T>],
) -> Result<(), String> {
    for (problem_idx, (before, after)) in before.iter().zip(after).enumerate() {
        let at = |fault: String| format!("problem {problem_idx}: {fault}");
        if contract == Contract::Bounds {
            task.check(form, before, after, Arithmetic::Ieee).map_err(at)?;
            continue;
        }
        task.result(form, before).same_results(after).map_err(at)?;
        for (output_idx, (old, new)) in before.outputs.iter().zip(&after.outputs).enumerate() {
            let kept = |element_idx: &usize| !task.is_written(output_idx, *element_idx);
            let changed = |idx: &usize| old[*idx].to_pattern() != new[*idx].to_pattern();
            if let Some(idx) = (0..old.len()).filter(kept).find(changed) {
                return Err(at(format!("output {output_idx}: element {idx} is not the op's and changed")));
            }
        }
    }
    Ok(())
}

/// The parameters that a kernel of the task must have.
fn signature<T: Real>(task: &Task) -> String {
    let is_single = T::HEX_DIGITS == 8;
    let letter = |element, role| match (element, role, is_single) {
        (Element::Word, Role::In, _) => 'u',
        (Element::Word, ..) => 'U',
        (Element::Real, Role::In, true) => 'f',
        (Element::Real, Role::In, false) => 'd',
        (Element::Real, _, true) => 'F',
        (Element::Real, _, false) => 'D',
    };
    let mut signature: String =
        task.operands().iter().map(|operand| letter(operand.element, operand.role)).collect();
    signature.push('n');
    signature.extend(task.scalars().iter().map(|_| if is_single { 's' } else { 't' }));
    signature
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}
