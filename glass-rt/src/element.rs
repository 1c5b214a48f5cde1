//! The element types a batch may hold.

use std::fmt::Debug;

use crate::host;
use crate::kernel::{Code, DType};

/// Closes [`Element`] and carries what the run time needs to know of each type.
pub trait Sealed: Sized {
    /// Lanes that make up 128 bytes: wide enough that the tiles of an interleaved batch are read in order.
    type Pack: host::Lanes<Self> + bytemuck::Pod;
    /// The widest block moves compiled for this processor family.
    type Wide: host::Transpose<Self>;
    /// Lanes of `Pack`.
    const LANES: usize;

    /// The host entry of `code`, when it has this element type.
    fn host_entry(code: &Code) -> Option<host::Entry<Self>>;
}

#[cfg(target_arch = "x86_64")]
type Wide = host::Avx2;
#[cfg(not(target_arch = "x86_64"))]
type Wide = host::Portable;

impl Sealed for f32 {
    type Pack = host::Pack<f32, 32>;
    type Wide = Wide;
    const LANES: usize = 32;

    fn host_entry(code: &Code) -> Option<host::Entry<Self>> {
        match code {
            Code::HostF32(entry) => Some(*entry),
            _ => None,
        }
    }
}

impl Sealed for f64 {
    type Pack = host::Pack<f64, 16>;
    type Wide = Wide;
    const LANES: usize = 16;

    fn host_entry(code: &Code) -> Option<host::Entry<Self>> {
        match code {
            Code::HostF64(entry) => Some(*entry),
            _ => None,
        }
    }
}

/// An element type of batches: `f32` or `f64`. Sealed.
pub trait Element: Sealed + Copy + Default + Send + Sync + bytemuck::Pod + Debug + 'static {
    /// The same type as a value.
    const DTYPE: DType;
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
}

impl Element for f64 {
    const DTYPE: DType = DType::F64;
}
