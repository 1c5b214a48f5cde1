//! A compiled graph.

#![allow(unreachable_patterns, reason = "with no GPU backend built in there is only one kind of program")]

use super::memories::Memories;
use super::operation::Node;
use super::{Graph, Lowered, host};
use crate::arena::Slot;
#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
use crate::cuda;
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::refusal::Refusal;
use crate::storage::foreign;
#[cfg(feature = "wgpu")]
use crate::wgpu30;
use crate::word::Word;

/// A graph whose kernels are loaded and whose memory is placed. Keeps its scalars and vectors.
///
/// A run is one step to everybody else: whoever reads or writes a vector or a scalar of it, from whatever thread, does
/// so before or after all of it.
pub struct Executable {
    device: Device,
    arena: u64,
    memories: Memories,
    n_launches: usize,
    program: Program,
}

/// What a backend made of the graph.
enum Program {
    Host(host::Program),
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
    Cuda(cuda::Program),
    #[cfg(feature = "wgpu")]
    Wgpu(wgpu30::Program),
}

impl Executable {
    pub(super) fn new(graph: Graph) -> Result<Executable, Error> {
        let Graph { device, arena, limits, views, nodes, .. } = graph;
        let lowered = Lowered::of(&nodes, &views, limits.alignment);
        let written: Vec<usize> = nodes.iter().flat_map(Node::written).collect();
        let memories = Memories::of(arena.words(&device)?, &views, &written);
        let n_launches = lowered.steps.len();
        tracing::debug!(device = device.name(), n_launches, "graph compiled");
        let program = match &device.inner.backend {
            Backend::Host => Program::Host(host::Program::new(lowered)),
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => Program::Cuda(context.program(&lowered, &memories)?),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => Program::Wgpu(context.program(&lowered, &memories)?),
        };
        Ok(Executable { device, arena: arena.id, memories, n_launches, program })
    }

    /// Submits every operation of the graph once, in order. Never waits for the device.
    ///
    /// # Errors
    /// Errors of the submission, and of earlier asynchronous work.
    pub fn run(&self) -> Result<(), Error> {
        tracing::trace!(n_launches = self.n_launches, "submit");
        let mut held = self.memories.lock();
        match (&self.device.inner.backend, &self.program) {
            (Backend::Host, Program::Host(program)) => program.run(&self.memories, &mut held),
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            (Backend::Cuda(context), Program::Cuda(program)) => context.run(program),
            #[cfg(feature = "wgpu")]
            (Backend::Wgpu(context), Program::Wgpu(program)) => context.run(program),
            _ => Err(foreign(self.device.target())),
        }
    }

    /// The same as [`Executable::run`], with the same bits. On CUDA it is one launch of a graph that the first call
    /// records.
    ///
    /// # Errors
    /// Those of [`Executable::run`].
    pub fn replay(&self) -> Result<(), Error> {
        match (&self.device.inner.backend, &self.program) {
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            (Backend::Cuda(context), Program::Cuda(program)) => {
                tracing::trace!(n_launches = self.n_launches, "submit");
                let _held = self.memories.lock();
                context.replay(program)
            }
            _ => self.run(),
        }
    }

    /// The value of a scalar after everything submitted so far, for which it waits.
    ///
    /// # Errors
    /// A slot of another arena, errors of earlier asynchronous work, and of the copy.
    pub fn read<T: Word>(&self, slot: Slot<T>) -> Result<T, Error> {
        if slot.arena != self.arena {
            return Err(Error::Refused { operation: "read".into(), reason: Refusal::ForeignArena });
        }
        let words = self.memories.arena.download()?;
        Ok(bytemuck::cast(words[slot.word as usize]))
    }
}
