//! The grid itself: complete, without duplicates, and legal to launch.

use glass_codegen::Field;
use glass_codegen::catalogue::{Availability, Fill, Op, Reg};
use glass_codegen::plan::{Form, Staging, Target, Tier};
use glass_codegen::spec::{DType, Layout};
use glass_codegen::table;
use glass_tests::grid::{self, Entry, THREAD_COUNTS, TREE_WIDTHS};
use std::collections::HashSet;

/// More would take a machine with a GPU too long, and a reviewer of the index: the first 3837 take an H200 53 s.
const MAX_KERNELS: [(Target, usize); 3] = [(Target::Cuda, 4600), (Target::Wgsl, 1200), (Target::Host, 1450)];

#[test]
fn the_grid_has_a_size() {
    for (target, max) in MAX_KERNELS {
        let kernels = grid::of(target);
        let count = |tier| kernels.iter().filter(|entry| entry.mapping.tier == tier).count();
        let [thread, warp, block] = [Tier::Thread, Tier::Warp, Tier::Block].map(count);
        println!("{}: {thread} thread, {warp} warp, {block} block", target.as_str());
        assert!(kernels.len() <= max, "{} kernels for {}, allowed: {max}", kernels.len(), target.as_str());
    }
}

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

/// Every op that is provided is there in every type and at every tier it has; so is every option of it.
#[test]
fn every_op_and_option_meets_every_tier() {
    let mut missing = Vec::new();
    // Vector operations have no problems of a fixed size, and tests of their own.
    let provided = Op::ALL.iter().filter(|op| op.availability() == Availability::Now && **op != Op::Vector);
    for op in provided {
        for dtype in [DType::F32, DType::F64] {
            if !grid::grid().iter().any(|entry| (entry.spec.op, entry.spec.dtype) == (*op, dtype)) {
                missing.push(format!("{} in {}", op.as_str(), dtype.as_str()));
            }
        }
        for tier in [Tier::Thread, Tier::Warp, Tier::Block] {
            if tier == Tier::Thread && op.entry().no_thread.is_some() {
                continue;
            }
            let kernels: Vec<_> = grid::of(Target::Cuda)
                .into_iter()
                .filter(|entry| (entry.spec.op, entry.mapping.tier) == (*op, tier))
                .collect();
            let mut wanted = |is_there: bool, what: &str| {
                if !is_there {
                    missing.push(format!("{} at the {} tier: {what}", op.as_str(), tier.as_str()));
                }
            };
            let has_form =
                |is_reduced| kernels.iter().any(|entry| (entry.mapping.form != Form::Serial) == is_reduced);
            wanted(has_form(false), "the serial form");
            wanted(
                tier == Tier::Thread || !op.entry().sums.can_reduce() || has_form(true),
                "the reduced form",
            );
            for flag in flags(*op) {
                wanted(kernels.iter().any(|entry| entry.spec.flags.iter().any(|given| given == flag)), flag);
            }
        }
    }
    assert!(missing.is_empty(), "{} gaps:\n{}", missing.len(), missing.join("\n"));
}

/// What the options of an op add to its symbol.
fn flags(op: Op) -> Vec<&'static str> {
    let entry = op.entry();
    let is_vector_product = matches!(op, Op::Gemv | Op::GemvStrided | Op::GemvSegmented);
    let mut flags: Vec<_> = entry
        .options
        .iter()
        .flat_map(|option| match option {
            Field::Trans if is_vector_product => vec!["ta"],
            Field::Trans => vec!["trans"],
            Field::TransA => vec!["ta"],
            Field::TransB => vec!["tb"],
            Field::RowMajor => vec!["rm"],
            Field::RowMajorC => vec!["rmc"],
            Field::SlabRowMajor => vec!["slabrm"],
            Field::Symmetric => vec!["sym"],
            Field::InPlace => vec!["inplace"],
            Field::Uplo => vec!["upper"],
            Field::Diag => vec!["unit"],
            Field::Axis => vec!["axis_a", "axis_b"],
            Field::Rsqrt => vec!["rsqrt"],
            Field::Inertia => vec!["inertia"],
            Field::Factor => vec!["factor"],
            Field::Fuse => vec!["fuse"],
            Field::Right => vec!["right"],
            _ => Vec::new(),
        })
        .collect();
    let is_named = |fill: &&Fill| !matches!(fill, Fill::Full | Fill::Zero);
    flags.extend(entry.fills.iter().filter(is_named).map(|fill| fill.as_str()));
    for reg in entry.regs {
        match reg {
            Reg::None => {}
            Reg::Shift => flags.push("shift"),
            Reg::DiagShift => flags.push("diagshift"),
        }
    }
    if entry.has_status {
        flags.push("unchecked");
    }
    if entry.alphas.len() > 1 {
        flags.push("alpha");
    }
    if entry.has_beta {
        flags.extend(["acc", "beta"]);
    }
    flags
}

/// What a launch would refuse never reaches a device.
#[test]
fn every_mapping_is_legal() {
    for entry in grid::grid() {
        let (plan, threads) = (entry.plan(), entry.mapping.threads_per_block);
        let (max_bytes, max_threads) = match entry.target {
            // What tables of sm_90 alone name.
            Target::Cuda
                if entry.mapping.staging == Staging::Bulk
                    || entry.mapping.group.is_some()
                    || is_measured(entry) =>
            {
                (227 * 1024, 1024)
            }
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
        let is_ahead = entry.mapping.staging == Staging::Ahead;
        assert!(!is_ahead || plan.shared_bytes > 0, "{}: reads nothing ahead", entry.symbol());
        assert!(plan.problems_per_block > 0, "{}: serves no problem", entry.symbol());
    }
}

/// Rows of the table are for the one architecture they were measured on.
fn is_measured(entry: &Entry) -> bool {
    table::lookup(&entry.spec, entry.layout).iter().any(|row| row.mapping == entry.mapping)
}
