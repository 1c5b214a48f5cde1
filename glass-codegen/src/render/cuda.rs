//! CUDA C++ text: a body, and the frame of its batch around it.

use super::language::Language;
use super::uses::Uses;
use super::writer::{self, ACTIVE, Facts, Meeting, RELEASE, RING};
use super::{Input, numerics, packing, separators};
use crate::plan::{Access, BARRIER_BYTES, Mapping, Staging, TILE, Tier, WARP, staged_bytes};
use crate::spec::{DType, Element, Layout, Operand, Role, Structure};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/cuda/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[
    template!("statements.cu.tera"),
    template!("refinements.cu.tera"),
    template!("values.cu.tera"),
    template!("ahead_statements.cu.tera"),
    template!("elementwise.cu.tera"),
    template!("pivots.cu.tera"),
    template!("places.cu.tera"),
    template!("finish.cu.tera"),
    template!("packed.cu.tera"),
    template!("body.cu.tera"),
    template!("signature.cu.tera"),
    template!("direct.cu.tera"),
    template!("level_statements.cu.tera"),
    template!("state_statements.cu.tera"),
    template!("level.cu.tera"),
    template!("level_start.cu.tera"),
    template!("level_result.cu.tera"),
    template!("level_call.cu.tera"),
    template!("await_earlier.cu.tera"),
    template!("load_four.cu.tera"),
    template!("merge_in_warp.cu.tera"),
    template!("fold.cu.tera"),
    template!("handover.cu.tera"),
    template!("last_block.cu.tera"),
    template!("equations.cu.tera"),
    template!("scalar_statements.cu.tera"),
    template!("vector_start.cu.tera"),
    template!("vector_bounds.cu.tera"),
    template!("vector_cleared.cu.tera"),
    template!("row_products.cu.tera"),
    template!("vector_chunk.cu.tera"),
    template!("vector_map.cu.tera"),
    template!("vector_last_block.cu.tera"),
    template!("scalars.cu.tera"),
    template!("ahead.cu.tera"),
    template!("ahead_preamble.cu.tera"),
    template!("shared.cu.tera"),
    template!("copy_preamble.cu.tera"),
    template!("cooperative.cu.tera"),
    template!("stage_preamble.cu.tera"),
    template!("bulk_barrier.cu.tera"),
    template!("bulk_load.cu.tera"),
    template!("bulk_preamble.cu.tera"),
    template!("bulk_store_preamble.cu.tera"),
    template!("bulk_triangles.cu.tera"),
    template!("bulk_tiles.cu.tera"),
    template!("bulk_tiles_in.cu.tera"),
    template!("bulk_queue_preamble.cu.tera"),
    template!("bulk_queue.cu.tera"),
    template!("queue_statements.cu.tera"),
    template!("bulk_in.cu.tera"),
    template!("bulk_out.cu.tera"),
    template!("bulk.cu.tera"),
    template!("fragment.cuh.tera"),
    template!("header.cuh.tera"),
];

pub(super) fn language(dtype: DType) -> &'static Language {
    static F32: OnceLock<Language> = OnceLock::new();
    static F64: OnceLock<Language> = OnceLock::new();
    let names = [
        "ty", "pivot_ty", "fma", "add", "sub", "mul", "max", "abs", "zero", "half", "one", "div", "exp",
        "log", "suffix",
    ];
    let (language, values) = match dtype {
        DType::F32 => (
            &F32,
            [
                "float",
                "GlassPivotF32",
                "__fmaf_rn",
                "__fadd_rn",
                "__fsub_rn",
                "__fmul_rn",
                "fmaxf",
                "fabsf",
                "0.0f",
                "0.5f",
                "1.0f",
                "__fdiv_rn",
                "expf",
                "logf",
                "f",
            ],
        ),
        DType::F64 => (
            &F64,
            [
                "double",
                "GlassPivotF64",
                "__fma_rn",
                "__dadd_rn",
                "__dsub_rn",
                "__dmul_rn",
                "fmax",
                "fabs",
                "0.0",
                "0.5",
                "1.0",
                "__ddiv_rn",
                "exp",
                "log",
                "",
            ],
        ),
    };
    language.get_or_init(|| {
        let constants: Vec<_> = names.into_iter().zip(values).collect();
        Language::new(TEMPLATES, &constants)
    })
}

