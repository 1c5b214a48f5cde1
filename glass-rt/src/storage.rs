//! The memory of a batch or a vector, by backend.

#![allow(unreachable_patterns, reason = "with no GPU backend built in there is only one kind of memory")]

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
use crate::cuda;
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::host;
use crate::kernel::Target;
#[cfg(feature = "wgpu")]
use crate::wgpu30;

/// Memory of one device, the owner's.
pub(crate) enum Storage<T> {
    Host(host::Buffer<T>),
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
    Cuda(cuda::Buffer),
    #[cfg(feature = "wgpu")]
    Wgpu(wgpu30::Buffer),
}

impl<T: Element> Storage<T> {
    /// A copy of `data` on the device.
    pub(crate) fn upload(device: &Device, data: &[T]) -> Result<Self, Error> {
        Ok(match &device.inner.backend {
            Backend::Host => {
                let mut buffer = host_buffer(data.len())?;
                buffer.as_mut_slice().copy_from_slice(data);
                Storage::Host(buffer)
            }
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => Storage::Cuda(context.upload(bytemuck::cast_slice(data))?),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => Storage::Wgpu(context.upload(bytemuck::cast_slice(data))?),
        })
    }

    /// `len` times `value` on the device.
    pub(crate) fn filled(device: &Device, len: usize, value: T) -> Result<Self, Error> {
        Ok(match &device.inner.backend {
            Backend::Host => {
                let mut buffer = host_buffer(len)?;
                if bytemuck::bytes_of(&value).iter().any(|byte| *byte != 0) {
                    buffer.as_mut_slice().fill(value);
                }
                Storage::Host(buffer)
            }
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => {
                Storage::Cuda(context.filled(len * size_of::<T>(), bytemuck::bytes_of(&value))?)
            }
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => {
                Storage::Wgpu(context.filled(len * size_of::<T>(), bytemuck::bytes_of(&value))?)
            }
        })
    }

    /// Copies all `len` elements to the caller. Waits for earlier launches.
    pub(crate) fn download(&self, device: &Device, len: usize) -> Result<Vec<T>, Error> {
        tracing::trace!("download");
        match (&device.inner.backend, self) {
            (Backend::Host, Storage::Host(buffer)) => Ok(buffer.as_slice()[..len].to_vec()),
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            (Backend::Cuda(context), Storage::Cuda(buffer)) => {
                let mut data = vec![T::default(); len];
                context.download(buffer, bytemuck::cast_slice_mut(&mut data))?;
                Ok(data)
            }
            #[cfg(feature = "wgpu")]
            (Backend::Wgpu(context), Storage::Wgpu(buffer)) => {
                let mut data = vec![T::default(); len];
                context.download(buffer, bytemuck::cast_slice_mut(&mut data))?;
                Ok(data)
            }
            _ => Err(foreign(device.target())),
        }
    }

    /// Replaces everything by `data`, which has the same length. Ordered after earlier launches.
    pub(crate) fn write(&mut self, device: &Device, data: &[T]) -> Result<(), Error> {
        match (&device.inner.backend, self) {
            (Backend::Host, Storage::Host(buffer)) => {
                buffer.as_mut_slice().copy_from_slice(data);
                Ok(())
            }
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            (Backend::Cuda(context), Storage::Cuda(buffer)) => {
                context.overwrite(buffer, bytemuck::cast_slice(data))
            }
            #[cfg(feature = "wgpu")]
            (Backend::Wgpu(context), Storage::Wgpu(buffer)) => {
                context.overwrite(buffer, bytemuck::cast_slice(data))
            }
            _ => Err(foreign(device.target())),
        }
    }
}

/// Zeroed memory of the processor.
pub(crate) fn host_buffer<T: Element>(len: usize) -> Result<host::Buffer<T>, Error> {
    host::Buffer::zeroed(len).ok_or(Error::OutOfMemory {
        target: Target::Host,
        bytes: (len as u64).saturating_mul(size_of::<T>() as u64),
        message: "allocation refused".into(),
    })
}

/// Memory of another backend than the owner's device: cannot be built through this crate.
pub(crate) fn foreign(target: Target) -> Error {
    let message = "the memory belongs to another backend than its device".into();
    Error::Backend { target, call: "using memory", message }
}

impl<T> Storage<T> {
    pub(crate) fn host(&self) -> Option<&host::Buffer<T>> {
        match self {
            Storage::Host(buffer) => Some(buffer),
            _ => None,
        }
    }

    pub(crate) fn host_mut(&mut self) -> Option<&mut host::Buffer<T>> {
        match self {
            Storage::Host(buffer) => Some(buffer),
            _ => None,
        }
    }
}

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
impl<T> Storage<T> {
    pub(crate) fn cuda(&self) -> Option<&cuda::Buffer> {
        match self {
            Storage::Cuda(buffer) => Some(buffer),
            _ => None,
        }
    }
}

#[cfg(feature = "wgpu")]
impl<T> Storage<T> {
    pub(crate) fn wgpu(&self) -> Option<&wgpu30::Buffer> {
        match self {
            Storage::Wgpu(buffer) => Some(buffer),
            _ => None,
        }
    }
}
