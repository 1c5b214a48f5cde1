//! Cases that break implementations which pass easy ones.

use super::*;

fn runs_inside<T: Real>(task: &Task, form: Form) {
    for pick in 0..task.n_scalar_values().min(6) {
        for before in task.batch::<T>(6, &task.scalar_values(pick)) {
            let checked = task.check(form, &before, &task.result(form, &before), Arithmetic::Ieee);
            checked.unwrap_or_else(|e| panic!("{task:?}, {form:?}: {e}"));
        }
    }
}

fn both(task: impl Into<Task>, forms: &[Form]) {
    let task = task.into();
    for &form in forms {
        runs_inside::<f32>(&task, form);
        runs_inside::<f64>(&task, form);
    }
}

const TREE: Form = Form::Reduced { lanes_per_output: 32 };

#[test]
fn sums_around_the_number_of_lanes() {
    both(Gemm::new(2, 2, 33), &[TREE]);
    both(Gemm::new(4, 4, 64), &[TREE]);
    for trans in [false, true] {
        both(Gemv { trans, ..Gemv::new(5, 33) }, &FORMS);
        both(Gemv { trans, ..Gemv::new(33, 5) }, &FORMS);
    }
    for axis in [Axis::K, Axis::A, Axis::B] {
        for length in [33, 64] {
            let mut sizes = [2, 3, 4];
            sizes[axis as usize] = length;
            both(TensorVecContract::new(sizes[0], sizes[1], sizes[2], axis), &FORMS);
        }
    }
    both(Congruence::sym(33, 5), &[TREE]);
    both(Congruence::bilinear(14, 7, 21), &FORMS);
}

#[test]
fn overlapping_segments_with_and_without_an_addition() {
    for (fuse, epilogue) in [
        (false, Epilogue::ADDED),
        (true, Epilogue::ADDED),
        (true, Epilogue::RUNTIME),
        (false, Epilogue::default()),
    ] {
        let task = GemvSegmented { fuse, epilogue, ..GemvSegmented::new(6, 4, 20, [60, 11, 13]) };
        both(task, &[Form::Serial]);
        both(GemvSegmented { trans: true, ..task }, &[Form::Serial]);
    }
}

#[test]
fn empty_lanes_leave_a_positive_zero() {
    let task = Task::from(Gemm::new(1, 1, 1));
    let mut case = task.case::<f32>(0, Flavour::Mixed, &[]);
    // The product rounds to -0.
    case.inputs = vec![vec![-1e-30], vec![1e-30]];
    assert_eq!(task.result(Form::Serial, &case).outputs[0][0].to_bits(), (-0.0f32).to_bits());
    for p in [2, 8, 32] {
        let form = Form::Reduced { lanes_per_output: p };
        assert_eq!(task.result(form, &case).outputs[0][0].to_bits(), 0, "p {p}");
    }
}

#[test]
fn nothing_is_read_that_the_scalars_exclude() {
    let task = Task::from(Gemm { epilogue: Epilogue::RUNTIME, ..Gemm::new(3, 2, 4) });
    let mut case = task.case::<f32>(0, Flavour::Mixed, &[0.0, 1.0]);
    case.inputs.iter_mut().flatten().for_each(|value| *value = f32::MAX);
    let after = task.result(TREE, &case);
    bits::unchanged(&case.outputs[0], &after.outputs[0], 6).expect("the old result");
    let zeroed = task.result(TREE, &task.case::<f32>(0, Flavour::Mixed, &[0.0, 0.0]));
    assert!(zeroed.outputs[0].iter().all(|c| c.to_bits() == 0));
    let overwritten = task.result(TREE, &task.case::<f32>(0, Flavour::Mixed, &[0.7, 0.0]));
    assert!(overwritten.outputs[0].iter().all(|c| c.is_finite()));
}

#[test]
fn asymmetric_old_results_blend_slot_by_slot() {
    let slabs = Slabs { k: 1, a: 2, b: 2, row_major: false };
    let op = TensorVecContract { slabs, axis: Axis::K, symmetric: true, epilogue: Epilogue::ADDED };
    let task = Task::from(op);
    let mut case = task.case::<f64>(0, Flavour::Mixed, &[]);
    case.inputs = vec![vec![10.0], vec![1.0, 2.0, f64::NAN, 3.0]];
    case.outputs[0] = vec![0.0, 100.0, 200.0, 0.0];
    assert_eq!(task.result(Form::Serial, &case).outputs[0], [10.0, 120.0, 220.0, 30.0]);
}

