//! Buffers and copies.

use std::sync::mpsc;

use super::{Context, failed};
use crate::error::Error;
use crate::kernel::Target;

/// Bytes handed to the queue at once, which bounds the staging memory of a large upload.
const UPLOAD_BYTES: usize = 64 << 20;

/// Memory of one batch.
pub(crate) struct Buffer {
    pub(super) buffer: wgpu::Buffer,
    n_bytes: usize,
}

impl Context {
    /// Zeroed memory; wgpu clears it before its first use.
    pub(crate) fn zeroed(&self, n_bytes: usize) -> Result<Buffer, Error> {
        self.check_earlier()?;
        if n_bytes as u64 > self.limits.max_buffer_size {
            return Err(Error::Limit {
                subject: "a batch".into(),
                what: "bytes of one buffer",
                required: n_bytes as u64,
                available: self.limits.max_buffer_size,
            });
        }
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            // A buffer of nothing cannot be bound; sizes of `f32` are multiples of 4 already.
            size: n_bytes.max(4) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let buffer = self
            .scoped("allocating", || self.device.create_buffer(&descriptor))
            .map_err(|error| with_bytes(error, n_bytes))?;
        Ok(Buffer { buffer, n_bytes })
    }

    /// A copy of `bytes` on the device.
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.zeroed(bytes.len())?;
        self.overwrite(&buffer, bytes)?;
        Ok(buffer)
    }

    /// Replaces everything by `bytes`, which has the buffer's length.
    pub(crate) fn overwrite(&self, buffer: &Buffer, bytes: &[u8]) -> Result<(), Error> {
        debug_assert_eq!(bytes.len(), buffer.n_bytes);
        let mut chunks = bytes.chunks(UPLOAD_BYTES).enumerate();
        chunks.try_for_each(|(chunk_idx, chunk)| self.write(buffer, chunk_idx * UPLOAD_BYTES, chunk))
    }

    /// `n_bytes` of a repeated `value`.
    pub(crate) fn filled(&self, n_bytes: usize, value: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.zeroed(n_bytes)?;
        if value.iter().any(|byte| *byte != 0) {
            let pattern = value.repeat(n_bytes.min(UPLOAD_BYTES) / value.len());
            for start in (0..n_bytes).step_by(UPLOAD_BYTES) {
                self.write(&buffer, start, &pattern[..pattern.len().min(n_bytes - start)])?;
            }
        }
        Ok(buffer)
    }

    fn write(&self, buffer: &Buffer, start: usize, bytes: &[u8]) -> Result<(), Error> {
        self.scoped("uploading", || {
            self.queue.write_buffer(&buffer.buffer, start as u64, bytes);
            self.queue.submit([]);
        })
        .map_err(|error| with_bytes(error, bytes.len()))
    }

    /// A copy on the device.
    pub(crate) fn duplicate(&self, buffer: &Buffer) -> Result<Buffer, Error> {
        let copy = self.zeroed(buffer.n_bytes)?;
        self.copy(buffer, &copy)?;
        Ok(copy)
    }

    /// Copies on the device; both have the same length.
    pub(super) fn copy(&self, from: &Buffer, to: &Buffer) -> Result<(), Error> {
        if from.n_bytes == 0 {
            return Ok(());
        }
        self.scoped("copying on the device", || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, 0, from.n_bytes as u64);
            self.queue.submit([encoder.finish()]);
        })
    }

    /// Copies to the host and waits for it. `bytes` has the buffer's length.
    pub(crate) fn download(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<(), Error> {
        debug_assert_eq!(bytes.len(), buffer.n_bytes);
        if bytes.is_empty() {
            return self.synchronize();
        }
        self.read(&buffer.buffer, bytes)
    }

    /// Reads the start of a buffer through a staging buffer.
    pub(super) fn read(&self, buffer: &wgpu::Buffer, bytes: &mut [u8]) -> Result<(), Error> {
        self.check_earlier()?;
        let size = bytes.len() as u64;
        let (sender, receiver) = mpsc::channel();
        let staging = self
            .scoped("downloading", || {
                let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size,
                    usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                });
                let mut encoder = self.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
                self.queue.submit([encoder.finish()]);
                staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
                    // The receiver lives until the wait below is over.
                    let _ = sender.send(outcome);
                });
                staging
            })
            .map_err(|error| with_bytes(error, bytes.len()))?;
        self.synchronize()?;
        receiver
            .recv()
            .map_err(|error| failed("downloading", error))?
            .map_err(|error| failed("downloading", error))?;
        let view = staging.get_mapped_range(..).map_err(|error| failed("downloading", error))?;
        bytes.copy_from_slice(&view);
        Ok(())
    }
}

/// Out-of-memory errors of wgpu do not say how much was asked for.
fn with_bytes(error: Error, n_bytes: usize) -> Error {
    match error {
        Error::OutOfMemory { message, .. } => {
            Error::OutOfMemory { target: Target::Wgpu, bytes: n_bytes as u64, message }
        }
        other => other,
    }
}
