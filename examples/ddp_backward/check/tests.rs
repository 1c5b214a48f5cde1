use super::*;
use crate::problems::Problems;
use crate::reference;
use std::path::Path;

const PLACES: Sizes = Sizes { nx: 2, nu: 1, n_knots: 2 };

/// Two problems of two knots.
fn answers() -> Answers {
    let numbers = |n: u32| (1..=n).map(f64::from).collect();
    Answers { feedback: numbers(8), feedforward: numbers(4), value: numbers(16) }
}

#[test]
fn every_element_is_looked_at() {
    let (right, expected) = (answers(), [[10.0; 3]; 2]);
    let check = |found: &Answers| {
        Right { sizes: PLACES, answers: &right, expected: &expected }.check(found, Target::Host, DType::F32)
    };
    assert_eq!(check(&right), Ok(Worst::default()));
    for wrong in [1.01, f64::NAN, f64::NEG_INFINITY] {
        for at in 0..16 {
            let mut found = answers();
            found.value[at] *= wrong;
            let error = check(&found).unwrap_err();
            assert_eq!((error.problem_idx, error.knot, error.quantity), (at / 8, at / 4 % 2, "V"));
        }
        let mut found = answers();
        found.feedback[7] *= wrong;
        assert_eq!(check(&found).unwrap_err().quantity, "K");
        let mut found = answers();
        found.feedforward[0] *= wrong;
        assert_eq!(check(&found).unwrap_err().quantity, "k");
    }
}

/// A right answer of zeros has no relative error, and rounding may leave any: other numbers are wrong, zeros are not.
#[test]
fn a_right_answer_of_zeros_is_no_licence() {
    let zeros = Answers { feedforward: vec![0.0; 4], ..answers() };
    let expected = [[10.0, f64::INFINITY, 10.0]; 2];
    let check = |found: &Answers| {
        Right { sizes: PLACES, answers: &zeros, expected: &expected }.check(found, Target::Host, DType::F32)
    };
    assert_eq!(check(&zeros), Ok(Worst::default()));
    assert_eq!(check(&answers()).unwrap_err().quantity, "k");
}

#[test]
fn the_worst_errors_are_reported() {
    let (right, expected) = (answers(), [[10.0; 3]; 2]);
    let mut found = answers();
    found.feedforward[3] *= 1.0 + 1e-6;
    let worst = Right { sizes: PLACES, answers: &right, expected: &expected }
        .check(&found, Target::Host, DType::F32)
        .unwrap();
    assert_eq!((worst.errors[0], worst.errors[2]), (0.0, 0.0));
    assert!((worst.errors[1] / 1e-6 - 1.0).abs() < 1e-9);
    let bound = rounding::margin(12) * (2f64.powi(-24) + 2f64.powi(-53)) * 10.0;
    assert!((worst.fraction * bound / 1e-6 - 1.0).abs() < 1e-9);
}

#[test]
fn the_bound_keeps_a_right_pass_and_finds_a_slightly_wrong_one() {
    // The bound must lie above what the f64 recursion leaves of the file's answers, and below what Fu off by a
    // thousand roundoffs of f32 at one knot does.
    for file in ["talos_arm_ddp.npz", "iris_ddp.npz"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
        let (mut problems, answers) = Problems::read(&path).unwrap();
        let sizes = problems.sizes;
        let expected = rounding::expected(&problems, &answers);
        let right = Right { sizes, answers: &answers, expected: &expected };
        let worst = right.check(&reference::solve(&problems).unwrap(), Target::Host, DType::F64).unwrap();
        println!("{file}: {worst:?}");
        assert!(worst.fraction > 0.05, "the bound is loose: {worst:?}");

        let at = sizes.n_knots - 1;
        for entry in &mut problems.fu[at * sizes.nx * sizes.nu..][..sizes.nx * sizes.nu] {
            *entry *= 1.0 + 1000.0 * f64::from(f32::EPSILON);
        }
        let wrong = reference::solve(&problems).unwrap();
        let found = right.check(&wrong, Target::Host, DType::F32).unwrap_err();
        assert_eq!(found.problem_idx, 0, "{found}");
    }
}
