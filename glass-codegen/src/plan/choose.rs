//! From table, forced fields and rules to the variants a struct embeds.

use super::candidates::{MAX_SHARED_BYTES_SM_90, default_mapping, has_passes, shared_excess};
use super::{BULK_CAPABILITY, Form, Mapping, Plan, Staging, Target, Tier, Unroll};
use crate::contract::{Forced, Request};
use crate::table;
use std::fmt;

/// Why a mapping was chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A row of the tuning table.
    Measured {
        /// Nanoseconds per problem of the choice.
        ns: f64,
        /// Nanoseconds per problem of the fastest serial candidate of the thread tier.
        serial_ns: f64,
    },
    /// Written in the attribute.
    Forced,
    /// No row for this task: the serial form.
    Unmeasured,
    /// The CPU owns one problem per vector lane whatever the shape.
    HostRule,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Measured { ns, serial_ns } if ns == serial_ns => {
                write!(f, "measured, {ns} ns per problem")
            }
            Reason::Measured { ns, serial_ns } => {
                write!(f, "measured, {ns} ns per problem; the fastest thread serial form takes {serial_ns}")
            }
            Reason::Forced => f.write_str("forced by the attribute"),
            Reason::Unmeasured => f.write_str("unmeasured: serial form, nothing extrapolated"),
            Reason::HostRule => f.write_str("rule: one problem per vector lane on the CPU"),
        }
    }
}

/// Devices of a target that a row serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// One CUDA compute capability times ten.
    Exact(u32),
    /// This CUDA compute capability and later ones.
    AtLeast(u32),
    /// Every device without a more specific row.
    Any,
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
    /// What to run.
    pub mapping: Mapping,
    /// Why.
    pub reason: Reason,
}

/// The selection table of a request: measured rows first, then rows that serve every device of a target.
pub fn choices(request: &Request) -> Vec<Choice> {
    let mut choices = Vec::new();
    for target in &request.targets {
        if *target == Target::Cuda {
            choices.extend(measured(request));
        }
        let (mapping, reason) = fallback(request, *target);
        let row =
            |arch, mapping| Choice { target: *target, arch, min_batch: 1, mapping, reason: reason.clone() };
        // The same form with the staging that later devices offer: equal bits, less waiting.
        if let Some(bulk) = bulk_staged(request, mapping) {
            choices.push(row(Arch::AtLeast(BULK_CAPABILITY), bulk));
        }
        choices.push(row(Arch::Any, mapping));
    }
    choices
}

/// The rows of the table that agree with the attribute. A band whose row does not agree takes the fallback:
/// another band's row says nothing about it.
fn measured(request: &Request) -> Vec<Choice> {
    let rows = table::lookup(&request.spec, request.layout);
    let agrees = |mapping: &Mapping| {
        let Forced { tier, form, threads_per_block } = request.forced;
        tier.is_none_or(|tier| tier == mapping.tier)
            && form.is_none_or(|form| form == mapping.form)
            && threads_per_block.is_none_or(|threads| threads == mapping.threads_per_block)
    };
    if !rows.iter().any(|row| agrees(&row.mapping)) {
        return Vec::new();
    }
    let (plain, reason) = fallback(request, Target::Cuda);
    let choice = |row: table::Row| {
        let (mapping, reason) = if agrees(&row.mapping) {
            (row.mapping, Reason::Measured { ns: row.ns, serial_ns: row.serial_ns })
        } else {
            let bulk = bulk_staged(request, plain).filter(|_| row.arch >= BULK_CAPABILITY);
            (bulk.unwrap_or(plain), reason.clone())
        };
        Choice {
            target: Target::Cuda,
            arch: Arch::Exact(row.arch),
            min_batch: row.min_batch,
            mapping,
            reason,
        }
    };
    rows.into_iter().map(choice).collect()
}

fn fallback(request: &Request, target: Target) -> (Mapping, Reason) {
    let Request { spec, layout, forced, .. } = request;
    let form = forced.form.unwrap_or(Form::Serial);
    if target == Target::Host {
        let reason = if forced.form.is_some() { Reason::Forced } else { Reason::HostRule };
        return (default_mapping(spec, *layout, target, Tier::Thread, form, None), reason);
    }
    let tier = forced.tier.unwrap_or_else(|| match form {
        Form::Serial => unmeasured_tier(request, target),
        Form::Reduced { .. } => Tier::Warp,
    });
    let reason = if *forced == Forced::default() { Reason::Unmeasured } else { Reason::Forced };
    (default_mapping(spec, *layout, target, tier, form, forced.threads_per_block), reason)
}

/// The tier of the serial form where nothing was measured: one thread as long as its values stay in registers. A chain
/// of phases that does not fit keeps its intermediates in shared memory, not in the local memory of threads.
fn unmeasured_tier(request: &Request, target: Target) -> Tier {
    let Request { spec, layout, .. } = request;
    if spec.op.entry().no_thread.is_some() {
        return Tier::Warp;
    }
    let is_long = match target {
        // One invocation would go through the loops of all passes.
        Target::Wgsl => has_passes(spec),
        Target::Cuda if spec.phases.len() > 1 => {
            let thread = default_mapping(spec, *layout, target, Tier::Thread, Form::Serial, None);
            Plan::new(spec, *layout, target, thread).unroll != Unroll::Full
        }
        Target::Cuda | Target::Host => false,
    };
    let warp = Forced { tier: Some(Tier::Warp), form: Some(Form::Serial), threads_per_block: None };
    match is_long && shared_excess(spec, *layout, &[target], &warp).is_none() {
        true => Tier::Warp,
        false => Tier::Thread,
    }
}

/// The mapping of one thread a problem with bulk copies in place of copies by lanes, where its tile fits.
fn bulk_staged(request: &Request, mapping: Mapping) -> Option<Mapping> {
    if mapping.tier != Tier::Thread {
        return None;
    }
    let bulk = Mapping { staging: Staging::Bulk, ..mapping };
    let plan = Plan::sized(&request.spec, request.layout, Target::Cuda, bulk);
    (mapping.staging == Staging::Shared && plan.shared_bytes <= MAX_SHARED_BYTES_SM_90).then_some(bulk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fields, lower};

    /// Every band of a forced request is either its own row or what an unmeasured task would take.
    #[test]
    fn a_forced_field_extrapolates_no_band() {
        let mut n_measured = 0;
        let mut n_replaced = 0;
        for (layout, tier) in [("interleaved", "warp"), ("contiguous", "warp"), ("contiguous", "thread")] {
            let fields = Fields {
                n_out: Some(7),
                k: Some(14),
                layout: Some(layout.to_owned()),
                tier: Some(tier.to_owned()),
                ..Fields::default()
            };
            let request = lower(&fields).expect("the fields are valid");
            let (plain, _) = fallback(&request, Target::Cuda);
            let choices = choices(&request);
            for row in table::lookup(&request.spec, request.layout) {
                let of_band = |choice: &&Choice| {
                    choice.arch == Arch::Exact(row.arch) && choice.min_batch == row.min_batch
                };
                let choice = choices.iter().find(of_band).expect("every band has a row");
                if row.mapping.tier.as_str() == tier {
                    assert_eq!(choice.mapping, row.mapping);
                    n_measured += 1;
                } else {
                    assert_eq!((choice.mapping.form, &choice.reason), (plain.form, &Reason::Forced));
                    n_replaced += 1;
                }
            }
        }
        assert!(n_measured > 0 && n_replaced > 0, "the table no longer has both kinds of band for this task");
    }
}