pub(super) fn facts(dtype: DType, tier: Tier) -> Facts {
    Facts {
        language: language(dtype),
        suffix: "u",
        has_bases: false,
        has_strides: true,
        element: type_name(dtype),
        meeting: match tier {
            Tier::Thread => Meeting::Alone,
            Tier::Warp | Tier::Block => Meeting::Shuffle("shuffle_add"),
        },
        barrier: match tier {
            Tier::Thread => &[],
            Tier::Warp => &["barrier_warp"],
            Tier::Block => &["barrier_block"],
        },
        declares_temporaries: tier == Tier::Thread,
    }
}

/// The facts of a batch's frame. Of groups that share a warp some may have no problem.
fn batch_facts(input: &Input<'_>) -> Facts {
    let facts = facts(input.spec.dtype, input.plan.mapping.tier);
    match input.plan.mapping.group {
        Some(_) => Facts { barrier: &["barrier_active"], ..facts },
        None => facts,
    }
}

#[derive(Clone, Serialize)]
pub(super) struct Param {
    pub(super) ty: String,
    pub(super) name: String,
    pub(super) separator: &'static str,
}

#[derive(Serialize)]
pub(super) struct Argument {
    value: String,
    separator: &'static str,
}

/// The template of one function of a packed triangle.
pub(super) const PACKED: &str = "packed.cu.tera";

/// The functions of `bulk_triangles.cu.tera`.
const LOAD_LOWER: &str = "glass_bulk_load_lower";
const LOAD_UPPER: &str = "glass_bulk_load_upper";

/// An operand that lives in shared memory while a body runs.
#[derive(Serialize)]
struct Staged {
    ty: &'static str,
    shared: String,
    global: String,
    offset: String,
    elements: String,
    /// Elements from one staged problem to the next.
    stride: String,
    /// Offset of the warp's first problem in the batch, and of the lane's own.
    first: String,
    first_plus_lane: String,
    /// Pointer to the problem's first element in the batch, and elements from one to the next.
    base: String,
    element_stride: String,
    problem_bytes: String,
    tile_bytes: String,
    is_padded: bool,
    /// One triangle alone is copied, by a function that takes the order of the matrix.
    is_packed: bool,
    load: &'static str,
    order: String,
    is_read: bool,
    is_written: bool,
}

/// A body and what stands above it: how every file begins.
#[derive(Serialize)]
pub(super) struct Start {
    ty: &'static str,
    numerics: String,
    symbol: String,
    body_name: String,
    subject: &'static str,
    body_doc: Vec<String>,
    /// The body calls what it is given once it has read all that is staged.
    has_release: bool,
    body_params: Vec<Param>,
    body: String,
}

impl Start {
    /// The body as a function of these parameters, about such a subject.
    pub(super) fn of(input: &Input<'_>, subject: &'static str, body_params: Vec<Param>) -> Start {
        let Input { spec, plan, kernel, .. } = input;
        let tier = plan.mapping.tier;
        let uses = Uses::of(&kernel.body.stmts);
        let packings = packing::functions(&uses, language(spec.dtype), PACKED).into_iter();
        let packings: String = packings.map(|(_, text)| text + "\n\n").collect();
        Start {
            ty: type_name(spec.dtype),
            numerics: numerics::definitions(&uses, spec.dtype) + &packings,
            symbol: kernel.symbol.clone(),
            body_name: kernel.body.name.clone(),
            subject,
            body_doc: match plan.mapping.group {
                Some(lanes) => vec![format!(
                    "Groups of {lanes} lanes, the active ones of a warp at once, call it; each sees the results on return."
                )],
                None if plan.queue().is_some() => vec![RELEASE_DOC.to_owned()],
                None => body_doc(tier, plan.level.is_some()).into_iter().map(str::to_owned).collect(),
            },
            has_release: plan.queue().is_some(),
            body_params,
            body: writer::lines(&batch_facts(input), spec, plan, &kernel.body),
        }
    }
}

#[derive(Serialize)]
struct File {
    #[serde(flatten)]
    start: Start,
    kernel_params: Vec<Param>,
    arguments: Vec<Argument>,
    launch_bounds: String,
    threads_per_block: String,
    problem: String,
    worker: String,
    worker_value: String,
    n_workers: String,
    barrier: String,
    has_group: bool,
    copies: bool,
    copies_in: bool,
    has_lower: bool,
    has_upper: bool,
    staged: Vec<Staged>,
    part: String,
    warp_bytes: String,
    barrier_offset: String,
    bytes_in: String,
    queue: String,
}

