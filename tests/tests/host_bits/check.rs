//! One task on the host against the oracle.

use glass::{Device, Kernel};
use glass_oracle::{Form, Real, Task};
use glass_tests::launched::{BATCHES, Which, launched};

/// A test a line: name, the oracle's task, form, attribute.
macro_rules! tasks {
    ($($name:ident, $task:expr, $form:expr, $attribute:ident($($fields:tt)*);)*) => { $(
        mod $name {
            #[glass::$attribute($($fields)*)]
            pub(super) struct Task;
        }

        #[test]
        fn $name() {
            check::<$name::Task>($task, $form);
        }
    )* };
}
pub(crate) use tasks;

pub(crate) const fn reduced(lanes_per_output: usize) -> Form {
    Form::Reduced { lanes_per_output }
}

/// Every batch size; every pick of scalars meets one whole and one ragged tile.
pub(crate) fn check<K: Kernel>(task: impl Into<Task>, form: Form)
where
    K::Element: Real,
{
    let device = Device::host();
    let task = task.into();
    for n_problems in BATCHES {
        let n_picks = if n_problems == 33 { task.n_scalar_values() } else { 1 };
        for pick in 0..n_picks {
            let scalars = task.scalar_values::<K::Element>(pick);
            let cases = task.batch(n_problems, &scalars);
            let at = || format!("{}, {n_problems} problems, {scalars:?}", K::TASK.symbol);
            let after = launched(&device, K::TASK, Which::Chosen, &cases, &scalars)
                .unwrap_or_else(|fault| panic!("{}: {fault}", at()));
            for (problem_idx, (before, after)) in cases.iter().zip(&after).enumerate() {
                task.result(form, before)
                    .same_results(after)
                    .unwrap_or_else(|fault| panic!("{}, problem {problem_idx}: {fault}", at()));
                // What is not the op's keeps even the payload of a NaN.
                for (output_idx, (old, new)) in before.outputs.iter().zip(&after.outputs).enumerate() {
                    for element in (0..old.len()).filter(|element| !task.is_written(output_idx, *element)) {
                        let is_kept = old[element].to_pattern() == new[element].to_pattern();
                        assert!(is_kept, "{}, problem {problem_idx}: element {element} changed", at());
                    }
                }
            }
        }
    }
}
