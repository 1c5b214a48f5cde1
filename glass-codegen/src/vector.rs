//! The way of a vector operation: plan, build, check, render, for every target.

use crate::catalogue::{self, Long, MAX_CHAIN, Op};
use crate::contract::VectorRequest;
use crate::generate::{Variant, finished};
use crate::kernel::{Part, build_vector, product_name, stored_name};
use crate::plan::{
    Destination, EQUATIONS, EQUATIONS_OF_ROWS, EQUATIONS_THEN_SUMS, EQUATIONS_WITH_SUMS, Form, Level,
    Mapping, Meeting, Plan, Shape, Staging, Target, Tier, Unroll,
};
use crate::render::{Source, scalar_step};
use crate::spec::{
    DType, Dim, Elementwise, Layout, Operand, Role, Spec, Structure, Usage, VectorOp, VectorOperand, scalar,
};

/// The kernels of a vector operation for one target.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorVariant {
    /// Language and execution model.
    pub target: Target,
    /// How the threads of a block meet.
    pub meeting: Meeting,
    /// The shape of its chunks.
    pub shape: Shape,
    /// Elements that a thread takes at once, each for an accumulator of its own.
    pub vector_width: usize,
    /// What it runs.
    pub kernels: VectorKernels,
}

/// What a vector operation runs.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorKernels {
    /// One launch for everything.
    OneLaunch(Box<Variant>),
    /// The sums of every chunk, then the sums of these.
    TwoLaunches(Box<[Variant; 2]>),
    /// The run time's own loops around one element, and what follows.
    Host {
        /// One element; `None` where there are only scalars.
        element: Option<Box<ElementForm>>,
        /// What follows; `None` where nothing does.
        step: Option<Source>,
    },
}

/// The function of one element, and the numbers that it is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementForm {
    /// One element of every vector, product and sum.
    pub spec: Spec,
    /// Its text.
    pub variant: Variant,
}

/// Everything that an attribute expands from.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedVector {
    /// The valid request.
    pub request: VectorRequest,
    /// Symbol of the task.
    pub symbol: String,
    /// In the order of preference.
    pub variants: Vec<VectorVariant>,
}

/// Plans, builds, checks and renders a vector operation.
pub fn generate_vector(request: &VectorRequest) -> GeneratedVector {
    let variants = request.targets.iter().flat_map(|target| variants(request, *target)).collect();
    let symbol = format!("glass_vector_{}", request.op.name);
    GeneratedVector { request: request.clone(), symbol, variants }
}

fn variants(request: &VectorRequest, target: Target) -> Vec<VectorVariant> {
    let op = &request.op;
    let has_sums = !op.sums.is_empty();
    let variant = |meeting, shape: Shape, kernels| {
        let is_in_order_of_cuda = target == Target::Cuda || meeting == Meeting::Warps;
        let vector_width = if is_in_order_of_cuda { vector_width(op, shape) } else { 1 };
        VectorVariant { target, meeting, shape, vector_width, kernels }
    };
    let one = |part, meeting, shape| {
        let kernel = kernel(op, target, part, meeting, shape).1;
        variant(meeting, shape, VectorKernels::OneLaunch(Box::new(kernel)))
    };
    let given = request.shape.as_ref().map(std::slice::from_ref);
    let by_length = given.unwrap_or(match (op.products().next().is_some(), has_sums) {
        (true, _) => &EQUATIONS_OF_ROWS[..],
        (false, true) => &EQUATIONS_WITH_SUMS[..],
        (false, false) => &EQUATIONS[..],
    });
    let for_all = given.map_or(EQUATIONS_THEN_SUMS, |given| given[0]);
    if target == Target::Host {
        let element = op.has_elements().then(|| {
            let (spec, variant) = kernel(op, target, Part::Element, Meeting::Tree, for_all);
            Box::new(ElementForm { spec, variant })
        });
        let kernels = VectorKernels::Host { element, step: op.has_results().then(|| scalar_step(op)) };
        // The same loops in the order of either GPU.
        let warps = by_length.iter().filter(|_| has_sums);
        let warps = warps.map(|shape| variant(Meeting::Warps, *shape, kernels.clone()));
        return warps.chain([variant(Meeting::Tree, for_all, kernels.clone())]).collect();
    }
    match (op.has_elements(), has_sums, target) {
        (false, ..) => vec![one(Part::Scalars, Meeting::Tree, for_all)],
        (true, false, Target::Cuda) => {
            by_length.iter().map(|shape| one(Part::Map, Meeting::Tree, *shape)).collect()
        }
        (true, false, _) => vec![one(Part::Map, Meeting::Tree, for_all)],
        (true, true, Target::Cuda) => {
            by_length.iter().map(|shape| one(Part::LastBlock, Meeting::Warps, *shape)).collect()
        }
        (true, true, Target::Wgsl | Target::Host) => {
            let launches = [Part::Chunk, Part::Finish];
            let launches = launches.map(|part| kernel(op, target, part, Meeting::Tree, for_all).1);
            vec![variant(Meeting::Tree, for_all, VectorKernels::TwoLaunches(Box::new(launches)))]
        }
    }
}

