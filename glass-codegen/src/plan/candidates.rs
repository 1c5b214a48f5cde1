//! The mappings that a measurement compares for one CUDA task.

use super::{Form, Mapping, Plan, Staging, TILE, Target, Tier, WARP};
use crate::spec::{Layout, Spec};

/// Shared memory that a block of sm_90 may opt in to.
pub(super) const MAX_SHARED_BYTES_SM_90: usize = 227 * 1024;
/// Shared memory that every CUDA device grants without opting in, less the driver's own part.
const MAX_SHARED_BYTES: usize = 47 * 1024;

/// Threads of one block where nothing was measured and nothing was forced.
pub(super) fn default_threads(tier: Tier, target: Target) -> usize {
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
    threads_per_block: Option<usize>,
) -> Mapping {
    let threads = threads_per_block.unwrap_or(default_threads(tier, target));
    let threads_per_block = match (target, tier) {
        // A workgroup barrier needs uniform control flow: one problem a workgroup, and no thread beyond the
        // last full warp, which would idle in the reduced form anyway.
        (Target::Wgsl, Tier::Warp) => WARP,
        (Target::Wgsl, Tier::Block) if form != Form::Serial && threads > WARP => threads - threads % WARP,
        // Small blocks leave more of a multiprocessor's shared memory in use.
        (Target::Cuda, Tier::Thread) if layout == Layout::Contiguous => threads_per_block.unwrap_or(TILE),
        _ => threads,
    };
    let mapping = |staging| Mapping { tier, form, staging, threads_per_block, min_blocks: None };
    let staged = mapping(Staging::Shared);
    let is_whole = threads_per_block.is_multiple_of(TILE);
    let is_staged =
        target == Target::Cuda && tier == Tier::Thread && layout == Layout::Contiguous && is_whole;
    if is_staged && Plan::new(spec, layout, target, staged).shared_bytes <= MAX_SHARED_BYTES {
        return staged;
    }
    mapping(Staging::Direct)
}

/// Every CUDA mapping worth timing for a task on sm_90, simplest first.
pub fn candidates(spec: &Spec, layout: Layout) -> Vec<Mapping> {
    let mut mappings = Vec::new();
    let mut add = |tier, form, staging, threads_per_block, min_blocks| {
        let mapping = Mapping { tier, form, staging, threads_per_block, min_blocks };
        if Plan::new(spec, layout, Target::Cuda, mapping).shared_bytes <= MAX_SHARED_BYTES_SM_90 {
            mappings.push(mapping);
        }
    };
    match layout {
        Layout::Interleaved => {
            for threads in [32, 64, 128] {
                add(Tier::Thread, Form::Serial, Staging::Direct, threads, None);
            }
            add(Tier::Thread, Form::Serial, Staging::Direct, 128, Some(1));
        }
        Layout::Contiguous => {
            add(Tier::Thread, Form::Serial, Staging::Direct, 64, None);
            for threads in [32, 64, 128] {
                add(Tier::Thread, Form::Serial, Staging::Bulk, threads, None);
            }
        }
    }
    let n_outputs = spec.dims.m * spec.dims.n;
    add(Tier::Warp, Form::Serial, Staging::Direct, 128, None);
    for lanes_per_output in [2, 4, 8, 16, 32] {
        if lanes_per_output < 2 * spec.dims.k {
            add(Tier::Warp, Form::Reduced { lanes_per_output }, Staging::Direct, 128, None);
        }
    }
    if n_outputs > WARP {
        add(Tier::Block, Form::Serial, Staging::Direct, 64, None);
        add(Tier::Block, Form::Serial, Staging::Direct, 128, None);
    }
    if n_outputs * spec.dims.k > 128 {
        let lanes_per_output = (spec.dims.k.next_power_of_two() / 2).clamp(2, WARP);
        add(Tier::Block, Form::Reduced { lanes_per_output }, Staging::Direct, 128, None);
    }
    mappings
}
