//! The memory of a batch, by backend.

#![allow(unreachable_patterns, reason = "with no GPU backend built in there is only one kind of memory")]

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
use crate::cuda;
use crate::host;
#[cfg(feature = "wgpu")]
use crate::wgpu30;

/// The memory of a batch; always of the batch's device.
pub(crate) enum Storage<T> {
    Host(host::Buffer<T>),
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
    Cuda(cuda::Buffer),
    #[cfg(feature = "wgpu")]
    Wgpu(wgpu30::Buffer),
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
