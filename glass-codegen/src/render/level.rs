//! The frame of a level of a long vector, around what becomes of one chunk.
//!
//! Its parameters are those of the run time's reduction kernels: inputs, partial sums or states where it writes them, the arena,
//! then numbers.

use super::expression::{self, Evaluator};
use super::language::Language;
use super::uses::Uses;
use super::{Dialect, Input, cuda, state, wgsl, writer};
use crate::kernel::{Body, COUNT, Fold, Frame};
use crate::plan::{Destination, Level, Meeting, Tier, most_subgroups};
use crate::spec::{Expression, Merge, Operand, Role, Spec};
use serde::Serialize;

#[derive(Serialize)]
struct CudaFile {
    #[serde(flatten)]
    start: cuda::Start,
    threads_per_block: String,
    /// Blocks that a multiprocessor shall hold at once.
    blocks: String,
    kernel_params: Vec<cuda::Param>,
    chunk: String,
    /// Functions that the bodies call.
    helpers: String,
    /// When a chunk may be loaded in vectors; empty where it never is.
    whole: String,
    arguments: Vec<cuda::Argument>,
    arguments_whole: Vec<cuda::Argument>,
    /// What a block keeps of everything.
    total: String,
    total_name: &'static str,
    result: String,
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
    fold_subject: &'static str,
    fold: String,
    total_address: &'static str,
    handovers: Vec<String>,
    #[serde(flatten)]
    handed: Handed,
}

/// What blocks hand over.
#[derive(Serialize)]
pub(super) struct Handed {
    /// Words of each block.
    n_words: String,
    /// What changes nothing.
    nothing: String,
}

impl Handed {
    /// A sum: the bits of +0 change nothing.
    pub(super) fn sum() -> Handed {
        Handed::of(&[0])
    }

    fn of(identities: &[u32]) -> Handed {
        let nothing: Vec<_> = identities.iter().map(|identity| format!("{identity}u")).collect();
        Handed { n_words: format!("{}u", identities.len()), nothing: format!("{{ {} }}", nothing.join(", ")) }
    }
}

/// How four neighbours are loaded.
#[derive(Serialize)]
struct LoadFour {
    element: &'static str,
    ty: &'static str,
    zero: &'static str,
    repeats_last: bool,
}

/// How the words of a warp merge.
#[derive(Serialize)]
struct MergeInWarp {
    function: &'static str,
    instruction: &'static str,
    merged: String,
}

/// CUDA C++ text of a level.
pub(super) fn cuda(input: &Input<'_>) -> String {
    let facts = cuda::facts(input.spec.dtype, Tier::Block);
    let file = cuda_file(input);
    let text = match &input.kernel.frame {
        Frame::LastBlock(fold) => {
            facts.language.file("last_block.cu.tera", &last_block(input.spec, file, fold, &facts))
        }
        Frame::Level(Level { destination, .. }) => {
            let is_scalar = *destination == Destination::Scalar;
            facts.language.file("level.cu.tera", &CudaLevel { file, is_scalar })
        }
        Frame::Batch { .. } | Frame::Vector(_) => unreachable!("they have frames of their own"),
    };
    text.trim_start().to_owned()
}

fn last_block(spec: &Spec, file: CudaFile, fold: &Fold, facts: &writer::Facts) -> CudaLastBlock {
    let state = spec.state();
    let words = state.map_or(&[][..], |state| &state.words);
    let n_words = words.len();
    let hand_over = |word: usize| match (n_words, word) {
        (1, _) => "hand_over(handed + group, s[0u]);".to_owned(),
        (_, 0) => format!("hand_over(handed + {n_words}u * group, s[0u]);"),
        _ => format!("hand_over(handed + {n_words}u * group + {word}u, s[{word}u]);"),
    };
    let identities: Vec<_> = words.iter().map(|word| word.merge.identity()).collect();
    CudaLastBlock {
        file,
        fold_name: fold.body.name.clone(),
        fold_params: fold_params(fold),
        fold_subject: if state.is_some() { STATES_OF_ALL } else { SUMS_OF_ALL },
        fold: writer::lines(facts, &fold.spec, &fold.plan, &fold.body),
        total_address: total(spec).1,
        handovers: match state {
            Some(_) => (0..n_words).map(hand_over).collect(),
            None => vec!["hand_over(handed + group, __float_as_uint(sum));".to_owned()],
        },
        handed: state.map_or_else(Handed::sum, |_| Handed::of(&identities)),
    }
}

/// Threads that a multiprocessor holds at most, from sm_90 on: so many have to wait for memory to use all of its bandwidth.
const THREADS_AT_ONCE: usize = 2048;

/// What is folded, for the reader.
pub(super) const SUMS_OF_ALL: &str = "The sums of all chunks, in their order.";
const STATES_OF_ALL: &str = "The states of all chunks.";

