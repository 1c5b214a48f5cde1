//! Valid problems for a timed kernel, and its complete results against the oracle.
//!
//! A pool of distinct problems is repeated over the batch, so that a million positive definite systems need not be
//! drawn; every result is compared all the same.

use crate::kernel_id::Generated;
use glass_codegen::spec::{Element, Layout, Operand, Role};
use glass_oracle::bound::Arithmetic;
use glass_oracle::{Case, Flavour, bits, layout};
use glass_rt::Real;

/// Distinct problems; a multiple of every tile, so that repeated tiles are whole.
pub(super) const POOL: usize = 2048;

/// The pool before a launch, and what a launch has to make of it.
pub(super) struct Problems<T> {
    before: Vec<Case<T>>,
    expected: Vec<Case<T>>,
}

impl<T: Real + glass_oracle::Real> Problems<T> {
    /// Problems under given scalars. The draw depends on the task alone, so all its kernels get the same.
    pub(super) fn new(generated: &Generated, scalars: &[f64]) -> Problems<T> {
        let (task, form) = (generated.task(), generated.form());
        let scalars: Vec<T> =
            scalars.iter().map(|scalar| <T as glass_oracle::Real>::from_f64(*scalar)).collect();
        let before: Vec<Case<T>> =
            (0..POOL).map(|idx| task.case(idx as u64, Flavour::Mixed, &scalars)).collect();
        let expected = before.iter().map(|case| task.result(form, case)).collect();
        Problems { before, expected }
    }

    /// The bytes of the pool's part of an argument before a launch.
    pub(super) fn image(&self, generated: &Generated, argument_idx: usize) -> Vec<u8> {
        let operand = &generated.spec.arguments()[argument_idx];
        match operand.element {
            Element::Word => {
                bytemuck::cast_slice(&self.words(generated, argument_idx, &self.before)).to_vec()
            }
            Element::Real => {
                let numbers = numbers(generated, argument_idx, &self.before);
                bytemuck::cast_slice(&stored(generated.layout, operand, numbers)).to_vec()
            }
        }
    }

    /// Compares one argument of a repeated batch, as stored.
    ///
    /// # Errors
    /// Where and how it differs.
    pub(super) fn compare(
        &self,
        generated: &Generated,
        argument_idx: usize,
        bytes: &[u8],
    ) -> Result<(), String> {
        let operand = &generated.spec.arguments()[argument_idx];
        if operand.role == Role::In {
            return Ok(());
        }
        let expected: Vec<u8> = match operand.element {
            Element::Word => {
                bytemuck::cast_slice(&self.words(generated, argument_idx, &self.expected)).to_vec()
            }
            Element::Real => {
                let numbers = numbers(generated, argument_idx, &self.expected);
                bytemuck::cast_slice(&stored(generated.layout, operand, numbers)).to_vec()
            }
        };
        for (repeat, part) in bytes.chunks(expected.len()).enumerate() {
            let expected = &expected[..part.len()];
            if part == expected {
                continue;
            }
            let located =
                |what: String| format!("`{}`, problems from {}: {what}", operand.name, repeat * POOL);
            if operand.element == Element::Word {
                return Err(located("other words".into()));
            }
            let values = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
            bits::compare(&values(expected), &values(part), operand.elements())
                .map_err(|difference| located(difference.to_string()))?;
        }
        Ok(())
    }

    /// Holds the results of the pool against exact ones.
    ///
    /// # Errors
    /// The worst excess.
    pub(super) fn bounded(&self, generated: &Generated, output: &[T]) -> Result<(), String> {
        let (task, form) = (generated.task(), generated.form());
        let elements = self.before[0].outputs[0].len();
        for (before, output) in self.before.iter().zip(output.chunks_exact(elements)) {
            let after = Case { outputs: vec![output.to_vec()], ..before.clone() };
            task.check(form, before, &after, Arithmetic::Wgsl)?;
        }
        Ok(())
    }

    fn words(&self, generated: &Generated, argument_idx: usize, cases: &[Case<T>]) -> Vec<u32> {
        let before = &generated.spec.arguments()[..argument_idx];
        let word_idx = before.iter().filter(|operand| operand.element == Element::Word).count();
        cases.iter().flat_map(|case| &case.words[word_idx]).copied().collect()
    }
}

fn numbers<T: Real>(generated: &Generated, argument_idx: usize, cases: &[Case<T>]) -> Vec<T> {
    let arguments = generated.spec.arguments();
    let is_input = arguments[argument_idx].role == Role::In;
    let is_alike =
        |operand: &&Operand| operand.element == Element::Real && (operand.role == Role::In) == is_input;
    let idx = arguments[..argument_idx].iter().filter(is_alike).count();
    let arrays = |case: &Case<T>| if is_input { case.inputs[idx].clone() } else { case.outputs[idx].clone() };
    cases.iter().flat_map(arrays).collect()
}

fn stored<T: glass_oracle::Real>(layout: Layout, operand: &Operand, numbers: Vec<T>) -> Vec<T> {
    match layout {
        Layout::Contiguous => numbers,
        Layout::Interleaved => layout::interleave(&numbers, operand.elements(), T::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_id::KernelId;

    #[test]
    fn one_wrong_output_among_many_is_found() {
        for key in ["glass_posv_f32_n7 contiguous", "glass_posv_f32_n7 interleaved"] {
            let id = KernelId {
                key: key.into(),
                target: "cuda".into(),
                mapping: "warp serial direct t128".into(),
            };
            let generated = id.generate().unwrap();
            let problems = Problems::<f32>::new(&generated, &[]);
            let results = Problems { before: problems.expected.clone(), expected: problems.expected.clone() };
            for (argument_idx, operand) in generated.spec.arguments().iter().enumerate() {
                let one = results.image(&generated, argument_idx);
                let mut repeated = [one.as_slice(), &one, &one[..one.len() / 2]].concat();
                assert_eq!(problems.compare(&generated, argument_idx, &repeated), Ok(()));
                *repeated.last_mut().unwrap() ^= 0x40;
                let is_found = problems.compare(&generated, argument_idx, &repeated).is_err();
                assert_eq!(is_found, operand.role != Role::In, "{key} {}", operand.name);
            }
        }
    }
}
