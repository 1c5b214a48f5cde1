//! The frames of vector operations: their parameters are those of the run time's interface, in its order.

use super::language::Language;
use super::uses::Uses;
use super::{Dialect, Input, cuda, level, scalar_step, wgsl, writer};
use crate::kernel::{COUNT, Part, VectorFrame, stored_name};
use crate::plan::Tier;
use crate::spec::{DType, Format, Usage, VectorOp, scalar};
use serde::Serialize;

/// A thread and its chunk.
#[derive(Serialize)]
struct CudaStart {
    threads_per_block: String,
    symbol: String,
    kernel_params: Vec<cuda::Param>,
    chunk: String,
    scalars: Vec<String>,
    has_sums: bool,
    /// The gate is looked at after elements were read.
    awaits_gate: bool,
    /// What is fetched before anything else.
    fetched: Vec<String>,
    leaves: &'static str,
}

/// How rows of a sparse matrix are fetched.
#[derive(Serialize)]
struct RowProducts {
    threads_per_block: String,
    tile: String,
    per_thread: String,
}

#[derive(Serialize)]
struct CudaMap {
    #[serde(flatten)]
    start: cuda::Start,
    /// The function that multiplies rows of sparse matrices; empty where there are none.
    row_products: String,
    threads_per_block: String,
    kernel_params: Vec<cuda::Param>,
    chunk: String,
    /// When a chunk may be loaded in vectors; empty where it never is.
    whole: String,
    scalars: Vec<String>,
    has_sums: bool,
    awaits_gate: bool,
    fetched: Vec<String>,
    leaves: &'static str,
    n_sums: String,
    arguments: Vec<cuda::Argument>,
}

#[derive(Serialize)]
struct CudaLastBlock {
    #[serde(flatten)]
    map: CudaMap,
    fold_name: String,
    fold_params: Vec<cuda::Param>,
    fold_subject: &'static str,
    fold: String,
    stores: Vec<String>,
    reads: Vec<String>,
    folds: Vec<String>,
    step: String,
    #[serde(flatten)]
    handed: level::Handed,
}

#[derive(Serialize)]
struct CudaScalars {
    #[serde(flatten)]
    start: CudaStart,
    step: String,
}

/// CUDA C++ text.
pub(super) fn cuda(input: &Input<'_>, frame: &VectorFrame) -> String {
    let language = cuda::language(DType::F32);
    let op = &frame.op;
    let text = match frame.part {
        Part::Scalars => {
            let start = CudaStart {
                threads_per_block: threads(input),
                symbol: input.kernel.symbol.clone(),
                kernel_params: kernel_params(frame),
                chunk: String::new(),
                scalars: reads(op, &op.equation_scalars(), language),
                has_sums: false,
                awaits_gate: false,
                fetched: Vec::new(),
                leaves: leaves(false, false),
            };
            language.file("scalars.cu.tera", &CudaScalars { start, step: cuda_step(op, 1) })
        }
        Part::LastBlock => {
            let fold = frame.fold.as_ref().expect("a last block has something to add up");
            let fold_call = |sum_idx: usize| {
                let handed = offset(&handed_of(sum_idx), "");
                let sum = if sum_idx == 0 { "sums".to_owned() } else { format!("sums + {sum_idx}u") };
                format!("{}({handed}, {sum}, threadIdx.x, n_groups);", fold.body.name)
            };
            // The threads meet in the same memory for each sum.
            let folds = each_sum(op, fold_call).join("\n__syncthreads();\n");
            let file = CudaLastBlock {
                map: cuda_map(input, frame),
                fold_name: fold.body.name.clone(),
                fold_params: level::fold_params(fold),
                fold_subject: level::SUMS_OF_ALL,
                fold: writer::lines(
                    &cuda::facts(DType::F32, Tier::Block),
                    &fold.spec,
                    &fold.plan,
                    &fold.body,
                ),
                stores: each_sum(op, |sum_idx| {
                    let handed = offset(&handed_of(sum_idx), " + group");
                    format!("hand_over({handed}, __float_as_uint(sums[{sum_idx}u]));")
                }),
                reads: reads(op, &scalars_of_step(op), language),
                folds: folds.lines().map(str::to_owned).collect(),
                step: cuda_step(op, 2),
                handed: level::Handed::sum(),
            };
            language.file("vector_last_block.cu.tera", &file)
        }
        Part::Map => language.file("vector_map.cu.tera", &cuda_map(input, frame)),
        Part::Chunk | Part::Finish | Part::Element => unreachable!("CUDA has no such part"),
    };
    text.trim_start().to_owned()
}

