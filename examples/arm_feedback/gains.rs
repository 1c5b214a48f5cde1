//! Reads the gains `K` and `k` of an `.npz` file and converts `K` from row-major to column-major.
//!
//! The file may come from anywhere: sizes are checked against the bytes present before anything is
//! allocated for them, and every number must be usable in `f32`.

use ndarray_npy::npy::header::{Header, Layout};
use ndarray_npy::{ReadDataError, ReadableElement};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

/// No array of this format comes near this size; a larger one is refused unread.
const MAX_ARRAY_BYTES: u64 = 256 << 20;

/// NumPy writes 118 or fewer bytes for these arrays; long headers only serve to exhaust the parser.
const MAX_HEADER_BYTES: usize = 1024;

/// Gains beyond this could overflow `f32` once multiplied and summed.
const MAX_GAIN: f64 = 1e30;

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

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GainsError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is no regular file")]
    Irregular,
    #[error("is not a readable .npz file: {0}")]
    Zip(#[from] ZipError),
    #[error("has no array `{0}`")]
    Missing(&'static str),
    #[error("array `{array}`: {message}")]
    Malformed { array: &'static str, message: String },
    #[error("array `{array}`: shape {given:?} given; allowed: {allowed}")]
    Shape { array: &'static str, given: Vec<usize>, allowed: String },
    #[error(
        "array `{array}`: element {index:?} is {value:e}; allowed: finite, magnitude at most {MAX_GAIN:e}"
    )]
    Value { array: &'static str, index: Vec<usize>, value: f64 },
}

impl Gains {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, GainsError> {
        // Before it is opened: opening a pipe would wait for its writer.
        if !path.metadata()?.is_file() {
            return Err(GainsError::Irregular);
        }
        Self::from_archive(ZipArchive::new(File::open(path)?)?, MAX_ARRAY_BYTES)
    }

    fn from_archive<R: Read + Seek>(mut archive: ZipArchive<R>, max_bytes: u64) -> Result<Self, GainsError> {
        let feedback = Array::read(&mut archive, "K", max_bytes)?;
        let &[n_problems, n_knots, nu, nx] = &feedback.shape[..] else {
            return Err(feedback.wrong_shape("(problem, knot, nu, nx)"));
        };
        if feedback.values.is_empty() {
            return Err(feedback.wrong_shape("no axis of length zero"));
        }
        let feedforward = Array::read(&mut archive, "k", max_bytes)?;
        if feedforward.shape != [n_problems, n_knots, nu] {
            return Err(feedforward.wrong_shape(&format!("{:?}, as `K` has it", [n_problems, n_knots, nu])));
        }
        feedback.check_values()?;
        feedforward.check_values()?;
        let column_major = feedback.values.chunks_exact(nu * nx).flat_map(|k| to_column_major(k, nu, nx));
        Ok(Self { nu, nx, feedback: column_major.collect(), feedforward: feedforward.values })
    }
}

/// Element (i, j) moves from `j + i * cols` to `i + j * rows`.
fn to_column_major(row_major: &[f64], rows: usize, cols: usize) -> impl Iterator<Item = f64> {
    (0..cols).flat_map(move |j| (0..rows).map(move |i| row_major[j + i * cols]))
}

/// One array in C order.
struct Array {
    name: &'static str,
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    fn read<R: Read + Seek>(
        archive: &mut ZipArchive<R>,
        name: &'static str,
        max_bytes: u64,
    ) -> Result<Self, GainsError> {
        let malformed = |message: String| GainsError::Malformed { array: name, message };
        let entry = match archive.by_name(&format!("{name}.npy")) {
            Err(ZipError::FileNotFound) => return Err(GainsError::Missing(name)),
            other => other?,
        };
        let mut bytes = Vec::new();
        entry.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| malformed(error.to_string()))?;
        if bytes.len() as u64 > max_bytes {
            return Err(malformed(format!("larger than {max_bytes} bytes")));
        }
        if header_len(&bytes).is_some_and(|len| len > MAX_HEADER_BYTES) {
            return Err(malformed(format!("header longer than {MAX_HEADER_BYTES} bytes")));
        }
        let mut rest = &bytes[..];
        let header = Header::from_reader(&mut rest).map_err(|error| malformed(error.to_string()))?;
        if header.layout == Layout::Fortran {
            return Err(malformed("stored in Fortran order; allowed: C order".into()));
        }
        // Reading nothing checks the element type alone: what is said about sizes below holds for float64 only.
        f64::read_to_end_exact_vec(io::empty(), &header.type_descriptor, 0)
            .map_err(|error| malformed(describe(&error)))?;
        let n_values = header.shape.iter().try_fold(1usize, |n, &axis| n.checked_mul(axis));
        let values = match n_values.and_then(|n| Some((n, n.checked_mul(size_of::<f64>())?))) {
            // The comparison comes before the allocation.
            Some((n, n_bytes)) if n_bytes == rest.len() => {
                f64::read_to_end_exact_vec(rest, &header.type_descriptor, n)
                    .map_err(|error| malformed(describe(&error)))?
            }
            _ => {
                let message =
                    format!("{} bytes of data do not fill shape {:?} of float64", rest.len(), header.shape);
                return Err(malformed(message));
            }
        };
        Ok(Self { name, shape: header.shape, values })
    }

    fn wrong_shape(&self, allowed: &str) -> GainsError {
        GainsError::Shape { array: self.name, given: self.shape.clone(), allowed: allowed.into() }
    }

    fn check_values(&self) -> Result<(), GainsError> {
        // A NaN fails the comparison.
        let is_usable = |value: &f64| value.abs() <= MAX_GAIN;
        let Some(at) = self.values.iter().position(|value| !is_usable(value)) else { return Ok(()) };
        let mut index = vec![0; self.shape.len()];
        let mut rest = at;
        for (axis, index) in self.shape.iter().zip(&mut index).rev() {
            *index = rest % axis;
            rest /= axis;
        }
        Err(GainsError::Value { array: self.name, index, value: self.values[at] })
    }
}

/// Length of the header text as the preamble states it; `None` if the preamble is too short or unknown.
fn header_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(6)? {
        1 => Some(u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?).into()),
        _ => u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?).try_into().ok(),
    }
}

fn describe(error: &ReadDataError) -> String {
    match error {
        ReadDataError::WrongDescriptor(given) => format!("element type {given} given; allowed: float64"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
