//! The systems to solve. The right-hand side is all ones.

use crate::arguments::Source;
use crate::csr::Csr;
use crate::matrix_market::{self, MatrixMarketError};
use std::collections::TryReserveError;

/// The thickest layer of the anisotropic system, in grid spacings; the thinnest is its inverse.
const MAX_THICKNESS: f64 = 8.0;

/// A x = b.
pub(crate) struct System {
    /// Where it comes from.
    pub(crate) name: String,
    /// Symmetric; positive definite as far as that shows without solving.
    pub(crate) matrix: Csr,
    pub(crate) b: Vec<f64>,
}

/// Why there is no system.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SystemError {
    #[error("{file}: {error}")]
    File { file: String, error: MatrixMarketError },
    #[error("--size {size}: {error}")]
    Memory { size: usize, error: TryReserveError },
}

impl System {
    fn new(name: String, matrix: Csr) -> Self {
        let b = vec![1.0; matrix.n_rows()];
        Self { name, matrix, b }
    }
}

/// The system of the file, or the two that are generated.
pub(crate) fn prepare(source: &Source) -> Result<Vec<System>, SystemError> {
    match source {
        Source::File(path) => {
            let file = path.display().to_string();
            match matrix_market::read(path) {
                Ok(matrix) => Ok(vec![System::new(file, matrix)]),
                Err(error) => Err(SystemError::File { file, error }),
            }
        }
        &Source::Generated { size } => {
            let generate = |what: &str, thickness: &[f64]| match diffusion(thickness) {
                Ok(matrix) => Ok(System::new(format!("{what} on a {size} x {size} x {size} grid"), matrix)),
                Err(error) => Err(SystemError::Memory { size, error }),
            };
            Ok(vec![
                generate("Poisson", &vec![1.0; size])?,
                generate("anisotropic diffusion", &thicknesses(size))?,
            ])
        }
    }
}

/// Thicknesses of m layers, growing by one factor from 1/8 to 8.
fn thicknesses(m: usize) -> Vec<f64> {
    let n_steps = m.max(2) - 1;
    (0..m).map(|layer| MAX_THICKNESS.powf(2.0 * layer as f64 / n_steps as f64 - 1.0)).collect()
}

/// Diffusion by 7 points, by finite volumes on a cube of m layers of m x m cells, each cell 1 x 1 x its thickness; the
/// value is 0 one cell beyond each side. With layers of thickness 1 it is the Poisson matrix: 6 on the diagonal, -1 for
/// each neighbour.
///
/// What flows between neighbours is their difference times area over distance: t within a layer of thickness t, and
/// 2 / (s + t) between layers of thicknesses s and t.
fn diffusion(thickness: &[f64]) -> Result<Csr, TryReserveError> {
    let m = thickness.len();
    let (n, layer_len) = (m * m * m, m * m);
    let n_elements = 7 * n - 6 * layer_len;
    let (mut offsets, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    offsets.try_reserve_exact(n + 1)?;
    columns.try_reserve_exact(n_elements)?;
    values.try_reserve_exact(n_elements)?;

    offsets.push(0);
    for (k, &t) in thickness.iter().enumerate() {
        // Beyond a side lies a layer like the last one.
        let below = 2.0 / (t + thickness[k.saturating_sub(1)]);
        let above = 2.0 / (t + thickness[(k + 1).min(m - 1)]);
        for (j, i) in (0..m).flat_map(|j| (0..m).map(move |i| (j, i))) {
            let row = i + j * m + k * layer_len;
            // Ascending columns; a distance of 0 is the diagonal.
            let stencil = [
                (k > 0, row.wrapping_sub(layer_len), -below),
                (j > 0, row.wrapping_sub(m), -t),
                (i > 0, row.wrapping_sub(1), -t),
                (true, row, below + above + 4.0 * t),
                (i + 1 < m, row + 1, -t),
                (j + 1 < m, row + m, -t),
                (k + 1 < m, row + layer_len, -above),
            ];
            for (_, column, value) in stencil.into_iter().filter(|&(is_inside, ..)| is_inside) {
                columns.push(column as u32);
                values.push(value);
            }
            offsets.push(columns.len() as u32);
        }
    }
    Ok(Csr { offsets, columns, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn poisson_is_the_matrix_of_its_definition() {
        let m = 4;
        let matrix = diffusion(&vec![1.0; m]).unwrap();
        let place = |row: usize| [row % m, row / m % m, row / (m * m)];
        for row in 0..m * m * m {
            for column in 0..m * m * m {
                let distance: usize = place(row).iter().zip(place(column)).map(|(a, b)| a.abs_diff(b)).sum();
                let expected = [6.0, -1.0].get(distance).copied().unwrap_or(0.0);
                let found: f64 =
                    matrix.row(row).filter(|&(at, _)| at == column).map(|(_, value)| value).sum();
                assert_eq!(found, expected, "({row}, {column})");
            }
        }
        assert_eq!(matrix.values.len(), 7 * 64 - 6 * 16);
    }

    /// The lowest sine of the cube is an eigenvector, with 6 - 6 cos(pi / (m + 1)).
    #[test]
    fn poisson_has_its_known_eigenvector() {
        let m = 7;
        let sine = |i: usize| ((i + 1) as f64 * PI / (m + 1) as f64).sin();
        let x: Vec<f64> =
            (0..m * m * m).map(|row| sine(row % m) * sine(row / m % m) * sine(row / (m * m))).collect();
        let eigenvalue = 6.0 - 6.0 * (PI / (m + 1) as f64).cos();
        for (product, x) in diffusion(&vec![1.0; m]).unwrap().multiply(&x).iter().zip(&x) {
            assert!((product - eigenvalue * x).abs() < 1e-14, "{product}, {x}");
        }
    }

    #[test]
    fn layers_grow_from_an_eighth_to_eight() {
        assert_eq!(thicknesses(3), [0.125, 1.0, 8.0]);
        assert_eq!(thicknesses(1), [0.125]);
        let matrix = diffusion(&thicknesses(3)).unwrap();
        // The middle layer has 2 / (1 + 1/8) to the one below, 2 / (1 + 8) to the one above.
        let middle: Vec<_> = matrix.row(13).collect();
        let (below, above) = (16.0 / 9.0, 2.0 / 9.0);
        let sides = [(10, -1.0), (12, -1.0), (13, below + above + 4.0), (14, -1.0), (16, -1.0)];
        assert_eq!(middle, [&[(4, -below)], &sides[..], &[(22, -above)]].concat());
    }

    #[test]
    fn generated_systems_are_sound_at_every_size() {
        for size in [1, 2, 5] {
            for system in prepare(&Source::Generated { size }).unwrap() {
                assert_eq!(system.matrix.check_definite(), Ok(()), "{}", system.name);
                assert_eq!(system.b, vec![1.0; size * size * size]);
            }
        }
    }
}
