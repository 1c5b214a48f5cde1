//! The mappings that a measurement compares for one CUDA task.

use super::{Form, Mapping, Plan, Staging, TILE, Target, Tier, WARP, is_staged_by_warps};
use crate::contract::Forced;
use crate::kernel::n_rows;
use crate::spec::{Layout, Operand, Order, Phase, Reduction, Spec, Term};

/// Shared memory that a block of sm_90 may opt in to.
pub(super) const MAX_SHARED_BYTES_SM_90: usize = 227 * 1024;
/// Shared memory that every CUDA device grants without opting in, less the driver's own part.
const MAX_SHARED_BYTES: usize = 47 * 1024;
/// Workgroup memory that every WebGPU device grants.
const MAX_WORKGROUP_BYTES: usize = 16 * 1024;

/// Loads from which on reading ahead is measured: with fewer, a thread starts all of them at once anyway.
const MIN_AHEAD: usize = 32;

/// Threads of one block where nothing was measured and nothing was forced.
pub(crate) fn default_threads(tier: Tier, target: Target) -> usize {
    match (tier, target) {
        (Tier::Thread, Target::Cuda) => 128,
        (Tier::Thread, _) => 64,
        (Tier::Warp, _) => 128,
        (Tier::Block, _) => 64,
    }
}

/// The mapping of a tier and form where nothing was measured. On CUDA, contiguous problems of the thread tier
/// go through shared memory while 32 of them fit; everything else is read in place.
pub(super) fn default_mapping(
    spec: &Spec,
    layout: Layout,
    target: Target,
    tier: Tier,
    form: Form,
    given: Option<usize>,
) -> Mapping {
    let threads = given.unwrap_or(default_threads(tier, target));
    let threads_per_block = match (target, tier) {
        // A workgroup barrier needs uniform control flow: one problem a workgroup, and no thread beyond the
        // last full warp, which would idle in the reduced form anyway.
        (Target::Wgsl, Tier::Warp) => WARP,
        (Target::Wgsl, Tier::Block) if form != Form::Serial && threads > WARP => threads - threads % WARP,
        // Small blocks leave more of a multiprocessor's shared memory in use.
        (Target::Cuda, Tier::Thread) if layout == Layout::Contiguous => given.unwrap_or(TILE),
        _ => threads,
    };
    let mapping = |(staging, threads_per_block)| Mapping::new(tier, form, staging, threads_per_block);
    let is_staged = target == Target::Cuda
        && match tier {
            Tier::Thread => layout == Layout::Contiguous && threads_per_block.is_multiple_of(TILE),
            Tier::Warp | Tier::Block => reads_back(spec),
        };
    // Warps of one block share its memory: fewer of them leave more to each.
    let sizes: &[usize] = match (target, tier, given) {
        (Target::Cuda, Tier::Warp, None) => &[128, 64, 32],
        _ => &[threads_per_block],
    };
    let stagings: &[Staging] =
        if is_staged { &[Staging::Shared, Staging::Direct] } else { &[Staging::Direct] };
    let choices = stagings.iter().flat_map(|staging| sizes.iter().map(|threads| (*staging, *threads)));
    let fits =
        |mapping: &Mapping| Plan::sized(spec, layout, target, *mapping).shared_bytes <= MAX_SHARED_BYTES;
    let smallest = mapping((Staging::Direct, sizes[sizes.len() - 1]));
    choices.map(mapping).find(fits).unwrap_or(smallest)
}

/// Shared memory that a forced tier would need beyond what any device grants: the target, bytes of a block, bytes granted.
pub(crate) fn shared_excess(
    spec: &Spec,
    layout: Layout,
    targets: &[Target],
    forced: &Forced,
) -> Option<(Target, usize, usize)> {
    let tier = forced.tier?;
    let form = forced.form.unwrap_or(Form::Serial);
    targets.iter().find_map(|target| {
        let granted = match target {
            Target::Cuda => MAX_SHARED_BYTES_SM_90,
            Target::Wgsl => MAX_WORKGROUP_BYTES,
            Target::Host => return None,
        };
        let mapping = default_mapping(spec, layout, *target, tier, form, forced.threads_per_block);
        let needed = Plan::sized(spec, layout, *target, mapping).shared_bytes;
        (needed > granted).then_some((*target, needed, granted))
    })
}