/// The equations of scalars, which all threads have read before.
fn cuda_step(op: &VectorOp, depth: usize) -> String {
    scalar_step::lines(op, &[], cuda::language(DType::F32), "u", depth, |position| slot(op, position))
}

/// Statements that read scalars: all at once, before it is known whether they will be needed.
fn reads(op: &VectorOp, positions: &[usize], language: &Language) -> Vec<String> {
    let read = |position: &usize| scalar_step::read(op, *position, language, &slot(op, *position));
    positions.iter().map(read).collect()
}

/// The scalars that the equations read and no element has read before.
fn scalars_of_step(op: &VectorOp) -> Vec<usize> {
    let known = op.element_scalars();
    op.equation_scalars().into_iter().filter(|position| !known.contains(position)).collect()
}

fn slot(op: &VectorOp, position: usize) -> String {
    format!("{}_slot", op.scalars[position].name)
}

/// Words before those of a sum.
fn handed_of(sum_idx: usize) -> String {
    match sum_idx {
        0 => String::new(),
        1 => " + n_groups".to_owned(),
        _ => format!(" + {sum_idx}u * n_groups"),
    }
}

fn offset(words: &str, group: &str) -> String {
    format!("handed{words}{group}")
}

fn threads(input: &Input<'_>) -> String {
    input.plan.mapping.threads_per_block.to_string()
}

fn each_sum(op: &VectorOp, line: impl Fn(usize) -> String) -> Vec<String> {
    (0..op.sums.len()).map(line).collect()
}

