//! Graphs: every launch is prepared once, and a run starts them in order, one by one or as a recorded CUDA graph.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream, DevicePtr, LaunchConfig, PushKernelArg, result};

use super::gate::{Loaded, parameters};
use super::memory::Buffer;
use super::{Context, failed};
use crate::arena::ScalarStep;
use crate::error::Error;
use crate::graph::{LevelCode, LevelStep, Lowered, Source, Step, View};
use crate::kernel::{Code, Launch, Target};
use crate::storage::foreign;

/// The kernel of scalar operations.
const SCALAR_SOURCE: &str = include_str!("../../kernels/scalar.cu");
const SCALAR_SYMBOL: &str = "glass_scalar";
/// Changes with the text.
const SCALAR_HASH: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a pointer, an element and a word.
const POINTER_BYTES: usize = 8;
const WORD_BYTES: usize = 4;

/// A graph on a GPU.
pub(crate) struct Program {
    launches: Vec<Prepared>,
    n_words: usize,
    memory: Memory,
    /// Also keeps the launches of two runs apart, whose partial sums are the same memory.
    recorded: Mutex<Option<Recorded>>,
}

/// What the launches hold the addresses of.
struct Memory {
    arena: Buffer,
    /// Partial sums.
    partials: Vec<Buffer>,
    /// The word by which the blocks of a launch find out which one is the last. Every launch leaves it 0.
    ticket: Buffer,
    views: Vec<View>,
}

/// A launch with all its arguments.
struct Prepared {
    kernel: Arc<Loaded>,
    pointers: Vec<u64>,
    words: Vec<u32>,
    config: LaunchConfig,
}

/// The launches of a program as one CUDA graph.
struct Recorded(CudaGraph);

// SAFETY: the driver lets any thread use a graph as long as no two do at once; the program's mutex sees to that.
unsafe impl Send for Recorded {}

impl Context {
    /// Loads the kernels of a graph and prepares their launches.
    pub(crate) fn program(&self, lowered: Lowered, views: Vec<View>) -> Result<Program, Error> {
        let zeroed = |n_words: usize| self.zeroed(n_words * WORD_BYTES);
        let (arena, ticket) = (zeroed(lowered.n_words)?, zeroed(1)?);
        let partials = lowered.memories.iter().map(|len| zeroed(*len)).collect::<Result<_, Error>>()?;
        let memory = Memory { arena, partials, ticket, views };
        let launches = lowered.steps.iter().map(|step| match step {
            Step::Level(level) => self.level(level, &memory),
            Step::Scalar(scalar) => self.scalar(scalar, &memory),
        });
        let launches = launches.collect::<Result<_, Error>>()?;
        Ok(Program { launches, n_words: lowered.n_words, memory, recorded: Mutex::default() })
    }

    /// Starts every launch once. Never waits.
    pub(crate) fn run(&self, program: &Program) -> Result<(), Error> {
        self.check_earlier()?;
        let _apart = program.recorded.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// The words of the arena after everything started.
    pub(crate) fn arena(&self, program: &Program) -> Result<Vec<u32>, Error> {
        let mut words = vec![0; program.n_words];
        self.download(&program.memory.arena, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words)
    }

    fn level(&self, step: &LevelStep, memory: &Memory) -> Result<Prepared, Error> {
        let LevelCode::Kernel(kernel) = step.code else { return Err(foreign(Target::Cuda)) };
        let Code::Cuda { source, images, .. } = kernel.code else {
            let message = "not a CUDA kernel".into();
            return Err(Error::MalformedTask { kernel: kernel.symbol, message });
        };
        let mut pointers = vec![self.source(step.x, memory)?];
        if let Some(y) = step.y {
            pointers.push(self.source(y, memory)?);
        }
        pointers.extend(step.partials.map(|partials| self.address(&memory.partials[partials])));
        pointers.push(self.address(&memory.arena));
        if step.has_ticket {
            pointers.push(self.address(&memory.ticket));
        }
        let words = step.arguments.words().to_vec();
        let launch = Launch { threads_per_block: step.threads, problems_per_block: 1, shared_bytes: 0 };
        let signature = parameters(sizes(&pointers, &words));
        let loaded = self.module((kernel.symbol, kernel.hash), || {
            self.load(kernel.symbol, source, images, launch, &signature)
        })?;
        Ok(Prepared { kernel: loaded, pointers, words, config: config(step.grid, step.threads) })
    }

    fn scalar(&self, step: &ScalarStep, memory: &Memory) -> Result<Prepared, Error> {
        let (pointers, words) = (vec![self.address(&memory.arena)], step.arguments().to_vec());
        let launch = Launch { threads_per_block: 1, problems_per_block: 1, shared_bytes: 0 };
        let signature = parameters(sizes(&pointers, &words));
        let kernel = self.module((SCALAR_SYMBOL, SCALAR_HASH), || {
            self.load(SCALAR_SYMBOL, SCALAR_SOURCE, &[], launch, &signature)
        })?;
        Ok(Prepared { kernel, pointers, words, config: config([1, 1, 1], 1) })
    }

    /// The address of a binding.
    fn source(&self, source: Source, memory: &Memory) -> Result<u64, Error> {
        match source {
            Source::View { view_idx, start, .. } => {
                let words = memory.views[view_idx].memory.words();
                let buffer = words.cuda().ok_or_else(|| foreign(Target::Cuda))?;
                Ok(self.address(buffer) + start * WORD_BYTES as u64)
            }
            Source::Partials { memory: partials, .. } => Ok(self.address(&memory.partials[partials])),
        }
    }

    /// The address of memory that the program keeps.
    fn address(&self, buffer: &Buffer) -> u64 {
        buffer.slice.device_ptr(&self.stream).0
    }
}

impl Program {
    /// Starts every launch on `stream`.
    fn launch(&self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        for Prepared { kernel, pointers, words, config } in &self.launches {
            let mut builder = stream.launch_builder(&kernel.function);
            for pointer in pointers {
                builder.arg(pointer);
            }
            for word in words {
                builder.arg(word);
            }
            // SAFETY: the plan bounds what a kernel reads and writes by the memory that the program keeps; the
            // parameter table of the loaded function was compared with the sizes of these arguments.
            unsafe { builder.launch(*config) }.map_err(|error| failed("launching", error))?;
        }
        Ok(())
    }
}

/// Bytes of each argument.
fn sizes(pointers: &[u64], words: &[u32]) -> impl Iterator<Item = usize> {
    std::iter::repeat_n(POINTER_BYTES, pointers.len()).chain(std::iter::repeat_n(WORD_BYTES, words.len()))
}

fn config([x, y, z]: [u32; 3], threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, z), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
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
