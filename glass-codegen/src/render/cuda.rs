//! CUDA C++ text.

use super::language::{Language, Lines, Statement, finish, int, unsigned};
use super::{Input, separators};
use crate::kernel::{Index, Stmt};
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
    template!("bulk_in.cu.tera"),
    template!("bulk_out.cu.tera"),
    template!("bulk.cu.tera"),
];

const STATEMENTS: &[Statement] = &[
    ("comment", &["text"]),
    ("int", &["name", "value"]),
    ("load", &["name", "operand", "index", "ty"]),
    ("load_vector", &["vector_ty", "name", "operand", "index"]),
    ("component", &["name", "vector", "member", "ty"]),
    ("zero", &["acc", "ty", "zero"]),
    ("fma", &["acc", "a", "b", "fma"]),
    ("add", &["acc", "value", "add"]),
    ("shuffle_add", &["acc", "offset", "lanes", "add"]),
    ("store", &["operand", "index", "value"]),
    ("unroll", &["passes"]),
    ("open_loop", &["var", "count"]),
    ("open_guard", &["name", "limit"]),
    ("close", &[]),
    ("barrier_warp", &[]),
    ("barrier_block", &[]),
    ("finish_old", &["name", "acc", "old", "ty", "add"]),
    ("finish_beta", &["name", "acc", "old", "ty", "fma", "zero"]),
    ("finish_alpha", &["name", "acc", "ty", "mul", "zero"]),
    ("finish_alpha_old", &["name", "acc", "old", "ty", "add", "mul", "zero"]),
    ("finish_alpha_beta", &["name", "acc", "old", "ty", "fma", "mul", "zero", "one"]),
];

fn language(dtype: DType) -> &'static Language {
    static F32: OnceLock<Language> = OnceLock::new();
    static F64: OnceLock<Language> = OnceLock::new();
    let (language, [fma, add, mul, zero, one]) = match dtype {
        DType::F32 => (&F32, ["__fmaf_rn", "__fadd_rn", "__fmul_rn", "0.0f", "1.0f"]),
        DType::F64 => (&F64, ["__fma_rn", "__dadd_rn", "__dmul_rn", "0.0", "1.0"]),
    };
    language.get_or_init(|| {
        let constants = [
            ("ty", type_name(dtype)),
            ("fma", fma),
            ("add", add),
            ("mul", mul),
            ("zero", zero),
            ("one", one),
        ];
        Language::new(TEMPLATES, STATEMENTS, &constants)
    })
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
    body: String,
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
    language(spec.dtype).file(template, &file)
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

fn lines(input: &Input<'_>) -> String {
    let mut lines = Lines::new();
    Writer { input, language: language(input.spec.dtype) }.block(&input.kernel.body.stmts, &mut lines);
    lines.into_text()
}

struct Writer<'a> {
    input: &'a Input<'a>,
    language: &'static Language,
}

impl Writer<'_> {
    fn block(&self, stmts: &[Stmt], lines: &mut Lines) {
        for stmt in stmts {
            self.stmt(stmt, lines);
        }
    }

    fn stmt(&self, stmt: &Stmt, lines: &mut Lines) {
        let line = |name: &str, arguments: &[&str]| self.language.statement(name, arguments);
        match stmt {
            Stmt::Comment(text) => lines.push(&line("comment", &[text])),
            Stmt::Int { name, value } => lines.push(&line("int", &[name, &int(value)])),
            Stmt::Load { names, operand, index } => self.load(names, *operand, index, lines),
            Stmt::Zero { acc } => lines.push(&line("zero", &[acc])),
            Stmt::Fma { acc, a, b } => lines.push(&line("fma", &[acc, a, b])),
            Stmt::Add { acc, value } => lines.push(&line("add", &[acc, value])),
            Stmt::Combine { acc, lanes: width } => {
                let mut half = width / 2;
                while half > 0 {
                    lines.push(&line("shuffle_add", &[acc, &format!("{half}u"), &width.to_string()]));
                    half /= 2;
                }
            }
            Stmt::Finish { name, acc, old, epilogue } => lines.push(&match old {
                Some(old) => line(finish(epilogue), &[name, acc, old]),
                None => line(finish(epilogue), &[name, acc]),
            }),
            Stmt::Store { operand, index, value } => {
                let index = self.index(*operand, index);
                lines.push(&line("store", &[self.input.spec.operands[*operand].name, &index, value]));
            }
            Stmt::Loop { var, count, unroll, stmts } => {
                if let Some(passes) = unroll {
                    lines.push(&line("unroll", &[&passes.to_string()]));
                }
                lines.open(&line("open_loop", &[var, &format!("{count}u")]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Guard { name, limit, stmts } => {
                lines.open(&line("open_guard", &[name, &format!("{limit}u")]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Barrier => lines.push(&match self.input.plan.mapping.tier {
                Tier::Block => line("barrier_block", &[]),
                Tier::Thread | Tier::Warp => line("barrier_warp", &[]),
            }),
        }
    }

    fn load(&self, names: &[String], operand: usize, first: &Index, lines: &mut Lines) {
        let index = self.index(operand, first);
        let operand = self.input.spec.operands[operand].name;
        if let [name] = names {
            lines.push(&self.language.statement("load", &[name, operand, &index]));
            return;
        }
        let ty = format!("{}{}", type_name(self.input.spec.dtype), names.len());
        let vector = format!("{operand}_v_{}", first.constant);
        lines.push(&self.language.statement("load_vector", &[&ty, &vector, operand, &index]));
        for (name, member) in names.iter().zip(["x", "y", "z", "w"]) {
            lines.push(&self.language.statement("component", &[name, &vector, member]));
        }
    }

    fn index(&self, operand: usize, index: &Index) -> String {
        unsigned(&index.clone().times(self.input.plan.accesses[operand].element_stride))
    }
}