fn cuda_file(input: &Input<'_>) -> CudaFile {
    let Input { spec, plan, kernel, .. } = input;
    let level = plan.level.expect("a level has a plan of one");
    let (width, chunk) = (level.vector_width, chunk(spec));
    let (total_name, address) = total(spec);
    let output = output(spec);
    let ty = cuda::element_type(output, spec.dtype);
    let sum = match level.destination {
        Destination::Partials => format!("g_s + {}", group(output)),
        Destination::Scalar | Destination::LastBlock => address.to_owned(),
    };
    let arguments = |is_whole: Option<bool>| {
        let vectors = inputs(spec)
            .zip(STARTS)
            .map(|(operand, start)| format!("g_{} + {start} + {}", operand.name, first(operand)));
        let rest = [sum.clone(), "threadIdx.x".to_owned(), COUNT.to_owned()];
        cuda::arguments(vectors.chain(rest).chain(is_whole.map(|is_whole| is_whole.to_string())).collect())
    };
    let has_vectors = width > 1;
    let starts: Vec<_> =
        inputs(spec).zip(STARTS).map(|(_, start)| format!("{start} % {width}u == 0u")).collect();
    let whole = match has_vectors {
        true => format!("{COUNT} == {chunk} && {}", starts.join(" && ")),
        false => String::new(),
    };
    CudaFile {
        start: cuda::Start::of(
            input,
            "One chunk of a long vector; elements from `count` on do not exist.",
            cuda_params(spec, &kernel.body, has_vectors),
        ),
        threads_per_block: plan.mapping.threads_per_block.to_string(),
        blocks: (THREADS_AT_ONCE / plan.mapping.threads_per_block).to_string(),
        kernel_params: kernel_params(spec, level.destination),
        helpers: helpers(input),
        whole,
        arguments: arguments(has_vectors.then_some(false)),
        arguments_whole: arguments(Some(true)),
        chunk,
        total: match spec.state() {
            None => format!("{ty} {total_name}"),
            Some(_) => format!("{ty} s[{}]", output.elements()),
        },
        total_name,
        result: result(spec, cuda::language(spec.dtype)),
    }
}

/// The functions that the bodies of a level call.
fn helpers(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let language = cuda::language(spec.dtype);
    let mut text = String::new();
    for merge in Uses::of(&kernel.body.stmts).merges {
        let merged = merge.of(Expression::name("word"), Expression::name("other"));
        let file = MergeInWarp {
            function: writer::merge_in_warp(merge),
            instruction: match merge {
                Merge::Sum => "__reduce_add_sync",
                Merge::Least => "__reduce_min_sync",
                Merge::Greatest => "__reduce_max_sync",
            },
            merged: expression::statement(&merged, Evaluator::Scalar, language, &str::to_owned),
        };
        text += &language.file("merge_in_warp.cu.tera", &file);
    }
    if plan.level.is_some_and(|level| level.vector_width > 1) {
        let element = cuda::element_type(&spec.operands[0], spec.dtype);
        let (ty, zero) = if spec.state().is_some() { ("uint", "0u") } else { ("float", "0.0f") };
        let repeats_last =
            spec.state().is_some_and(|state| state.words.iter().all(|word| word.merge.is_idempotent()));
        text += &language.file("load_four.cu.tera", &LoadFour { element, ty, zero, repeats_last });
    }
    text
}

/// Name and address of what a block keeps of everything: a sum, or the words of a state.
fn total(spec: &Spec) -> (&'static str, &'static str) {
    if spec.state().is_some() { ("state", "s") } else { ("sum", "&sum") }
}

fn kernel_params(spec: &Spec, destination: Destination) -> Vec<cuda::Param> {
    let pointer = |operand| cuda::shared_pointer("g_", operand, spec.dtype);
    let made = match destination {
        Destination::Scalar => None,
        Destination::Partials => Some(pointer(output(spec))),
        Destination::LastBlock => Some(("unsigned long long*".to_owned(), "handed".to_owned())),
    };
    let arena = ("unsigned int*".to_owned(), "arena".to_owned());
    let numbers = numbers(spec).into_iter().map(|name| ("unsigned int".to_owned(), name));
    cuda::params(inputs(spec).map(pointer).chain(made).chain([arena]).chain(numbers).collect())
}

/// Where the inputs begin.
const STARTS: [&str; 2] = ["x_start", "y_start"];

/// The words of the argument block.
fn numbers(spec: &Spec) -> Vec<String> {
    let [x_start, y_start] = STARTS;
    let plain = ["n", "n_groups", x_start, y_start, "slot", "gate", "accumulate"];
    let further = spec.state().into_iter().flat_map(|state| state::slots(&state.finish).skip(1));
    plain.into_iter().map(str::to_owned).chain(further).collect()
}

/// What one thread makes of the total.
fn result(spec: &Spec, language: &Language) -> String {
    match spec.state() {
        Some(words) => state::finish(words, language),
        None => state::finish_sum(language),
    }
}