/// Whether workers read what other workers of the problem wrote: then operands had better be in shared memory.
fn reads_back(spec: &Spec) -> bool {
    let is_own = matches!(
        spec.phases[0],
        Phase::Factor(_)
            | Phase::Sweep(_)
            | Phase::Solve(_)
            | Phase::Lu(_)
            | Phase::BunchKaufman(_)
            | Phase::Exchange(_)
    );
    !has_passes(spec) && (spec.phases.len() > 1 || is_own)
}

/// Passes keep what they read back in temporaries, and all their parts at once would fill shared memory.
pub(super) fn has_passes(spec: &Spec) -> bool {
    spec.phases.iter().any(|phase| matches!(phase, Phase::Repeat(_)))
}

/// Every CUDA mapping worth timing for a task on sm_90, simplest first.
pub fn candidates(spec: &Spec, layout: Layout) -> Vec<Mapping> {
    let thread = |staging, threads| Mapping::new(Tier::Thread, Form::Serial, staging, threads);
    let mut mappings = Vec::new();
    let mut add = |mapping: Mapping| {
        if mapping.tier == Tier::Thread && spec.op.entry().no_thread.is_some() {
            return;
        }
        if Plan::sized(spec, layout, Target::Cuda, mapping).shared_bytes <= MAX_SHARED_BYTES_SM_90 {
            mappings.push(mapping);
        }
    };
    match layout {
        Layout::Interleaved => {
            for threads in [32, 64, 128] {
                add(thread(Staging::Direct, threads));
            }
            add(Mapping { min_blocks: Some(1), ..thread(Staging::Direct, 128) });
            for ahead in [32, 64].map(|threads| thread(Staging::Ahead, threads)) {
                if can_read_ahead(spec, ahead) {
                    add(ahead);
                }
            }
            bulk_tiles(spec).into_iter().for_each(&mut add);
        }
        Layout::Contiguous => {
            add(thread(Staging::Direct, 64));
            for threads in [32, 64, 128] {
                add(thread(Staging::Bulk, threads));
            }
            let overlaid = |threads| Mapping { is_overlaid: true, ..thread(Staging::Bulk, threads) };
            if overlays(spec, overlaid(TILE)) {
                [32, 64].map(overlaid).into_iter().for_each(&mut add);
            }
        }
    }
    let (n_outputs, n_terms) = (n_outputs(spec), n_terms(spec));
    let staging = if reads_back(spec) { Staging::Shared } else { Staging::Direct };
    let warp = Mapping::new(Tier::Warp, Form::Serial, staging, 128);
    add(warp);
    if has_passes(spec) {
        // Temporaries are large: smaller blocks leave less of a multiprocessor's shared memory over.
        for threads_per_block in [32, 64] {
            add(Mapping { threads_per_block, ..warp });
        }
    }
    if let Some(n) = rows_of_lanes(spec) {
        let lanes = n.next_power_of_two().max(4);
        let group = (lanes < WARP).then_some(lanes);
        for threads_per_block in [64, 128] {
            add(Mapping { threads_per_block, group, is_by_rows: true, ..warp });
        }
    }
    if staging == Staging::Shared {
        for (threads_per_block, lanes) in GROUPS {
            add(Mapping { threads_per_block, group: Some(lanes), ..warp });
        }
    }
    for lanes_per_output in [2, 4, 8, 16, 32] {
        if lanes_per_output < 2 * n_terms {
            add(Mapping::new(Tier::Warp, Form::Reduced { lanes_per_output }, staging, 128));
        }
    }
    if n_outputs > WARP {
        for threads in [64, 128] {
            add(Mapping::new(Tier::Block, Form::Serial, staging, threads));
        }
    }
    if n_outputs * n_terms > 128 {
        let lanes_per_output = (n_terms.next_power_of_two() / 2).clamp(2, WARP);
        add(Mapping::new(Tier::Block, Form::Reduced { lanes_per_output }, staging, 128));
    }
    mappings
}

/// Threads of a block, and lanes of a group that owns one problem: where a warp has more lanes than a column has rows.
const GROUPS: [(usize, usize); 4] = [(64, 16), (64, 8), (128, 8), (64, 4)];

/// Rows of the largest factor or solve that lanes of a warp can keep; `None` without one.
fn rows_of_lanes(spec: &Spec) -> Option<usize> {
    spec.phases.iter().filter_map(n_rows).max().filter(|n| *n <= WARP)
}

