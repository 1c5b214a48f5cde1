//! Sparse matrices.

use crate::device::Device;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::vector::Vector;

/// A matrix in compressed sparse rows on a device. Cheap to clone: all clones are the same memory.
///
/// Nothing changes it after the upload, so kernels may rely on its indices.
#[derive(Clone, Debug)]
pub struct Csr {
    pub(crate) offsets: Vector<u32>,
    pub(crate) columns: Vector<u32>,
    pub(crate) values: Vector<f32>,
    n_columns: usize,
}

impl Csr {
    /// A copy on the device of the matrix whose row `i` stores `values[k]` in column `columns[k]` for every `k` from
    /// `offsets[i]` up to `offsets[i + 1]`. Columns come in any order; those that come twice add up. A row may be
    /// empty.
    ///
    /// # Errors
    /// Offsets that do not ascend from 0 to the number of columns given, another number of values, a column that is
    /// not below `n_columns`, and those of [`Vector::upload`].
    pub fn upload(
        device: &Device,
        n_columns: usize,
        offsets: &[u32],
        columns: &[u32],
        values: &[f32],
    ) -> Result<Csr, Error> {
        check(n_columns, offsets, columns, values.len())
            .map_err(|reason| Error::Refused { operation: "matrix".into(), reason })?;
        Ok(Csr {
            offsets: Vector::upload(device, offsets)?,
            columns: Vector::upload(device, columns)?,
            values: Vector::upload(device, values)?,
            n_columns,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of stored values.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// The device that owns the memory.
    pub fn device(&self) -> &Device {
        self.values.device()
    }
}

fn check(n_columns: usize, offsets: &[u32], columns: &[u32], n_values: usize) -> Result<(), Refusal> {
    if n_values != columns.len() {
        return Err(Refusal::ValueCount { given: n_values, expected: columns.len() });
    }
    let n_rows = offsets.len().checked_sub(1).ok_or(Refusal::NoRowOffsets)?;
    let mut begin = 0;
    for (row, &given) in offsets.iter().enumerate() {
        let most = if row == 0 && n_rows > 0 { 0 } else { n_values };
        let least = if row == n_rows { n_values } else { begin as usize };
        if !(least..=most).contains(&(given as usize)) {
            return Err(Refusal::RowOffset { row, given, least, most });
        }
        begin = given;
    }
    for (row, stored) in offsets.windows(2).enumerate() {
        let columns = &columns[stored[0] as usize..stored[1] as usize];
        if let Some(&given) = columns.iter().find(|column| **column as usize >= n_columns) {
            return Err(Refusal::Column { row, given, n_columns });
        }
    }
    Ok(())
}
