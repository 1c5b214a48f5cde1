//! CUDA C++ text.

use super::language::{Language, Lines};
use super::{Input, separators};
use crate::kernel::{Epilogue, Index, IntExpr, Stmt};
use crate::plan::{Access, Staging, TILE, Tier, WARP, staged_bytes};
use crate::spec::{Alpha, Beta, DType, Layout, Operand, Role};
use serde::Serialize;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/cuda/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[
    template!("statements.cu.tera"),
    template!("body.cu.tera"),
    template!("signature.cu.tera"),
    template!("direct.cu.tera"),
    template!("shared.cu.tera"),
    template!("copy_preamble.cu.tera"),
    template!("bulk_preamble.cu.tera"),
    template!("bulk.cu.tera"),
];

const STATEMENTS: &[(&str, &[&str])] = &[
    ("comment", &["text"]),
    ("int", &["name", "value"]),
    ("load", &["ty", "name", "operand", "index"]),
    ("load_vector", &["ty", "name", "operand", "index"]),
    ("component", &["ty", "name", "vector", "member"]),
    ("zero", &["ty", "acc", "zero"]),
    ("fma", &["fma", "acc", "a", "b"]),
    ("add", &["add", "acc", "value"]),
    ("shuffle_add", &["add", "acc", "offset", "lanes"]),
    ("store", &["operand", "index", "value"]),
    ("unroll", &["passes"]),
    ("open_loop", &["var", "count"]),
    ("open_guard", &["name", "limit"]),
    ("close", &[]),
    ("barrier_warp", &[]),
    ("barrier_block", &[]),
    ("finish_old", &["ty", "add", "name", "acc", "old"]),
    ("finish_beta", &["ty", "fma", "zero", "name", "acc", "old"]),
    ("finish_alpha", &["ty", "mul", "zero", "name", "acc"]),
    ("finish_alpha_old", &["ty", "add", "mul", "zero", "name", "acc", "old"]),
    ("finish_alpha_beta", &["ty", "fma", "mul", "zero", "name", "acc", "old"]),
];

fn language() -> &'static Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    LANGUAGE.get_or_init(|| Language::new(TEMPLATES, STATEMENTS))
}

#[derive(Serialize)]
struct Param {
    ty: String,
    name: String,
    separator: &'static str,
}

#[derive(Serialize)]
struct Argument {
    value: String,
    separator: &'static str,
}

#[derive(Serialize)]
struct Staged {
    shared: String,
    global: String,
    offset: String,
    elements: String,
    stride: String,
    /// Offset of the warp's first problem in the batch, and of the lane's own.
    first: String,
    first_plus_lane: String,
    problem_bytes: String,
    tile_bytes: String,
    is_padded: bool,
    is_read: bool,
    is_written: bool,
}

#[derive(Serialize)]
struct File {
    ty: &'static str,
    symbol: String,
    body_name: String,
    body_doc: Vec<&'static str>,
    body_params: Vec<Param>,
    body: Vec<String>,
    kernel_params: Vec<Param>,
    arguments: Vec<Argument>,
    launch_bounds: String,
    threads_per_block: String,
    problem: String,
    staged: Vec<Staged>,
    warp_bytes: String,
    barrier_offset: String,
    bytes_in: String,
}

