//! Graphs: every dispatch is prepared once, and a run encodes them into one submission.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::memory::Buffer;
use super::pipeline::{ArgumentPlace, Pipeline, Shader};
use super::{Context, ELEMENT_BYTES};
use crate::arena::ScalarStep;
use crate::error::Error;
use crate::graph::{LevelCode, LevelStep, Lowered, Source, Step, View};
use crate::kernel::{Code, Target};
use crate::reduction::task::ARGUMENT_BYTES;
use crate::storage::foreign;

/// The kernel of scalar operations.
const SCALAR_SOURCE: &str = include_str!("../../kernels/scalar.wgsl");
const SCALAR_SYMBOL: &str = "glass_scalar";
/// Changes with the text.
const SCALAR_HASH: &str = env!("CARGO_PKG_VERSION");

/// The argument block of every kernel of a graph, zero where it has fewer.
type Arguments = [u32; ARGUMENT_BYTES as usize / size_of::<u32>()];

/// A graph on an adapter. The bindings keep the buffers.
pub(crate) struct Program {
    arena: Buffer,
    n_words: usize,
    dispatches: Vec<Dispatch>,
}

struct Dispatch {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    /// Where they are not in a buffer.
    immediates: Option<Arguments>,
    grid: [u32; 3],
}

impl Context {
    /// Compiles the kernels of a graph and binds their buffers.
    pub(crate) fn program(&self, lowered: &Lowered, views: &[View]) -> Result<Program, Error> {
        let arena = self.zeroed(lowered.n_words * ELEMENT_BYTES)?;
        let memories = lowered.memories.iter().map(|len| self.zeroed(len * ELEMENT_BYTES));
        let memories = memories.collect::<Result<Vec<Buffer>, Error>>()?;
        let views = views.iter().map(|view| {
            let words = view.memory.words();
            words.wgpu().map(|words| words.buffer.clone()).ok_or_else(|| foreign(Target::Wgpu))
        });
        let views = views.collect::<Result<Vec<wgpu::Buffer>, Error>>()?;
        let buffers = Buffers { arena: &arena, memories: &memories, views: &views };
        let dispatches = lowered.steps.iter().map(|step| match step {
            Step::Level(level) => self.level(level, &buffers),
            Step::Scalar(scalar) => self.scalar(scalar, &arena),
        });
        let dispatches = dispatches.collect::<Result<Vec<Dispatch>, Error>>()?;
        Ok(Program { arena, n_words: lowered.n_words, dispatches })
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
                        pass.set_immediates(0, bytemuck::bytes_of(immediates));
                    }
                    pass.dispatch_workgroups(*x, *y, *z);
                }
            }
            self.queue.submit([encoder.finish()]);
        })
    }

    /// The words of the arena after everything submitted.
    pub(crate) fn arena(&self, program: &Program) -> Result<Vec<u32>, Error> {
        let mut words = vec![0; program.n_words];
        self.download(&program.arena, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words)
    }

    fn level(&self, step: &LevelStep, buffers: &Buffers<'_>) -> Result<Dispatch, Error> {
        let LevelCode::Kernel(kernel) = step.code else { return Err(foreign(Target::Wgpu)) };
        let Code::Wgsl { native, web, .. } = kernel.code else {
            let message = "not a WGSL kernel".into();
            return Err(Error::MalformedTask { kernel: kernel.symbol, message });
        };
        let place = self.argument_place(ARGUMENT_BYTES);
        let source = if place == ArgumentPlace::Uniform { web } else { native };
        let mut bindings = vec![buffers.source(step.x)];
        bindings.extend(step.y.map(|y| buffers.source(y)));
        let n_inputs = bindings.len() as u32;
        let len = step.arguments.n_groups.into();
        bindings.extend(step.partials.map(|memory| buffers.source(Source::Partials { memory, len })));
        bindings.push(buffers.arena.buffer.as_entire_binding());
        let n_operands = bindings.len() as u32;
        let (symbol, hash) = (kernel.symbol, kernel.hash);
        let shader = Shader { symbol, hash, source, n_inputs, n_operands, place };
        self.prepared(&shader, bindings, arguments(&step.arguments.words()), step.grid)
    }

    fn scalar(&self, step: &ScalarStep, arena: &Buffer) -> Result<Dispatch, Error> {
        let shader = Shader {
            symbol: SCALAR_SYMBOL,
            hash: SCALAR_HASH,
            source: SCALAR_SOURCE,
            n_inputs: 0,
            n_operands: 1,
            place: ArgumentPlace::Uniform,
        };
        let bindings = vec![arena.buffer.as_entire_binding()];
        self.prepared(&shader, bindings, arguments(&step.arguments()), [1, 1, 1])
    }

    fn prepared(
        &self,
        shader: &Shader,
        operands: Vec<wgpu::BindingResource<'_>>,
        arguments: Arguments,
        grid: [u32; 3],
    ) -> Result<Dispatch, Error> {
        let pipeline = self.pipeline(shader)?;
        self.scoped("binding buffers", || {
            let bindings = self.bound(&pipeline, shader.place, operands, bytemuck::bytes_of(&arguments));
            let immediates = (shader.place != ArgumentPlace::Uniform).then_some(arguments);
            Dispatch { pipeline: Arc::clone(&pipeline), bindings, immediates, grid }
        })
    }
}