fn cuda_map(input: &Input<'_>, frame: &VectorFrame) -> CudaMap {
    let op = &frame.op;
    let uses = Uses::of(&input.kernel.body.stmts);
    let n_matrices = op.operands.iter().filter(|operand| operand.usage == Usage::Matrix).count();
    let tile = writer::row_tile(input.plan.mapping.threads_per_block, n_matrices.max(1));
    let (mut params, mut arguments, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut pass = |ty: &str, name: String, value: String| {
        params.push((ty.to_owned(), name));
        arguments.push(value);
    };
    for (position, operand) in op.operands.iter().enumerate() {
        let name = operand.name;
        match operand.usage {
            Usage::Matrix => {
                if uses.has_row_products {
                    // Values and elements of the vector.
                    let n_entries = 2 * tile;
                    let matrix = format!("g_{name}_offsets + first, g_{name}_columns, g_{name}_values");
                    let own = format!("{name}_entries, threadIdx.x, {COUNT}");
                    rows.push(format!("__shared__ float {name}_entries[{n_entries}];"));
                    rows.push(format!("Rows {name}_rows = fetch_rows({matrix}, {own});"));
                    pass("Rows&", format!("{name}_rows"), format!("{name}_rows"));
                    pass("float*", format!("{name}_entries"), format!("{name}_entries"));
                } else {
                    pass(INDICES, format!("{name}_offsets"), format!("g_{name}_offsets + first"));
                }
                pass(INDICES, format!("{name}_columns"), format!("g_{name}_columns"));
                pass(READ, format!("{name}_values"), format!("g_{name}_values"));
            }
            Usage::Read => {
                pass(SHARED, stored_name(name), format!("g_{name}_v + {name}_start + first"));
            }
            Usage::Write | Usage::ReadWrite => {
                pass(WRITTEN, stored_name(name), format!("g_{name}_v + {name}_start + first"));
            }
            Usage::Gathered => {}
        }
        if op.products().any(|(_, vector)| vector == position) {
            pass(SHARED, format!("{name}_all"), format!("g_{name}_v + {name}_start"));
        }
    }
    for position in op.element_scalars() {
        let known = &op.scalars[position];
        let ty = match known.format {
            Format::F32 => "float",
            Format::U32 | Format::I32 => "unsigned int",
        };
        pass(ty, scalar(known.name), scalar(known.name));
    }
    if !op.sums.is_empty() {
        pass("float*", "s".to_owned(), "sums".to_owned());
    }
    pass("unsigned int", "thread".to_owned(), "threadIdx.x".to_owned());
    pass("unsigned int", COUNT.to_owned(), COUNT.to_owned());
    let whole = whole(input, op);
    if !whole.is_empty() {
        pass("bool", "is_whole".to_owned(), "is_whole".to_owned());
    }
    if uses.awaits_gate {
        pass("bool", "is_on".to_owned(), "is_on".to_owned());
    }
    let subject = "One chunk of long vectors; elements from `count` on do not exist.";
    let row_products = || {
        let threads = input.plan.mapping.threads_per_block;
        let [threads_per_block, tile, per_thread] =
            [threads, tile, tile / threads].map(|number| number.to_string());
        let file = RowProducts { threads_per_block, tile, per_thread };
        cuda::language(DType::F32).file("row_products.cu.tera", &file)
    };
    CudaMap {
        row_products: if uses.has_row_products { row_products() } else { String::new() },
        start: cuda::Start::of(input, subject, cuda::params(params)),
        threads_per_block: threads(input),
        kernel_params: kernel_params(frame),
        chunk: chunk(input),
        whole,
        scalars: reads(op, &op.element_scalars(), cuda::language(DType::F32)),
        has_sums: !op.sums.is_empty(),
        awaits_gate: uses.awaits_gate,
        leaves: leaves(uses.awaits_gate, !rows.is_empty()),
        fetched: rows,
        n_sums: op.sums.len().to_string(),
        arguments: cuda::arguments(arguments),
    }
}

/// When a block has nothing to do; empty where it knows so already.
fn leaves(awaits_gate: bool, has_fetched: bool) -> &'static str {
    match (awaits_gate, has_fetched) {
        (false, _) => "!is_on || group >= n_groups",
        (true, false) => "group >= n_groups",
        (true, true) => "",
    }
}

/// When the chunks of all vectors are whole and begin at multiples of 16 bytes; empty where vectors are not loaded so.
fn whole(input: &Input<'_>, op: &VectorOp) -> String {
    let width = input.plan.level.map_or(1, |level| level.vector_width);
    if width == 1 {
        return String::new();
    }
    let own = op.operands.iter().filter(|operand| !matches!(operand.usage, Usage::Matrix | Usage::Gathered));
    let starts = own.map(|operand| format!(" && {}_start % {width}u == 0u", operand.name));
    format!("{COUNT} == {}{}", chunk(input), starts.collect::<String>())
}

const INDICES: &str = "const unsigned int* __restrict__";
const READ: &str = "const float* __restrict__";
/// What earlier kernels may still write: see [`cuda::shared_pointer`].
const SHARED: &str = "const float*";
const WRITTEN: &str = "float* __restrict__";

