//! The memory that a graph was given: its scalars and its vectors.

use std::sync::{RwLockReadGuard, RwLockWriteGuard};

use super::View;
use crate::storage::Storage;
use crate::vector::{Memory, Vector};

/// Every memory once. Vectors are in the order of their addresses, in which all runs lock them, so that no two runs
/// wait for each other.
pub(crate) struct Memories {
    /// The words of the scalars.
    pub(crate) arena: Vector<u32>,
    vectors: Vec<Shared>,
    /// For every view the index of its vector.
    pub(super) of_view: Vec<usize>,
}

struct Shared {
    memory: Memory,
    is_written: bool,
}

/// What nobody else touches while a run is submitted: what it writes, and to the others what it reads.
pub(super) struct Held<'a> {
    pub(super) arena: RwLockWriteGuard<'a, Storage<u32>>,
    pub(super) vectors: Vec<Guard<'a>>,
}

pub(super) enum Guard<'a> {
    Read(RwLockReadGuard<'a, Storage<u32>>),
    Write(RwLockWriteGuard<'a, Storage<u32>>),
}

impl Memories {
    /// The memory of `views`, of which those in `written` are written.
    pub(super) fn of(arena: Vector<u32>, views: &[View], written: &[usize]) -> Memories {
        let shared = |(idx, view): (usize, &View)| Shared {
            memory: view.memory.clone(),
            is_written: written.contains(&idx),
        };
        let mut vectors: Vec<Shared> = views.iter().enumerate().map(shared).collect();
        // Memory that is written has one view.
        vectors.sort_by_key(|shared| shared.memory.address());
        vectors.dedup_by(|later, earlier| later.memory.is(&earlier.memory));
        let position =
            |view: &View| vectors.partition_point(|shared| shared.memory.address() < view.memory.address());
        let of_view = views.iter().map(position).collect();
        Memories { arena, vectors, of_view }
    }

    /// The memory of a view.
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
    pub(crate) fn of_view(&self, view_idx: usize) -> &Memory {
        &self.vectors[self.of_view[view_idx]].memory
    }

    /// The scalars first, then the vectors.
    pub(super) fn lock(&self) -> Held<'_> {
        let arena = self.arena.memory().words_mut();
        Held { arena, vectors: self.vectors.iter().map(Shared::lock).collect() }
    }
}

impl Shared {
    fn lock(&self) -> Guard<'_> {
        if self.is_written { Guard::Write(self.memory.words_mut()) } else { Guard::Read(self.memory.words()) }
    }
}

impl Guard<'_> {
    pub(super) fn words(&self) -> &Storage<u32> {
        match self {
            Guard::Read(words) => words,
            Guard::Write(words) => words,
        }
    }

    /// To write to; `None` where the graph only reads.
    pub(super) fn words_mut(&mut self) -> Option<&mut Storage<u32>> {
        match self {
            Guard::Read(_) => None,
            Guard::Write(words) => Some(words),
        }
    }
}
