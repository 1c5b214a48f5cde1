//! Graphs: every dispatch is prepared once, and a run encodes them into one submission.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::memory::Buffer;
use super::pipeline::{ArgumentPlace, Pipeline, Shader};
use super::{Context, ELEMENT_BYTES};
use crate::arena::ScalarStep;
use crate::error::Error;
use crate::graph::{KernelStep, Lowered, Memories, Source, Step};
use crate::kernel::{Code, Target};
use crate::storage::foreign;
use crate::vector::Memory;

/// The kernel of scalar operations.
const SCALAR_SOURCE: &str = include_str!("../../kernels/scalar.wgsl");
const SCALAR_SYMBOL: &str = "glass_scalar";
/// Changes with the text.
const SCALAR_HASH: &str = env!("CARGO_PKG_VERSION");

/// Words that the length of an argument block is a multiple of.
const BLOCK_WORDS: usize = 4;

/// A graph on an adapter. The bindings keep the buffers.
pub(crate) struct Program {
    dispatches: Vec<Dispatch>,
}

struct Dispatch {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    /// Where they are not in a buffer.
    immediates: Option<Vec<u32>>,
    grid: [u32; 3],
}

impl Context {
    /// Compiles the kernels of a graph and binds their buffers.
    pub(crate) fn program(&self, lowered: &Lowered, memories: &Memories) -> Result<Program, Error> {
        let partials = lowered.memories.iter().map(|len| self.zeroed(len * ELEMENT_BYTES));
        let partials = partials.collect::<Result<Vec<Buffer>, Error>>()?;
        let dispatches = lowered.steps.iter().map(|step| match step {
            Step::Kernel(kernel) => self.kernel_step(kernel, &partials, memories),
            Step::Scalar(scalar) => self.scalar_step(scalar, memories),
            Step::Level(_) | Step::Vector(_) => Err(foreign(Target::Wgpu)),
        });
        Ok(Program { dispatches: dispatches.collect::<Result<_, Error>>()? })
    }

    /// Submits every dispatch once. Never waits.
    pub(crate) fn run(&self, program: &Program) -> Result<(), Error> {
        self.check_earlier()?;
        self.scoped("running a graph", || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                for Dispatch { pipeline, bindings, immediates, grid: [x, y, z] } in &program.dispatches {
                    pass.set_pipeline(&pipeline.pipeline);
                    pass.set_bind_group(0, bindings, &[]);
                    if let Some(immediates) = immediates {
                        pass.set_immediates(0, bytemuck::cast_slice(immediates));
                    }
                    pass.dispatch_workgroups(*x, *y, *z);
                }
            }
            self.queue.submit([encoder.finish()]);
        })
    }

    fn kernel_step(
        &self,
        step: &KernelStep,
        partials: &[Buffer],
        memories: &Memories,
    ) -> Result<Dispatch, Error> {
        let KernelStep { kernel, grid, bindings, words, .. } = step;
        let Code::Wgsl { native, web, .. } = kernel.code else {
            let message = "not a WGSL kernel".into();
            return Err(Error::MalformedTask { kernel: kernel.symbol, message });
        };
        let arguments = padded(words);
        let place = self.argument_place(size_of_val(&arguments[..]) as u32);
        let source = if place == ArgumentPlace::Uniform { web } else { native };
        let is_written = bindings.iter().map(|binding| binding.is_written).collect();
        let bound = bindings.iter().map(|binding| bound(binding.source, partials, memories));
        let bound = bound.collect::<Result<Vec<Bound>, Error>>()?;
        let shader = Shader { symbol: kernel.symbol, hash: kernel.hash, source, is_written, place };
        self.prepared(&shader, &bound, arguments, *grid)
    }

    fn scalar_step(&self, step: &ScalarStep, memories: &Memories) -> Result<Dispatch, Error> {
        let shader = Shader {
            symbol: SCALAR_SYMBOL,
            hash: SCALAR_HASH,
            source: SCALAR_SOURCE,
            is_written: vec![true],
            place: ArgumentPlace::Uniform,
        };
        let arena = bound(Source::Arena, &[], memories)?;
        self.prepared(&shader, &[arena], padded(&step.arguments()), [1, 1, 1])
    }

    fn prepared(
        &self,
        shader: &Shader,
        operands: &[Bound],
        arguments: Vec<u32>,
        grid: [u32; 3],
    ) -> Result<Dispatch, Error> {
        let pipeline = self.pipeline(shader)?;
        self.scoped("binding buffers", || {
            let operands = operands.iter().map(Bound::resource).collect();
            let bindings = self.bound(&pipeline, shader.place, operands, bytemuck::cast_slice(&arguments));
            let immediates = (shader.place != ArgumentPlace::Uniform).then_some(arguments);
            Dispatch { pipeline: Arc::clone(&pipeline), bindings, immediates, grid }
        })
    }
}

/// The argument block with these first words.
fn padded(words: &[u32]) -> Vec<u32> {
    let mut block = words.to_vec();
    block.resize(words.len().next_multiple_of(BLOCK_WORDS), 0);
    block
}

/// A part of a buffer.
struct Bound {
    buffer: wgpu::Buffer,
    offset: u64,
    /// Bytes; `None` binds all.
    size: Option<NonZeroU64>,
}

impl Bound {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        let Bound { buffer, offset, size } = self;
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: *offset, size: *size })
    }
}

/// What a binding of a kernel binds.
fn bound(source: Source, partials: &[Buffer], memories: &Memories) -> Result<Bound, Error> {
    let of_graph = |memory: &Memory| {
        let words = memory.words();
        words.wgpu().map(|words| words.buffer.clone()).ok_or_else(|| foreign(Target::Wgpu))
    };
    let n_bytes = |elements: u64| elements * ELEMENT_BYTES as u64;
    Ok(match source {
        Source::View(part) => Bound {
            buffer: of_graph(memories.of_view(part.view_idx))?,
            offset: n_bytes(part.start),
            size: NonZeroU64::new(n_bytes(part.len)),
        },
        Source::Partials { memory, len } => {
            let buffer = partials[memory].buffer.clone();
            Bound { buffer, offset: 0, size: NonZeroU64::new(n_bytes(len)) }
        }
        Source::Arena => Bound { buffer: of_graph(memories.arena.memory())?, offset: 0, size: None },
        Source::Handover => {
            let message = "a launch that orders memory between its groups".into();
            return Err(Error::Backend { target: Target::Wgpu, call: "binding buffers", message });
        }
    })
}

#[cfg(test)]
mod tests;
