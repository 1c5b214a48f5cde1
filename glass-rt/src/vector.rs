//! Vectors: any number of packed words on one device, and views of their parts.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::device::Device;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::storage::Storage;
use crate::word::Word;

/// A packed vector on a device. Cheap to clone: all clones are the same memory.
pub struct Vector<T: Word> {
    memory: Memory,
    element: PhantomData<T>,
}

/// The memory of a vector, whatever its words mean.
#[derive(Clone)]
pub(crate) struct Memory {
    pub(crate) device: Device,
    pub(crate) len: usize,
    words: Arc<RwLock<Storage<u32>>>,
}

impl Memory {
    fn new(device: &Device, len: usize, words: Storage<u32>) -> Self {
        Memory { device: device.clone(), len, words: Arc::new(RwLock::new(words)) }
    }

    /// What tells it from all other memories.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.words).addr()
    }

    /// Whether both are the same memory.
    pub(crate) fn is(&self, other: &Memory) -> bool {
        self.address() == other.address()
    }

    /// The words, for reading. On a GPU the guard protects the host's side only; the device orders the rest.
    pub(crate) fn words(&self) -> RwLockReadGuard<'_, Storage<u32>> {
        self.words.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, for writing.
    pub(crate) fn words_mut(&self) -> RwLockWriteGuard<'_, Storage<u32>> {
        self.words.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Word> Vector<T> {
    /// A copy of `data` on the device.
    ///
    /// # Errors
    /// Out of memory, or more bytes than one buffer of the device holds.
    pub fn upload(device: &Device, data: &[T]) -> Result<Self, Error> {
        let words = Storage::upload(device, bytemuck::cast_slice(data))?;
        Ok(Vector { memory: Memory::new(device, data.len(), words), element: PhantomData })
    }

    /// `len` times `value` on the device.
    ///
    /// # Errors
    /// Those of [`Vector::upload`].
    pub fn filled(device: &Device, len: usize, value: T) -> Result<Self, Error> {
        if len.checked_mul(size_of::<T>()).is_none_or(|n_bytes| n_bytes > isize::MAX as usize) {
            let message = format!("{len} elements exceed the address space");
            return Err(Error::OutOfMemory { target: device.target(), bytes: u64::MAX, message });
        }
        let words = Storage::filled(device, len, bytemuck::cast(value))?;
        Ok(Vector { memory: Memory::new(device, len, words), element: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.memory.len
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.memory.len == 0
    }

    /// The device that owns the memory.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Whether both are the same memory, as a clone and its original are.
    pub fn shares_memory_with(&self, other: &Vector<T>) -> bool {
        self.memory.is(&other.memory)
    }

    /// Copies the vector to the caller. Waits for earlier launches.
    ///
    /// # Errors
    /// Errors of earlier asynchronous work, or of the copy itself.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        let words = self.memory.words().download(&self.memory.device, self.memory.len)?;
        Ok(bytemuck::allocation::cast_vec(words))
    }

    /// Replaces all elements. What was launched before sees the old ones, what is launched later the new ones.
    ///
    /// # Errors
    /// Data of another length than the vector's, and errors of the copy.
    pub fn write(&self, data: &[T]) -> Result<(), Error> {
        if data.len() != self.memory.len {
            let allowed = format!("{}, the length of the vector", self.memory.len);
            return Err(Error::DataLength { given: data.len(), allowed });
        }
        self.memory.words_mut().write(&self.memory.device, bytemuck::cast_slice(data))
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl<T: Word> Clone for Vector<T> {
    fn clone(&self) -> Self {
        Vector { memory: self.memory.clone(), element: PhantomData }
    }
}

impl<T: Word> fmt::Debug for Vector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vector")
            .field("format", &T::FORMAT)
            .field("len", &self.memory.len)
            .field("device", &self.memory.device.name())
            .finish_non_exhaustive()
    }
}

/// Consecutive elements of a vector, from any element on.
#[derive(Clone, Debug)]
pub struct VecView<T: Word> {
    vector: Vector<T>,
    offset: usize,
    len: usize,
}

impl<T: Word> VecView<T> {
    /// The `len` elements of `vector` from `offset` on.
    ///
    /// # Errors
    /// Elements outside the vector.
    pub fn new(vector: &Vector<T>, offset: usize, len: usize) -> Result<Self, Error> {
        let vector_len = vector.len();
        if offset.checked_add(len).is_none_or(|end| end > vector_len) {
            let reason = Refusal::OutsideVector { offset, len, vector_len };
            return Err(Error::Refused { operation: "view".into(), reason });
        }
        Ok(VecView { vector: vector.clone(), offset, len })
    }

    /// First element, from the start of the vector.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.vector.memory
    }
}

impl<T: Word> From<&Vector<T>> for VecView<T> {
    /// All elements.
    fn from(vector: &Vector<T>) -> Self {
        VecView { vector: vector.clone(), offset: 0, len: vector.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_their_bits_on_every_device() {
        for device in Device::all().0 {
            let bits = [0, 1, 0x8000_0000, 0x7fc0_0001, 0xff80_0000, u32::MAX];
            let floats: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
            let vector = Vector::upload(&device, &floats).unwrap();
            let found: Vec<u32> = vector.download().unwrap().iter().map(|value| value.to_bits()).collect();
            assert_eq!(found, bits, "{vector:?}");

            let filled = Vector::filled(&device, 5, -7i32).unwrap();
            assert_eq!((filled.download().unwrap(), filled.len()), (vec![-7; 5], 5));
            let same = filled.clone();
            filled.write(&[1, 2, 3, 4, 5]).unwrap();
            assert_eq!(same.download().unwrap(), [1, 2, 3, 4, 5]);
            let refused = Err(Error::DataLength { given: 4, allowed: "5, the length of the vector".into() });
            assert_eq!(filled.write(&[0; 4]), refused);

            let empty = Vector::<u32>::upload(&device, &[]).unwrap();
            assert!(empty.is_empty() && empty.download().unwrap().is_empty());
            empty.write(&[]).unwrap();
        }
    }

    #[test]
    fn red_07_views_stay_inside_their_vector() {
        let vector = Vector::upload(&Device::host(), &[0u32; 10]).unwrap();
        for (offset, len) in [(0, 10), (10, 0), (3, 7), (9, 1)] {
            let view = VecView::new(&vector, offset, len).unwrap();
            assert_eq!((view.offset(), view.len(), view.is_empty()), (offset, len, len == 0));
        }
        for (offset, len) in [(0, 11), (11, 0), (5, 6), (usize::MAX, 2)] {
            let reason = Refusal::OutsideVector { offset, len, vector_len: 10 };
            let refused = Error::Refused { operation: "view".into(), reason };
            assert_eq!(VecView::new(&vector, offset, len).unwrap_err(), refused);
            assert!(refused.to_string().contains("a vector of 10"), "{refused}");
        }
    }
}
