//! Backward-pass problems: those of a file with its answers, and any number made from them.

use crate::program::npz::{Npz, NpzError};
use crate::program::random::symmetric;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use std::collections::TryReserveError;
use std::io::{Read, Seek};
use std::path::Path;

/// Seed of the perturbations.
pub(crate) const SEED: u64 = 20_240_607;

/// Relative perturbation of the cost.
pub(crate) const PERTURBATION: f64 = 1e-3;

/// Most bytes the operands of a batch may take on a device.
const MAX_BYTES: usize = 24 << 30;

/// Sizes that all problems share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sizes {
    /// States.
    pub(crate) nx: usize,
    /// Controls.
    pub(crate) nu: usize,
    /// Knots, without the terminal one.
    pub(crate) n_knots: usize,
}

/// Dynamics and costs. All matrices are column-major; problem, then knot, then element.
#[derive(Clone, Debug)]
pub(crate) struct Problems {
    pub(crate) sizes: Sizes,
    /// Problems.
    pub(crate) len: usize,
    /// Problem p has the dynamics of source p modulo this number.
    pub(crate) n_sources: usize,
    /// nx x nx, of the sources.
    pub(crate) fx: Vec<f64>,
    /// nx x nu, of the sources.
    pub(crate) fu: Vec<f64>,
    pub(crate) cost: Cost,
}

/// Derivatives of the cost of every problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost {
    /// nx x nx, symmetric.
    pub(crate) xx: Vec<f64>,
    /// nu x nx.
    pub(crate) ux: Vec<f64>,
    /// nu x nu, symmetric.
    pub(crate) uu: Vec<f64>,
    /// nx.
    pub(crate) x: Vec<f64>,
    /// nu.
    pub(crate) u: Vec<f64>,
    /// nx x nx, symmetric, one a problem.
    pub(crate) terminal_xx: Vec<f64>,
    /// nx, one a problem.
    pub(crate) terminal_x: Vec<f64>,
}

/// What a backward pass finds: problem, then knot, then element.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    /// K, nu x nx column-major.
    pub(crate) feedback: Vec<f64>,
    /// k, nu.
    pub(crate) feedforward: Vec<f64>,
    /// V, nx x nx, knots 0 to the last.
    pub(crate) value: Vec<f64>,
}

impl Answers {
    /// K, k and V of one problem and knot; `at` counts knots over all problems.
    pub(crate) fn at(&self, sizes: Sizes, at: usize) -> [&[f64]; 3] {
        let Sizes { nx, nu, .. } = sizes;
        [part(&self.feedback, at, nu * nx), part(&self.feedforward, at, nu), part(&self.value, at, nx * nx)]
    }
}

/// Why a batch cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BatchError {
    #[error("--batch {len}: the operands of so many problems exceed {} GiB", MAX_BYTES >> 30)]
    TooLarge { len: usize },
    #[error("--batch: {0}")]
    Memory(#[from] TryReserveError),
}

/// The part of `values` that belongs to one problem and knot.
pub(crate) fn part(values: &[f64], at: usize, n_elements: usize) -> &[f64] {
    &values[at * n_elements..][..n_elements]
}

impl Problems {
    /// Reads a file: its problems and its answers.
    pub(crate) fn read(path: &Path) -> Result<(Self, Answers), NpzError> {
        Self::from_npz(Npz::open(path)?)
    }

    fn from_npz<R: Read + Seek>(mut npz: Npz<R>) -> Result<(Self, Answers), NpzError> {
        let fu = npz.array("Fu")?;
        let &[len, n_knots, nx, nu] = &fu.shape[..] else {
            return Err(fu.wrong_shape("(problem, knot, nx, nu)"));
        };
        if fu.values.is_empty() {
            return Err(fu.wrong_shape("no axis of length zero"));
        }
        let mut read = |name, shape: &[usize]| {
            let array = npz.array(name)?;
            array.expect_shape(shape, "`Fu` has it")?;
            Ok::<_, NpzError>(array)
        };
        let mut matrices = |name, rows, cols| {
            Ok::<_, NpzError>(read(name, &[len, n_knots, rows, cols])?.column_major(rows, cols))
        };
        let fx = matrices("Fx", nx, nx)?;
        let (xx, uu) = (matrices("Lxx", nx, nx)?, matrices("Luu", nu, nu)?);
        let feedback = matrices("K", nu, nx)?;
        let mut vectors = |name, n| Ok::<_, NpzError>(read(name, &[len, n_knots, n])?.values);
        let (x, u, feedforward) = (vectors("Lx", nx)?, vectors("Lu", nu)?, vectors("k", nu)?);
        // A row-major nx x nu matrix is its column-major transpose.
        let ux = read("Lxu", &[len, n_knots, nx, nu])?.values;
        let terminal_xx = read("Lxx_T", &[len, nx, nx])?.column_major(nx, nx);
        let terminal_x = read("Lx_T", &[len, nx])?.values;
        let values = read("Vxx", &[len, n_knots + 1, nx, nx])?.column_major(nx, nx);
        // The last knot's value is the terminal cost.
        let value = values
            .chunks_exact((n_knots + 1) * nx * nx)
            .flat_map(|problem| &problem[..n_knots * nx * nx])
            .copied()
            .collect();

        let fu = fu.column_major(nx, nu);
        let cost = Cost { xx, ux, uu, x, u, terminal_xx, terminal_x };
        let problems = Self { sizes: Sizes { nx, nu, n_knots }, len, n_sources: len, fx, fu, cost };
        Ok((problems, Answers { feedback, feedforward, value }))
    }

