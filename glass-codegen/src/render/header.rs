//! The comment lines that open every emitted file.

use super::Input;
use super::language::Language;
use crate::kernel::Cost;
use crate::plan::{Form, Mapping, Plan, Staging, Target, Tier};
use serde::Serialize;
use std::sync::OnceLock;

#[derive(Serialize)]
struct Header {
    symbol: String,
    task: String,
    plan: String,
    reasons: Vec<String>,
    counts: String,
    numerics: Vec<String>,
}

pub(super) fn header(input: &Input<'_>) -> String {
    static TEMPLATES: OnceLock<Language> = OnceLock::new();
    let templates = TEMPLATES.get_or_init(|| {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/header.tera"));
        Language::new(&[("header.tera", text)], &[], &[])
    });
    let worker = if input.kernel.body.worker.is_some() { "lane" } else { "problem" };
    templates.file(
        "header.tera",
        &Header {
            symbol: input.kernel.symbol.clone(),
            task: input.spec.formula(),
            plan: plan_line(input.plan),
            reasons: input.reasons.to_vec(),
            counts: format!("per {worker}: {}", Cost::of(input.kernel, input.plan.target)),
            numerics: numerics(input),
        },
    )
}

fn plan_line(plan: &Plan) -> String {
    let Mapping { tier, form, staging, threads_per_block, .. } = plan.mapping;
    let form = match form {
        Form::Serial => "serial form".to_owned(),
        Form::Reduced { lanes_per_output } => format!("reduced form, p = {lanes_per_output}"),
    };
    if plan.target == Target::Host {
        return format!("host, {form}, {}", plan.unroll);
    }
    let staging = match (staging, tier) {
        (Staging::Direct, _) => "operands read in place",
        (Staging::Shared, _) => "32 problems a warp staged through shared memory",
        (Staging::Bulk, _) => "32 problems a warp staged by bulk copies",
    };
    format!(
        "{} tier, {form}; {} batches, {staging}; T = {threads_per_block}, {} problem(s) a block; {}",
        tier.as_str(),
        plan.layout.as_str(),
        plan.problems_per_block,
        plan.unroll
    )
}

fn numerics(input: &Input<'_>) -> Vec<String> {
    let k = input.spec.dims.k;
    let order = match input.plan.mapping.form {
        Form::Serial | Form::Reduced { lanes_per_output: 1 } => {
            format!("each output sums its {k} terms in ascending order from +0")
        }
        Form::Reduced { lanes_per_output: p } => format!(
            "lane j of {p} sums the terms j, j + {p}, ... of {k} in ascending order from +0; then halving offsets from {}",
            p / 2
        ),
    };
    let rounding = match (input.plan.target, input.plan.mapping.tier) {
        (Target::Wgsl, _) => {
            "fma need not be fused in WGSL: the result is held to an error bound, not to bits"
        }
        (_, Tier::Thread | Tier::Warp | Tier::Block) => {
            "every multiply-add is one explicit fma, nothing else is contracted: equal bits for this order everywhere"
        }
    };
    vec![order, rounding.to_owned()]
}