/// The argument block with these first words.
fn arguments(words: &[u32]) -> Arguments {
    let mut block = Arguments::default();
    block[..words.len()].copy_from_slice(words);
    block
}

/// The memory that the kernels of a graph bind.
struct Buffers<'a> {
    arena: &'a Buffer,
    memories: &'a [Buffer],
    views: &'a [wgpu::Buffer],
}

impl Buffers<'_> {
    fn source(&self, source: Source) -> wgpu::BindingResource<'_> {
        let (buffer, start, len) = match source {
            Source::View { view_idx, start, len } => (&self.views[view_idx], start, len),
            Source::Partials { memory, len } => (&self.memories[memory].buffer, 0, len),
        };
        let n_bytes = |elements: u64| elements * ELEMENT_BYTES as u64;
        let (offset, size) = (n_bytes(start), NonZeroU64::new(n_bytes(len)));
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Backend;
    use crate::reduction::{Map, ReductionCode, ReductionKernel, ReductionTask, ReductionVariant, Strategy};
    use crate::{Device, Graph, Reduction, ScalarArena, VecView, Vector, wgpu30};

    /// A kernel whose native text is broken: it runs only where arguments are in a buffer.
    macro_rules! web {
        ($hash:literal, $($part:literal),+) => {
            ReductionKernel {
                symbol: "level",
                hash: $hash,
                code: Code::Wgsl {
                    native: "fn broken( {",
                    web: concat!(
                        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n",
                        $($part,)+
                        "fn add(acc: f32, i: u32) -> f32 { return acc + x[args.x_start + i]; }\n",
                        include_str!("../../tests/sample/level.wgsl")
                    ),
                    workgroup_bytes: 1024 + 16,
                },
                barriers: 9,
            }
        };
    }

    const TO_PARTIALS: ReductionKernel = web!(
        "web_partials",
        "@group(0) @binding(1) var<storage, read_write> partials: array<f32>;\n",
        "@group(0) @binding(2) var<storage, read_write> arena: array<u32>;\n",
        "@group(0) @binding(3) var<uniform> args: Args;\n",
        "fn store(group: u32, sum: f32) { partials[group] = sum; }\n"
    );
    const TO_SCALAR: ReductionKernel = web!(
        "web_scalar",
        "@group(0) @binding(1) var<storage, read_write> arena: array<u32>;\n",
        "@group(0) @binding(2) var<uniform> args: Args;\n",
        "fn store(group: u32, sum: f32) { arena[args.slot] = bitcast<u32>(sum); }\n"
    );

    struct Sum;

    impl Reduction for Sum {
        const TASK: &'static ReductionTask = &ReductionTask {
            symbol: "web_sum",
            map: Map::Identity,
            square: None,
            variants: &[ReductionVariant {
                strategy: Strategy::Tree,
                threads: 256,
                elements_per_thread: 2,
                lanes: 1,
                code: ReductionCode::Levels {
                    chunk: TO_PARTIALS,
                    chunk_to_scalar: TO_SCALAR,
                    fold: TO_PARTIALS,
                    fold_to_scalar: TO_SCALAR,
                },
            }],
        };
    }

    #[test]
    fn without_immediates_arguments_are_in_a_buffer() {
        for found in wgpu30::adapters() {
            let context = Context::open_with(&found.adapter, wgpu::Features::empty()).unwrap();
            let device = Device::new(found.label, Backend::Wgpu(Box::new(context)));
            let vector = Vector::filled(&device, 600_000, 1.0f32).unwrap();
            for n in [3, 513, 599_999] {
                let mut declaration = ScalarArena::declare();
                let (unused, sum) = (declaration.u32("unused").unwrap(), declaration.f32("sum").unwrap());
                let mut graph = Graph::new(&device, declaration.seal());
                let x = graph.import(VecView::new(&vector, 1, n).unwrap()).unwrap();
                graph.add::<Sum>("sum", (x,), sum).unwrap();
                let compiled = graph.compile().unwrap();
                compiled.run().unwrap();
                assert_eq!(compiled.read(sum).unwrap(), n as f32, "{}", device.name());
                assert_eq!(compiled.read(unused).unwrap(), 0);
            }
        }
    }
}