/// Pointers, the worker, the number of elements, and with vectors whether they may be used.
fn cuda_params(spec: &Spec, body: &Body, has_vectors: bool) -> Vec<cuda::Param> {
    let pointers = spec.arguments().iter().map(|operand| cuda::shared_pointer("", operand, spec.dtype));
    params_of(pointers, body, has_vectors)
}

/// The same, for sums that blocks hand over.
pub(super) fn fold_params(fold: &Fold) -> Vec<cuda::Param> {
    let pointers = fold.spec.arguments().iter().zip(&fold.plan.accesses).map(|(operand, access)| {
        if access.is_handed {
            return ("unsigned long long*".to_owned(), operand.name.to_owned());
        }
        cuda::shared_pointer("", operand, fold.spec.dtype)
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
    ty: &'static str,
    binding: usize,
}

#[derive(Serialize)]
struct WgslFile<'a> {
    is_native: bool,
    directives: &'static [&'static str],
    args: Vec<String>,
    args_binding: usize,
    partials_binding: usize,
    arena_binding: usize,
    inputs: Vec<WgslInput>,
    ty: &'static str,
    n_sums: String,
    is_scalar: bool,
    body_name: String,
    body_params: String,
    body: &'a str,
    threads_per_block: String,
    symbol: String,
    arguments: String,
    chunk: String,
    /// The most subgroups of a workgroup; empty where they do not matter.
    subgroups: String,
    more_arguments: &'static str,
    total_name: &'static str,
    result: String,
}

/// What browsers want before a text that uses subgroups; naga knows neither.
const SUBGROUP_DIRECTIVES: [&str; 2] = ["enable subgroups;", "requires subgroup_id;"];

/// What a body that meets by subgroups is told beyond its worker.
const SUBGROUP: [&str; 3] = ["subgroup", "lane", "n_subgroups"];

/// WGSL text of a level in one dialect.
pub(super) fn wgsl(input: &Input<'_>, body: &str, dialect: Dialect) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let is_scalar = plan.level.is_some_and(|level| level.destination == Destination::Scalar);
    let bindings = inputs(spec).enumerate().map(|(binding, operand)| {
        let (name, ty) = (operand.name, wgsl::element_type(operand));
        WgslInput { name, ty, binding }
    });
    let bindings: Vec<_> = bindings.collect();
    let partials_binding = bindings.len();
    let arena_binding = partials_binding + usize::from(!is_scalar);
    let bases = spec.arguments().iter().map(|operand| format!("{}_base: u32", operand.name));
    let worker = kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let count = format!("{COUNT}: u32");
    let output = output(spec);
    let sum = if is_scalar { "0u".to_owned() } else { group(output) };
    let has_subgroups = plan.level.is_some_and(|level| level.meeting == Meeting::Subgroups);
    let names = SUBGROUP.iter().filter(|_| has_subgroups).map(|name| format!("{name}: u32"));
    let starts =
        inputs(spec).zip(STARTS).map(|(operand, start)| format!("args.{start} + {}", first(operand)));
    let file = WgslFile {
        is_native: dialect == Dialect::Native,
        directives: if has_subgroups && dialect == Dialect::Web { &SUBGROUP_DIRECTIVES } else { &[] },
        args: wgsl::padded(numbers(spec)),
        args_binding: arena_binding + 1,
        partials_binding,
        arena_binding,
        inputs: bindings,
        ty: wgsl::element_type(output),
        n_sums: output.elements().to_string(),
        is_scalar,
        body_name: kernel.body.name.clone(),
        body_params: bases.chain(worker).chain([count]).chain(names).collect::<Vec<_>>().join(", "),
        body,
        threads_per_block: plan.mapping.threads_per_block.to_string(),
        symbol: kernel.symbol.clone(),
        arguments: starts.chain([sum]).collect::<Vec<_>>().join(", "),
        chunk: chunk(spec),
        subgroups: match has_subgroups {
            true => most_subgroups(plan.mapping.threads_per_block).to_string(),
            false => String::new(),
        },
        more_arguments: if has_subgroups { ", subgroup, lane, n_subgroups" } else { "" },
        total_name: total(spec).0,
        result: result(spec, wgsl::language()),
    };
    wgsl::language().file("level.wgsl.tera", &file).trim_start().to_owned()
}

/// What a level reads.
fn inputs(spec: &Spec) -> impl Iterator<Item = &Operand> {
    spec.arguments().iter().filter(|operand| operand.role == Role::In)
}

/// What it makes.
fn output(spec: &Spec) -> &Operand {
    spec.arguments().last().expect("a level has a result")
}

/// First element of a chunk of an input.
fn first(operand: &Operand) -> String {
    match operand.width() {
        1 => "first".to_owned(),
        width => format!("{width}u * first"),
    }
}

/// First element of what a chunk becomes.
fn group(output: &Operand) -> String {
    match output.elements() {
        1 => "group".to_owned(),
        elements => format!("{elements}u * group"),
    }
}

/// Elements of a chunk.
fn chunk(spec: &Spec) -> String {
    format!("{}u", spec.dims[0].extent)
}