fn kernel_params(frame: &VectorFrame) -> Vec<cuda::Param> {
    let mut params = Vec::new();
    let mut param = |ty: &str, name: String| params.push((ty.to_owned(), name));
    for operand in &frame.op.operands {
        let name = operand.name;
        match operand.usage {
            Usage::Matrix => {
                param(INDICES, format!("g_{name}_offsets"));
                param(INDICES, format!("g_{name}_columns"));
                param(READ, format!("g_{name}_values"));
            }
            Usage::Read | Usage::Gathered => param(SHARED, format!("g_{name}_v")),
            Usage::Write | Usage::ReadWrite => param("float*", format!("g_{name}_v")),
        }
    }
    if !frame.op.sums.is_empty() {
        param("unsigned long long*", "handed".to_owned());
    }
    param("unsigned int*", "arena".to_owned());
    for number in numbers(&frame.op) {
        param("unsigned int", number);
    }
    cuda::params(params)
}

/// The words of the argument block.
fn numbers(op: &VectorOp) -> impl Iterator<Item = String> {
    let vectors = op.operands.iter().filter(|operand| operand.usage != Usage::Matrix);
    let starts = vectors.map(|operand| format!("{}_start", operand.name));
    let slots = op.scalars.iter().map(|known| format!("{}_slot", known.name));
    ["n", "n_groups", "gate", "cleared"].into_iter().map(str::to_owned).chain(starts).chain(slots)
}

/// Elements of a chunk.
fn chunk(input: &Input<'_>) -> String {
    format!("{}u", input.spec.dims[0].extent)
}

#[derive(Serialize)]
struct Buffer {
    name: String,
    access: &'static str,
    ty: &'static str,
    binding: usize,
}

#[derive(Serialize)]
struct WgslStart<'a> {
    is_native: bool,
    args: Vec<String>,
    args_binding: usize,
    buffers: Vec<Buffer>,
    has_sums: bool,
    n_sums: String,
    has_body: bool,
    body_name: String,
    body_params: String,
    body: &'a str,
    threads_per_block: String,
    symbol: String,
}

#[derive(Serialize)]
struct WgslChunk<'a> {
    #[serde(flatten)]
    start: WgslStart<'a>,
    chunk: String,
    scalars: Vec<String>,
    arguments: String,
    stores: Vec<String>,
}

#[derive(Serialize)]
struct WgslFinish<'a> {
    #[serde(flatten)]
    start: WgslStart<'a>,
    folds: Vec<String>,
    step: String,
}

#[derive(Serialize)]
struct WgslScalars<'a> {
    #[serde(flatten)]
    start: WgslStart<'a>,
    step: String,
}

/// WGSL text of one dialect around a body that both share.
pub(super) fn wgsl(input: &Input<'_>, frame: &VectorFrame, body: &str, dialect: Dialect) -> String {
    let op = &frame.op;
    let language = wgsl::language();
    let step = |depth| {
        let reads = op.equation_scalars();
        scalar_step::lines(op, &reads, language, "u", depth, |position| slot(op, position))
    };
    match frame.part {
        Part::Scalars => {
            let start = wgsl_start(input, frame, body, dialect, Vec::new());
            language.file("scalars.wgsl.tera", &WgslScalars { start, step: step(1) })
        }
        Part::Finish => {
            let params = ["x_base: u32", "s_base: u32"].map(str::to_owned).to_vec();
            let name = &input.kernel.body.name;
            let fold = |sum_idx: usize| {
                format!("{name}({sum_idx}u * args.n_groups, {sum_idx}u, local, args.n_groups);")
            };
            let start = wgsl_start(input, frame, body, dialect, params);
            language.file(
                "vector_finish.wgsl.tera",
                &WgslFinish { start, folds: each_sum(op, fold), step: step(2) },
            )
        }
        Part::Map | Part::Chunk => {
            let (params, arguments) = wgsl_bases(input, op);
            let store =
                |sum_idx: usize| format!("partials[{sum_idx}u * args.n_groups + group] = s[{sum_idx}u];");
            let file = WgslChunk {
                start: wgsl_start(input, frame, body, dialect, params),
                chunk: chunk(input),
                scalars: reads(op, &op.element_scalars(), language),
                arguments: arguments.join(", "),
                stores: each_sum(op, store),
            };
            language.file("vector_chunk.wgsl.tera", &file)
        }
        Part::LastBlock | Part::Element => unreachable!("WGSL has no such part"),
    }
}

