//! Kernel texts, inputs, plans and options against what was frozen.

use crate::capture::{Capture, Cell, Control, Facts, Results, Variant};
use crate::finding::{Findings, Reason};
use crate::sha256::sha256;
use std::collections::BTreeMap;

/// Instructions of tensor cores, as CUDA and PTX spell them.
const TENSOR_CORES: [&str; 3] = ["mma.sync", "wmma", "wgmma"];

pub(super) fn pilots(capture: &Capture, findings: &mut Findings) {
    let digests = digests(capture);
    for pilot in &capture.pilots.kernels {
        let place = format!("pilot of {}, variant {}", pilot.cell, pilot.variant);
        let cell = capture.declaration.cells.iter().find(|cell| cell.id == pilot.cell);
        let Some(variant) = cell.and_then(|cell| cell.variant(&pilot.variant)) else {
            findings.require(Reason::RowUnknown, false, || place.clone());
            continue;
        };
        frozen(capture, &place, variant, &pilot.facts, &digests, findings);
    }
    for cell in &capture.declaration.cells {
        for (name, variant) in [("A", &cell.a), ("B", &cell.b)] {
            let n =
                capture.pilots.kernels.iter().filter(|pilot| pilot.cell == cell.id && pilot.variant == name);
            let n = n.count();
            findings
                .require(Reason::RowMissing, n == 1, || format!("{n} pilots of {}, variant {name}", cell.id));
            let text = sha256(format!("{}\n{}", variant.symbol, variant.plan.text).as_bytes());
            findings.require(Reason::PlanHash, text == variant.plan_sha256, || {
                format!(
                    "{}, variant {name}: the plan's digest is {text}, declared {}",
                    cell.id, variant.plan_sha256
                )
            });
            let source = capture.sources.get(&variant.symbol).map_or("", String::as_str);
            let tensor = TENSOR_CORES.iter().find(|word| source.contains(**word));
            findings.require(Reason::TensorCore, tensor.is_none(), || {
                format!("{}, variant {name}: `{}`", cell.id, tensor.unwrap_or(&""))
            });
        }
        let inputs = capture.pilots.input_sha256.get(&cell.id).map_or(0, Vec::len);
        findings.require(Reason::InputHash, inputs as u64 == capture.declaration.rounds, || {
            format!("{}: inputs of {inputs} rounds frozen", cell.id)
        });
        controls(capture, cell, findings);
    }
}

pub(super) fn rows(capture: &Capture, results: &Results, findings: &mut Findings) {
    let digests = digests(capture);
    for row in &results.rows {
        let Some(cell) = capture.declaration.cells.iter().find(|cell| cell.id == row.cell) else { continue };
        let inputs = capture.pilots.input_sha256.get(&row.cell);
        let frozen_input = inputs.and_then(|inputs| inputs.get(row.round as usize));
        for lane in row.lanes() {
            findings.require(Reason::InputHash, Some(&lane.input_sha256) == frozen_input, || {
                format!(
                    "{}, lane {}: inputs {}, frozen {frozen_input:?}",
                    row.place(),
                    lane.name,
                    lane.input_sha256
                )
            });
            let Some(facts) = &lane.facts else { continue };
            let Some(variant) = cell.variant(&row.variant) else { continue };
            frozen(capture, &row.place(), variant, facts, &digests, findings);
            let pilot = capture
                .pilots
                .kernels
                .iter()
                .find(|pilot| pilot.cell == row.cell && pilot.variant == row.variant);
            let module = pilot.map(|pilot| &pilot.facts.module_sha256);
            findings.require(Reason::ModuleHash, module == Some(&facts.module_sha256), || {
                format!("{}: machine code {}, pilot {module:?}", row.place(), facts.module_sha256)
            });
        }
    }
}

fn digests(capture: &Capture) -> BTreeMap<&String, String> {
    capture.sources.iter().map(|(symbol, text)| (symbol, sha256(text.as_bytes()))).collect()
}

/// Text, plan and options of what ran, of the stored file and of the declaration.
fn frozen(
    capture: &Capture,
    place: &str,
    variant: &Variant,
    facts: &Facts,
    digests: &BTreeMap<&String, String>,
    findings: &mut Findings,
) {
    let stored = digests.get(&variant.symbol);
    findings.require(Reason::SourceHash, stored == Some(&facts.source_sha256), || {
        format!("{place}: text {}, the file of `{}` is {stored:?}", facts.source_sha256, variant.symbol)
    });
    let is_declared = facts.source_sha256 == variant.source_sha256;
    // A digest that no file has is a wrong digest; one that a file has is another text.
    if stored == Some(&facts.source_sha256) {
        findings.require(Reason::PlanSource, is_declared, || {
            format!(
                "{place}: text {} of `{}`, declared {}",
                facts.source_sha256, variant.symbol, variant.source_sha256
            )
        });
    }
    findings.require(Reason::PlanHash, facts.plan_sha256 == variant.plan_sha256, || {
        format!("{place}: plan {}, declared {}", facts.plan_sha256, variant.plan_sha256)
    });
    let options = &capture.declaration.options_sha256;
    findings.require(Reason::OptionsHash, facts.options_sha256 == *options, || {
        format!("{place}: options {}, declared {options}", facts.options_sha256)
    });
}

/// The texts of a control pair, line by line but for the declared region.
fn controls(capture: &Capture, cell: &Cell, findings: &mut Findings) {
    if cell.is_aa {
        let is_same =
            cell.a.source_sha256 == cell.b.source_sha256 && cell.a.plan_sha256 == cell.b.plan_sha256;
        findings.require(Reason::ControlDiff, is_same, || {
            format!("{}: the reference entered twice is not the same kernel", cell.id)
        });
    }
    let Some(Control { a, b }) = &cell.control else { return };
    let outside = |variant: &Variant, region: &[usize; 2]| -> Vec<String> {
        let text = capture.sources.get(&variant.symbol).map_or("", String::as_str);
        // Each kernel calls itself by its own name.
        let text = text.replace(&variant.symbol, "");
        let numbered = text.lines().enumerate().map(|(idx, line)| (idx + 1, line));
        let is_outside = |number: usize| number < region[0] || number > region[1];
        numbered.filter(|(number, _)| is_outside(*number)).map(|(_, line)| line.to_owned()).collect()
    };
    let (a, b) = (outside(&cell.a, a), outside(&cell.b, b));
    let difference = (0..a.len().max(b.len())).find(|idx| a.get(*idx) != b.get(*idx));
    findings.require(Reason::ControlDiff, difference.is_none(), || {
        let idx = difference.unwrap_or(0);
        format!("{}, line {} outside the region: {:?} and {:?}", cell.id, idx + 1, a.get(idx), b.get(idx))
    });
}