pub(super) fn code(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let ty = type_name(spec.dtype);
    let contraction = spec.contraction();
    let scalars: Vec<_> =
        [("alpha", contraction.alpha == Alpha::Runtime), ("beta", contraction.beta == Beta::Runtime)]
            .into_iter()
            .filter_map(|(name, is_runtime)| is_runtime.then_some(name))
            .collect();
    let pointers = |prefix: &str| -> Vec<(String, String)> {
        let pointer = |operand: &Operand| {
            let constness = if operand.role == Role::In { "const " } else { "" };
            (format!("{constness}{ty}* __restrict__"), format!("{prefix}{}", operand.name))
        };
        spec.operands.iter().map(pointer).collect()
    };
    let unsigned = |name: &str| ("unsigned int".to_owned(), name.to_owned());
    let values = || scalars.iter().map(|name| (ty.to_owned(), (*name).to_owned()));
    let body_params: Vec<_> =
        pointers("").into_iter().chain(kernel.body.worker.map(unsigned)).chain(values()).collect();
    let kernel_params: Vec<_> =
        pointers("g_").into_iter().chain([unsigned("n_problems")]).chain(values()).collect();
    let worker = kernel.body.worker.map(|_| match plan.mapping.tier {
        Tier::Block => "threadIdx.x".to_owned(),
        Tier::Thread | Tier::Warp => format!("threadIdx.x % {WARP}u"),
    });
    let bases =
        spec.operands.iter().zip(&plan.accesses).map(|(operand, access)| base(input, operand, access));
    let arguments: Vec<_> =
        bases.chain(worker).chain(scalars.iter().map(|name| (*name).to_owned())).collect();
    let staged = staged(input);
    let bytes_in: usize = spec
        .operands
        .iter()
        .filter(|operand| operand.role != Role::Out)
        .map(|operand| TILE * operand.elements() * spec.dtype.bytes())
        .sum();
    let barrier_offset: usize = plan.accesses.iter().map(|access| staged_bytes(spec.dtype, access)).sum();
    let threads = plan.mapping.threads_per_block;
    let file = File {
        ty,
        symbol: kernel.symbol.clone(),
        body_name: kernel.body.name.clone(),
        body_doc: body_doc(plan.mapping.tier),
        body_params: params(body_params),
        body: lines(input),
        kernel_params: params(kernel_params),
        arguments: separators(arguments.len(), ");")
            .zip(arguments)
            .map(|(separator, value)| Argument { value, separator })
            .collect(),
        launch_bounds: match plan.mapping.min_blocks {
            None => threads.to_string(),
            Some(blocks) => format!("{threads}, {blocks}"),
        },
        threads_per_block: format!("{threads}u"),
        problem: match plan.mapping.tier {
            Tier::Thread => format!("blockIdx.x * {threads}u + threadIdx.x"),
            Tier::Warp => format!("blockIdx.x * {}u + threadIdx.x / {WARP}u", plan.problems_per_block),
            Tier::Block => "blockIdx.x".to_owned(),
        },
        staged,
        warp_bytes: format!("{}u", plan.shared_bytes / threads.div_ceil(WARP)),
        barrier_offset: format!("{barrier_offset}u"),
        bytes_in: format!("{bytes_in}u"),
    };
    let template = match plan.mapping.staging {
        Staging::Direct => "direct.cu.tera",
        Staging::Shared => "shared.cu.tera",
        Staging::Bulk => "bulk.cu.tera",
    };
    language().file(template, &file)
}

/// What a caller of the body must know beyond the layout of its operands.
fn body_doc(tier: Tier) -> Vec<&'static str> {
    match tier {
        Tier::Thread => vec![],
        Tier::Warp => vec!["All 32 lanes of a warp call it; each sees the results on return."],
        Tier::Block => vec!["All threads of the block call it; each sees the results on return."],
    }
}

fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
    }
}

fn params(params: Vec<(String, String)>) -> Vec<Param> {
    let last = ")";
    separators(params.len(), last)
        .zip(params)
        .map(|(separator, (ty, name))| Param { ty, name, separator })
        .collect()
}

/// Pointer to the first element of a problem.
fn base(input: &Input<'_>, operand: &Operand, access: &Access) -> String {
    let elements = operand.elements();
    let name = operand.name;
    match (input.plan.mapping.staging, input.plan.layout) {
        (Staging::Shared | Staging::Bulk, _) => format!("s_{name} + lane * {}u", access.problem_stride),
        (Staging::Direct, Layout::Contiguous) => {
            format!("g_{name} + static_cast<size_t>(problem) * {elements}u")
        }
        (Staging::Direct, Layout::Interleaved) => {
            format!(
                "g_{name} + static_cast<size_t>(problem / {TILE}u) * {}u + problem % {TILE}u",
                TILE * elements
            )
        }
    }
}

fn staged(input: &Input<'_>) -> Vec<Staged> {
    let dtype = input.spec.dtype;
    let mut offset = 0;
    let mut staged = Vec::new();
    if input.plan.mapping.staging == Staging::Direct {
        return staged;
    }
    for (operand, access) in input.spec.operands.iter().zip(&input.plan.accesses) {
        let elements = operand.elements();
        let is_padded = access.problem_stride != elements;
        staged.push(Staged {
            shared: format!("s_{}", operand.name),
            global: format!("g_{}", operand.name),
            offset: format!("{offset}u"),
            elements: format!("{elements}u"),
            stride: format!("{}u", access.problem_stride),
            first: format!("static_cast<size_t>(first) * {elements}u"),
            first_plus_lane: format!("static_cast<size_t>(first + lane) * {elements}u"),
            problem_bytes: format!("{}u", elements * dtype.bytes()),
            tile_bytes: format!("{}u", TILE * elements * dtype.bytes()),
            is_padded,
            is_read: operand.role != Role::Out,
            is_written: operand.role != Role::In,
        });
        offset += staged_bytes(dtype, access);
    }
    staged
}

fn lines(input: &Input<'_>) -> Vec<String> {
    let dtype = input.spec.dtype;
    let (fma, add, mul, zero) = match dtype {
        DType::F32 => ("__fmaf_rn", "__fadd_rn", "__fmul_rn", "0.0f"),
        DType::F64 => ("__fma_rn", "__dadd_rn", "__dmul_rn", "0.0"),
    };
    let writer = Writer { input, ty: type_name(dtype), fma, add, mul, zero };
    let mut lines = Lines::default();
    writer.block(&input.kernel.body.stmts, &mut lines);
    lines.into_vec()
}

struct Writer<'a> {
    input: &'a Input<'a>,
    ty: &'static str,
    fma: &'static str,
    add: &'static str,
    mul: &'static str,
    zero: &'static str,
}

