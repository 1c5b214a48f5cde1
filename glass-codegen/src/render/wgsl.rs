//! WGSL text, in two dialects.

use super::language::Language;
use super::uses::Uses;
use super::writer::{self, Facts, Meeting};
use super::{Dialect, Input, packing};
use crate::kernel::{Function, PivotKind};
use crate::plan::{TILE, Tier};
use crate::spec::{Element, Layout, Operand, Role};
use serde::Serialize;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/wgsl/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[
    template!("statements.wgsl.tera"),
    template!("values.wgsl.tera"),
    template!("elementwise.wgsl.tera"),
    template!("pivots.wgsl.tera"),
    template!("places.wgsl.tera"),
    template!("finish.wgsl.tera"),
    template!("exponent.wgsl.tera"),
    template!("pivot_functions.wgsl.tera"),
    template!("rotg.wgsl.tera"),
    template!("extreme.wgsl.tera"),
    template!("packed.wgsl.tera"),
    template!("kernel.wgsl.tera"),
    template!("state_statements.wgsl.tera"),
    template!("level.wgsl.tera"),
    template!("equations.wgsl.tera"),
    template!("scalar_statements.wgsl.tera"),
    template!("vector_start.wgsl.tera"),
    template!("vector_chunk.wgsl.tera"),
    template!("vector_finish.wgsl.tera"),
    template!("scalars.wgsl.tera"),
];

pub(super) fn language() -> &'static Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    LANGUAGE.get_or_init(|| Language::new(TEMPLATES, &[]))
}

/// Run-time scalars that the argument block has room for.
const N_SCALARS: usize = 3;

/// What workers of a problem wrote lies in workgroup memory, in storage, or in both.
pub(super) fn facts(has_shared_temporaries: bool, rereads_storage: bool) -> Facts {
    Facts {
        language: language(),
        suffix: "u",
        has_bases: true,
        has_strides: true,
        element: "f32",
        meeting: Meeting::Slots,
        barrier: match (has_shared_temporaries, rereads_storage) {
            (true, true) => &["barrier_workgroup", "barrier_storage"],
            (false, true) => &["barrier_storage"],
            (_, false) => &["barrier_workgroup"],
        },
        declares_temporaries: !has_shared_temporaries,
    }
}

#[derive(Serialize)]
struct Binding {
    name: &'static str,
    binding: usize,
    access: &'static str,
    ty: &'static str,
}

#[derive(Serialize)]
struct Array {
    name: &'static str,
    ty: &'static str,
    elements: String,
}

#[derive(Serialize)]
struct File<'a> {
    is_native: bool,
    args_binding: usize,
    args: Vec<String>,
    operands: Vec<Binding>,
    has_slots: bool,
    n_slots: String,
    temporaries: Vec<Array>,
    has_exponents: bool,
    has_rotg: bool,
    has_extremes: bool,
    has_pivots: bool,
    has_cholesky: bool,
    has_rsqrt: bool,
    has_general: bool,
    packings: Vec<String>,
    body_name: String,
    body_params: String,
    body: &'a str,
    threads_per_block: String,
    symbol: String,
    problem: String,
    arguments: String,
}

/// The text of one dialect around a body from [`lines`], which both share.
pub(super) fn code(input: &Input<'_>, body: &str, dialect: Dialect) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let threads = plan.mapping.threads_per_block;
    let uses = Uses::of(&kernel.body.stmts);
    let operands = spec.arguments().iter().enumerate().map(|(binding, operand)| Binding {
        name: operand.name,
        binding,
        access: if operand.role == Role::In { "read" } else { "read_write" },
        ty: element_type(operand),
    });
    let shared = kernel.body.temporaries.iter().filter(|_| kernel.body.worker.is_some());
    let temporaries = shared.map(|operand| {
        let operand = &spec.operands[*operand];
        Array { name: operand.name, ty: element_type(operand), elements: operand.elements().to_string() }
    });
    let padding = (0..N_SCALARS - spec.scalars.len()).map(|position| format!("padding_{position}"));
    let bases = spec.arguments().iter().map(|operand| format!("{}_base: u32", operand.name));
    let worker = kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let arguments = spec.arguments().iter().map(|operand| base(operand, plan.layout));
    let packings = packing::functions(&uses, language(), "packed.wgsl.tera").into_iter();
    let file = File {
        is_native: dialect == Dialect::Native,
        args_binding: spec.arguments().len(),
        args: spec.scalars.iter().map(|name| (*name).to_owned()).chain(padding).collect(),
        operands: operands.collect(),
        has_slots: !uses.trees.is_empty(),
        n_slots: threads.to_string(),
        temporaries: temporaries.collect(),
        has_exponents: uses.any(&[Function::ExponentScale, Function::InverseExponentScale]),
        has_rotg: uses.any(&[Function::RotgCos, Function::RotgSin, Function::RotgRadius]),
        has_extremes: uses.any(&[Function::Maximum, Function::Minimum, Function::OrOne, Function::OrOther]),
        has_pivots: !uses.pivots.is_empty(),
        has_cholesky: uses.pivots.contains(&PivotKind::Cholesky),
        has_rsqrt: uses.pivots.contains(&PivotKind::Rsqrt),
        has_general: uses.pivots.contains(&PivotKind::General),
        packings: packings.map(|(_, text)| text).collect(),
        body_name: kernel.body.name.clone(),
        body_params: bases.chain(worker).collect::<Vec<_>>().join(", "),
        body,
        threads_per_block: threads.to_string(),
        symbol: kernel.symbol.clone(),
        problem: match plan.mapping.tier {
            Tier::Thread => format!("group * {threads}u + local"),
            Tier::Warp | Tier::Block => "group".to_owned(),
        },
        arguments: arguments
            .chain(kernel.body.worker.map(|_| "local".to_owned()))
            .collect::<Vec<_>>()
            .join(", "),
    };
    language().file("kernel.wgsl.tera", &file)
}

pub(super) fn element_type(operand: &Operand) -> &'static str {
    match operand.element {
        Element::Real => "f32",
        Element::Word => "u32",
    }
}

/// The words of an argument block, which is a multiple of four of them.
pub(super) fn padded(words: Vec<String>) -> Vec<String> {
    let n_missing = words.len().next_multiple_of(4) - words.len();
    let padding = |position| if position == 0 { "padding".to_owned() } else { format!("padding_{position}") };
    words.into_iter().chain((0..n_missing).map(padding)).collect()
}

/// Position of a problem's first element. Words are problem-major in either layout.
fn base(operand: &Operand, layout: Layout) -> String {
    let elements = operand.elements();
    match (layout, operand.element) {
        (Layout::Contiguous, _) | (_, Element::Word) => format!("problem * {elements}u"),
        (Layout::Interleaved, Element::Real) => {
            format!("problem / {TILE}u * {}u + problem % {TILE}u", TILE * elements)
        }
    }
}

/// The lines of the body.
pub(super) fn lines(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let uses = Uses::of(&kernel.body.stmts);
    let is_reread = |operand: &usize| spec.operands[*operand].role != Role::Temporary;
    let has_shared_temporaries = kernel.body.worker.is_some() && !kernel.body.temporaries.is_empty();
    let rereads_storage = uses.loaded.intersection(&uses.stored).any(is_reread);
    writer::lines(&facts(has_shared_temporaries, rereads_storage), spec, plan, &kernel.body)
}
