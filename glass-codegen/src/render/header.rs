//! The comment lines that open every emitted file.

use super::Input;
use super::language::Language;
use crate::kernel::{Cost, Frame, Part};
use crate::plan::{Destination, Form, Level, Mapping, Meeting, Staging, Target, Tier, WARP, most_subgroups};
use crate::spec::{Factor, FactorKind, Indexed, Layout, MapKind, Order, Phase, Reduction, Term, Triangle};
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
        Language::new(&[("header.tera", text)], &[])
    });
    let worker = match &input.kernel.frame {
        Frame::Vector(vector) if vector.part == Part::Scalars => "launch",
        Frame::Vector(_) => "thread with one element",
        _ if input.kernel.body.worker.is_some() => "lane",
        _ => "problem",
    };
    templates.file(
        "header.tera",
        &Header {
            symbol: input.kernel.symbol.clone(),
            task: task(input),
            plan: plan_line(input),
            reasons: input.reasons.to_vec(),
            counts: format!("per {worker}: {}", Cost::of(input.kernel, input.plan.target)),
            numerics: numerics(input),
        },
    )
}

fn task(input: &Input<'_>) -> String {
    match &input.kernel.frame {
        Frame::Vector(vector) => format!("{}; vectors of any length, f32", vector.op.formulas.join("; ")),
        Frame::Batch { .. } | Frame::Level(_) | Frame::LastBlock(_) => input.spec.summary(),
    }
}

fn vector_plan(part: Part, threads: usize) -> String {
    match part {
        Part::Map => format!("a chunk of elements a block, T = {threads}"),
        Part::Chunk => format!("a chunk of elements and its sums a block, T = {threads}"),
        Part::LastBlock => format!(
            "a chunk of elements and its sums a block, of which the last one adds up the sums of all; T = {threads}"
        ),
        Part::Finish => format!("the sums of all chunks in one block, T = {threads}"),
        Part::Scalars => "scalars of the arena in one thread".to_owned(),
        Part::Element => "host, one element".to_owned(),
    }
}

fn plan_line(input: &Input<'_>) -> String {
    let plan = input.plan;
    let Mapping { tier, form, staging, threads_per_block, .. } = plan.mapping;
    if let Frame::Vector(vector) = &input.kernel.frame {
        return vector_plan(vector.part, threads_per_block);
    }
    let form = match form {
        Form::Serial => "serial form".to_owned(),
        Form::Reduced { lanes_per_output } => format!("reduced form, p = {lanes_per_output}"),
    };
    if let Some(Level { destination, .. }) = plan.level {
        return format!(
            "one level of a long vector to {}; a chunk a block, T = {threads_per_block}",
            match (destination, input.spec.state().is_some()) {
                (Destination::Partials, false) => "a sum for each chunk",
                (Destination::Partials, true) => "a state for each chunk",
                (Destination::Scalar, false) => "a word of the arena",
                (Destination::Scalar, true) => "words of the arena",
                (Destination::LastBlock, false) =>
                    "a word of the arena, in which the last block adds the sums of all",
                (Destination::LastBlock, true) =>
                    "words of the arena, in which the last block merges the states of all",
            }
        );
    }
    if plan.target == Target::Host {
        return format!("host, {form}, {}", plan.unroll);
    }
    let staging = match (staging, tier) {
        (Staging::Direct, _) => "operands read in place",
        (Staging::Shared, Tier::Thread) => "32 problems a warp staged through shared memory",
        (Staging::Bulk, Tier::Thread) if plan.queue().is_some() => {
            "inputs of 32 problems a warp staged by bulk copies, of the next 32 while it works"
        }
        (Staging::Bulk, Tier::Thread) if plan.layout == Layout::Interleaved => {
            "inputs of 32 problems a warp staged by bulk copies"
        }
        (Staging::Bulk, Tier::Thread) => "32 problems a warp staged by bulk copies",
        (Staging::Ahead, _) => "operands copied ahead of their use by each thread",
        (Staging::Shared | Staging::Bulk, Tier::Warp | Tier::Block) => {
            let is_kept = plan.mapping.is_by_rows && plan.layout == Layout::Contiguous;
            if is_kept { "results staged in shared memory" } else { "operands staged in shared memory" }
        }
    };
    let owner = match plan.mapping.group {
        Some(lanes) => format!("groups of {lanes} lanes"),
        None => format!("{} tier", tier.as_str()),
    };
    let owner = if plan.mapping.is_by_rows { owner + ", a row a lane" } else { owner };
    format!(
        "{owner}, {form}; {} batches, {staging}; T = {threads_per_block}, {} problem(s) a block; {}",
        plan.layout.as_str(),
        plan.problems_per_block,
        plan.unroll
    )
}

