//! Reads float64 arrays of an `.npz` file.
//!
//! The file may come from anywhere: sizes are checked against the bytes present before anything is
//! allocated for them, and every number must be usable in `f32`.

use ndarray_npy::npy::header::{Header, Layout};
use ndarray_npy::{ReadDataError, ReadableElement};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::result::ZipError;

/// The file that comes with the examples, from the root of the package.
const SHIPPED: &str = "examples/data/talos_arm_ddp.npz";

/// No array of this format comes near this size; a larger one is refused unread.
const MAX_ARRAY_BYTES: u64 = 256 << 20;

/// NumPy writes 118 or fewer bytes for these arrays; long headers only serve to exhaust the parser.
const MAX_HEADER_BYTES: usize = 1024;

/// Numbers beyond this could overflow `f32` once multiplied and summed.
const MAX_VALUE: f64 = 1e30;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NpzError {
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
        "array `{array}`: element {index:?} is {value:e}; allowed: finite, magnitude at most {MAX_VALUE:e}"
    )]
    Value { array: &'static str, index: Vec<usize>, value: f64 },
}

/// The shipped file as the usage spells it, or where it was when the example was built.
pub(crate) fn shipped() -> PathBuf {
    let here = Path::new(SHIPPED);
    if here.is_file() { here.into() } else { Path::new(env!("CARGO_MANIFEST_DIR")).join(here) }
}

/// An open file.
pub(crate) struct Npz<R> {
    archive: ZipArchive<R>,
    max_bytes: u64,
}

impl Npz<File> {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self, NpzError> {
        // Before it is opened: opening a pipe would wait for its writer.
        if !path.metadata()?.is_file() {
            return Err(NpzError::Irregular);
        }
        Self::from_reader(File::open(path)?, MAX_ARRAY_BYTES)
    }
}

impl<R: Read + Seek> Npz<R> {
    /// Arrays of more than `max_bytes` are refused.
    pub(crate) fn from_reader(reader: R, max_bytes: u64) -> Result<Self, NpzError> {
        Ok(Self { archive: ZipArchive::new(reader)?, max_bytes })
    }

    /// Reads one array; its values are finite.
    pub(crate) fn array(&mut self, name: &'static str) -> Result<Array, NpzError> {
        let malformed = |message: String| NpzError::Malformed { array: name, message };
        let entry = match self.archive.by_name(&format!("{name}.npy")) {
            Err(ZipError::FileNotFound) => return Err(NpzError::Missing(name)),
            other => other?,
        };
        let mut bytes = Vec::new();
        let n_readable = self.max_bytes + 1;
        entry.take(n_readable).read_to_end(&mut bytes).map_err(|error| malformed(error.to_string()))?;
        if bytes.len() as u64 > self.max_bytes {
            return Err(malformed(format!("larger than {} bytes", self.max_bytes)));
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
        let array = Array { name, shape: header.shape, values };
        array.check_values()?;
        Ok(array)
    }
}

/// One array in C order.
#[derive(Debug)]
pub(crate) struct Array {
    name: &'static str,
    /// Length of each axis.
    pub(crate) shape: Vec<usize>,
    /// The last axis is the fastest.
    pub(crate) values: Vec<f64>,
}

impl Array {
    /// The error of a shape that is not `allowed`.
    pub(crate) fn wrong_shape(&self, allowed: &str) -> NpzError {
        NpzError::Shape { array: self.name, given: self.shape.clone(), allowed: allowed.into() }
    }

    /// Refuses any other shape; `because` says where the wanted one comes from.
    pub(crate) fn expect_shape(&self, wanted: &[usize], because: &str) -> Result<(), NpzError> {
        if self.shape == wanted {
            return Ok(());
        }
        Err(self.wrong_shape(&format!("{wanted:?}, as {because}")))
    }

    /// The values with each of its row-major `rows` x `cols` matrices turned column-major.
    pub(crate) fn column_major(&self, rows: usize, cols: usize) -> Vec<f64> {
        let matrices = self.values.chunks_exact(rows * cols);
        // Element (i, j) moves from `j + i * cols` to `i + j * rows`.
        let turned =
            matrices.flat_map(|m| (0..cols).flat_map(move |j| (0..rows).map(move |i| m[j + i * cols])));
        turned.collect()
    }

    fn check_values(&self) -> Result<(), NpzError> {
        // A NaN fails the comparison.
        let is_usable = |value: &f64| value.abs() <= MAX_VALUE;
        let Some(at) = self.values.iter().position(|value| !is_usable(value)) else { return Ok(()) };
        let mut index = vec![0; self.shape.len()];
        let mut rest = at;
        for (axis, index) in self.shape.iter().zip(&mut index).rev() {
            *index = rest % axis;
            rest /= axis;
        }
        Err(NpzError::Value { array: self.name, index, value: self.values[at] })
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
pub(crate) mod tests;
