//! The arena: all scalars of a graph, or of graphs that share them, as words of one buffer.
//!
//! Scalars are declared first and used afterwards: [`ScalarArena::declare`] opens the declaration, which hands out
//! typed [`Slot`]s, and [`Declaration::seal`] fixes the size. What a slot may be used for its type says.

mod operation;

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use operation::{Binary, Comparison};
pub(crate) use operation::{Operation, ScalarStep};

use crate::device::Device;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::vector::Vector;
use crate::word::{Format, Word};

/// The largest word number, which means "no gate" to kernels, is never a slot.
const MAX_SLOTS: usize = u32::MAX as usize;

/// The first phase: scalars are declared, none is used.
#[derive(Debug)]
pub struct Declaration {
    id: u64,
    names: Vec<String>,
}

impl Declaration {
    /// Declares a float.
    ///
    /// # Errors
    /// A name that is empty or taken.
    pub fn f32(&mut self, name: &str) -> Result<Slot<f32>, Error> {
        self.slot(name)
    }

    /// Declares an unsigned integer; only these can be gates.
    ///
    /// # Errors
    /// Those of [`Declaration::f32`].
    pub fn u32(&mut self, name: &str) -> Result<Slot<u32>, Error> {
        self.slot(name)
    }

    /// Declares a signed integer.
    ///
    /// # Errors
    /// Those of [`Declaration::f32`].
    pub fn i32(&mut self, name: &str) -> Result<Slot<i32>, Error> {
        self.slot(name)
    }

    /// Ends the declaration.
    pub fn seal(self) -> ScalarArena {
        ScalarArena { id: self.id, n_words: self.names.len(), words: Arc::default() }
    }

    fn slot<T: Word>(&mut self, name: &str) -> Result<Slot<T>, Error> {
        let refused = |reason| Err(Error::Refused { operation: name.into(), reason });
        if name.is_empty() {
            return refused(Refusal::EmptyName);
        }
        if self.names.iter().any(|other| other == name) {
            return refused(Refusal::NameTaken);
        }
        let word = self.names.len();
        if word >= MAX_SLOTS {
            return refused(Refusal::TooManySlots { given: word + 1, max: MAX_SLOTS });
        }
        self.names.push(name.into());
        Ok(Slot { arena: self.id, word: word as u32, format: PhantomData })
    }
}

/// The scalars of one or more graphs: one word each, in the order of their declaration. All clones are the same
/// scalars, so that graphs over clones hand their scalars on to each other. They are 0 before the first run of any
/// graph over them and keep their values from run to run. They live on the device of the first graph over them that
/// is compiled.
#[derive(Clone, Debug)]
pub struct ScalarArena {
    pub(crate) id: u64,
    n_words: usize,
    words: Arc<Mutex<Option<Vector<u32>>>>,
}

impl ScalarArena {
    /// Opens the declaration of a new arena.
    ///
    /// Once it is sealed, nothing can be declared any more:
    ///
    /// ```compile_fail,E0382
    /// let mut declaration = glass_rt::arena::ScalarArena::declare();
    /// let arena = declaration.seal();
    /// declaration.f32("late");
    /// ```
    pub fn declare() -> Declaration {
        static N_ARENAS: AtomicU64 = AtomicU64::new(0);
        Declaration { id: N_ARENAS.fetch_add(1, Ordering::Relaxed), names: Vec::new() }
    }

    /// Size of the arena in bytes: exactly four per slot.
    pub fn n_bytes(&self) -> usize {
        self.n_words * size_of::<u32>()
    }

    /// The words on `device`, which no other device may have.
    pub(crate) fn words(&self, device: &Device) -> Result<Vector<u32>, Error> {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        match &*words {
            Some(words) if words.device() == device => Ok(words.clone()),
            Some(words) => {
                let (given, expected) = (words.device().name().into(), device.name().into());
                let reason = Refusal::ForeignDevice { given, expected };
                Err(Error::Refused { operation: "compile".into(), reason })
            }
            None => Ok(words.insert(Vector::filled(device, self.n_words, 0)?).clone()),
        }
    }
}

/// A scalar of an arena.
pub struct Slot<T: Word> {
    pub(crate) arena: u64,
    pub(crate) word: u32,
    format: PhantomData<fn() -> T>,
}

impl<T: Word> Slot<T> {
    /// Bytes from the start of the arena; never changes.
    pub fn byte_offset(&self) -> usize {
        self.word as usize * size_of::<u32>()
    }
}

impl<T: Word> Clone for Slot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Word> Copy for Slot<T> {}

impl<T: Word> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("format", &T::FORMAT)
            .field("arena", &self.arena)
            .field("word", &self.word)
            .finish()
    }
}

/// A scalar of any format.
#[derive(Clone, Copy, Debug)]
pub struct ScalarArgument {
    pub(crate) arena: u64,
    pub(crate) word: u32,
    pub(crate) format: Format,
}

impl<T: Word> From<Slot<T>> for ScalarArgument {
    fn from(slot: Slot<T>) -> Self {
        ScalarArgument { arena: slot.arena, word: slot.word, format: T::FORMAT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_12_slots_have_unique_offsets_and_the_arena_its_exact_size() {
        let mut declaration = ScalarArena::declare();
        let offsets = [
            declaration.f32("rr").unwrap().byte_offset(),
            declaration.u32("active").unwrap().byte_offset(),
            declaration.i32("shift").unwrap().byte_offset(),
        ];
        assert_eq!(offsets, [0, 4, 8]);
        assert_eq!(declaration.seal().n_bytes(), 12);
        assert_eq!(ScalarArena::declare().seal().n_bytes(), 0);
    }

    #[test]
    fn empty_and_repeated_names_are_refused() {
        let mut declaration = ScalarArena::declare();
        declaration.f32("rr").unwrap();
        let refused = |operation: &str, reason| Error::Refused { operation: operation.into(), reason };
        assert_eq!(declaration.u32("").unwrap_err(), refused("", Refusal::EmptyName));
        assert_eq!(declaration.u32("rr").unwrap_err(), refused("rr", Refusal::NameTaken));
        assert_eq!(declaration.seal().n_bytes(), 4);
    }
}