/// Resident blocks that are measured beside as many as fit, and bytes that they must have on their way together: fewer
/// leave memory idle. Of nine counts on an H200 these were the best for factors and inverses from n = 12 on.
const RESIDENT_BLOCKS: [usize; 2] = [6, 4];
const MIN_BYTES_ON_THE_WAY: usize = 48 * 1024;

/// Tiles that a warp takes one after another, beside one: enough that most of them are on their way early, and few enough
/// that blocks end apart.
const QUEUES: [usize; 2] = [4, 16];

/// Inputs of interleaved problems by bulk copies. A block is one warp: of wider blocks, whose warps leave together, none
/// won.
fn bulk_tiles(spec: &Spec) -> Vec<Mapping> {
    let free = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, TILE);
    let is_staged = |operand: &Operand| is_staged_by_warps(operand, Layout::Interleaved, &free);
    if spec.op.entry().no_thread.is_some() || !spec.operands.iter().any(is_staged) {
        return Vec::new();
    }
    // The text decides whether triangles are packed.
    let needed = Plan::new(spec, Layout::Interleaved, Target::Cuda, free).shared_bytes;
    if needed > MAX_SHARED_BYTES_SM_90 {
        return Vec::new();
    }
    let keeps_others_off = |mapping: &Mapping| {
        needed < Plan::sized(spec, Layout::Interleaved, Target::Cuda, *mapping).shared_bytes
    };
    let enough = RESIDENT_BLOCKS.into_iter().filter(|blocks| blocks * needed >= MIN_BYTES_ON_THE_WAY);
    let capped = enough.map(|blocks| Mapping { max_blocks: Some(blocks), ..free });
    let queues = QUEUES.into_iter().map(|n_tiles| Mapping { queue: Some(n_tiles), ..free });
    let plain: Vec<_> = capped.filter(keeps_others_off).chain([free]).chain(queues).collect();
    let streamed = plain.iter().map(|mapping| Mapping { is_streamed: true, ..*mapping });
    plain.iter().copied().chain(streamed).collect()
}

/// Whether a staged result can take the place of an input.
fn overlays(spec: &Spec, overlaid: Mapping) -> bool {
    spec.op.entry().no_thread.is_none()
        && Plan::new(spec, Layout::Contiguous, Target::Cuda, overlaid)
            .accesses
            .iter()
            .any(|access| access.overlays.is_some())
}

/// Whether the text is straight-line and loads enough for a thread to wait for the later ones.
fn can_read_ahead(spec: &Spec, ahead: Mapping) -> bool {
    let smallest = MIN_AHEAD * ahead.threads_per_block * spec.dtype.bytes();
    spec.op.entry().no_thread.is_none()
        && Plan::new(spec, Layout::Interleaved, Target::Cuda, ahead).shared_bytes >= smallest
}

/// Most elements that one phase can compute at once.
fn n_outputs(spec: &Spec) -> usize {
    let of = |phase: &Phase| match phase {
        Phase::Contraction(contraction) => contraction.n_outputs(),
        Phase::Reduction(_) => 1,
        Phase::Map(map) => map.n_elements(),
        Phase::Factor(factor) => factor.n,
        Phase::Sweep(sweep) => sweep.factors.iter().map(|factor| factor.n).sum(),
        Phase::Solve(solve) => solve.n.max(solve.nrhs),
        Phase::Triangle(triangle) => triangle.contraction.n_outputs(),
        Phase::State(_) | Phase::Scan(_) | Phase::Search(_) => 1,
        Phase::Lu(lu) => lu.n,
        Phase::BunchKaufman(factor) => factor.n,
        Phase::Blocks(blocks) => blocks.n,
        Phase::BlockDiagonal(diagonal) => diagonal.nrhs,
        Phase::Exchange(exchange) => exchange.cols,
        Phase::Indexed(indexed) => indexed.contraction.n_outputs(),
        Phase::Repeat(repeat) => unreachable!("a pass over {}s is its steps", repeat.item),
    };
    spec.steps().map(of).max().unwrap_or(1)
}

/// Longest sum that a tree could shorten; 0 where the op has no reduced form.
fn n_terms(spec: &Spec) -> usize {
    let of = |phase: &Phase| match phase {
        Phase::Contraction(contraction) if contraction.order == Order::Form => contraction.n_terms(),
        Phase::Reduction(Reduction { term: Term::Largest | Term::LargestMagnitude, .. }) => 0,
        Phase::Reduction(reduction) => reduction.length,
        _ => 0,
    };
    spec.steps().map(of).max().unwrap_or(0)
}