#[test]
fn a_negated_matrix_fails_at_the_first_pivot() {
    for n in 1..=14 {
        let task = Task::from(Potrf::new(n));
        let mut case = task.case::<f32>(0, Flavour::Mixed, &[]);
        case.inputs[0].iter_mut().for_each(|a| *a = -*a);
        let after = task.result(Form::Serial, &case);
        assert_eq!(after.words[0], [1], "n {n}");
        assert!(after.outputs[0][0].is_nan());
        task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("a failure that is one");
    }
}

#[test]
fn columns_before_a_bad_pivot_are_valid_and_the_first_number_stays() {
    let task = Task::from(Potrf::new(6));
    let good = task.case::<f64>(0, Flavour::Mixed, &[]);
    let expected = task.result(Form::Serial, &good);
    for j in 0..6 {
        for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let mut case = good.clone();
            case.inputs[0][j + 6 * j] = value;
            let after = task.result(Form::Serial, &case);
            assert_eq!(after.words[0], [j as u32 + 1], "{value} at {j}");
            assert_eq!(after.outputs[0][..6 * j], expected.outputs[0][..6 * j]);
        }
    }
}

#[test]
fn rank_one_eliminates_exactly() {
    let task = Task::from(Ldlt { inertia: true, ..Ldlt::new(3) });
    let mut case = task.case::<f32>(0, Flavour::Mixed, &[]);
    case.inputs[0] = vec![1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 9.0];
    let after = task.result(Form::Serial, &case);
    assert_eq!(after.words[0], [2]);
    assert_eq!(after.words[1][..2], [1, 0]);
    task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("a failure that is one");
}

#[test]
fn geometric_diagonals_and_many_right_hand_sides() {
    for trans in [false, true] {
        let task = Task::from(Trsm { trans, ..Trsm::new(14, 3) });
        let case = task.case::<f32>(1, Flavour::Hard, &[]);
        assert!((case.inputs[0][0].abs() / case.inputs[0][14 * 14 - 1].abs() - 1e6).abs() < 1.0);
        let after = task.result(Form::Serial, &case);
        task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("within the bound");
    }
    for reg in Reg::ALL {
        both(Posv { reg, nrhs: 14, ..Posv::new(7) }, &[Form::Serial]);
    }
}

#[test]
fn a_relative_shift_cannot_repair_a_zero() {
    for (reg, status) in [(Reg::Shift, 0), (Reg::DiagShift, 1)] {
        let task = Task::from(Posv { reg, ..Posv::new(2) });
        let mut case = task.case::<f64>(0, Flavour::Mixed, &[2.0]);
        case.inputs[0] = vec![0.0, 0.0, f64::NAN, 1.0];
        assert_eq!(task.result(Form::Serial, &case).words[0], [status], "{reg:?}");
    }
}

#[test]
fn gains_of_the_users_sizes() {
    for reg in Reg::ALL {
        both(Riccati { reg, factor: true, ..Riccati::new(14, 7) }, &FORMS[..2]);
    }
    runs_inside::<f32>(&Riccati::new(36, 12).into(), TREE);
}

#[test]
fn inverses_of_ill_conditioned_matrices() {
    for n in [6, 12, 14, 21] {
        let task = Task::from(Inv::new(n));
        for seed in 0..8 {
            let case = task.case::<f32>(seed, Flavour::Hard, &[]);
            let after = task.result(Form::Serial, &case);
            task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("within the bound");
        }
    }
}

/// Entries that elimination without exchanges would divide by.
#[test]
fn pivoted_inverses_survive_small_leading_entries() {
    for leading in [1e-7, 0.0] {
        for n in [2, 3, 7, 14] {
            let task = Task::from(Inv { pivoted: true, ..Inv::new(n) });
            for seed in 0..8 {
                let mut case = task.case::<f32>(seed, Flavour::Mixed, &[]);
                case.inputs[0][0] = leading;
                let after = task.result(Form::Serial, &case);
                assert_eq!(after.words[0], [0]);
                task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("within the bound");
            }
        }
    }
}

#[test]
fn cases_are_the_same_in_every_run_and_differ_between_problems() {
    let task = Task::from(Posv::new(7));
    let scalars = task.scalar_values::<f32>(0);
    let (few, many) = (task.batch(3, &scalars), task.batch(40, &scalars));
    for (few, many) in few.iter().zip(&many) {
        bits::unchanged(&few.inputs[0], &many.inputs[0], 49).expect("the numbers of a problem");
    }
    for (idx, case) in many.iter().enumerate() {
        let repeated = many[..idx].iter().any(|other| other.inputs[1] == case.inputs[1]);
        assert!(!repeated, "problem {idx} is repeated");
    }
    // What may not be read is poison: the upper triangle, old results.
    assert!(many[0].inputs[0][7].is_nan() && many[0].outputs[0].iter().all(|x| x.is_nan()));
}
