//! The element types a batch may hold.

use std::fmt::Debug;

use crate::host;
use crate::kernel::{Code, DType};

/// Closes [`Element`] and carries what the run time needs to know of each type.
pub trait Sealed: Sized {
    /// The widest block moves compiled for this processor family.
    type Wide: host::Transpose<Self>;
}

/// Closes [`Real`] and carries what the host form needs to know of each type.
pub trait SealedReal: Sized {
    /// Lanes that make up 128 bytes: wide enough that the tiles of an interleaved batch are read in order.
    type Pack: host::Lanes<Self, Words = Self::Words> + bytemuck::Pod;
    /// A word for each of these lanes.
    type Words: bytemuck::Pod;
    /// Lanes of `Pack`.
    const LANES: usize;

    /// The host entry of `code`, when it has this element type.
    fn host_entry(code: &Code) -> Option<host::Entry<Self>>;
}

#[cfg(target_arch = "x86_64")]
type Wide = host::Avx2;
#[cfg(not(target_arch = "x86_64"))]
type Wide = host::Portable;

/// An element type of batches: `f32`, `f64` or `u32`. Sealed.
pub trait Element: Sealed + Copy + Default + Send + Sync + bytemuck::Pod + Debug + 'static {
    /// The type's name.
    const NAME: &'static str;
}

/// An element type of numbers: `f32` or `f64`. Sealed.
pub trait Real: SealedReal + Element {
    /// The same type as a value.
    const DTYPE: DType;
}

macro_rules! element {
    ($type:ty, $name:literal) => {
        impl Sealed for $type {
            type Wide = Wide;
        }

        impl Element for $type {
            const NAME: &'static str = $name;
        }
    };
}

macro_rules! real {
    ($type:ty, $dtype:ident, $entry:ident, $lanes:literal) => {
        impl SealedReal for $type {
            type Pack = host::Pack<$type, $lanes>;
            type Words = host::Pack<u32, $lanes>;
            const LANES: usize = $lanes;

            fn host_entry(code: &Code) -> Option<host::Entry<Self>> {
                match code {
                    Code::$entry(entry) => Some(*entry),
                    _ => None,
                }
            }
        }

        impl Real for $type {
            const DTYPE: DType = DType::$dtype;
        }
    };
}

element!(f32, "f32");
element!(f64, "f64");
element!(u32, "u32");
real!(f32, F32, HostF32, 32);
real!(f64, F64, HostF64, 16);
