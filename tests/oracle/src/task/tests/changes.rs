//! A check that cannot fail is none: whatever is changed in a correct result must be seen.

use super::*;

/// Elements of a buffer that are tried: the first, the last and one in between.
fn some(n: usize) -> Vec<usize> {
    let mut at = vec![0, n / 2, n - 1];
    at.dedup();
    at
}

fn is_rejected<T: Real>(task: &Task, form: Form, before: &Case<T>, changed: &Case<T>, what: &str) {
    let checked = task.check(form, before, changed, Arithmetic::Ieee);
    assert!(checked.is_err(), "{task:?}, {form:?}: {what} passed with {checked:?}\n{before:?}\n{changed:?}");
}

/// Results off by half of the largest, and results that are no numbers.
fn wrong_results<T: Real>(tasks: &[Task]) {
    visit::<T>(tasks, |task, form, flavour, before| {
        if flavour != Flavour::Mixed {
            return;
        }
        let after = task.result(form, before);
        for (idx, output) in after.outputs.iter().enumerate() {
            let written = |at: &usize| task.is_written(idx, *at);
            let values = (0..output.len()).filter(written).map(|at| output[at].to_f64().abs());
            let largest = values.fold(0.0, f64::max);
            for at in some(output.len()).into_iter().filter(written) {
                // Where words say what is written, the op may have left poison.
                let number = if output[at].is_nan() { 0.0 } else { output[at].to_f64() };
                for (what, value) in
                    [("a wrong number", number + 0.5 * largest.max(T::SMALLEST_NORMAL)), ("a NaN", f64::NAN)]
                {
                    let mut changed = after.clone();
                    changed.outputs[idx][at] = T::from_f64(value);
                    is_rejected(
                        task,
                        form,
                        before,
                        &changed,
                        &format!("{what} in output {idx}, element {at},"),
                    );
                }
            }
        }
    });
}

#[test]
fn wrong_results_are_seen() {
    let tasks: Vec<Task> =
        [reductions(), maps(), elements(), products(), indexed(), fused(), composed(), contractions()]
            .concat();
    wrong_results::<f32>(&tasks);
    wrong_results::<f64>(&tasks);
}

#[test]
fn wrong_factors_and_unknowns_are_seen() {
    wrong_results::<f32>(&[factors(), packed()].concat());
    wrong_results::<f64>(&[factors(), packed()].concat());
}

#[test]
fn wrong_words_are_seen() {
    visit::<f32>(&all(), |task, form, flavour, before| {
        let after = task.result(form, before);
        let names = task.operands().into_iter().filter(|operand| operand.element == Element::Word);
        for (idx, operand) in names.enumerate() {
            let is_count = matches!(operand.name, "inertia" | "pivots");
            // Counts and exchanges of a failed factorisation say nothing that could be held against the matrix.
            if operand.role == Role::In || (is_count && flavour == Flavour::Failing) {
                continue;
            }
            for at in some(operand.elements) {
                let mut changed = after.clone();
                changed.words[idx][at] += 1;
                is_rejected(task, form, before, &changed, "a word one too large");
                if operand.name == "status" && after.words[idx][at] != 0 {
                    changed.words[idx][at] = 0;
                    is_rejected(task, form, before, &changed, "a failure without a status");
                }
            }
        }
    });
}

#[test]
fn writes_out_of_place_are_seen() {
    let mut n_unwritten = 0;
    visit::<f32>(&all(), |task, form, flavour, before| {
        if flavour != Flavour::Mixed {
            return;
        }
        let after = task.result(form, before);
        for idx in 0..after.inputs.len() {
            let mut changed = after.clone();
            let at = changed.inputs[idx].len() / 2;
            changed.inputs[idx][at] = f32::from_bits(changed.inputs[idx][at].to_bits() ^ 1);
            is_rejected(task, form, before, &changed, "a changed input");
        }
        for idx in 0..after.outputs.len() {
            let unwritten = (0..after.outputs[idx].len()).find(|&at| !task.is_written(idx, at));
            if let Some(at) = unwritten {
                n_unwritten += 1;
                let mut changed = after.clone();
                changed.outputs[idx][at] = f32::from_bits(changed.outputs[idx][at].to_bits() ^ 1);
                is_rejected(task, form, before, &changed, "a write outside the result");
            }
        }
    });
    assert!(n_unwritten > 50, "{n_unwritten} buffers with elements that are not the op's");
}

#[test]
fn one_unit_in_the_last_place_of_a_map_is_seen() {
    visit::<f64>(&maps(), |task, form, flavour, before| {
        if flavour != Flavour::Mixed || matches!(task, Task::Rotg(_)) {
            return;
        }
        let after = task.result(form, before);
        for idx in 0..after.outputs.len() {
            let Some(at) = (0..after.outputs[idx].len()).find(|&at| task.is_written(idx, at)) else {
                continue;
            };
            let mut changed = after.clone();
            changed.outputs[idx][at] = f64::from_bits(changed.outputs[idx][at].to_bits() ^ 1);
            is_rejected(task, form, before, &changed, "a last bit");
        }
    });
}

#[test]
fn a_beta_that_is_ignored_is_seen() {
    for added in [
        chain(true, Epilogue::ADDED).into(),
        Task::from(Congruence { epilogue: Epilogue::ADDED, ..Congruence::sym(9, 4) }),
    ] {
        let before = added.case::<f64>(3, Flavour::Mixed, &[]);
        let plain = match &added {
            Task::Contract(op) => Task::from(Contract { epilogue: Epilogue::default(), ..op.clone() }),
            Task::Congruence(op) => Task::from(Congruence { epilogue: Epilogue::default(), ..*op }),
            other => panic!("{other:?}"),
        };
        let after = plain.result(Form::Serial, &before);
        is_rejected(&added, Form::Serial, &before, &after, "a forgotten old value");
    }
}

#[test]
fn the_bounds_are_near_what_correct_ops_reach() {
    // Per family the largest share of the bound that any case uses: none is an empty promise.
    let families: [(&str, Vec<Task>, f64); 5] = [
        ("reductions", reductions(), 0.1),
        ("products", products(), 0.1),
        ("fused families", fused(), 0.05),
        ("factors and solves", factors(), 0.1),
        ("composed ops", composed(), 0.005),
    ];
    for (name, tasks, least) in families {
        let mut worst = 0.0f64;
        visit::<f32>(&tasks, |task, form, _, before| {
            let after = task.result(form, before);
            let ratio = task.check(form, before, &after, Arithmetic::Ieee).expect("a correct result");
            worst = worst.max(ratio);
        });
        assert!(worst > least, "{name}: worst ratio {worst}");
    }
}
