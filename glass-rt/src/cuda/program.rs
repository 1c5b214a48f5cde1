//! Graphs: every launch is prepared once, and a run starts them in order, one by one or as a recorded CUDA graph.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream, DevicePtr, result};

use super::gate::{Loaded, parameters};
use super::memory::Buffer;
use super::prepared::Prepared;
use super::{AHEAD_ARCH, Context, failed};
use crate::arena::ScalarStep;
use crate::error::Error;
use crate::graph::{KernelStep, Lowered, Memories, Source, Step};
use crate::kernel::{Code, Launch, Target};
use crate::reduction::plan::HANDED_BYTES;
use crate::storage::foreign;
use crate::vector;

/// The kernel of scalar operations.
const SCALAR_SOURCE: &str = include_str!("../../kernels/scalar.cu");
const SCALAR_SYMBOL: &str = "glass_scalar";
/// Changes with the text.
const SCALAR_HASH: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a pointer, an element and a word.
const POINTER_BYTES: usize = 8;
const WORD_BYTES: usize = 4;

/// A graph on a GPU. Its launches hold addresses in the memory below and in that of the graph.
pub(crate) struct Program {
    launches: Vec<Prepared>,
    _memory: Memory,
    recorded: Mutex<Option<Recorded>>,
}

/// What a program has of its own.
struct Memory {
    /// Partial sums.
    partials: Vec<Buffer>,
    /// Where the blocks of a launch hand sums over to its last one. Every launch leaves zeros.
    handover: Buffer,
}

/// The launches of a program as one CUDA graph.
struct Recorded(CudaGraph);

// SAFETY: the driver lets any thread use a graph as long as no two do at once; the program's mutex sees to that.
unsafe impl Send for Recorded {}

impl Context {
    /// Loads the kernels of a graph and prepares their launches over its memory, which has to outlive the program.
    pub(crate) fn program(&self, lowered: &Lowered, memories: &Memories) -> Result<Program, Error> {
        let partials = lowered.memories.iter().map(|len| self.zeroed(len * WORD_BYTES));
        let partials = partials.collect::<Result<_, Error>>()?;
        let memory = Memory { partials, handover: self.zeroed((lowered.n_handed * HANDED_BYTES) as usize)? };
        let launches = lowered.steps.iter().map(|step| match step {
            Step::Kernel(kernel) => self.kernel_step(kernel, &memory, memories),
            Step::Scalar(scalar) => self.scalar_step(scalar, self.source(Source::Arena, &memory, memories)?),
            Step::Level(_) | Step::Vector(_) => Err(foreign(Target::Cuda)),
        });
        let launches = launches.collect::<Result<_, Error>>()?;
        Ok(Program { launches, _memory: memory, recorded: Mutex::default() })
    }

    /// Starts every launch once. Never waits. The caller keeps other runs away.
    pub(crate) fn run(&self, program: &Program) -> Result<(), Error> {
        self.check_earlier()?;
        program.launch(&self.stream)
    }

    /// The same as one launch of a graph, which the first call records. Never waits.
    pub(crate) fn replay(&self, program: &Program) -> Result<(), Error> {
        self.check_earlier()?;
        let mut recorded = program.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let graph = match &*recorded {
            Some(graph) => graph,
            None => match self.record(program)? {
                Some(graph) => recorded.insert(graph),
                None => return Ok(()),
            },
        };
        self.ctx.bind_to_thread().map_err(|error| failed("replaying a graph", error))?;
        // SAFETY: the graph and the stream are alive, and the mutex keeps other threads from the graph.
        unsafe { result::graph::launch(graph.0.cu_graph_exec(), self.stream.cu_stream()) }
            .map_err(|error| failed("replaying a graph", error))
    }

    /// Records the launches on a stream of their own, so that nothing else gets into the graph. `None` where there
    /// are none.
    fn record(&self, program: &Program) -> Result<Option<Recorded>, Error> {
        let failed = |error| failed("recording a graph", error);
        let stream = self.ctx.new_stream().map_err(failed)?;
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(failed)?;
        let launched = program.launch(&stream);
        // A capture has to end also where a launch failed.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        launched?;
        Ok(graph.map_err(failed)?.map(Recorded))
    }

