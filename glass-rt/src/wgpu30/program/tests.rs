//! Kernels that receive their arguments in a buffer.

use super::*;
use crate::arena::Slot;
use crate::device::Backend;
use crate::reduction::{
    Map, Operator, ReductionCode, ReductionKernel, ReductionTask, ReductionVariant, Strategy,
};
use crate::vector_op::{
    Format, Handle, OperandKind, ScalarArgument, VectorArgument, VectorCode, VectorOp, VectorOperand,
    VectorScalar, VectorTask, VectorVariant,
};
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
                    include_str!("../../../tests/sample/level.wgsl")
                ),
                workgroup_bytes: 1024 + 16,
                n_iterations: 0,
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
        format: Format::F32,
        operator: Operator::Sum,
        n_words: 1,
        square: None,
        variants: &[ReductionVariant {
            strategy: Strategy::Tree,
            threads: 256,
            elements_per_thread: 2,
            vector_width: 1,
            up_to: u32::MAX,
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

/// `total = sum(x)`, with a broken native text.
macro_rules! web_vector {
    ($entry:literal, $file:literal, $($part:literal),+) => {
        ReductionKernel {
            symbol: $entry,
            hash: "web_vector",
            code: Code::Wgsl {
                native: "fn broken( {",
                web: concat!(
                    "struct Args { n: u32, n_groups: u32, gate: u32, cleared: u32, x: u32, total: u32, p: u32, q: u32 }\n",
                    "const THREADS = 256u;\nconst ELEMENTS = 2u;\nconst N_SUMS = 1u;\n",
                    "var<private> acc: array<f32, 1>;\n",
                    $($part,)+
                    include_str!($file)
                ),
                workgroup_bytes: 1024 + 16,
                n_iterations: 0,
            },
            barriers: 10,
        }
    };
}

struct Total(Handle, Slot<f32>);

impl VectorOp for Total {
    const TASK: &'static VectorTask = &VectorTask {
        symbol: "web_total",
        operands: &[VectorOperand { name: "x", kind: OperandKind::Read }],
        scalars: &[VectorScalar { name: "total", format: Format::F32, is_read: false, is_written: true }],
        n_sums: 1,
        has_scalar_step: true,
        products: &[],
        variants: &[VectorVariant {
            strategy: Strategy::Tree,
            threads: 256,
            elements_per_thread: 2,
            vector_width: 1,
            up_to: u32::MAX,
            lanes: 1,
            code: VectorCode::TwoLaunches {
                chunk: web_vector!(
                    "chunk",
                    "../../../tests/sample/vector.wgsl",
                    "@group(0) @binding(0) var<storage, read> x: array<f32>;\n",
                    "@group(0) @binding(1) var<storage, read_write> partials: array<f32>;\n",
                    "@group(0) @binding(2) var<storage, read_write> arena: array<u32>;\n",
                    "@group(0) @binding(3) var<uniform> args: Args;\n",
                    "fn element(i: u32) { acc[0] += x[args.x + i]; }\n",
                    "fn store(at: u32, sum: f32) { partials[at] = sum; }\n"
                ),
                finish: web_vector!(
                    "finish",
                    "../../../tests/sample/finish.wgsl",
                    "@group(0) @binding(0) var<storage, read> partials: array<f32>;\n",
                    "@group(0) @binding(1) var<storage, read_write> arena: array<u32>;\n",
                    "@group(0) @binding(2) var<uniform> args: Args;\n",
                    "fn step() { arena[args.total] = bitcast<u32>(acc[0]); }\n"
                ),
            },
        }],
    };

    fn operands(&self) -> Vec<VectorArgument> {
        vec![self.0.into()]
    }

    fn scalars(&self) -> Vec<ScalarArgument> {
        vec![self.1.into()]
    }
}

#[test]
fn argument_blocks_are_multiples_of_16_bytes() {
    assert_eq!(padded(&[1, 2, 3]), [1, 2, 3, 0]);
    assert_eq!(padded(&[1, 2, 3, 4]), [1, 2, 3, 4]);
    assert_eq!(padded(&[1; 5]), [1, 1, 1, 1, 1, 0, 0, 0]);
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
            let total = declaration.f32("total").unwrap();
            let mut graph = Graph::new(&device, declaration.seal());
            let x = graph.import(VecView::new(&vector, 1, n).unwrap()).unwrap();
            graph.add::<Sum>("sum", (x,), sum).unwrap();
            graph.vector("total", Total(x, total)).unwrap();
            let compiled = graph.compile().unwrap();
            compiled.run().unwrap();
            assert_eq!(compiled.read(sum).unwrap(), n as f32, "{}", device.name());
            assert_eq!(compiled.read(total).unwrap(), n as f32, "{}", device.name());
            assert_eq!(compiled.read(unused).unwrap(), 0);
        }
    }
}