/// In which order each sum is taken, how pivots are inverted, and what rounds.
pub(super) fn numerics(input: &Input<'_>) -> Vec<String> {
    let phases: Vec<_> = input.spec.steps().collect();
    let phases = phases.as_slice();
    let sums: Vec<_> = phases.iter().filter_map(|phase| sum(phase, input.plan.mapping.form)).collect();
    let mut lines: Vec<_> = match sums.as_slice() {
        [(_, order)] => vec![order.clone()],
        stages => stages.iter().map(|(destination, order)| stage(input, *destination, order)).collect(),
    };
    if input.spec.state().is_some() {
        lines.push("all arithmetic is on words and exact: equal bits in any order and everywhere".to_owned());
        return lines;
    }
    if let Some(level) = input.plan.level.filter(|_| has_sums(input)) {
        lines = chunk(level, input);
    }
    lines.dedup();
    let pivots = pivots(phases, input.plan.target);
    lines.extend(pivots.map(str::to_owned));
    let own = own_functions(phases);
    let has_equal_bits = pivots != Some(APPROXIMATE) && own.is_empty();
    lines.extend(
        own.iter().map(|name| format!("the {name} is the device's own: equal bits on one device only")),
    );
    let rounding = match (input.plan.target, lines.is_empty()) {
        (Target::Wgsl, _) => {
            "fma need not be fused in WGSL: the result is held to an error bound, not to bits"
        }
        (Target::Cuda | Target::Host, true) => "every operation is correctly rounded, nothing is contracted",
        (Target::Cuda | Target::Host, false) if has_equal_bits => {
            "every multiply-add is one explicit fma, nothing else is contracted: equal bits for this order everywhere"
        }
        (Target::Cuda | Target::Host, false) => {
            "every multiply-add is one explicit fma, nothing else is contracted"
        }
    };
    lines.push(rounding.to_owned());
    lines
}

/// Whether anything is added up.
fn has_sums(input: &Input<'_>) -> bool {
    match &input.kernel.frame {
        Frame::Vector(vector) => !vector.op.sums.is_empty(),
        Frame::Batch { .. } | Frame::Level(_) | Frame::LastBlock(_) => true,
    }
}

/// The order of the sum over one chunk of a long vector.
fn chunk(level: Level, input: &Input<'_>) -> Vec<String> {
    let threads = input.plan.mapping.threads_per_block;
    let elements = input.spec.dims[0].extent;
    let meeting = match level.meeting {
        Meeting::Tree => format!("halving offsets from {}", threads / 2),
        Meeting::Subgroups => format!(
            "subgroups in the order of the device, then halving offsets from {} over them",
            most_subgroups(threads) / 2
        ),
        Meeting::Warps => format!(
            "halving offsets from {} in each warp, then from {} over the warps",
            WARP / 2,
            threads / WARP / 2
        ),
    };
    let own = match level.vector_width {
        1 => format!(
            "thread j of {threads} adds the elements j, j + {threads}, ... of a chunk of {elements} in ascending order from +0; then {meeting}"
        ),
        width => format!(
            "thread j of {threads} adds the vectors j, j + {threads}, ... of {width} elements each of a chunk of {elements} in ascending order from +0, a place to an accumulator, and these by halving offsets from {}; then {meeting}",
            width / 2
        ),
    };
    let fold = (level.destination == Destination::LastBlock).then(|| {
        format!(
            "thread j of {threads} adds the sums j, j + {threads}, ... of all chunks from +0; then the same"
        )
    });
    std::iter::once(own).chain(fold).collect()
}

