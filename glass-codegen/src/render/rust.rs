//! Plain Rust text, generic over one problem or one problem per vector lane.

use super::Input;
use super::language::{Language, Lines, Statement, finish};
use crate::kernel::{Index, Stmt};
use crate::spec::{Alpha, Beta, Role};
use serde::Serialize;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/rust/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[template!("statements.rs.tera"), template!("kernel.rs.tera")];

const STATEMENTS: &[Statement] = &[
    ("comment", &["text"]),
    ("int", &["name", "value"]),
    ("load", &["name", "operand", "index"]),
    ("zero", &["acc"]),
    ("fma", &["acc", "a", "b"]),
    ("add", &["acc", "value"]),
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
struct File {
    task: String,
    symbol: String,
    ty: &'static str,
    params: String,
    body: String,
}

pub(super) fn code(input: &Input<'_>) -> String {
    let Input { spec, kernel, .. } = input;
    let ty = spec.dtype.as_str();
    let contraction = spec.contraction();
    let operands = spec.operands.iter().map(|operand| match operand.role {
        Role::In => format!("{}: &A", operand.name),
        Role::Out | Role::InOut => format!("{}: &mut Y", operand.name),
    });
    let scalars =
        [("alpha", contraction.alpha == Alpha::Runtime), ("beta", contraction.beta == Beta::Runtime)];
    let scalars =
        scalars.iter().filter(|(_, is_runtime)| *is_runtime).map(|(name, _)| format!("{name}: {ty}"));
    let mut lines = Lines::new();
    block(input, &kernel.body.stmts, &mut lines);
    language().file(
        "kernel.rs.tera",
        &File {
            task: spec.formula(),
            symbol: kernel.symbol.clone(),
            ty,
            params: operands.chain(scalars).collect::<Vec<_>>().join(", "),
            body: lines.into_text(),
        },
    )
}

fn block(input: &Input<'_>, stmts: &[Stmt], lines: &mut Lines) {
    for stmt in stmts {
        line(input, stmt, lines);
    }
}

fn line(input: &Input<'_>, stmt: &Stmt, lines: &mut Lines) {
    let line = |name: &str, arguments: &[&str]| language().statement(name, arguments);
    let array = |operand: &usize| input.spec.operands[*operand].name;
    match stmt {
        Stmt::Comment(text) => lines.push(&line("comment", &[text])),
        Stmt::Int { name, value } => lines.push(&line("int", &[name, &value.to_string()])),
        Stmt::Load { names, operand, index } => {
            for (element, name) in names.iter().enumerate() {
                let index = index.clone().plus(Index::constant(element)).to_string();
                lines.push(&line("load", &[name, array(operand), &index]));
            }
        }
        Stmt::Zero { acc } => lines.push(&line("zero", &[acc])),
        Stmt::Fma { acc, a, b } => lines.push(&line("fma", &[acc, a, b])),
        Stmt::Add { acc, value } => lines.push(&line("add", &[acc, value])),
        Stmt::Finish { name, acc, old, epilogue } => lines.push(&match old {
            Some(old) => line(finish(epilogue), &[name, acc, old]),
            None => line(finish(epilogue), &[name, acc]),
        }),
        Stmt::Store { operand, index, value } => {
            lines.push(&line("store", &[array(operand), &index.to_string(), value]));
        }
        Stmt::Loop { var, count, stmts, .. } => {
            lines.open(&line("open_loop", &[var, &count.to_string()]));
            block(input, stmts, lines);
            lines.close(&line("close", &[]));
        }
        Stmt::Guard { name, limit, stmts } => {
            lines.open(&line("open_guard", &[name, &limit.to_string()]));
            block(input, stmts, lines);
            lines.close(&line("close", &[]));
        }
        Stmt::Combine { .. } | Stmt::Barrier => unreachable!("one worker owns a problem on the host"),
    }
}
