//! The 32-bit types of vectors and scalars.

use std::fmt;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

/// What the bits of a word mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// 32-bit IEEE float.
    F32,
    /// Unsigned integer.
    U32,
    /// Signed integer in two's complement.
    I32,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::F32 => "f32",
            Format::U32 => "u32",
            Format::I32 => "i32",
        })
    }
}

/// A type of one word: `f32`, `u32` or `i32`. Sealed.
pub trait Word: sealed::Sealed + Copy + Default + Send + Sync + bytemuck::Pod + fmt::Debug + 'static {
    /// The same type as a value.
    const FORMAT: Format;
}

impl Word for f32 {
    const FORMAT: Format = Format::F32;
}

impl Word for u32 {
    const FORMAT: Format = Format::U32;
}

impl Word for i32 {
    const FORMAT: Format = Format::I32;
}