impl Writer<'_> {
    fn block(&self, stmts: &[Stmt], lines: &mut Lines) {
        for stmt in stmts {
            self.stmt(stmt, lines);
        }
    }

    fn stmt(&self, stmt: &Stmt, lines: &mut Lines) {
        let line = |name: &str, arguments: &[(&str, &str)]| {
            let mut all = vec![
                ("ty", self.ty),
                ("fma", self.fma),
                ("add", self.add),
                ("mul", self.mul),
                ("zero", self.zero),
            ];
            all.extend(arguments);
            language().statement(name, &all)
        };
        match stmt {
            Stmt::Comment(text) => lines.push(&line("comment", &[("text", text)])),
            Stmt::Int { name, value } => lines.push(&line("int", &[("name", name), ("value", &int(value))])),
            Stmt::Load { names, operand, index: first } => {
                let index = self.index(*operand, first);
                let operand = self.input.spec.operands[*operand].name;
                let [name] = names.as_slice() else {
                    let ty = format!("{}{}", self.ty, names.len());
                    let vector = format!("{operand}_v_{}", first.constant);
                    let arguments =
                        [("ty", ty.as_str()), ("name", &vector), ("operand", operand), ("index", &index)];
                    lines.push(&language().statement("load_vector", &arguments));
                    for (name, member) in names.iter().zip(["x", "y", "z", "w"]) {
                        lines.push(&line(
                            "component",
                            &[("name", name), ("vector", &vector), ("member", member)],
                        ));
                    }
                    return;
                };
                lines.push(&line("load", &[("name", name), ("operand", operand), ("index", &index)]));
            }
            Stmt::Zero { acc } => lines.push(&line("zero", &[("acc", acc)])),
            Stmt::Fma { acc, a, b } => lines.push(&line("fma", &[("acc", acc), ("a", a), ("b", b)])),
            Stmt::Add { acc, value } => lines.push(&line("add", &[("acc", acc), ("value", value)])),
            Stmt::Combine { acc, lanes: width } => {
                let mut half = width / 2;
                while half > 0 {
                    let arguments = [
                        ("acc", acc.as_str()),
                        ("offset", &format!("{half}u")),
                        ("lanes", &format!("{width}")),
                    ];
                    lines.push(&line("shuffle_add", &arguments));
                    half /= 2;
                }
            }
            Stmt::Finish { name, acc, old, epilogue } => {
                let old = old.as_deref().unwrap_or_default();
                lines.push(&line(finish(epilogue), &[("name", name), ("acc", acc), ("old", old)]));
            }
            Stmt::Store { operand, index, value } => {
                let index = self.index(*operand, index);
                let operand = self.input.spec.operands[*operand].name;
                lines.push(&line("store", &[("operand", operand), ("index", &index), ("value", value)]));
            }
            Stmt::Loop { var, count, unroll, stmts } => {
                if let Some(passes) = unroll {
                    lines.push(&line("unroll", &[("passes", &passes.to_string())]));
                }
                lines.open(&line("open_loop", &[("var", var), ("count", &format!("{count}u"))]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Guard { name, limit, stmts } => {
                lines.open(&line("open_guard", &[("name", name), ("limit", &format!("{limit}u"))]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Barrier => lines.push(&match self.input.plan.mapping.tier {
                Tier::Block => line("barrier_block", &[]),
                Tier::Thread | Tier::Warp => line("barrier_warp", &[]),
            }),
        }
    }

    fn index(&self, operand: usize, index: &Index) -> String {
        unsigned(&index.clone().times(self.input.plan.accesses[operand].element_stride))
    }
}

/// The component for an epilogue that is not a plain store.
pub(super) fn finish(epilogue: &Epilogue) -> &'static str {
    match (epilogue.alpha, epilogue.accumulates, epilogue.beta) {
        (false, _, true) => "finish_beta",
        (false, _, false) => "finish_old",
        (true, false, _) => "finish_alpha",
        (true, true, false) => "finish_alpha_old",
        (true, true, true) => "finish_alpha_beta",
    }
}

/// An integer expression with unsigned literals: the spelling of CUDA and WGSL.
pub(super) fn int(value: &IntExpr) -> String {
    match value {
        IntExpr::Affine(index) => unsigned(index),
        IntExpr::Div(name, by) => format!("{name} / {by}u"),
        IntExpr::Rem(name, by) => format!("{name} % {by}u"),
        IntExpr::Min(name, limit) => format!("min({name}, {limit}u)"),
    }
}

/// An index with unsigned literals.
pub(super) fn unsigned(index: &Index) -> String {
    let mut parts: Vec<_> = index
        .terms
        .iter()
        .map(|term| match term.coefficient {
            1 => term.name.clone(),
            coefficient => format!("{coefficient}u * {}", term.name),
        })
        .collect();
    if index.constant > 0 || parts.is_empty() {
        parts.push(format!("{}u", index.constant));
    }
    parts.join(" + ")
}