pub(super) fn code(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let tier = plan.mapping.tier;
    let facts = batch_facts(input);
    let staging = plan.mapping.staging;
    let staged = match tier {
        Tier::Thread => staged_by_warps(input),
        Tier::Warp | Tier::Block => staged_by_problem(input),
    };
    let arguments = || {
        let all = spec.operands.iter().zip(&plan.accesses);
        all.filter(|(_, access)| access.is_staged)
    };
    let read = arguments().filter(|(operand, _)| operand.role != Role::Out);
    let bytes_in: usize =
        read.map(|(operand, access)| TILE * access.n_copied(operand) * spec.dtype.bytes()).sum();
    let places = arguments().filter(|(_, access)| access.overlays.is_none());
    let barrier_offset: usize = places.map(|(_, access)| staged_bytes(spec.dtype, access)).sum();
    let barrier_bytes = if staging == Staging::Bulk { BARRIER_BYTES } else { 0 };
    let threads = plan.mapping.threads_per_block;
    let has_parts = !staged.is_empty() && tier != Tier::Thread;
    let file = File {
        start: Start::of(input, "One problem; operands are column-major.", params(body_params(input))),
        kernel_params: params(kernel_params(input)),
        arguments: call_arguments(input, has_parts),
        launch_bounds: match plan.mapping.min_blocks {
            None => threads.to_string(),
            Some(blocks) => format!("{threads}, {blocks}"),
        },
        threads_per_block: format!("{threads}u"),
        problem: problem(input),
        worker: kernel.body.worker.unwrap_or_default().to_owned(),
        worker_value: worker_value(&plan.mapping),
        n_workers: format!("{}u", kernel.body.n_workers),
        barrier: facts.barrier.iter().map(|component| facts.language.fill(component, &[])).collect(),
        has_group: plan.mapping.group.is_some(),
        copies: staged.iter().any(|operand| operand.is_read || operand.is_written),
        copies_in: staged.iter().any(|operand| operand.is_read),
        has_lower: staged.iter().any(|operand| operand.is_packed && operand.load == LOAD_LOWER),
        has_upper: staged.iter().any(|operand| operand.is_packed && operand.load == LOAD_UPPER),
        staged,
        part: match tier {
            Tier::Warp => format!(
                "glass_shared + threadIdx.x / {}u * {}u",
                plan.mapping.workers(),
                plan.problem_shared_bytes
            ),
            Tier::Thread | Tier::Block => "glass_shared".to_owned(),
        },
        warp_bytes: format!("{}u", barrier_offset + barrier_bytes),
        barrier_offset: format!("{barrier_offset}u"),
        bytes_in: format!("{bytes_in}u"),
        queue: plan.queue().map(|n_tiles| format!("{n_tiles}u")).unwrap_or_default(),
    };
    let template = match (tier, staging) {
        (Tier::Thread, Staging::Shared) => "shared.cu.tera",
        _ if plan.queue().is_some() => "bulk_queue.cu.tera",
        _ if plan.stages_tiles() => "bulk_tiles.cu.tera",
        (Tier::Thread, Staging::Bulk) => "bulk.cu.tera",
        (Tier::Thread, Staging::Ahead) => "ahead.cu.tera",
        _ if has_parts => "cooperative.cu.tera",
        _ => "direct.cu.tera",
    };
    // A section that drops out of the top of a file leaves its line behind.
    facts.language.file(template, &file).trim_start().to_owned()
}

/// What the body of a warp that takes tile after tile does for its frame.
const RELEASE_DOC: &str = "It calls `release` once, when it has read all that is staged.";

/// What a caller of the body must know beyond the layout of its operands.
pub(super) fn body_doc(tier: Tier, is_level: bool) -> Option<&'static str> {
    match tier {
        Tier::Thread => None,
        _ if is_level => Some("All threads of the block call it; the first one sees the results on return."),
        Tier::Warp => Some("All 32 lanes of a warp call it; each sees the results on return."),
        Tier::Block => Some("All threads of the block call it; each sees the results on return."),
    }
}

pub(super) fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
    }
}

pub(super) fn params(params: Vec<(String, String)>) -> Vec<Param> {
    let last = ")";
    separators(params.len(), last)
        .zip(params)
        .map(|(separator, (ty, name))| Param { ty, name, separator })
        .collect()
}

/// The arguments of a call, which these values are.
pub(super) fn arguments(values: Vec<String>) -> Vec<Argument> {
    separators(values.len(), ");")
        .zip(values)
        .map(|(separator, value)| Argument { value, separator })
        .collect()
}

/// Type of the elements of an operand.
pub(super) fn element_type(operand: &Operand, dtype: DType) -> &'static str {
    match operand.element {
        Element::Real => type_name(dtype),
        Element::Word => "unsigned int",
    }
}

