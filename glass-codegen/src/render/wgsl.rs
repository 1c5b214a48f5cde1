//! WGSL text, in two dialects.

use super::language::{Language, Lines, Statement, finish, int, unsigned};
use super::{Dialect, Input};
use crate::kernel::{Index, Stmt, Term};
use crate::plan::{TILE, Tier};
use crate::spec::{Layout, Role};
use serde::Serialize;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/wgsl/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[template!("statements.wgsl.tera"), template!("kernel.wgsl.tera")];

const STATEMENTS: &[Statement] = &[
    ("comment", &["text"]),
    ("int", &["name", "value"]),
    ("load", &["name", "operand", "index"]),
    ("zero", &["acc"]),
    ("fma", &["acc", "a", "b"]),
    ("add", &["acc", "value"]),
    ("publish", &["worker", "acc"]),
    ("barrier", &[]),
    ("fold", &["worker", "offset"]),
    ("collect", &["worker", "acc"]),
    ("store", &["operand", "index", "value"]),
    ("open_loop", &["var", "count"]),
    ("open_guard", &["name", "limit"]),
    ("close", &[]),
    ("finish_old", &["name", "acc", "old"]),
    ("finish_beta", &["name", "acc", "old"]),
    ("finish_alpha", &["name", "acc"]),
    ("finish_alpha_old", &["name", "acc", "old"]),
    ("finish_alpha_beta", &["name", "acc", "old"]),
];

fn language() -> &'static Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    LANGUAGE.get_or_init(|| Language::new(TEMPLATES, STATEMENTS, &[]))
}

#[derive(Serialize)]
struct Binding {
    name: &'static str,
    binding: usize,
    access: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    is_native: bool,
    args_binding: usize,
    operands: Vec<Binding>,
    has_slots: bool,
    n_slots: String,
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
    let operands = spec.operands.iter().enumerate().map(|(binding, operand)| Binding {
        name: operand.name,
        binding,
        access: if operand.role == Role::In { "read" } else { "read_write" },
    });
    let bases = spec.operands.iter().map(|operand| format!("{}_base: u32", operand.name));
    let worker = kernel.body.worker.map(|worker| format!("{worker}: u32"));
    let arguments = spec.operands.iter().map(|operand| {
        let elements = operand.elements();
        match plan.layout {
            Layout::Contiguous => format!("problem * {elements}u"),
            Layout::Interleaved => format!("problem / {TILE}u * {}u + problem % {TILE}u", TILE * elements),
        }
    });
    let file = File {
        is_native: dialect == Dialect::Native,
        args_binding: spec.operands.len(),
        operands: operands.collect(),
        has_slots: plan.shared_bytes > 0,
        n_slots: threads.to_string(),
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

/// The lines of the body.
pub(super) fn lines(input: &Input<'_>) -> String {
    let mut lines = Lines::new();
    Writer { input }.block(&input.kernel.body.stmts, &mut lines);
    lines.into_text()
}

struct Writer<'a> {
    input: &'a Input<'a>,
}

impl Writer<'_> {
    fn block(&self, stmts: &[Stmt], lines: &mut Lines) {
        for stmt in stmts {
            self.stmt(stmt, lines);
        }
    }

    fn stmt(&self, stmt: &Stmt, lines: &mut Lines) {
        let line = |name: &str, arguments: &[&str]| language().statement(name, arguments);
        match stmt {
            Stmt::Comment(text) => lines.push(&line("comment", &[text])),
            Stmt::Int { name, value } => lines.push(&line("int", &[name, &int(value)])),
            Stmt::Load { names, operand, index } => {
                for (element, name) in names.iter().enumerate() {
                    let index = self.index(*operand, &index.clone().plus(Index::constant(element)));
                    lines.push(&line("load", &[name, self.array(*operand), &index]));
                }
            }
            Stmt::Zero { acc } => lines.push(&line("zero", &[acc])),
            Stmt::Fma { acc, a, b } => lines.push(&line("fma", &[acc, a, b])),
            Stmt::Add { acc, value } => lines.push(&line("add", &[acc, value])),
            Stmt::Combine { acc, lanes: width } => {
                let worker = self.input.kernel.body.worker.expect("a tree is over the lanes of a body");
                lines.push(&line("publish", &[worker, acc]));
                lines.push(&line("barrier", &[]));
                let mut half = width / 2;
                while half > 0 {
                    lines.push(&line("fold", &[worker, &format!("{half}u")]));
                    lines.push(&line("barrier", &[]));
                    half /= 2;
                }
                lines.push(&line("collect", &[worker, acc]));
            }
            Stmt::Finish { name, acc, old, epilogue } => lines.push(&match old {
                Some(old) => line(finish(epilogue), &[name, acc, old]),
                None => line(finish(epilogue), &[name, acc]),
            }),
            Stmt::Store { operand, index, value } => {
                lines.push(&line("store", &[self.array(*operand), &self.index(*operand, index), value]));
            }
            Stmt::Loop { var, count, stmts, .. } => {
                lines.open(&line("open_loop", &[var, &format!("{count}u")]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Guard { name, limit, stmts } => {
                lines.open(&line("open_guard", &[name, &format!("{limit}u")]));
                self.block(stmts, lines);
                lines.close(&line("close", &[]));
            }
            Stmt::Barrier => lines.push(&line("barrier", &[])),
        }
    }

    fn array(&self, operand: usize) -> &'static str {
        self.input.spec.operands[operand].name
    }

    fn index(&self, operand: usize, index: &Index) -> String {
        let base = Term { coefficient: 1, name: format!("{}_base", self.array(operand)) };
        let mut index = index.clone().times(self.input.plan.accesses[operand].element_stride);
        index.terms.insert(0, base);
        unsigned(&index)
    }
}