    fn kernel_step(
        &self,
        step: &KernelStep,
        memory: &Memory,
        memories: &Memories,
    ) -> Result<Prepared, Error> {
        let KernelStep { kernel, threads, grid, bindings, words } = step;
        let Code::Cuda { source, images, .. } = kernel.code else {
            let message = "not a CUDA kernel".into();
            return Err(Error::MalformedTask { kernel: kernel.symbol, message });
        };
        let pointers = bindings.iter().map(|binding| self.source(binding.source, memory, memories));
        let pointers = pointers.collect::<Result<Vec<u64>, Error>>()?;
        let launch = Launch { threads_per_block: *threads, problems_per_block: 1, shared_bytes: 0 };
        let signature = parameters(sizes(&pointers, words));
        let loaded = self.module((kernel.symbol, kernel.hash), || {
            self.load(kernel.symbol, source, images, launch, &signature)
        })?;
        Ok(self.prepared(loaded, pointers, words.clone(), *grid, *threads))
    }

    fn scalar_step(&self, step: &ScalarStep, arena: u64) -> Result<Prepared, Error> {
        let (pointers, words) = (vec![arena], step.arguments().to_vec());
        let launch = Launch { threads_per_block: 1, problems_per_block: 1, shared_bytes: 0 };
        let signature = parameters(sizes(&pointers, &words));
        let kernel = self.module((SCALAR_SYMBOL, SCALAR_HASH), || {
            self.load(SCALAR_SYMBOL, SCALAR_SOURCE, &[], launch, &signature)
        })?;
        Ok(self.prepared(kernel, pointers, words, [1, 1, 1], 1))
    }

    /// Every kernel of a graph waits for those before it, unless it was compiled for an architecture that cannot.
    fn prepared(
        &self,
        kernel: Arc<Loaded>,
        pointers: Vec<u64>,
        words: Vec<u32>,
        grid: [u32; 3],
        threads: u32,
    ) -> Prepared {
        let starts_ahead = self.starts_ahead && kernel.text_arch >= AHEAD_ARCH;
        Prepared { kernel, pointers, words, grid, threads, starts_ahead }
    }

    /// The address of a binding.
    fn source(&self, source: Source, memory: &Memory, memories: &Memories) -> Result<u64, Error> {
        let of_graph = |memory: &vector::Memory, start: u64| {
            let words = memory.words();
            let buffer = words.cuda().ok_or_else(|| foreign(Target::Cuda))?;
            Ok(self.address(buffer) + start * WORD_BYTES as u64)
        };
        match source {
            Source::View(part) => of_graph(memories.of_view(part.view_idx), part.start),
            Source::Arena => of_graph(memories.arena.memory(), 0),
            Source::Partials { memory: partials, .. } => Ok(self.address(&memory.partials[partials])),
            Source::Handover => Ok(self.address(&memory.handover)),
        }
    }

    /// The address of memory that outlives the launches.
    fn address(&self, buffer: &Buffer) -> u64 {
        buffer.slice.device_ptr(&self.stream).0
    }
}

impl Program {
    /// Starts every launch on `stream`.
    fn launch(&self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.launches.iter().try_for_each(|launch| launch.start(stream))
    }
}

/// Bytes of each argument.
fn sizes(pointers: &[u64], words: &[u32]) -> impl Iterator<Item = usize> {
    std::iter::repeat_n(POINTER_BYTES, pointers.len()).chain(std::iter::repeat_n(WORD_BYTES, words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::nvrtc;

    #[test]
    fn the_text_of_scalar_operations_compiles_for_every_generation() {
        for arch in [75, 80, 90] {
            match nvrtc::compile("scalar", SCALAR_SOURCE, arch) {
                Ok(compiled) => {
                    let ptx = String::from_utf8(compiled.ptx).unwrap();
                    assert!(ptx.contains(".entry glass_scalar"));
                    assert!(!ptx.contains(".local"), "stack arrays");
                }
                Err(error @ Error::NoNvrtc { .. }) => {
                    println!("skipped: {error}");
                    return;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}