/// Type and name of the pointer to an operand.
///
/// What several workers write and read back is no `__restrict__` pointer: a compiler takes its memory for one thread's
/// own, and keeps a value in a register across the barrier behind which another worker has changed it.
pub(super) fn pointer(prefix: &str, operand: &Operand, dtype: DType, tier: Tier) -> (String, String) {
    let is_own = operand.role == Role::In || tier == Tier::Thread;
    let restriction = if is_own { " __restrict__" } else { "" };
    let (ty, name) = shared_pointer(prefix, operand, dtype);
    (ty + restriction, name)
}

/// The same of memory that another pointer reaches too, or that kernels still write while this one waits for them: as
/// `__restrict__` pointers to what this one does not write, a compiler might read it too early.
pub(super) fn shared_pointer(prefix: &str, operand: &Operand, dtype: DType) -> (String, String) {
    let constness = if operand.role == Role::In { "const " } else { "" };
    (format!("{constness}{}*", element_type(operand, dtype)), format!("{prefix}{}", operand.name))
}

pub(super) fn scalars(input: &Input<'_>) -> impl Iterator<Item = (String, String)> {
    let ty = type_name(input.spec.dtype);
    input.spec.scalars.iter().map(move |name| (ty.to_owned(), (*name).to_owned()))
}

/// Pointers to arguments and, where workers share them, to temporaries.
pub(super) fn body_pointers(input: &Input<'_>) -> impl Iterator<Item = (String, String)> {
    let Input { spec, plan, kernel, .. } = *input;
    let tier = plan.mapping.tier;
    let shared = kernel.body.temporaries.iter().copied().filter(move |_| tier != Tier::Thread);
    let shares_place = |idx: usize| {
        let overlays = |access: &Access| access.overlays == Some(idx);
        let access = &plan.accesses[idx];
        let is_refilled = plan.queue().is_some() && access.is_staged;
        is_refilled || access.overlays.is_some() || plan.accesses.iter().any(overlays)
    };
    (0..spec.arguments().len()).chain(shared).map(move |idx| match shares_place(idx) {
        true => shared_pointer("", &spec.operands[idx], spec.dtype),
        false => pointer("", &spec.operands[idx], spec.dtype, tier),
    })
}

fn body_params(input: &Input<'_>) -> Vec<(String, String)> {
    let worker = input.kernel.body.worker.map(|name| ("unsigned int".to_owned(), name.to_owned()));
    let ring = reads_ahead(input).then(|| (format!("{}*", type_name(input.spec.dtype)), RING.to_owned()));
    let active = input.plan.mapping.group.map(|_| ("unsigned int".to_owned(), ACTIVE.to_owned()));
    let release = input.plan.queue().map(|_| ("const Release&".to_owned(), RELEASE.to_owned()));
    body_pointers(input)
        .chain(worker)
        .chain(active)
        .chain(ring)
        .chain(release)
        .chain(scalars(input))
        .collect()
}

fn kernel_params(input: &Input<'_>) -> Vec<(String, String)> {
    let pointers = input
        .spec
        .arguments()
        .iter()
        .map(|operand| pointer("g_", operand, input.spec.dtype, input.plan.mapping.tier));
    let n_problems = ("unsigned int".to_owned(), "n_problems".to_owned());
    pointers.chain([n_problems]).chain(scalars(input)).collect()
}

fn problem(input: &Input<'_>) -> String {
    let threads = input.plan.mapping.threads_per_block;
    match input.plan.mapping.tier {
        Tier::Thread => format!("blockIdx.x * {threads}u + threadIdx.x"),
        Tier::Warp => format!(
            "blockIdx.x * {}u + threadIdx.x / {}u",
            input.plan.problems_per_block,
            input.plan.mapping.workers()
        ),
        Tier::Block => "blockIdx.x".to_owned(),
    }
}

fn worker_value(mapping: &Mapping) -> String {
    match mapping.tier {
        Tier::Block => "threadIdx.x".to_owned(),
        Tier::Thread => format!("threadIdx.x % {WARP}u"),
        Tier::Warp => format!("threadIdx.x % {}u", mapping.workers()),
    }
}

