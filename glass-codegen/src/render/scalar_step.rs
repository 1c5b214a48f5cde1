//! The equations of scalars of a vector operation, in any language.

use super::expression::{self, Evaluator};
use super::language::{Language, Lines};
use super::{Source, content_hash, rust};
use crate::plan::Target;
use crate::spec::{Format, ScalarEquation, VectorOp, scalar};
use serde::Serialize;

/// A statement that reads the scalar of a position.
pub(super) fn read(op: &VectorOp, position: usize, language: &Language, slot: &str) -> String {
    let known = &op.scalars[position];
    let component = of_format("read", known.format);
    language.fill(component, &[("name", &scalar(known.name)), ("slot", slot)])
}

/// The lines that evaluate the equations and write the results, after those that read the scalars they need; `depth` levels
/// deep. A slot is spelled by the position of its scalar.
pub(super) fn lines(
    op: &VectorOp,
    reads: &[usize],
    language: &Language,
    suffix: &str,
    depth: usize,
    slot: impl Fn(usize) -> String,
) -> String {
    let mut lines = Lines::at(depth);
    for position in reads {
        lines.push(&read(op, *position, language, &slot(*position)));
    }
    for (sum_idx, sum) in op.sums.iter().enumerate() {
        lines.push(&language.fill("read_total", &[("name", sum), ("sum", &format!("{sum_idx}{suffix}"))]));
    }
    for ScalarEquation { name, format, of } in &op.equations {
        let value = expression::statement(of, Evaluator::Scalar, language, &str::to_owned);
        lines.push(&language.fill(of_format("let", *format), &[("name", name), ("value", &value)]));
    }
    for (position, value) in &op.results {
        let component = of_format("write", op.scalars[*position].format);
        lines.push(&language.fill(component, &[("slot", &slot(*position)), ("value", value)]));
    }
    lines.into_text()
}

/// The statement for scalars of a format.
fn of_format(statement: &str, format: Format) -> &'static str {
    match (statement, format) {
        ("read", Format::F32) => "read_f32",
        ("read", Format::U32) => "read_u32",
        ("let", Format::F32) => "let_f32",
        ("let", Format::U32) => "let_u32",
        ("write", Format::F32) => "write_f32",
        (_, _) => "write_u32",
    }
}

#[derive(Serialize)]
struct File {
    task: String,
    symbol: String,
    step: String,
}

/// The host form: a function of the totals and the words of the scalars.
pub(crate) fn scalar_step(op: &VectorOp) -> Source {
    let symbol = format!("glass_vector_{}_step", op.name);
    let language = rust::language();
    let step = lines(op, &op.equation_scalars(), language, "", 1, |position| position.to_string());
    let file = File { task: op.formulas.join("; "), symbol: symbol.clone(), step };
    let code = language.file("scalar_step.rs.tera", &file);
    Source {
        target: Target::Host,
        dialect: None,
        file_name: format!("{symbol}.rs"),
        header: String::new(),
        hash: content_hash(&code),
        code,
    }
}