/// Parameters of the body before the worker, and what the kernel gives for them.
fn wgsl_bases(input: &Input<'_>, op: &VectorOp) -> (Vec<String>, Vec<String>) {
    let (mut params, mut arguments) = (Vec::new(), Vec::new());
    let mut pass = |name: String, ty: &str, value: String| {
        params.push(format!("{name}: {ty}"));
        arguments.push(value);
    };
    for (position, operand) in op.operands.iter().enumerate() {
        let name = operand.name;
        match operand.usage {
            Usage::Matrix => pass(format!("{name}_first"), "u32", "first".to_owned()),
            Usage::Read | Usage::Write | Usage::ReadWrite => {
                pass(format!("{}_base", stored_name(name)), "u32", format!("args.{name}_start + first"));
            }
            Usage::Gathered => {}
        }
        if op.products().any(|(_, vector)| vector == position) {
            pass(format!("{name}_all_base"), "u32", format!("args.{name}_start"));
        }
    }
    if input.spec.operands.iter().any(|operand| operand.name == "s") {
        pass("s_base".to_owned(), "u32", "0u".to_owned());
    }
    for position in op.element_scalars() {
        let known = &op.scalars[position];
        let ty = known.format.as_str();
        pass(scalar(known.name), ty, scalar(known.name));
    }
    (params, arguments)
}

fn wgsl_start<'a>(
    input: &Input<'_>,
    frame: &VectorFrame,
    body: &'a str,
    dialect: Dialect,
    params: Vec<String>,
) -> WgslStart<'a> {
    let op = &frame.op;
    let buffers = buffers(frame);
    let worker = input.kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let count = format!("{COUNT}: u32");
    let numbers: Vec<_> = numbers(op).collect();
    let padding = (numbers.len()..numbers.len().next_multiple_of(4)).map(|word| format!("padding_{word}"));
    WgslStart {
        is_native: dialect == Dialect::Native,
        args: numbers.iter().cloned().chain(padding).collect(),
        args_binding: buffers.len(),
        buffers,
        has_sums: matches!(frame.part, Part::Chunk | Part::Finish),
        n_sums: op.sums.len().to_string(),
        has_body: frame.part != Part::Scalars,
        body_name: input.kernel.body.name.clone(),
        body_params: params.into_iter().chain(worker).chain([count]).collect::<Vec<_>>().join(", "),
        body,
        threads_per_block: threads(input),
        symbol: input.kernel.symbol.clone(),
    }
}

fn buffers(frame: &VectorFrame) -> Vec<Buffer> {
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut bind = |name: String, access, ty| {
        let binding = buffers.len();
        buffers.push(Buffer { name, access, ty, binding });
    };
    let is_finish = frame.part == Part::Finish;
    for operand in frame.op.operands.iter().filter(|_| !is_finish) {
        let name = operand.name;
        match operand.usage {
            Usage::Matrix => {
                bind(format!("{name}_offsets"), "read", "u32");
                bind(format!("{name}_columns"), "read", "u32");
                bind(format!("{name}_values"), "read", "f32");
            }
            Usage::Read | Usage::Gathered => bind(stored_name(name), "read", "f32"),
            Usage::Write | Usage::ReadWrite => bind(stored_name(name), "read_write", "f32"),
        }
    }
    match frame.part {
        Part::Chunk => bind("partials".to_owned(), "read_write", "f32"),
        Part::Finish => bind("x".to_owned(), "read", "f32"),
        Part::Map | Part::LastBlock | Part::Scalars | Part::Element => {}
    }
    bind("arena".to_owned(), "read_write", "u32");
    buffers
}
