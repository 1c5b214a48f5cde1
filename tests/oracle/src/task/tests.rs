//! Every task: the twin stays inside its own bounds, keeps what it must not write, and the check sees any change.

use super::*;

/// Sizes at and around lane counts.
pub(crate) const LENGTHS: [usize; 16] = [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65];

fn tasks() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for n in LENGTHS {
        tasks.extend(ReductionKind::ALL.map(|kind| Reduction { kind, n }.into()));
    }
    tasks.extend([
        Gemv::new(7, 14).into(),
        Gemm::new(3, 4, 5).into(),
        Ger { m: 4, n: 9, epilogue: Default::default() }.into(),
    ]);
    tasks
}

fn stays_inside<T: Real>(task: &Task) {
    for pick in 0..task.n_scalar_values() {
        let scalars = task.scalar_values::<T>(pick);
        for (idx, before) in task.batch::<T>(6, &scalars).iter().enumerate() {
            for form in
                [Form::Serial, Form::Reduced { lanes_per_output: 4 }, Form::Reduced { lanes_per_output: 32 }]
            {
                let after = task.result(form, before);
                let checked = task.check(form, before, &after, Arithmetic::Ieee);
                checked.unwrap_or_else(|e| {
                    panic!("{task:?}, {form:?}, problem {idx}: {e}\n{before:?}\n{after:?}")
                });
            }
        }
    }
}

#[test]
fn the_twins_stay_inside() {
    for task in tasks() {
        stays_inside::<f32>(&task);
        stays_inside::<f64>(&task);
    }
}
