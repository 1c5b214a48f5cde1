//! The mappings that a measurement compares for one CUDA task.

use super::{Form, Mapping, Plan, Staging, TILE, Target, Tier, WARP};
use crate::spec::{Layout, Spec};

/// Shared memory that a block of sm_90 may opt in to.
pub(super) const MAX_SHARED_BYTES_SM_90: usize = 227 * 1024;
/// Shared memory that every CUDA device grants without opting in, less the driver's own part.
pub(super) const MAX_SHARED_BYTES: usize = 47 * 1024;
/// Workgroup memory that every WebGPU device grants.
pub(super) const MAX_WORKGROUP_BYTES: usize = 16 * 1024;

/// Threads of one block where nothing was measured and nothing was forced.
pub(super) fn default_threads(tier: Tier, target: Target) -> usize {
    match (tier, target) {
        (Tier::Thread, Target::Cuda) => 128,
        (Tier::Thread, _) => 64,
        (Tier::Warp, Target::Cuda) => 128,
        (Tier::Warp, _) => 32,
        (Tier::Block, _) => 64,
    }
}

/// The mapping of a tier and form where nothing was measured. Contiguous problems of the thread tier go
/// through shared memory while 32 of them fit; everything else is read in place.
pub(super) fn default_mapping(
    spec: &Spec,
    layout: Layout,
    target: Target,
    tier: Tier,
    form: Form,
    threads_per_block: Option<usize>,
) -> Mapping {
    let mapping =
        |staging, threads_per_block| Mapping { tier, form, staging, threads_per_block, min_blocks: None };
    let threads = threads_per_block.unwrap_or(default_threads(tier, target));
    let threads = match (target, tier) {
        // A workgroup barrier needs uniform control flow: one problem a workgroup, and no thread beyond the
        // last full warp, which would idle in the reduced form anyway.
        (Target::Wgsl, Tier::Warp) => WARP,
        (Target::Wgsl, Tier::Block) if form != Form::Serial && threads > WARP => threads - threads % WARP,
        _ => threads,
    };
    let direct = mapping(Staging::Direct, threads);
    if tier != Tier::Thread || layout != Layout::Contiguous {
        return direct;
    }
    // WGSL stages one tile a workgroup, because its only barrier spans the whole workgroup.
    let (limit, shapes): (usize, &[usize]) = match target {
        Target::Cuda => (MAX_SHARED_BYTES, &[128, 64, TILE]),
        Target::Wgsl => (MAX_WORKGROUP_BYTES, &[TILE]),
        Target::Host => return direct,
    };
    let staged = shapes.iter().filter(|threads| threads_per_block.is_none_or(|forced| forced == **threads));
    staged
        .map(|threads| mapping(Staging::Shared, *threads))
        .find(|mapping| Plan::new(spec, layout, target, *mapping).shared_bytes <= limit)
        .unwrap_or(direct)
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
