//! Device memory and copies. Buffers hold bytes; what they mean is the batch's business.

use cudarc::driver::{CudaSlice, DriverError, sys};

use super::{Context, failed};
use crate::error::Error;
use crate::kernel::Target;

/// Bytes repeated by [`Context::filled`] from the host before the device copies its own memory.
const FILL_BYTES: usize = 64 * 1024;

/// Memory of one batch.
pub(crate) struct Buffer {
    pub(super) slice: CudaSlice<u8>,
    n_bytes: usize,
}

impl Context {
    /// Memory with unspecified contents.
    pub(super) fn alloc(&self, n_bytes: usize) -> Result<Buffer, Error> {
        self.check_earlier()?;
        // An allocation of nothing is an error to the driver.
        // SAFETY: bytes of any value are valid; every caller writes them before they are read.
        let slice = unsafe { self.stream.alloc::<u8>(n_bytes.max(1)) };
        let slice = slice.map_err(|error| match error {
            DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY) => Error::OutOfMemory {
                target: Target::Cuda,
                bytes: n_bytes as u64,
                message: format!("{error:?}"),
            },
            error => failed("allocating", error),
        })?;
        Ok(Buffer { slice, n_bytes })
    }

    /// A copy of `bytes` on the device.
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let mut buffer = self.alloc(bytes.len())?;
        self.overwrite(&mut buffer, bytes)?;
        Ok(buffer)
    }

    /// Replaces everything by `bytes`, which has the buffer's length.
    pub(crate) fn overwrite(&self, buffer: &mut Buffer, bytes: &[u8]) -> Result<(), Error> {
        debug_assert_eq!(bytes.len(), buffer.n_bytes);
        if !bytes.is_empty() {
            self.stream.memcpy_htod(bytes, &mut buffer.slice).map_err(|error| failed("uploading", error))?;
        }
        Ok(())
    }

    /// `n_bytes` of zeros.
    pub(crate) fn zeroed(&self, n_bytes: usize) -> Result<Buffer, Error> {
        let mut buffer = self.alloc(n_bytes)?;
        self.stream.memset_zeros(&mut buffer.slice).map_err(|error| failed("clearing", error))?;
        Ok(buffer)
    }

    /// `n_bytes` of a repeated `value`; `n_bytes` is a multiple of its length.
    pub(crate) fn filled(&self, n_bytes: usize, value: &[u8]) -> Result<Buffer, Error> {
        if value.iter().all(|byte| *byte == 0) {
            return self.zeroed(n_bytes);
        }
        let mut buffer = self.alloc(n_bytes)?;
        let mut n_done = n_bytes.min(FILL_BYTES / value.len() * value.len());
        if n_done == 0 {
            return Ok(buffer);
        }
        let seed = value.repeat(n_done / value.len());
        self.stream.memcpy_htod(&seed, &mut buffer.slice).map_err(|error| failed("uploading", error))?;
        while n_done < n_bytes {
            let n_more = n_done.min(n_bytes - n_done);
            let (done, mut rest) = buffer.slice.split_at_mut(n_done);
            self.stream
                .memcpy_dtod(&done.slice(..n_more), &mut rest.slice_mut(..n_more))
                .map_err(|error| failed("copying on the device", error))?;
            n_done += n_more;
        }
        Ok(buffer)
    }

    /// A copy on the device.
    pub(crate) fn duplicate(&self, buffer: &Buffer) -> Result<Buffer, Error> {
        let mut copy = self.alloc(buffer.n_bytes)?;
        self.copy(buffer, &mut copy)?;
        Ok(copy)
    }

    /// Copies on the device; both have the same length.
    pub(super) fn copy(&self, from: &Buffer, to: &mut Buffer) -> Result<(), Error> {
        self.stream
            .memcpy_dtod(&from.slice, &mut to.slice)
            .map_err(|error| failed("copying on the device", error))
    }

    /// Copies to the host and waits for it. `bytes` has the buffer's length.
    pub(crate) fn download(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<(), Error> {
        debug_assert_eq!(bytes.len(), buffer.n_bytes);
        if !bytes.is_empty() {
            self.stream.memcpy_dtoh(&buffer.slice, bytes).map_err(|error| failed("downloading", error))?;
        }
        self.synchronize()
    }
}