/// The functions that every device evaluates in its own way.
fn own_functions(phases: &[&Phase]) -> Vec<&'static str> {
    let has = |kind| phases.iter().any(|phase| matches!(phase, Phase::Map(map) if map.kind == kind));
    let all = [(MapKind::Exponential, "exponential"), (MapKind::AddLogarithm, "logarithm")];
    all.into_iter().filter(|(kind, _)| has(*kind)).map(|(_, name)| name).collect()
}

fn stage(input: &Input<'_>, destination: usize, order: &str) -> String {
    format!("{}: {order}", input.spec.operands[destination].name)
}

/// Destination and order of a phase that adds up terms.
fn sum(phase: &Phase, form: Form) -> Option<(usize, String)> {
    match phase {
        Phase::Contraction(contraction) => {
            let form = if contraction.order == Order::Serial { Form::Serial } else { form };
            let order = order(contraction.n_terms(), contraction.products.len(), form);
            Some((contraction.destination.operand, order))
        }
        Phase::Reduction(Reduction { term: Term::Largest | Term::LargestMagnitude, .. }) => None,
        Phase::Reduction(reduction) => Some((reduction.output, order(reduction.length, 1, form))),
        Phase::Triangle(Triangle { contraction, .. }) => {
            let order = "each output sums the terms of the triangle in ascending order from +0".to_owned();
            Some((contraction.destination.operand, order))
        }
        Phase::Indexed(Indexed { item, contraction, .. }) => {
            let order = order(contraction.n_terms(), contraction.products.len(), Form::Serial);
            Some((contraction.destination.operand, format!("{order}; {item}s in ascending order")))
        }
        Phase::Scan(scan) => Some((scan.target, "each sum adds one element to the one before".to_owned())),
        Phase::Map(_)
        | Phase::Factor(_)
        | Phase::Sweep(_)
        | Phase::Solve(_)
        | Phase::Lu(_)
        | Phase::BunchKaufman(_)
        | Phase::Blocks(_)
        | Phase::BlockDiagonal(_)
        | Phase::Exchange(_)
        | Phase::Search(_)
        | Phase::Repeat(_)
        | Phase::State(_) => None,
    }
}

fn order(n_terms: usize, n_products: usize, form: Form) -> String {
    let each = if n_products == 1 { String::new() } else { format!(", {n_products} products each,") };
    match form {
        Form::Serial | Form::Reduced { lanes_per_output: 1 } => {
            format!("each output sums its {n_terms} terms{each} in ascending order from +0")
        }
        Form::Reduced { lanes_per_output: p } => format!(
            "lane j of {p} sums the terms j, j + {p}, ... of {n_terms}{each} in ascending order from +0; then halving offsets from {}",
            p / 2
        ),
    }
}

const APPROXIMATE: &str = "pivots by an approximate reciprocal square root: equal bits are not promised";

/// What becomes of the diagonal.
fn pivots(phases: &[&Phase], target: Target) -> Option<&'static str> {
    let is_approximate = |factor: &Factor| factor.kind == FactorKind::Cholesky { approximate: true };
    let pivots_of = |phase: &Phase| match phase {
        Phase::Factor(factor) => Some(is_approximate(factor)),
        Phase::Sweep(sweep) => Some(sweep.factors.iter().any(is_approximate)),
        Phase::Map(map) if map.kind == MapKind::Reciprocal => Some(false),
        Phase::Lu(_) | Phase::BunchKaufman(_) => Some(false),
        _ => None,
    };
    let found: Vec<_> = phases.iter().copied().filter_map(pivots_of).collect();
    match (found.contains(&true), target) {
        _ if found.is_empty() => None,
        (true, _) => Some(APPROXIMATE),
        (false, Target::Wgsl) => Some("each pivot is inverted once and multiplied with"),
        (false, Target::Cuda | Target::Host) => {
            Some("each pivot is inverted once, correctly rounded, and multiplied with")
        }
    }
}