/// What the frame passes to the body.
fn call_arguments(input: &Input<'_>, has_parts: bool) -> Vec<Argument> {
    let Input { spec, plan, kernel, .. } = input;
    let is_shared = |operand_idx: &usize| plan.shared.iter().any(|part| part.operand == *operand_idx);
    let bases = spec.arguments().iter().enumerate().map(|(operand_idx, operand)| {
        if is_shared(&operand_idx) {
            return format!("s_{}", operand.name);
        }
        match (plan.mapping.tier, plan.mapping.staging) {
            _ if plan.stages_tiles() && plan.accesses[operand_idx].is_staged => {
                format!("s_{} + lane", operand.name)
            }
            (Tier::Thread, Staging::Shared | Staging::Bulk) if !plan.stages_tiles() => {
                staged_base(operand, &plan.accesses[operand_idx])
            }
            _ => base(operand, plan.layout),
        }
    });
    let temporaries = kernel.body.temporaries.iter().filter(|operand_idx| is_shared(operand_idx));
    let temporaries = temporaries.map(|operand_idx| format!("s_{}", spec.operands[*operand_idx].name));
    let worker = kernel.body.worker.map(|name| match has_parts {
        true => name.to_owned(),
        false => worker_value(&plan.mapping),
    });
    let scalars = spec.scalars.iter().map(|name| (*name).to_owned());
    let ring = reads_ahead(input).then(|| RING.to_owned());
    let active = plan.mapping.group.map(|_| ACTIVE.to_owned());
    let release = plan.queue().map(|_| RELEASE.to_owned());
    let of_frame = worker.into_iter().chain(active).chain(ring).chain(release);
    arguments(bases.chain(temporaries).chain(of_frame).chain(scalars).collect())
}

fn reads_ahead(input: &Input<'_>) -> bool {
    input.plan.mapping.staging == Staging::Ahead
}

/// Pointer to the first element of a problem in the batch. Words are problem-major in either layout.
fn base(operand: &Operand, layout: Layout) -> String {
    let elements = operand.elements();
    let name = operand.name;
    match (layout, operand.element) {
        (Layout::Contiguous, _) | (_, Element::Word) => {
            format!("g_{name} + static_cast<size_t>(problem) * {elements}u")
        }
        (Layout::Interleaved, Element::Real) => {
            let tile = TILE * elements;
            format!("g_{name} + static_cast<size_t>(problem / {TILE}u) * {tile}u + problem % {TILE}u")
        }
    }
}

/// Pointer to the first element of a lane's problem among those that its warp has staged.
fn staged_base(operand: &Operand, access: &Access) -> String {
    let name = operand.name;
    match operand.element {
        Element::Real => format!("s_{name} + lane * {}u", access.problem_stride),
        Element::Word => {
            format!("g_{name} + static_cast<size_t>(first + lane) * {}u", operand.elements())
        }
    }
}

fn staged(input: &Input<'_>, operand_idx: usize, offset: usize) -> Staged {
    let operand = &input.spec.operands[operand_idx];
    let dtype = input.spec.dtype;
    let elements = operand.elements();
    let access = &input.plan.accesses[operand_idx];
    let stride = access.problem_stride;
    let is_argument = operand.role != Role::Temporary;
    Staged {
        ty: element_type(operand, dtype),
        shared: format!("s_{}", operand.name),
        global: format!("g_{}", operand.name),
        offset: format!("{offset}u"),
        elements: format!("{elements}u"),
        stride: format!("{stride}u"),
        first: format!("static_cast<size_t>(first) * {elements}u"),
        first_plus_lane: format!("static_cast<size_t>(first + lane) * {elements}u"),
        base: base(operand, input.plan.layout),
        element_stride: match input.plan.layout {
            Layout::Contiguous => "1u".to_owned(),
            Layout::Interleaved => format!("{TILE}u"),
        },
        problem_bytes: format!("{}u", elements * dtype.bytes()),
        tile_bytes: format!("{}u", TILE * elements * dtype.bytes()),
        is_padded: stride != elements,
        is_packed: access.is_packed,
        load: if operand.structure == Structure::Upper { LOAD_UPPER } else { LOAD_LOWER },
        order: format!("{}u", operand.rows),
        is_read: is_argument && operand.role != Role::Out,
        is_written: is_argument && operand.role != Role::In,
    }
}

/// 32 problems of each argument, one after the other.
fn staged_by_warps(input: &Input<'_>) -> Vec<Staged> {
    let mut end = 0;
    let mut offsets = HashMap::new();
    let mut all = Vec::new();
    for (operand_idx, access) in input.plan.accesses.iter().enumerate() {
        if access.is_staged {
            // Inputs come first, so that the place that a result takes is known.
            let offset = access.overlays.map_or(end, |input| offsets[&input]);
            if access.overlays.is_none() {
                end += staged_bytes(input.spec.dtype, access);
            }
            offsets.insert(operand_idx, offset);
            all.push(staged(input, operand_idx, offset));
        }
    }
    all
}

/// What the workers of one problem share: where the plan has put it.
fn staged_by_problem(input: &Input<'_>) -> Vec<Staged> {
    input.plan.shared.iter().map(|part| staged(input, part.operand, part.offset_bytes)).collect()
}
