//! Spec and plan to kernel. Nothing is chosen here: the plan has decided.

use super::contraction::Sums;
use super::emit::{Emit, Workers};
use super::tiled::Tile;
use super::{
    Body, Fold, Frame, Index, Kernel, Sign, Stmt, ahead, blocks, bunch_kaufman, exchange, factor, indexed,
    lanes, lu, map, reduction, release, repeat, scan, search, solve, state, straight, tiled, triangle,
};
use crate::catalogue::{self, MAX_CHAIN};
use crate::plan::{Destination, Form, Level, Plan, Staging, Target, Tier, Unroll, WARP};
use crate::spec::{Contraction, Phase, Role, Spec};

/// Builds the kernel of a valid spec under a plan made for it.
pub fn build(spec: &Spec, plan: &Plan) -> Kernel {
    let symbol = format!("{}_{}", spec.symbol(), plan.suffix());
    let name = match plan.mapping.tier {
        Tier::Thread => None,
        Tier::Warp => Some("lane"),
        Tier::Block => Some("thread"),
    };
    let workers = Workers { name, count: plan.mapping.workers() };
    let is_straight = plan.unroll == Unroll::Full;
    let mut emit = Emit::new(spec, plan, workers, is_straight);
    phases(&mut emit);
    let mut stmts = emit.into_stmts();
    let mut ring_slots = 0;
    if is_straight && plan.mapping.staging == Staging::Ahead {
        (stmts, ring_slots) = ahead::read_ahead(spec, stmts);
    }
    if plan.queue().is_some() {
        release::release(plan, &mut stmts);
    }
    // A CUDA body is also a device function for other kernels, and its results are visible on return. A WGSL
    // body and a level serve their own kernel alone, where no other worker reads them.
    if workers.name.is_some() {
        while stmts.last() == Some(&Stmt::Barrier) {
            stmts.pop();
        }
        if plan.target == Target::Cuda && plan.level.is_none() {
            stmts.push(Stmt::Barrier);
        }
    }
    let is_array = |operand: &usize| spec.operands[*operand].role == Role::Temporary && !is_straight;
    let body = Body {
        name: format!("{symbol}_body"),
        worker: workers.name,
        n_workers: workers.count,
        temporaries: (0..spec.operands.len()).filter(is_array).collect(),
        ring_slots,
        stmts,
    };
    let frame = match plan.level {
        None => Frame::Batch { tier: plan.mapping.tier, staging: plan.mapping.staging },
        Some(level) if level.destination == Destination::LastBlock => {
            Frame::LastBlock(Box::new(fold(spec, plan, level)))
        }
        Some(level) => Frame::Level(level),
    };
    Kernel { symbol, body, frame }
}

/// What the last block does with the sums of all chunks: one thread adds at most the longest chain of them.
pub(super) fn fold(spec: &Spec, plan: &Plan, level: Level) -> Fold {
    let threads = plan.mapping.threads_per_block;
    let spec = catalogue::later_level(spec, MAX_CHAIN * threads);
    let level = Level { destination: Destination::Scalar, vector_width: 1, ..level };
    let plan = Plan::of_level(&spec, plan.target, level, threads).handed();
    let body = build(&spec, &plan).body;
    Fold { spec, plan, body }
}

fn phases(emit: &mut Emit<'_>) {
    let spec = emit.spec;
    let status = spec.status();
    let n_statuses = status.map_or(0, |operand| spec.operands[operand].elements());
    (0..n_statuses).for_each(|word| emit.push(Stmt::Status { word }));
    let inertia = spec.inertia();
    if inertia.is_some() {
        SIGNS.into_iter().for_each(|(_, word)| emit.word(word, Index::default()));
    }
    steps(&spec.phases, emit);
    if let Some(operand) = status {
        emit.once(|emit| (0..n_statuses).for_each(|word| emit.push(Stmt::StoreStatus { operand, word })));
    }
    if let Some(operand) = inertia {
        emit.once(|emit| {
            for (index, (_, word)) in SIGNS.into_iter().enumerate() {
                emit.write_word(operand, Index::constant(index), word);
            }
        });
    }
}

