//! Operands of a batch as they lie in memory: the bytes of either layout, in the order of the task's operands.

use crate::case::{Case, Element, Operand, Role, poison};
use crate::real::Real;
use crate::task::Task;
use crate::{bits, layout};

/// The bytes of every operand of a batch; padding of interleaved operands is poison.
///
/// Words lie problem after problem in either layout.
pub fn images<T: Real>(task: &Task, is_interleaved: bool, cases: &[Case<T>]) -> Vec<Vec<u8>> {
    let operands = task.operands();
    let stored = |elements: usize, numbers: Vec<T>| {
        bytes(&if is_interleaved { layout::interleave(&numbers, elements, poison(0)) } else { numbers })
    };
    let image = |(operand_idx, operand): (usize, &Operand)| {
        let (at, elements) = (position(&operands, operand_idx), operand.elements);
        match (operand.element, operand.role) {
            (Element::Word, _) => {
                let words = cases.iter().flat_map(|case| &case.words[at]);
                words.flat_map(|word| word.to_le_bytes()).collect()
            }
            (Element::Real, Role::In) => {
                stored(elements, cases.iter().flat_map(|case| &case.inputs[at]).copied().collect())
            }
            (Element::Real, _) => {
                stored(elements, cases.iter().flat_map(|case| &case.outputs[at]).copied().collect())
            }
        }
    };
    operands.iter().enumerate().map(image).collect()
}

/// Position of an operand among the arrays of its kind in a case.
pub fn position(operands: &[Operand], operand_idx: usize) -> usize {
    // Words that are read and words that are written are in one list.
    let kind =
        |operand: &Operand| (operand.element, operand.element == Element::Real && operand.role == Role::In);
    let own = kind(&operands[operand_idx]);
    operands[..operand_idx].iter().filter(|operand| kind(operand) == own).count()
}

/// The same bytes of an operand, all NaNs alike.
///
/// # Errors
/// Where and how numbers differ, or that words do.
pub fn compare<T: Real>(operand: &Operand, expected: &[u8], actual: &[u8]) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    match operand.element {
        Element::Word => Err("other words".into()),
        Element::Real => bits::compare::<T>(&values(expected), &values(actual), operand.elements)
            .map_err(|difference| difference.to_string()),
    }
}

/// The bytes of numbers.
pub fn bytes<T: Real>(values: &[T]) -> Vec<u8> {
    let size = T::HEX_DIGITS / 2;
    values.iter().flat_map(|value| value.to_pattern().to_le_bytes().into_iter().take(size)).collect()
}

/// The numbers of bytes.
pub fn values<T: Real>(bytes: &[u8]) -> Vec<T> {
    let value = |chunk: &[u8]| {
        let mut pattern = [0; 8];
        pattern[..chunk.len()].copy_from_slice(chunk);
        T::from_pattern(u64::from_le_bytes(pattern))
    };
    bytes.chunks_exact(T::HEX_DIGITS / 2).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GemmBatchedIndexed, Posv};

    #[test]
    fn every_operand_of_a_batch_lies_where_its_layout_says() {
        lies(&Posv { nrhs: 2, ..Posv::new(3) }.into());
        // Words that are read beside words that are written.
        lies(&GemmBatchedIndexed::new(2, 3, [2, 1, 3]).into());
    }

    fn lies(task: &Task) {
        let cases = task.batch::<f32>(33, &task.scalar_values(0));
        let operands = task.operands();
        let (contiguous, interleaved) = (images(task, false, &cases), images(task, true, &cases));
        for (idx, operand) in operands.iter().enumerate() {
            let at = position(&operands, idx);
            if operand.element == Element::Word {
                let all = cases.iter().flat_map(|case| &case.words[at]);
                let words: Vec<u8> = all.flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(words.len(), 4 * operand.elements * cases.len(), "{}", operand.name);
                assert_eq!([&contiguous[idx], &interleaved[idx]], [&words, &words], "{}", operand.name);
                continue;
            }
            let (plain, tiled) = (values::<f32>(&contiguous[idx]), values::<f32>(&interleaved[idx]));
            for (case_idx, case) in cases.iter().enumerate() {
                let numbers = if operand.role == Role::In { &case.inputs[at] } else { &case.outputs[at] };
                for (element_idx, number) in numbers.iter().enumerate() {
                    let plain = plain[layout::contiguous_offset(case_idx, element_idx, operand.elements)];
                    let tiled = tiled[layout::interleaved_offset(case_idx, element_idx, operand.elements)];
                    assert_eq!([plain.to_bits(), tiled.to_bits()], [number.to_bits(); 2], "{}", operand.name);
                }
            }
            let padding = layout::padding(&tiled, operand.elements, cases.len());
            assert!(padding.iter().all(|slot| slot.to_bits() == poison::<f32>(0).to_bits()));
        }
    }
}
