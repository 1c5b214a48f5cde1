//! Plain Rust text, generic over one problem or one problem per vector lane.

use super::language::Language;
use super::uses::Uses;
use super::writer::{self, Facts, Meeting};
use super::{Input, packing};
use crate::spec::{Element, Operand, Role};
use serde::Serialize;
use std::sync::OnceLock;

macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/rust/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[
    template!("statements.rs.tera"),
    template!("values.rs.tera"),
    template!("elementwise.rs.tera"),
    template!("pivots.rs.tera"),
    template!("places.rs.tera"),
    template!("finish.rs.tera"),
    template!("packed.rs.tera"),
    template!("kernel.rs.tera"),
    template!("equations.rs.tera"),
    template!("scalar_statements.rs.tera"),
    template!("scalar_step.rs.tera"),
];

pub(super) fn language() -> &'static Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    LANGUAGE.get_or_init(|| Language::new(TEMPLATES, &[]))
}

pub(super) fn facts() -> Facts {
    Facts {
        language: language(),
        suffix: "",
        has_bases: false,
        has_strides: false,
        element: "V",
        meeting: Meeting::Alone,
        barrier: &[],
        declares_temporaries: true,
    }
}

#[derive(Serialize)]
struct File {
    task: String,
    symbol: String,
    generics: String,
    bounds: Vec<String>,
    params: String,
    packings: Vec<String>,
    body: String,
}

pub(super) fn code(input: &Input<'_>) -> String {
    let Input { spec, plan, kernel, .. } = input;
    let ty = spec.dtype.as_str();
    let kinds = [
        ("A", "Index", "V", is_input as fn(&Operand) -> bool),
        ("W", "Index", "V::Words", is_word_input),
        ("Y", "IndexMut", "V", is_output),
        ("S", "IndexMut", "V::Words", is_words),
    ];
    let present =
        kinds.into_iter().filter(|(.., is_kind)| spec.arguments().iter().any(is_kind)).collect::<Vec<_>>();
    let arrays = present
        .iter()
        .map(|(name, index, output, _)| format!("{name}: {index}<usize, Output = {output}> + ?Sized"));
    let params = spec.arguments().iter().map(|operand| {
        let (array, ..) = kinds.iter().find(|(.., is_kind)| is_kind(operand)).expect("an operand has a kind");
        let reference = if operand.role == Role::In { "&" } else { "&mut " };
        format!("{}: {reference}{array}", operand.name)
    });
    let scalars = spec.scalars.iter().map(|name| format!("{name}: {ty}"));
    let uses = Uses::of(&kernel.body.stmts);
    let packings = packing::functions(&uses, language(), "packed.rs.tera").into_iter();
    let names = std::iter::once("V").chain(present.iter().map(|(name, ..)| *name));
    language().file(
        "kernel.rs.tera",
        &File {
            task: spec.summary(),
            symbol: kernel.symbol.clone(),
            generics: names.collect::<Vec<_>>().join(", "),
            bounds: std::iter::once(format!("V: Lanes<{ty}>")).chain(arrays).collect(),
            params: params.chain(scalars).collect::<Vec<_>>().join(", "),
            packings: packings.map(|(_, text)| text).collect(),
            body: writer::lines(&facts(), spec, plan, &kernel.body),
        },
    )
}

fn is_input(operand: &Operand) -> bool {
    operand.role == Role::In && operand.element == Element::Real
}

fn is_word_input(operand: &Operand) -> bool {
    operand.role == Role::In && operand.element == Element::Word
}

fn is_output(operand: &Operand) -> bool {
    operand.role != Role::In && operand.element == Element::Real
}

fn is_words(operand: &Operand) -> bool {
    operand.role != Role::In && operand.element == Element::Word
}