/// Elements that a thread takes at once on CUDA.
fn vector_width(op: &VectorOp, shape: Shape) -> usize {
    let has_vectors = op.has_elements() && op.products().next().is_none();
    if has_vectors { shape.vector_width_of_equations() } else { 1 }
}

fn kernel(op: &VectorOp, target: Target, part: Part, meeting: Meeting, shape: Shape) -> (Spec, Variant) {
    let Shape { threads, elements, .. } = shape;
    let vector_width = if target == Target::Cuda { vector_width(op, shape) } else { 1 };
    let level = |destination| Level { meeting, destination, vector_width };
    let (spec, plan) = match part {
        Part::Element | Part::Scalars => {
            let spec = element_spec(op, part);
            let plan = Plan::new(&spec, Layout::Contiguous, target, one_thread());
            (spec, Plan { unroll: Unroll::Full, ..plan })
        }
        Part::Map | Part::Chunk | Part::LastBlock => {
            let spec = chunk_spec(op, threads * elements);
            let destination = match part {
                Part::LastBlock => Destination::LastBlock,
                _ => Destination::Partials,
            };
            let plan = Plan::of_level(&spec, target, level(destination), threads);
            (spec, plan)
        }
        Part::Finish => {
            let spec = catalogue::level(Long::of(Op::Sum), MAX_CHAIN * threads);
            let plan = Plan::of_level(&spec, target, level(Destination::Scalar), threads);
            (spec, plan)
        }
    };
    let plan = Plan { shared_bytes: workgroup_bytes(op, target, part, threads), ..plan };
    let kernel = build_vector(op, part, &spec, &plan);
    let variant = finished(&spec, plan, kernel, Vec::new());
    (spec, variant)
}

/// Workgroup memory of WGSL: the gate's word, and with sums a slot for each invocation and the totals.
fn workgroup_bytes(op: &VectorOp, target: Target, part: Part, threads: usize) -> usize {
    let of_sums = match part {
        Part::Chunk | Part::Finish => 4 * threads + (4 * op.sums.len()).next_multiple_of(16),
        Part::Map | Part::LastBlock | Part::Scalars | Part::Element => 0,
    };
    if target == Target::Wgsl { 16 + of_sums } else { 0 }
}

fn one_thread() -> Mapping {
    Mapping::new(Tier::Thread, Form::Serial, Staging::Direct, 1)
}

/// The vectors of one chunk, and the totals of its sums.
fn chunk_spec(op: &VectorOp, chunk: usize) -> Spec {
    let vector = |operand: &VectorOperand| {
        let name: &'static str = stored_name(operand.name).leak();
        Operand { structure: Structure::Prefix, ..Operand::vector(name, chunk, role(operand.usage)) }
    };
    let read = op.operands.iter().filter(|operand| operand.usage == Usage::Read).map(vector);
    let written = op.operands.iter().filter(|operand| is_written(operand.usage)).map(vector);
    let totals = (!op.sums.is_empty()).then(|| Operand::vector("s", op.sums.len(), Role::Out));
    let operands = read.chain(written).chain(totals).collect();
    spec(op, ("chunk", chunk), operands)
}

/// One element: vectors, products and accumulators of one number each.
fn element_spec(op: &VectorOp, part: Part) -> Spec {
    let number = |name: String, role| Operand::vector(name.leak(), 1, role);
    let read = op.operands.iter().filter(|operand| operand.usage == Usage::Read);
    let read = read.map(|operand| number(stored_name(operand.name), Role::In));
    let products = op.elementwise.iter().filter_map(|step| match step {
        Elementwise::Product { name, .. } => Some(number(product_name(name), Role::In)),
        Elementwise::Value { .. } | Elementwise::Term { .. } => None,
    });
    let written = op.operands.iter().filter(|operand| is_written(operand.usage));
    let written = written.map(|operand| number(stored_name(operand.name), role(operand.usage)));
    let sums = op.sums.iter().map(|sum| number(sum.clone(), Role::InOut));
    let operands = match part {
        Part::Element => read.chain(products).chain(written).chain(sums).collect(),
        _ => Vec::new(),
    };
    spec(op, ("chunk", 1), operands)
}

fn spec(op: &VectorOp, (dim, extent): (&str, usize), operands: Vec<Operand>) -> Spec {
    let scalars = op
        .element_scalars()
        .into_iter()
        .map(|position| -> &'static str { scalar(op.scalars[position].name).leak() });
    Spec {
        op: Op::Vector,
        dtype: DType::F32,
        dims: vec![Dim::new(dim, extent)],
        flags: vec![op.name.clone()],
        scalars: scalars.collect(),
        operands,
        phases: Vec::new(),
        formula: op.formulas.join("; "),
    }
}

fn is_written(usage: Usage) -> bool {
    matches!(usage, Usage::Write | Usage::ReadWrite)
}

fn role(usage: Usage) -> Role {
    match usage {
        Usage::Write => Role::Out,
        Usage::ReadWrite => Role::InOut,
        Usage::Matrix | Usage::Read | Usage::Gathered => Role::In,
    }
}
