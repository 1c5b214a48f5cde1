use super::*;
use std::path::Path;

fn shipped(file: &str) -> (Problems, Answers) {
    Problems::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file)).unwrap()
}

#[test]
fn without_rounding_the_pass_finds_the_answers() {
    // The tenfold of what the reference leaves: a wrong term would show in the first digits.
    for (file, limits) in
        [("talos_arm_ddp.npz", [7e-14, 3e-13, 9e-15]), ("iris_ddp.npz", [2e-11, 1e-11, 6e-12])]
    {
        let (problems, answers) = shipped(file);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for problem_idx in 0..problems.len {
            Rounding { random: &mut random, unit: 0.0 }.pass(&problems, problem_idx, |knot, found| {
                let right = answers.at(problems.sizes, problem_idx * problems.sizes.n_knots + knot);
                for ((found, right), limit) in found.into_iter().zip(right).zip(limits) {
                    assert!(relative_error(found, right) < limit, "{file}, {problem_idx}, {knot}");
                }
            });
        }
    }
}

#[test]
fn errors_are_linear_in_the_unit() {
    let (problems, _) = shipped("iris_ddp.npz");
    let pass = |unit: f64| {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let mut all = Vec::new();
        Rounding { random: &mut random, unit }.pass(&problems, 0, |_, found| all.extend(found.concat()));
        all
    };
    let exact = pass(0.0);
    let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let error = |unit: f64| {
        let difference: Vec<f64> = pass(unit).iter().zip(&exact).map(|(a, b)| a - b).collect();
        norm(&difference) / unit
    };
    // The same random numbers, so the same error but for what is not linear: second-order terms of the coarser one.
    let ratio = error(UNIT) / error(UNIT / 16.0);
    assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
}

#[test]
fn a_perturbed_problem_keeps_the_expectation_of_its_source() {
    for file in ["talos_arm_ddp.npz", "iris_ddp.npz"] {
        let (mut source, _) = shipped(file);
        // The first problem alone.
        source = source.perturb(1).unwrap();
        source.n_sources = 1;
        let mut perturbed = source.perturb(1).unwrap();
        perturbed.n_sources = 1;
        let expected = |problems: &Problems| expected(problems, &crate::reference::solve(problems).unwrap());
        let (of_source, of_perturbed) = (expected(&source), expected(&perturbed));
        for (source, perturbed) in of_source.iter().flatten().zip(of_perturbed.iter().flatten()) {
            // The same random numbers; what differs is the perturbation, magnified by the data.
            assert!((source / perturbed - 1.0).abs() < 0.05, "{file}: {source} {perturbed}");
        }
    }
}

#[test]
fn the_margin_is_the_tail_bound() {
    // For many samples (1 + t^2/M)^(-M/2) tends to exp(-t^2/2), which is below it.
    for n_figures in [1, 768, 100_000] {
        let t = margin(n_figures);
        let tail = (1.0 + t * t / N_SAMPLES as f64).powf(-(N_SAMPLES as f64) / 2.0);
        assert!((tail * n_figures as f64 / FALSE_ALARM - 1.0).abs() < 1e-9);
        assert!((-t * t / 2.0).exp() < tail);
    }
}
