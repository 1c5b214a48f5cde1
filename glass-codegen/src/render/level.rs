//! The frame of a level of a long vector, around the sum over one chunk.
//!
//! Its parameters are those of the run time's reduction kernels: inputs, partial sums where it writes them, the arena, then
//! seven numbers.

use super::{Dialect, Input, cuda, wgsl, writer};
use crate::kernel::{Body, COUNT, Fold, Frame};
use crate::plan::{Destination, Level, Tier};
use crate::spec::{Role, Spec};
use serde::Serialize;

#[derive(Serialize)]
struct CudaFile {
    #[serde(flatten)]
    start: cuda::Start,
    threads_per_block: String,
    inputs: Vec<&'static str>,
    chunk: String,
    /// When a chunk may be loaded in vectors; empty where the text has none.
    whole: String,
    arguments: Vec<cuda::Argument>,
    arguments_whole: Vec<cuda::Argument>,
}

#[derive(Serialize)]
struct CudaLevel {
    #[serde(flatten)]
    file: CudaFile,
    is_scalar: bool,
}

#[derive(Serialize)]
struct CudaLastBlock {
    #[serde(flatten)]
    file: CudaFile,
    fold_name: String,
    fold_params: Vec<cuda::Param>,
    fold: String,
}

/// CUDA C++ text of a level.
pub(super) fn cuda(input: &Input<'_>) -> String {
    let facts = cuda::facts(input.spec.dtype, Tier::Block);
    let file = cuda_file(input);
    let text = match &input.kernel.frame {
        Frame::LastBlock(fold) => {
            let file = CudaLastBlock {
                file,
                fold_name: fold.body.name.clone(),
                fold_params: fold_params(fold),
                fold: writer::lines(&facts, &fold.spec, &fold.plan, &fold.body),
            };
            facts.language.file("last_block.cu.tera", &file)
        }
        Frame::Level(Level { destination, .. }) => {
            let is_scalar = *destination == Destination::Scalar;
            facts.language.file("level.cu.tera", &CudaLevel { file, is_scalar })
        }
        Frame::Batch { .. } | Frame::Vector(_) => unreachable!("they have frames of their own"),
    };
    text.trim_start().to_owned()
}

fn cuda_file(input: &Input<'_>) -> CudaFile {
    let Input { spec, plan, kernel, .. } = input;
    let inputs: Vec<_> = inputs(input).map(|(_, name)| name).collect();
    let level = plan.level.expect("a level has a plan of one");
    let (width, chunk) = (level.vector_width, chunk(input));
    let sum = if level.destination == Destination::Partials { "g_s + group" } else { "&sum" };
    let arguments = |is_whole: Option<bool>| {
        let vectors = inputs.iter().map(|name| format!("g_{name} + {name}_start + first"));
        let rest = [sum, "threadIdx.x", COUNT].map(str::to_owned);
        cuda::arguments(vectors.chain(rest).chain(is_whole.map(|is_whole| is_whole.to_string())).collect())
    };
    let has_vectors = width > 1;
    let starts: Vec<_> = inputs.iter().map(|name| format!("{name}_start % {width}u == 0u")).collect();
    CudaFile {
        start: cuda::Start::of(
            input,
            "One chunk of a long vector; elements from `count` on do not exist.",
            cuda_params(spec, &kernel.body, has_vectors),
        ),
        threads_per_block: plan.mapping.threads_per_block.to_string(),
        whole: if has_vectors {
            format!("{COUNT} == {chunk} && {}", starts.join(" && "))
        } else {
            String::new()
        },
        arguments: arguments(has_vectors.then_some(false)),
        arguments_whole: arguments(Some(true)),
        inputs,
        chunk,
    }
}

/// Pointers, the worker, the number of elements, and with vectors whether they may be used.
fn cuda_params(spec: &Spec, body: &Body, has_vectors: bool) -> Vec<cuda::Param> {
    let pointers = spec.arguments().iter().map(|operand| cuda::pointer("", operand, spec.dtype, Tier::Block));
    params_of(pointers, body, has_vectors)
}

/// The same, for sums that blocks hand over.
pub(super) fn fold_params(fold: &Fold) -> Vec<cuda::Param> {
    let pointers = fold.spec.arguments().iter().zip(&fold.plan.accesses).map(|(operand, access)| {
        if access.is_handed {
            return ("unsigned long long*".to_owned(), operand.name.to_owned());
        }
        cuda::pointer("", operand, fold.spec.dtype, Tier::Block)
    });
    params_of(pointers, &fold.body, false)
}

fn params_of(
    pointers: impl Iterator<Item = (String, String)>,
    body: &Body,
    has_vectors: bool,
) -> Vec<cuda::Param> {
    let number = |name: &str| ("unsigned int".to_owned(), name.to_owned());
    let is_whole = has_vectors.then(|| ("bool".to_owned(), "is_whole".to_owned()));
    cuda::params(pointers.chain(body.worker.map(number)).chain([number(COUNT)]).chain(is_whole).collect())
}

#[derive(Serialize)]
struct WgslInput {
    name: &'static str,
    binding: usize,
}

#[derive(Serialize)]
struct WgslFile<'a> {
    is_native: bool,
    args_binding: usize,
    partials_binding: usize,
    arena_binding: usize,
    inputs: Vec<WgslInput>,
    is_scalar: bool,
    body_name: String,
    body_params: String,
    body: &'a str,
    threads_per_block: String,
    symbol: String,
    arguments: String,
    chunk: String,
}

/// WGSL text of a level in one dialect.
pub(super) fn wgsl(input: &Input<'_>, body: &str, dialect: Dialect) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let is_scalar = plan.level.is_some_and(|level| level.destination == Destination::Scalar);
    let bindings: Vec<_> = inputs(input).map(|(binding, name)| WgslInput { name, binding }).collect();
    let partials_binding = bindings.len();
    let arena_binding = partials_binding + usize::from(!is_scalar);
    let bases = spec.arguments().iter().map(|operand| format!("{}_base: u32", operand.name));
    let worker = kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let count = format!("{COUNT}: u32");
    let sum = if is_scalar { "0u" } else { "group" };
    let starts = inputs(input).map(|(_, name)| format!("args.{name}_start + first"));
    let file = WgslFile {
        is_native: dialect == Dialect::Native,
        args_binding: arena_binding + 1,
        partials_binding,
        arena_binding,
        inputs: bindings,
        is_scalar,
        body_name: kernel.body.name.clone(),
        body_params: bases.chain(worker).chain([count]).collect::<Vec<_>>().join(", "),
        body,
        threads_per_block: plan.mapping.threads_per_block.to_string(),
        symbol: kernel.symbol.clone(),
        arguments: starts.chain([sum.to_owned()]).collect::<Vec<_>>().join(", "),
        chunk: chunk(input),
    };
    wgsl::language().file("level.wgsl.tera", &file)
}

/// Position and name of what a level reads.
fn inputs(input: &Input<'_>) -> impl Iterator<Item = (usize, &'static str)> {
    let operands = input.spec.arguments().iter().enumerate();
    operands
        .filter(|(_, operand)| operand.role == Role::In)
        .map(|(position, operand)| (position, operand.name))
}

/// Elements of a chunk.
fn chunk(input: &Input<'_>) -> String {
    format!("{}u", input.spec.arguments()[0].elements())
}
