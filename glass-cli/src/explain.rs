//! `glass explain`.

use crate::manifest;
use glass_audit::Failure;
use glass_codegen::catalogue::{Availability, Op};
use glass_codegen::contract::{Field, nearest};
use glass_codegen::{Diagnostic, generate, lower};
use std::io::Write;

/// Prints what an op is and, where its sizes are given, how each device would run it.
pub(crate) fn run(name: &str, words: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    if !name.contains("->") {
        describe(name, out)?;
        if words.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
    }
    let fields = manifest::from_words(name, words)?;
    let request = lower(&fields).map_err(|mistakes| text(name, &mistakes))?;
    let generated = generate(&request);
    write!(out, "{}", request.spec)?;
    for variant in &generated.variants {
        writeln!(out, "\n{}", variant.symbol)?;
        write!(out, "{}", indented(&variant.plan.to_string()))?;
        writeln!(out, "    per worker: {}", variant.cost)?;
        for reason in &variant.reasons {
            writeln!(out, "    {reason}")?;
        }
    }
    Ok(())
}

/// What has an attribute of its own.
const ATTRIBUTES: [(&str, &str); 2] =
    [("contract", "#[glass::contract(...)]"), ("vector", "#[glass::vector(\"EQUATION\", ...)]")];

fn describe(name: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let provided = Op::ALL.iter().filter(|op| op.entry().availability() == Availability::Now);
    let named = provided.filter(|op| !matches!(op, Op::Contract | Op::Vector));
    let names: Vec<_> = named.map(|op| op.as_str()).collect();
    if let Some((_, attribute)) = ATTRIBUTES.into_iter().find(|(known, _)| *known == name) {
        return Err(format!("`{name}` is no op: it is the attribute `{attribute}`").into());
    }
    let Some(op) = Op::ALL.iter().find(|op| op.as_str() == name) else {
        let hint = nearest(name, names.iter().copied())
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        return Err(format!("op `{name}` is not known{hint}\nallowed: {}", names.join(", ")).into());
    };
    let entry = op.entry();
    match entry.availability() {
        Availability::Later => return Err(format!("op `{name}` is not provided yet").into()),
        Availability::Long => {
            return Err(format!(
                "op `{name}` has no problems of a fixed size: it is the attribute `#[glass::reduce({name})]`"
            )
            .into());
        }
        Availability::Now => {}
    }
    writeln!(out, "{name}: {}", entry.formula)?;
    for size in entry.sizes {
        writeln!(out, "  {}: {}", size.field.as_str(), size.meaning)?;
    }
    let options: Vec<_> = entry.fields().into_iter().map(Field::as_str).collect();
    writeln!(out, "  fields: {}", options.join(", "))?;
    if let Some(why) = entry.no_thread {
        writeln!(out, "  not at the thread tier: {why}")?;
    }
    Ok(())
}

/// Every mistake of a task on lines of its own.
pub(crate) fn text(name: &str, mistakes: &[Diagnostic]) -> String {
    let lines: Vec<_> = mistakes.iter().map(|mistake| format!("{name}: {}", mistake.message)).collect();
    lines.join("\n\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
