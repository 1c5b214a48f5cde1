use super::*;
use crate::program::npz::tests::{float64, opened};

/// One problem, one knot, two states, one control; every number tells where it came from.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("Fx.npy", float64("(1, 1, 2, 2)", &[1., 2., 3., 4.])),
        ("Fu.npy", float64("(1, 1, 2, 1)", &[5., 6.])),
        ("Lxx.npy", float64("(1, 1, 2, 2)", &[7., 8., 8., 9.])),
        ("Lxu.npy", float64("(1, 1, 2, 1)", &[10., 11.])),
        ("Luu.npy", float64("(1, 1, 1, 1)", &[12.])),
        ("Lx.npy", float64("(1, 1, 2)", &[13., 14.])),
        ("Lu.npy", float64("(1, 1, 1)", &[15.])),
        ("Lxx_T.npy", float64("(1, 2, 2)", &[16., 17., 17., 18.])),
        ("Lx_T.npy", float64("(1, 2)", &[19., 20.])),
        ("K.npy", float64("(1, 1, 1, 2)", &[21., 22.])),
        ("k.npy", float64("(1, 1, 1)", &[23.])),
        ("Vxx.npy", float64("(1, 2, 2, 2)", &[24., 25., 26., 27., 0., 0., 0., 0.])),
    ]
}

fn shipped(file: &str) -> (Problems, Answers) {
    Problems::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file)).unwrap()
}

#[test]
fn every_array_lands_in_its_place() {
    let (problems, answers) = Problems::from_npz(opened(&files())).unwrap();
    assert_eq!(problems.sizes, Sizes { nx: 2, nu: 1, n_knots: 1 });
    assert_eq!((problems.fx, problems.fu), (vec![1., 3., 2., 4.], vec![5., 6.]));
    let cost = problems.cost;
    assert_eq!((cost.xx, cost.ux, cost.uu), (vec![7., 8., 8., 9.], vec![10., 11.], vec![12.]));
    assert_eq!((cost.x, cost.u), (vec![13., 14.], vec![15.]));
    assert_eq!((cost.terminal_xx, cost.terminal_x), (vec![16., 17., 17., 18.], vec![19., 20.]));
    assert_eq!((answers.feedback, answers.feedforward), (vec![21., 22.], vec![23.]));
    assert_eq!(answers.value, [24., 26., 25., 27.]);
}

#[test]
fn every_array_is_needed_in_its_shape() {
    for at in 0..files().len() {
        let mut files = files();
        let (name, _) = files.remove(at);
        let name = name.trim_end_matches(".npy").to_string();
        let message = Problems::from_npz(opened(&files)).unwrap_err().to_string();
        assert_eq!(message, format!("has no array `{name}`"));
        let file = format!("{name}.npy");
        files.push((&file, float64("(1, 3)", &[0.; 3])));
        let message = Problems::from_npz(opened(&files)).unwrap_err().to_string();
        assert!(message.starts_with(&format!("array `{name}`: shape [1, 3] given; allowed: ")), "{message}");
    }
}

#[test]
fn perturbed_costs_stay_symmetric_and_definite() {
    for file in ["talos_arm_ddp.npz", "iris_ddp.npz"] {
        let (source, _) = shipped(file);
        let perturbed = source.perturb(source.len + 3).unwrap();
        let Sizes { nx, nu, n_knots } = source.sizes;
        for at in 0..perturbed.len * n_knots {
            let source_at = perturbed.dynamics_at(at / n_knots, at % n_knots);
            for (n, all, sources) in
                [(nx, &perturbed.cost.xx, &source.cost.xx), (nu, &perturbed.cost.uu, &source.cost.uu)]
            {
                let (hessian, old) = (part(all, at, n * n), part(sources, source_at, n * n));
                for (i, j) in (0..n * n).map(|e| (e % n, e / n)) {
                    let was_symmetric = old[i + j * n] == old[j + i * n];
                    assert!(hessian[i + j * n] == hessian[j + i * n] || !was_symmetric);
                    let change = (hessian[i + j * n] - old[i + j * n]).abs();
                    assert!(change <= 2.1 * PERTURBATION * old[i + j * n].abs());
                }
                let matrix = nalgebra::DMatrix::from_column_slice(n, n, hessian);
                assert!(matrix.cholesky().is_some(), "{file}, {at}");
            }
        }
        assert_ne!(part(&perturbed.cost.x, 0, nx), part(&source.cost.x, 0, nx));
    }
}

#[test]
fn every_problem_has_a_cost_of_its_own_and_the_same_one_each_time() {
    let (source, _) = shipped("iris_ddp.npz");
    let perturbed = source.perturb(17).unwrap();
    let n = source.cost.x.len() / source.len;
    assert_ne!(part(&perturbed.cost.x, 0, n), part(&perturbed.cost.x, 8, n));
    assert_ne!(part(&perturbed.cost.x, 8, n), part(&perturbed.cost.x, 16, n));
    let (again, longer) = (source.perturb(17).unwrap(), source.perturb(18).unwrap());
    assert_eq!(perturbed.cost.xx, again.cost.xx);
    assert_eq!(perturbed.cost.xx, longer.cost.xx[..again.cost.xx.len()]);
}

#[test]
fn batches_past_the_memory_are_refused() {
    let (source, _) = shipped("iris_ddp.npz");
    let message = source.perturb(usize::MAX / 2).unwrap_err().to_string();
    assert_eq!(
        message,
        format!("--batch {}: the operands of so many problems exceed 24 GiB", usize::MAX / 2)
    );
}
