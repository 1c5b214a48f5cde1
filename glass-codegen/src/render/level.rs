//! The frame of a level of a long vector, around the sum over one chunk.
//!
//! Its parameters are those of the run time's reduction kernels: inputs, partial sums where it writes them, the arena, then
//! seven numbers.

use super::uses::Uses;
use super::{Dialect, Input, cuda, numerics, wgsl, writer};
use crate::plan::{Destination, Tier};
use crate::spec::Role;
use serde::Serialize;

#[derive(Serialize)]
struct CudaInput {
    name: &'static str,
    start: String,
}

#[derive(Serialize)]
struct CudaFile {
    ty: &'static str,
    numerics: String,
    symbol: String,
    body_name: String,
    body_doc: Vec<String>,
    body_params: Vec<cuda::Param>,
    body: String,
    threads_per_block: String,
    inputs: Vec<CudaInput>,
    is_scalar: bool,
    chunk: String,
}

/// CUDA C++ text of a level.
pub(super) fn cuda(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let facts = cuda::facts(spec.dtype, Tier::Block);
    let number = |name: &str| ("unsigned int".to_owned(), name.to_owned());
    let worker = kernel.body.worker.map(number);
    let file = CudaFile {
        ty: cuda::type_name(spec.dtype),
        numerics: numerics::definitions(&Uses::of(&kernel.body.stmts), spec.dtype),
        symbol: kernel.symbol.clone(),
        body_name: kernel.body.name.clone(),
        body_doc: cuda::body_doc(Tier::Block).into_iter().map(str::to_owned).collect(),
        body_params: cuda::params(
            cuda::body_pointers(input).chain(worker).chain([number(crate::kernel::COUNT)]).collect(),
        ),
        body: writer::lines(&facts, spec, plan, &kernel.body),
        threads_per_block: plan.mapping.threads_per_block.to_string(),
        inputs: inputs(input)
            .map(|(_, name)| CudaInput { name, start: format!("{name}_start") })
            .collect(),
        is_scalar: plan.destination == Some(Destination::Scalar),
        chunk: chunk(input),
    };
    facts.language.file("level.cu.tera", &file).trim_start().to_owned()
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
    let is_scalar = plan.destination == Some(Destination::Scalar);
    let bindings: Vec<_> = inputs(input).map(|(binding, name)| WgslInput { name, binding }).collect();
    let partials_binding = bindings.len();
    let arena_binding = partials_binding + usize::from(!is_scalar);
    let bases = spec.arguments().iter().map(|operand| format!("{}_base: u32", operand.name));
    let worker = kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let count = format!("{}: u32", crate::kernel::COUNT);
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
    operands.filter(|(_, operand)| operand.role == Role::In).map(|(position, operand)| (position, operand.name))
}

/// Elements of a chunk.
fn chunk(input: &Input<'_>) -> String {
    format!("{}u", input.spec.arguments()[0].elements())
}