    /// `len` problems: problem p is problem p modulo the given ones with a cost of its own.
    ///
    /// With D diagonal, entries within [`PERTURBATION`] of one, the Hessian of a knot over (x, u) becomes D H D:
    /// symmetric to the bit where it was, and as definite as it was. Gradients are scaled entry by entry.
    pub(crate) fn perturb(&self, len: usize) -> Result<Self, BatchError> {
        // Inputs, a copy of the cost to start from and results, in float64.
        let Sizes { nx, nu, n_knots } = self.sizes;
        let n_elements = n_knots * (4 * nx * nx + 4 * nx * nu + 2 * nu * nu + 3 * nx + 4 * nu);
        if len.checked_mul(n_elements * size_of::<f64>()).is_none_or(|bytes| bytes > MAX_BYTES) {
            return Err(BatchError::TooLarge { len });
        }
        let mut cost = Cost::default();
        for (values, n) in [
            (&mut cost.xx, n_knots * nx * nx),
            (&mut cost.ux, n_knots * nu * nx),
            (&mut cost.uu, n_knots * nu * nu),
            (&mut cost.x, n_knots * nx),
            (&mut cost.u, n_knots * nu),
            (&mut cost.terminal_xx, nx * nx),
            (&mut cost.terminal_x, nx),
        ] {
            values.try_reserve_exact(len * n)?;
        }

        let mut random = Pcg64Mcg::seed_from_u64(SEED);
        let mut factors =
            |n: usize| -> Vec<f64> { (0..n).map(|_| 1.0 + PERTURBATION * symmetric(&mut random)).collect() };
        for problem_idx in 0..len {
            let source = problem_idx % self.len;
            for at in source * n_knots..(source + 1) * n_knots {
                let (of_x, of_u) = (factors(nx), factors(nu));
                scale(&mut cost.xx, part(&self.cost.xx, at, nx * nx), &of_x, &of_x);
                scale(&mut cost.ux, part(&self.cost.ux, at, nu * nx), &of_u, &of_x);
                scale(&mut cost.uu, part(&self.cost.uu, at, nu * nu), &of_u, &of_u);
                scale(&mut cost.x, part(&self.cost.x, at, nx), &factors(nx), &[1.0]);
                scale(&mut cost.u, part(&self.cost.u, at, nu), &factors(nu), &[1.0]);
            }
            let of_x = factors(nx);
            scale(&mut cost.terminal_xx, part(&self.cost.terminal_xx, source, nx * nx), &of_x, &of_x);
            scale(&mut cost.terminal_x, part(&self.cost.terminal_x, source, nx), &factors(nx), &[1.0]);
        }
        Ok(Self { len, cost, ..self.clone() })
    }

    /// Where the dynamics of a problem and knot lie among those of the sources.
    pub(crate) fn dynamics_at(&self, problem_idx: usize, knot: usize) -> usize {
        problem_idx % self.n_sources * self.sizes.n_knots + knot
    }
}

/// Appends `matrix` with entry (i, j) scaled by the i-th row factor times the j-th column factor.
fn scale(scaled: &mut Vec<f64>, matrix: &[f64], of_rows: &[f64], of_cols: &[f64]) {
    for (column, of_col) in matrix.chunks_exact(of_rows.len()).zip(of_cols) {
        // The product of the factors first: it is the same for (i, j) and (j, i).
        scaled.extend(column.iter().zip(of_rows).map(|(value, of_row)| value * (of_row * of_col)));
    }
}

#[cfg(test)]
mod tests;
