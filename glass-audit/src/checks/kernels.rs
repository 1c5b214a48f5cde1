//! Launch geometry and resources of our kernels.

use super::samples;
use crate::capture::{Capture, Cell, Facts, Results, Variant};
use crate::finding::{Findings, Reason};
use crate::shape::Counts;
use std::cmp::Ordering;

/// Registers and threads of an sm_90 multiprocessor and block.
const MAX_REGISTERS: u64 = 255;
const REGISTER_FILE: u64 = 65_536;
const MAX_THREADS: u64 = 1024;
const MAX_SHARED_BYTES: u64 = 232_448;

pub(super) fn pilots(capture: &Capture, findings: &mut Findings) {
    for pilot in &capture.pilots.kernels {
        let Some(cell) = capture.declaration.cells.iter().find(|cell| cell.id == pilot.cell) else {
            continue;
        };
        let Some(variant) = cell.variant(&pilot.variant) else { continue };
        let place = format!("pilot of {}, variant {}", pilot.cell, pilot.variant);
        launch(&place, cell, variant, &pilot.facts, findings);
        if let Some(counts) = Counts::of(cell) {
            samples::held(&place, &pilot.check, cell.batch * counts.n_outputs, findings);
        }
    }
    for failure in &capture.pilots.failures {
        findings.require(Reason::Oracle, false, || format!("pilots: {failure}"));
    }
}

pub(super) fn rows(capture: &Capture, results: &Results, findings: &mut Findings) {
    for row in &results.rows {
        for lane in row.lanes() {
            let is_own = lane.name == "own";
            findings.require(Reason::Protocol, lane.facts.is_some() == is_own, || {
                format!("{}, lane {}: only our kernels have facts", row.place(), lane.name)
            });
            let Some(facts) = &lane.facts else { continue };
            let mut pilots = capture.pilots.kernels.iter();
            let pilot = pilots.find(|pilot| pilot.cell == row.cell && pilot.variant == row.variant);
            let frozen = pilot.map(|pilot| geometry(&pilot.facts));
            findings.require(Reason::Resources, frozen == Some(geometry(facts)), || {
                format!("{}: launched as {:?}, the pilot as {frozen:?}", row.place(), geometry(facts))
            });
        }
    }
}

/// Grid, block, and what a thread and a block take.
fn geometry(facts: &Facts) -> ([u64; 3], [u64; 3], [u64; 6]) {
    let Facts { registers, local_bytes, shared_bytes, module_bytes, dynamic_bytes, launches, .. } = *facts;
    (facts.grid, facts.block, [registers, local_bytes, shared_bytes, module_bytes, dynamic_bytes, launches])
}

fn launch(place: &str, cell: &Cell, variant: &Variant, facts: &Facts, findings: &mut Findings) {
    let plan = &variant.plan;
    let n_threads = facts.block.into_iter().fold(1, u64::saturating_mul);
    let n_blocks = facts.grid.into_iter().fold(1, u64::saturating_mul);
    findings
        .require(Reason::Ownership, facts.launches == 1, || format!("{place}: {} launches", facts.launches));
    findings.require(Reason::Ownership, n_threads == plan.threads_per_block, || {
        format!("{place}: blocks of {n_threads} threads, planned {}", plan.threads_per_block)
    });
    let owned = problems_of_block(&variant.mapping, n_threads);
    findings.require(Reason::Ownership, owned == Some(plan.problems_per_block), || {
        format!(
            "{place}: {} problems a block of {n_threads} threads by `{}`",
            plan.problems_per_block, variant.mapping
        )
    });
    let wrong = first_not_owned_once(n_blocks, plan.problems_per_block, cell.batch);
    findings.require(Reason::Ownership, wrong.is_none(), || {
        format!(
            "{place}: {n_blocks} blocks of {} problems: {}",
            plan.problems_per_block,
            wrong.unwrap_or_default()
        )
    });
    findings.require(Reason::Resources, facts.local_bytes == 0, || {
        format!("{place}: {} bytes of local memory a thread", facts.local_bytes)
    });
    let fits = (1..=MAX_REGISTERS).contains(&facts.registers)
        && facts.registers.saturating_mul(n_threads) <= REGISTER_FILE;
    findings.require(Reason::Resources, fits && n_threads <= MAX_THREADS, || {
        format!("{place}: {} registers in {n_threads} threads", facts.registers)
    });
    let is_planned = facts.dynamic_bytes == plan.shared_bytes
        && facts.shared_bytes >= plan.shared_bytes
        && facts.shared_bytes <= MAX_SHARED_BYTES;
    findings.require(Reason::Resources, is_planned && facts.module_bytes > 0, || {
        format!(
            "{place}: {} bytes of dynamic, {} of all shared memory, planned {}",
            facts.dynamic_bytes, facts.shared_bytes, plan.shared_bytes
        )
    });
}

/// Problems of a block as the words of a mapping say: `gN` lanes of a warp own one, `qN` tiles follow each other.
fn problems_of_block(mapping: &str, n_threads: u64) -> Option<u64> {
    let number = |letter: char| {
        mapping.split(' ').skip(3).find_map(|word| word.strip_prefix(letter)?.parse::<u64>().ok())
    };
    match mapping.split(' ').next()? {
        "thread" => n_threads.checked_mul(number('q').unwrap_or(1)),
        "warp" => n_threads.checked_div(number('g').unwrap_or(32)),
        "block" => Some(1),
        _ => None,
    }
}

/// Blocks own consecutive problems, as the frames of the kernels deal them: as many blocks as that takes, and no more.
fn first_not_owned_once(n_blocks: u64, problems_per_block: u64, batch: u64) -> Option<String> {
    if problems_per_block == 0 {
        return Some("a block owns nothing".to_owned());
    }
    let n_due = batch.div_ceil(problems_per_block);
    match n_blocks.cmp(&n_due) {
        Ordering::Equal => None,
        Ordering::Less => Some(format!("problem {} has 0 owners", n_blocks * problems_per_block)),
        Ordering::Greater => Some(format!("block {n_due} owns nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::{first_not_owned_once, problems_of_block};

    #[test]
    fn a_mapping_tells_the_problems_of_a_block() {
        for (mapping, owned) in [
            ("thread serial direct t64", Some(64)),
            ("thread serial bulk t64 q4 stream", Some(256)),
            ("warp reduced8 direct t64", Some(2)),
            ("warp serial shared t64 g8", Some(8)),
            ("warp serial shared t64 g0", None),
            ("block serial shared t64", Some(1)),
            ("", None),
        ] {
            assert_eq!(problems_of_block(mapping, 64), owned, "{mapping}");
        }
    }

    #[test]
    fn every_problem_has_one_owner() {
        assert_eq!(first_not_owned_once(4, 32, 101), None);
        assert_eq!(first_not_owned_once(3, 32, 101).unwrap(), "problem 96 has 0 owners");
        assert_eq!(first_not_owned_once(5, 32, 101).unwrap(), "block 4 owns nothing");
        assert_eq!(first_not_owned_once(u64::MAX, 0, 101).unwrap(), "a block owns nothing");
        assert_eq!(first_not_owned_once(1, u64::MAX, 1 << 36), None);
        assert_eq!(
            first_not_owned_once(u64::MAX, 32, u64::MAX).unwrap(),
            "block 576460752303423488 owns nothing"
        );
    }
}