/// One step after the other, each complete before the next one begins.
pub(super) fn steps(phases: &[Phase], emit: &mut Emit<'_>) {
    let spec = emit.spec;
    let is_alone = spec.phases.len() == 1;
    let mut rest = phases;
    while let [first, others @ ..] = rest {
        let stream = if emit.is_straight { straight::stream(spec, rest) } else { Vec::new() };
        if let [producer, consumers @ ..] = stream.as_slice() {
            straight::streamed(producer, consumers, emit);
            rest = &rest[stream.len()..];
            continue;
        }
        if is_alone {
            phase(first, true, emit);
        } else {
            emit.block(|emit| phase(first, false, emit));
        }
        emit.barrier();
        rest = others;
    }
}

/// What the inertia counts, in the order of its words.
pub(super) const SIGNS: [(Sign, &str); 3] =
    [(Sign::Positive, "n_positive"), (Sign::Negative, "n_negative"), (Sign::Zero, "n_zero")];

fn phase(phase: &Phase, is_alone: bool, emit: &mut Emit<'_>) {
    match phase {
        Phase::Contraction(contraction) => sums(contraction, is_alone, emit),
        Phase::Reduction(sum) => {
            let form = emit.plan.mapping.form;
            let unroll_terms = writes_terms(emit, form, sum.length);
            reduction::reduction(sum, form, unroll_terms, emit);
        }
        Phase::State(words) => state::state(words, emit),
        Phase::Map(element_wise) => map::map(element_wise, emit),
        Phase::Factor(matrix) => factor::factor(matrix, emit),
        Phase::Sweep(sweep) => factor::sweep(&sweep.factors, emit),
        Phase::Solve(triangle) => solve::solve(triangle, emit),
        Phase::Triangle(product) => triangle::triangle(product, emit),
        Phase::Scan(sums) => scan::scan(sums, emit),
        Phase::Lu(matrix) => lu::lu(matrix, emit),
        Phase::BunchKaufman(matrix) => bunch_kaufman::bunch_kaufman(matrix, emit),
        Phase::Blocks(diagonal) => blocks::blocks(diagonal, emit),
        Phase::BlockDiagonal(unknowns) => blocks::solve(unknowns, emit),
        Phase::Exchange(rows) => exchange::exchange(rows, emit),
        Phase::Indexed(items) => {
            let unroll_terms = writes_terms(emit, Form::Serial, items.contraction.n_terms());
            indexed::indexed(items, unroll_terms, emit);
        }
        Phase::Search(vector) => search::search(vector, emit),
        Phase::Repeat(passes) => repeat::repeat(passes, emit),
    }
}

fn sums(contraction: &Contraction, is_alone: bool, emit: &mut Emit<'_>) {
    let sums = Sums { contraction, is_alone };
    match emit.plan.unroll {
        Unroll::Full => straight::contraction(sums, emit),
        Unroll::Tiled { rows, cols, contraction } => {
            tiled::tiled(sums, &Tile { rows, cols, unroll_terms: contraction }, emit);
        }
        Unroll::PerOutput { .. } => {
            let form = lanes::form(contraction.order, emit.plan.mapping.form);
            let unroll_terms = writes_terms(emit, form, contraction.n_terms());
            lanes::sums(&sums, form, unroll_terms, emit);
        }
    }
}

/// Whether the terms of a sum inside a loop over outputs are written out.
fn writes_terms(emit: &Emit<'_>, form: Form, n_terms: usize) -> bool {
    let n_lanes = if emit.workers.count < WARP { 1 } else { form.lanes_per_output() };
    match emit.plan.unroll {
        Unroll::Full | Unroll::Tiled { .. } => true,
        Unroll::PerOutput { max_terms } => n_terms.div_ceil(n_lanes) <= max_terms,
    }
}
