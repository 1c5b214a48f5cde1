//! The grid itself: complete, without duplicates, and legal to launch.

use glass_codegen::plan::{Form, Staging, Target, Tier};
use glass_codegen::spec::{DType, Layout};
use glass_tests::grid::{self, Entry, THREAD_COUNTS, TREE_WIDTHS};
use std::collections::HashSet;

#[test]
fn no_symbol_occurs_twice() {
    let grid = grid::grid();
    let mut seen = HashSet::new();
    for entry in grid {
        assert!(
            seen.insert((entry.target, entry.symbol())),
            "{:?} {} is repeated",
            entry.target,
            entry.symbol()
        );
    }
}

#[test]
fn an_entry_knows_the_symbol_of_its_kernel() {
    for entry in grid::grid() {
        assert_eq!(entry.symbol(), entry.variant().symbol);
    }
}

/// Every tier, form, type and layout meets on every GPU target.
#[test]
fn nothing_is_missing() {
    let grid = grid::grid();
    let has = |wanted: &dyn Fn(&Entry) -> bool, what: &str| {
        assert!(grid.iter().any(wanted), "no kernel of the grid is {what}");
    };
    let forms = [
        (Tier::Thread, false),
        (Tier::Warp, false),
        (Tier::Warp, true),
        (Tier::Block, false),
        (Tier::Block, true),
    ];
    for (tier, is_reduced) in forms {
        for layout in [Layout::Contiguous, Layout::Interleaved] {
            for (target, dtype) in
                [(Target::Cuda, DType::F32), (Target::Cuda, DType::F64), (Target::Wgsl, DType::F32)]
            {
                let matches = |entry: &Entry| {
                    let mapping = &entry.mapping;
                    (entry.target, entry.spec.dtype, entry.layout, mapping.tier)
                        == (target, dtype, layout, tier)
                        && (mapping.form != Form::Serial) == is_reduced
                };
                has(&matches, &format!("{target:?} {dtype:?} {layout:?} {tier:?}, reduced {is_reduced}"));
            }
        }
    }
    for threads in THREAD_COUNTS {
        for p in TREE_WIDTHS {
            let matches = |entry: &Entry| {
                entry.mapping.tier == Tier::Block
                    && entry.mapping.threads_per_block == threads
                    && entry.mapping.form == Form::Reduced { lanes_per_output: p }
            };
            has(&matches, &format!("a block of {threads} with p = {p}"));
        }
    }
}

/// What a launch would refuse never reaches a device.
#[test]
fn every_mapping_is_legal() {
    for entry in grid::grid() {
        let (plan, threads) = (entry.plan(), entry.mapping.threads_per_block);
        let (max_bytes, max_threads) = match entry.target {
            Target::Cuda if entry.mapping.staging == Staging::Bulk => (227 * 1024, 1024),
            Target::Cuda => (47 * 1024, 1024),
            Target::Wgsl => (16 * 1024, 256),
            Target::Host => (0, 1024),
        };
        assert!(
            plan.shared_bytes <= max_bytes,
            "{}: {} B of shared memory",
            entry.symbol(),
            plan.shared_bytes
        );
        assert!(threads <= max_threads, "{}: {threads} threads", entry.symbol());
        assert!(
            entry.mapping.tier != Tier::Warp || threads % 32 == 0,
            "{}: {threads} threads",
            entry.symbol()
        );
        assert!(plan.problems_per_block > 0, "{}: serves no problem", entry.symbol());
    }
}
