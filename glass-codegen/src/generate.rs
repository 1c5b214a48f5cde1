//! The whole way of one request: plan, build, check, render.

use crate::contract::Request;
use crate::kernel::{self, Cost, Kernel};
use crate::plan::{self, Arch, Level, Mapping, Plan, Reason, Target};
use crate::render::{self, Source};
use crate::spec::{Layout, Spec};

/// One distinct kernel of a struct, in every file that its target needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Entry point: the task's symbol and the plan's suffix.
    pub symbol: String,
    /// How it computes.
    pub plan: Plan,
    /// What it does.
    pub kernel: Kernel,
    /// Its operation counts.
    pub cost: Cost,
    /// Why it is among the variants: one line per reason.
    pub reasons: Vec<String>,
    /// CUDA: one file. WGSL: the native and the web dialect. Host: one Rust file.
    pub sources: Vec<Source>,
}

/// One row of a struct's selection table.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Language and execution model.
    pub target: Target,
    /// Devices that the row serves.
    pub arch: Arch,
    /// Smallest batch the row serves.
    pub min_batch: u64,
    /// Position in [`Generated::variants`].
    pub variant_idx: usize,
    /// Why.
    pub reason: Reason,
}

/// Everything that an attribute expands from.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The valid request.
    pub request: Request,
    /// Symbol of the task.
    pub task: String,
    /// Distinct kernels, in the order of the rows that name them.
    pub variants: Vec<Variant>,
    /// Which kernel serves which device and batch size.
    pub choices: Vec<Choice>,
}

/// Plans, builds, checks and renders a request.
pub fn generate(request: &Request) -> Generated {
    let rows = plan::choices(request);
    let mut mappings: Vec<(Target, Mapping, Vec<String>)> = Vec::new();
    let mut choices = Vec::new();
    for row in rows {
        let known =
            mappings.iter().position(|(target, mapping, _)| (*target, *mapping) == (row.target, row.mapping));
        let variant_idx = known.unwrap_or_else(|| {
            mappings.push((row.target, row.mapping, Vec::new()));
            mappings.len() - 1
        });
        mappings[variant_idx].2.push(explained(&row));
        let plan::Choice { target, arch, min_batch, reason, .. } = row;
        choices.push(Choice { target, arch, min_batch, variant_idx, reason });
    }
    let variants = mappings
        .into_iter()
        .map(|(target, mapping, reasons)| variant(&request.spec, request.layout, target, mapping, reasons))
        .collect();
    Generated { request: request.clone(), task: request.spec.symbol(), variants, choices }
}

/// A row's reason with the devices it is for.
fn explained(row: &plan::Choice) -> String {
    match row.arch {
        Arch::Exact(arch) => format!("sm_{arch}, batches from {}: {}", row.min_batch, row.reason),
        Arch::AtLeast(arch) => format!("sm_{arch} and later without rows of their own: {}", row.reason),
        Arch::Any if row.target == Target::Cuda => {
            format!("CUDA devices without rows of their own: {}", row.reason)
        }
        Arch::Any => format!("any device: {}", row.reason),
    }
}

/// One kernel under a given mapping, for tests and measurements that visit every candidate.
///
/// # Panics
/// If the built kernel fails its own check, which is a fault of this crate.
pub fn variant(
    spec: &Spec,
    layout: Layout,
    target: Target,
    mapping: Mapping,
    reasons: Vec<String>,
) -> Variant {
    let (plan, kernel) = Plan::built(spec, layout, target, mapping);
    finished(spec, plan, kernel, reasons)
}

/// One kernel of a level of a long vector.
pub fn level(
    spec: &Spec,
    target: Target,
    level: Level,
    threads_per_block: usize,
    reasons: Vec<String>,
) -> Variant {
    let plan = Plan::of_level(spec, target, level, threads_per_block);
    let kernel = kernel::build(spec, &plan);
    finished(spec, plan, kernel, reasons)
}

pub(crate) fn finished(spec: &Spec, plan: Plan, kernel: Kernel, reasons: Vec<String>) -> Variant {
    if let Err(fault) = kernel::check(spec, &kernel) {
        panic!("glass built an invalid kernel `{}`: {fault}\n{kernel}", kernel.symbol);
    }
    let sources = render::render(&render::Input { spec, plan: &plan, kernel: &kernel, reasons: &reasons });
    Variant {
        symbol: kernel.symbol.clone(),
        cost: Cost::of(&kernel, plan.target),
        plan,
        kernel,
        reasons,
        sources,
    }
}
