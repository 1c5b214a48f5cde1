//! Device memory that is allocated once and cut into operands by the measurement.

use super::{Gpu, text};
use cudarc::driver::result;

/// One allocation.
pub(crate) struct Arena {
    address: u64,
    n_bytes: u64,
}

/// Operands start at multiples of this many bytes.
pub(crate) const ALIGNMENT: u64 = 256;

impl Arena {
    pub(crate) fn new(n_bytes: u64) -> Result<Arena, String> {
        let len = usize::try_from(n_bytes.max(ALIGNMENT)).map_err(|error| error.to_string())?;
        // SAFETY: freed in `drop`.
        let address = unsafe { result::malloc_sync(len) }
            .map_err(|error| format!("{n_bytes} bytes of device memory: {}", text(error)))?;
        Ok(Arena { address, n_bytes: len as u64 })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Copies bytes to `offset`; returns when they are there.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), String> {
        self.check(offset, bytes.len())?;
        // SAFETY: the region lies inside this allocation.
        unsafe { result::memcpy_htod_sync(self.address + offset, bytes) }.map_err(text)?;
        settle()
    }

    /// Copies bytes from `offset`; waits for the copy, not for streams.
    pub(crate) fn read(&self, offset: u64, n_bytes: usize) -> Result<Vec<u8>, String> {
        self.check(offset, n_bytes)?;
        let mut bytes = vec![0; n_bytes];
        // SAFETY: the region lies inside this allocation.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, self.address + offset) }.map_err(text)?;
        Ok(bytes)
    }

    /// Sets every byte of a region; returns when that is done.
    pub(crate) fn set(&self, offset: u64, n_bytes: usize, value: u8) -> Result<(), String> {
        self.check(offset, n_bytes)?;
        // SAFETY: the region lies inside this allocation.
        unsafe { result::memset_d8_sync(self.address + offset, value, n_bytes) }.map_err(text)?;
        settle()
    }

    /// Fills a region with repetitions of some bytes; returns when that is done.
    pub(crate) fn repeat(&self, gpu: &Gpu, offset: u64, n_bytes: u64, image: &[u8]) -> Result<(), String> {
        let n_first = n_bytes.min(image.len() as u64);
        self.write(offset, &image[..n_first as usize])?;
        let address = self.address + offset;
        let mut n_done = n_first;
        while n_done < n_bytes {
            let n_more = n_done.min(n_bytes - n_done);
            gpu.copy(address + n_done, address, n_more as usize)?;
            n_done += n_more;
        }
        gpu.synchronize()
    }

    fn check(&self, offset: u64, n_bytes: usize) -> Result<(), String> {
        let fits = offset.checked_add(n_bytes as u64).is_some_and(|end| end <= self.n_bytes);
        if fits {
            Ok(())
        } else {
            Err(format!("{n_bytes} bytes at {offset} leave an arena of {}", self.n_bytes))
        }
    }
}

/// The driver returns before the device has finished with pageable copies and with fills, and the stream of the
/// launches does not wait for them.
fn settle() -> Result<(), String> {
    result::ctx::synchronize().map_err(text)
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated by `malloc_sync`, freed once. After a fault the context is lost with its memory.
        let _ = unsafe { result::free_sync(self.address) };
    }
}
