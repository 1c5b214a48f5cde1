//! Batches: `n_problems` problems of `elements` elements each, owned by one device.

use std::fmt;

use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::host;
use crate::kernel::Target;
use crate::layout::Layout;
use crate::storage::{Storage, foreign, host_buffer};

/// A batch of problems on a device. Each problem is a column-major matrix of `elements()` elements, or as many
/// words: a `Batch<u32>` of status words is contiguous.
pub struct Batch<T: Element> {
    pub(crate) device: Device,
    pub(crate) elements: usize,
    pub(crate) n_problems: usize,
    pub(crate) layout: Layout,
    pub(crate) storage: Storage<T>,
}

impl<T: Element> Batch<T> {
    /// Number of problems.
    pub fn len(&self) -> usize {
        self.n_problems
    }

    /// Whether there is no problem.
    pub fn is_empty(&self) -> bool {
        self.n_problems == 0
    }

    /// Elements of one problem.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Storage order.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The device that owns the memory.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies the batch to the caller, problem after problem, without padding. Waits for earlier launches.
    ///
    /// # Errors
    /// Errors of earlier asynchronous work, or of the copy itself.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        let stored = self.download_raw()?;
        match self.layout {
            Layout::Contiguous => Ok(stored),
            Layout::Interleaved => {
                let mut problems = vec![T::default(); self.elements * self.n_problems];
                host::convert(&stored, self.layout, self.elements, self.n_problems, &mut problems);
                Ok(problems)
            }
        }
    }

    /// Copies the buffer to the caller as it is stored, padding included. Waits for earlier launches.
    ///
    /// # Errors
    /// Errors of earlier asynchronous work, or of the copy itself.
    pub fn download_raw(&self) -> Result<Vec<T>, Error> {
        self.storage.download(&self.device, self.layout.buffer_len(self.elements, self.n_problems))
    }

    /// A copy of the batch in `layout`, made on the device. Padding of an interleaved copy of contiguous
    /// problems is zero.
    ///
    /// # Errors
    /// Out of memory, or a batch too large for one conversion launch.
    pub fn to_layout(&self, layout: Layout) -> Result<Batch<T>, Error> {
        let len = layout.buffer_len(self.elements, self.n_problems);
        let storage = match &self.device.inner.backend {
            Backend::Host => {
                let from = self.host()?.as_slice();
                let mut copy = host_buffer(len)?;
                if layout == self.layout {
                    copy.as_mut_slice().copy_from_slice(from);
                } else {
                    host::convert(from, self.layout, self.elements, self.n_problems, copy.as_mut_slice());
                }
                Storage::Host(copy)
            }
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => {
                let buffer = self.storage.cuda().ok_or_else(|| self.foreign())?;
                Storage::Cuda(if layout == self.layout {
                    context.duplicate(buffer)?
                } else {
                    context.convert(size_of::<T>(), buffer, self.elements, self.n_problems, layout)?
                })
            }
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => {
                let buffer = self.storage.wgpu().ok_or_else(|| self.foreign())?;
                Storage::Wgpu(if layout == self.layout {
                    context.duplicate(buffer)?
                } else {
                    context.convert(buffer, self.elements, self.n_problems, layout)?
                })
            }
        };
        Ok(Batch {
            device: self.device.clone(),
            elements: self.elements,
            n_problems: self.n_problems,
            layout,
            storage,
        })
    }
}

impl<T: Element> Batch<T> {
    /// The memory of a batch on the host.
    pub(crate) fn host(&self) -> Result<&host::Buffer<T>, Error> {
        self.storage.host().ok_or_else(|| self.foreign())
    }

    /// Memory of another backend than the device's: cannot be built through this crate.
    pub(crate) fn foreign(&self) -> Error {
        foreign(self.device.target())
    }
}

