//! The gains `K` and `k` of a file, `K` column-major.

use crate::program::npz::{Npz, NpzError};
use std::io::{Read, Seek};
use std::path::Path;

/// The gains of all problems and knots of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Gains {
    /// Controls: rows of `K`.
    pub(crate) nu: usize,
    /// States: columns of `K`.
    pub(crate) nx: usize,
    /// Every `K`, column-major, one after the other.
    pub(crate) feedback: Vec<f64>,
    /// Every `k`, one after the other.
    pub(crate) feedforward: Vec<f64>,
}

impl Gains {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, NpzError> {
        Self::from_npz(Npz::open(path)?)
    }

    fn from_npz<R: Read + Seek>(mut npz: Npz<R>) -> Result<Self, NpzError> {
        let feedback = npz.array("K")?;
        let &[n_problems, n_knots, nu, nx] = &feedback.shape[..] else {
            return Err(feedback.wrong_shape("(problem, knot, nu, nx)"));
        };
        if feedback.values.is_empty() {
            return Err(feedback.wrong_shape("no axis of length zero"));
        }
        let feedforward = npz.array("k")?;
        feedforward.expect_shape(&[n_problems, n_knots, nu], "`K` has it")?;
        Ok(Self { nu, nx, feedback: feedback.column_major(nu, nx), feedforward: feedforward.values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::npz::tests::{float64, opened};

    fn k() -> (&'static str, Vec<u8>) {
        ("k.npy", float64("(1, 2, 2)", &[-1., -2., -3., -4.]))
    }

    fn refused(shape: &str, values: &[f64]) -> String {
        Gains::from_npz(opened(&[("K.npy", float64(shape, values)), k()])).unwrap_err().to_string()
    }

    #[test]
    fn both_arrays_are_read() {
        let values: Vec<f64> = (1..=12).map(f64::from).collect();
        let gains = Gains::from_npz(opened(&[("K.npy", float64("(1, 2, 2, 3)", &values)), k()])).unwrap();
        assert_eq!((gains.nu, gains.nx), (2, 3));
        assert_eq!(gains.feedback, [1., 4., 2., 5., 3., 6., 7., 10., 8., 11., 9., 12.]);
        assert_eq!(gains.feedforward, [-1., -2., -3., -4.]);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        assert!(refused("(1, 0, 7, 14)", &[]).contains("no axis of length zero"));
        assert!(refused("(2, 6)", &[0.0; 12]).contains("[2, 6] given; allowed: (problem, knot, nu, nx)"));
        assert!(refused("(1, 1, 2, 3)", &[0.0; 6]).contains("allowed: [1, 1, 2], as `K` has it"));
        assert_eq!(Gains::from_npz(opened(&[k()])).unwrap_err().to_string(), "has no array `K`");
    }

    #[test]
    fn the_shipped_files_hold_256_gains_each() {
        for (file, nu, nx) in [("talos_arm_ddp.npz", 7, 14), ("iris_ddp.npz", 4, 12)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
            let gains = Gains::read(&path).unwrap();
            assert_eq!((gains.nu, gains.nx), (nu, nx));
            assert_eq!((gains.feedback.len(), gains.feedforward.len()), (256 * nu * nx, 256 * nu));
        }
    }

    #[test]
    fn the_shipped_gains_solve_the_shipped_equations() {
        // K = Quu^-1 Qxu': a wrong storage order of K would leave a residual of the size of the terms. A
        // backward stable solve leaves (3 nu + 9) u |L||L'||K|, and |L||L'| has at most nu times the norm of Quu.
        for file in ["talos_arm_ddp.npz", "iris_ddp.npz"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
            let gains = Gains::read(&path).unwrap();
            let mut npz = Npz::open(&path).unwrap();
            let [quu, qxu] = ["Quu", "Qxu"].map(|name| npz.array(name).unwrap().values);
            let Gains { nu, nx, feedback, .. } = gains;
            let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
            for (knot, k) in feedback.chunks_exact(nu * nx).enumerate() {
                let (quu, qxu) = (&quu[knot * nu * nu..][..nu * nu], &qxu[knot * nx * nu..][..nx * nu]);
                let entry =
                    |i: usize, j: usize| (0..nu).map(|t| quu[t + i * nu] * k[t + j * nu]).sum::<f64>();
                let residuals: Vec<f64> =
                    (0..nu * nx).map(|at| entry(at % nu, at / nu) - qxu[at % nu + at / nu * nu]).collect();
                let limit = ((3 * nu + 9) * nu) as f64 * f64::EPSILON / 2.0 * norm(quu) * norm(k);
                assert!(norm(&residuals) < limit, "{file}, knot {knot}: {:e} of {limit:e}", norm(&residuals));
            }
        }
    }
}
