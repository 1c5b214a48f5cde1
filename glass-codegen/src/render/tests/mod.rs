//! Every template in every context, and the writer in every language.

mod header;
mod numerics;
mod words;
mod writer;

use super::{Input, Spelling, device_function, render};
use crate::catalogue::Op;
use crate::contract::Slot;
use crate::plan::{Form, Mapping, Plan, Staging, Target, Tier};
use crate::spec::Layout;
use crate::{Fields, Request, kernel, lower};
use serde_json::Value;
use std::collections::HashSet;

/// Fields that no template of the language names; a name that a template lacks is already a render error.
pub(super) fn every_field_is_used(texts: &[&str], context: &impl serde::Serialize) {
    let used: HashSet<String> = texts
        .iter()
        .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .map(str::to_owned)
        .collect();
    let mut fields = HashSet::new();
    collect(&serde_json::to_value(context).expect("a context is a map"), &mut fields);
    let unused: Vec<_> = fields.difference(&used).collect();
    assert!(unused.is_empty(), "no template uses the fields {unused:?}");
}

fn collect(value: &Value, fields: &mut HashSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                fields.insert(name.clone());
                collect(value, fields);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, fields)),
        _ => {}
    }
}

/// The smallest request of an op with distinct sizes and every run-time scalar; `None` for one not provided.
fn request(op: Op, dtype: &str, layout: &str) -> Option<Request> {
    let entry = op.entry();
    let mut fields = Fields {
        op: Some(op.as_str().to_owned()),
        dtype: Some(dtype.to_owned()),
        layout: Some(layout.to_owned()),
        alpha: (entry.alphas.len() > 1).then(|| "runtime".to_owned()),
        beta: entry.has_beta.then(|| "runtime".to_owned()),
        reg: (entry.regs.len() > 1).then(|| "shift".to_owned()),
        ..Fields::default()
    };
    for (extent, size) in (2..).zip(entry.sizes) {
        if let Some(Slot::Integer(slot)) = fields.slot(size.field) {
            *slot = Some(extent);
        }
    }
    lower(&fields).ok()
}

/// Layout and type with the mappings to render: every frame and template in at least one of them.
const CONTEXTS: [(&str, &str, &[&str]); 3] = [
    (
        "contiguous",
        "f32",
        &[
            "thread serial direct t64",
            "thread serial bulk t64",
            "warp serial shared t64",
            "block serial direct t33",
            "block reduced8 direct t64",
        ],
    ),
    (
        "interleaved",
        "f32",
        &[
            "thread serial direct t64",
            "thread serial ahead t64",
            "thread serial bulk t64 r2",
            "warp reduced4 shared t64",
        ],
    ),
    ("contiguous", "f64", &["thread serial shared t64", "block serial shared t33"]),
];

#[test]
fn every_template_renders_in_every_context() {
    let mut n_rendered = 0;
    for op in Op::ALL {
        for (layout, dtype, mappings) in CONTEXTS {
            let Some(request) = request(*op, dtype, layout) else { continue };
            show(&request, Target::Host, "thread serial direct t1".parse().expect("a mapping"));
            for mapping in mappings {
                let mapping: Mapping = mapping.parse().expect("a mapping");
                let is_possible = match (mapping.tier, mapping.form) {
                    (Tier::Thread, _) => op.entry().no_thread.is_none(),
                    (_, Form::Reduced { .. }) => op.entry().sums.can_reduce(),
                    (_, Form::Serial) => true,
                };
                if !is_possible {
                    continue;
                }
                show(&request, Target::Cuda, mapping);
                if mapping.staging == Staging::Direct && dtype == "f32" {
                    show(&request, Target::Wgsl, mapping);
                }
                n_rendered += 1;
            }
        }
    }
    // Some thirty ops with some eight mappings each.
    assert!(n_rendered > 200, "only {n_rendered} contexts");
}

fn show(request: &Request, target: Target, mapping: Mapping) {
    let Request { spec, layout, .. } = request;
    let plan = Plan::new(spec, *layout, target, mapping);
    let kernel = kernel::build(spec, &plan);
    let reasons = vec!["asked for by a test".to_owned()];
    for source in render(&Input { spec, plan: &plan, kernel: &kernel, reasons: &reasons }) {
        check(&source.text(), &kernel.symbol);
    }
    if target != Target::Cuda || mapping.staging != Staging::Direct || *layout == Layout::Interleaved {
        return;
    }
    let namespace = format!("namespace {} {{", mapping.tier.as_str());
    check(&device_function(spec, &plan, &kernel, Spelling::Cuda).text, &namespace);
    if mapping.tier == Tier::Block {
        check(&device_function(spec, &plan, &kernel, Spelling::CooperativeGroups).text, "namespace cgrps {");
    }
}

/// Text for a reader: no marker left over, no blank at the end of a line, one newline at the end of the file.
fn check(text: &str, needle: &str) {
    assert!(text.contains(needle), "`{needle}` is missing in\n{text}");
    assert!(!text.contains(['\u{1}', '\u{2}']), "a marker is left in\n{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "a line ends with a blank in\n{text}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "the end of\n{text}");
    assert!(!text.contains("\n\n\n"), "two empty lines in\n{text}");
}