impl<T: Element> fmt::Debug for Batch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("element", &T::NAME)
            .field("n_problems", &self.n_problems)
            .field("elements", &self.elements)
            .field("layout", &self.layout)
            .field("device", &self.device.name())
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Copies contiguous problems of `S` elements to the device.
    ///
    /// # Errors
    /// `S` = 0, an element type the device lacks, or out of memory.
    pub fn upload<T: Element, const S: usize>(&self, problems: &[[T; S]]) -> Result<Batch<T>, Error> {
        self.upload_slice(problems.as_flattened(), S, Layout::Contiguous)
    }

    /// Copies problem-major data to the device and stores it in `layout`. The padding of an interleaved batch is
    /// zero.
    ///
    /// # Errors
    /// A length that is no multiple of `elements`, and the errors of [`Device::upload`].
    pub fn upload_slice<T: Element>(
        &self,
        data: &[T],
        elements: usize,
        layout: Layout,
    ) -> Result<Batch<T>, Error> {
        if elements == 0 {
            return Err(Error::NoElements);
        }
        if !data.len().is_multiple_of(elements) {
            let allowed = format!("a multiple of {elements}, the elements per problem");
            return Err(Error::DataLength { given: data.len(), allowed });
        }
        let n_problems = data.len() / elements;
        match layout {
            Layout::Contiguous => self.upload_raw(data, elements, n_problems, layout),
            Layout::Interleaved => {
                let mut stored = host_buffer::<T>(self.checked_len::<T>(elements, n_problems, layout)?)?;
                host::convert(data, Layout::Contiguous, elements, n_problems, stored.as_mut_slice());
                if self.target() == Target::Host {
                    let storage = Storage::Host(stored);
                    return Ok(Batch { device: self.clone(), elements, n_problems, layout, storage });
                }
                self.upload_raw(stored.as_slice(), elements, n_problems, layout)
            }
        }
    }

    /// Copies data that is already in `layout`, padding included, to the device.
    ///
    /// # Errors
    /// A length other than `layout.buffer_len(elements, n_problems)`, and the errors of [`Device::upload`].
    pub fn upload_raw<T: Element>(
        &self,
        data: &[T],
        elements: usize,
        n_problems: usize,
        layout: Layout,
    ) -> Result<Batch<T>, Error> {
        let len = self.checked_len::<T>(elements, n_problems, layout)?;
        if data.len() != len {
            let allowed =
                format!("{len}: {n_problems} {layout} problem(s) of {elements} element(s), padding included");
            return Err(Error::DataLength { given: data.len(), allowed });
        }
        let storage = Storage::upload(self, data)?;
        Ok(Batch { device: self.clone(), elements, n_problems, layout, storage })
    }

    /// A batch whose every slot, padding included, holds `value`.
    ///
    /// # Errors
    /// The errors of [`Device::upload`].
    pub fn filled<T: Element>(
        &self,
        elements: usize,
        n_problems: usize,
        layout: Layout,
        value: T,
    ) -> Result<Batch<T>, Error> {
        let len = self.checked_len::<T>(elements, n_problems, layout)?;
        let storage = Storage::filled(self, len, value)?;
        Ok(Batch { device: self.clone(), elements, n_problems, layout, storage })
    }

    /// Length of a buffer this device can hold, in elements. A size that no buffer of one problem could have is
    /// refused even when there is no problem.
    fn checked_len<T: Element>(
        &self,
        elements: usize,
        n_problems: usize,
        layout: Layout,
    ) -> Result<usize, Error> {
        if elements == 0 {
            return Err(Error::NoElements);
        }
        self.check_element::<T>()?;
        let n_stored = n_problems.max(1);
        let n_bytes = layout.buffer_len(elements, n_stored).checked_mul(size_of::<T>());
        if n_bytes.is_none_or(|n_bytes| n_bytes > isize::MAX as usize) {
            return Err(Error::OutOfMemory {
                target: self.target(),
                bytes: u64::MAX,
                message: format!("{n_stored} problem(s) of {elements} elements exceed the address space"),
            });
        }
        Ok(layout.buffer_len(elements, n_problems))
    }
}
