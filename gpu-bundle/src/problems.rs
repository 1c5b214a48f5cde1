//! Valid problems for a timed kernel, and its complete results against the oracle.
//!
//! A pool of distinct problems is repeated over the batch, so that a million positive definite systems need not be
//! drawn; every result is compared all the same.

use crate::kernel_id::Generated;
use glass_oracle::bound::Arithmetic;
use glass_oracle::{Case, Flavour, Form, Role, Task, image};
use glass_rt::Real;

/// Which problems a pool holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pool {
    /// Distinct problems; a multiple of every tile, so that repeated tiles are whole.
    pub(crate) n_problems: usize,
    /// Number of the first draw: pools of other numbers hold other problems.
    pub(crate) first: u64,
    /// Kinds of numbers, problem after problem in turn.
    pub(crate) flavours: &'static [Flavour],
}

impl Pool {
    /// What the project's own figures are measured on.
    pub(crate) const BENCH: Pool = Pool { n_problems: 2048, first: 0, flavours: &[Flavour::Mixed] };
}

/// The pool before a launch, and what a launch has to make of it.
pub(crate) struct Problems<T> {
    pub(crate) task: Task,
    form: Form,
    pub(crate) cases: Vec<Case<T>>,
    pub(crate) results: Vec<Case<T>>,
    /// The pool's part of every argument before a launch.
    pub(crate) before: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
}

impl<T: Real + glass_oracle::Real> Problems<T> {
    /// Problems under given scalars. The draw depends on the task alone, so all its kernels get the same.
    pub(crate) fn new(generated: &Generated, scalars: &[f64], pool: Pool) -> Problems<T> {
        let (task, form) = (generated.task(), generated.form());
        let scalars: Vec<T> =
            scalars.iter().map(|scalar| <T as glass_oracle::Real>::from_f64(*scalar)).collect();
        let cases: Vec<Case<T>> = (0..pool.n_problems)
            .zip(pool.flavours.iter().cycle())
            .map(|(idx, flavour)| task.case(pool.first + idx as u64, *flavour, &scalars))
            .collect();
        let results: Vec<Case<T>> = cases.iter().map(|case| task.result(form, case)).collect();
        let images = |cases: &[Case<T>]| image::images(&task, generated.is_interleaved(), cases);
        Problems { before: images(&cases), expected: images(&results), cases, results, task, form }
    }

    /// Compares one argument of a repeated batch, as stored.
    ///
    /// # Errors
    /// Where and how it differs.
    pub(crate) fn compare(&self, argument_idx: usize, bytes: &[u8]) -> Result<(), String> {
        let operand = &self.task.operands()[argument_idx];
        if operand.role == Role::In {
            return Ok(());
        }
        let expected = &self.expected[argument_idx];
        for (repeat, part) in bytes.chunks(expected.len()).enumerate() {
            image::compare::<T>(operand, &expected[..part.len()], part).map_err(|reason| {
                format!("`{}`, problems from {}: {reason}", operand.name, repeat * self.cases.len())
            })?;
        }
        Ok(())
    }

    /// Holds the results of the pool against exact ones.
    ///
    /// # Errors
    /// The worst excess.
    pub(crate) fn bounded(&self, output: &[T]) -> Result<(), String> {
        let elements = self.cases[0].outputs[0].len();
        for (before, output) in self.cases.iter().zip(output.chunks_exact(elements)) {
            let after = Case { outputs: vec![output.to_vec()], ..before.clone() };
            self.task.check(self.form, before, &after, Arithmetic::Wgsl)?;
        }
        Ok(())
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
            let problems = Problems::<f32>::new(&generated, &[], Pool::BENCH);
            for (argument_idx, operand) in generated.task().operands().iter().enumerate() {
                let one = problems.expected[argument_idx].as_slice();
                let mut repeated = [one, one, &one[..one.len() / 2]].concat();
                assert_eq!(problems.compare(argument_idx, &repeated), Ok(()));
                *repeated.last_mut().unwrap() ^= 0x40;
                let is_found = problems.compare(argument_idx, &repeated).is_err();
                assert_eq!(is_found, operand.role != Role::In, "{key} {}", operand.name);
            }
        }
    }
}
