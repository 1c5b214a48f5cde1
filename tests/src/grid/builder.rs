//! Kernels one after the other, each once.

use super::Entry;
use glass_codegen::plan::{Form, Mapping, Plan, Staging, Target, Tier};
use glass_codegen::spec::{Layout, Spec};
use glass_codegen::table;
use std::collections::HashSet;

use Layout::{Contiguous, Interleaved};

/// Dynamic shared memory that a block of sm_90 may opt in to.
const MAX_SHARED_BYTES_SM_90: usize = 227 * 1024;
/// Shared memory that every CUDA device grants without opting in.
const MAX_SHARED_BYTES: usize = 47 * 1024;
/// Workgroup memory that every WebGPU device grants.
const MAX_WORKGROUP_BYTES: usize = 16 * 1024;

/// The form with a tree.
pub(super) fn reduced(lanes_per_output: usize) -> Form {
    Form::Reduced { lanes_per_output }
}

#[derive(Default)]
pub(super) struct Grid {
    entries: Vec<Entry>,
    seen: HashSet<(Target, String, Mapping)>,
}

impl Grid {
    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// What the tuning table names for the tasks so far.
    pub(super) fn tuned(&mut self) {
        let tasks: Vec<_> = self.entries.iter().map(|entry| (entry.spec.clone(), entry.layout)).collect();
        let mut seen = HashSet::new();
        for (spec, layout) in tasks {
            if seen.insert(table::key(&spec, layout)) {
                for row in table::lookup(&spec, layout) {
                    self.add(&spec, layout, Target::Cuda, row.mapping);
                }
            }
        }
    }

    /// One thread a problem, read in place.
    pub(super) fn thread(&mut self, spec: &Spec, layout: Layout) {
        self.thread_of(spec, layout, 128);
    }

    pub(super) fn thread_of(&mut self, spec: &Spec, layout: Layout, threads: usize) {
        self.add(
            spec,
            layout,
            Target::Cuda,
            Mapping::new(Tier::Thread, Form::Serial, Staging::Direct, threads),
        );
    }

    /// One warp a problem, read in place.
    pub(super) fn warp(&mut self, spec: &Spec, layout: Layout, form: Form) {
        self.warp_of(spec, layout, form, 128);
    }

    pub(super) fn warp_of(&mut self, spec: &Spec, layout: Layout, form: Form, threads: usize) {
        let threads = (1..=threads / 32).rev().map(|n_warps| n_warps * 32);
        let mappings = threads.map(|threads| Mapping::new(Tier::Warp, form, Staging::Direct, threads));
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES, mappings);
    }

    /// One block a problem, read in place.
    pub(super) fn block(&mut self, spec: &Spec, layout: Layout, form: Form, threads: usize) {
        let mapping = Mapping::new(Tier::Block, form, Staging::Direct, threads);
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES, [mapping]);
    }

    /// One warp a problem that is copied to shared memory; read in place where it does not fit.
    pub(super) fn warp_staged(&mut self, spec: &Spec, layout: Layout, form: Form) {
        let staged = [128, 64, 32].map(|threads| Mapping::new(Tier::Warp, form, Staging::Shared, threads));
        let direct = Mapping::new(Tier::Warp, form, Staging::Direct, 32);
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES, staged.into_iter().chain([direct]));
    }

    /// One block a problem that is copied to shared memory; read in place where it does not fit.
    pub(super) fn block_staged(&mut self, spec: &Spec, layout: Layout, form: Form, threads: usize) {
        let stagings = [Staging::Shared, Staging::Direct];
        let mappings = stagings.map(|staging| Mapping::new(Tier::Block, form, staging, threads));
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES, mappings);
    }

    pub(super) fn wgsl(&mut self, spec: &Spec, layout: Layout, tier: Tier, form: Form, threads: usize) {
        let mapping = Mapping::new(tier, form, Staging::Direct, threads);
        if Plan::new(spec, layout, Target::Wgsl, mapping).shared_bytes <= MAX_WORKGROUP_BYTES {
            self.add(spec, layout, Target::Wgsl, mapping);
        }
    }

    pub(super) fn host(&mut self, spec: &Spec, form: Form) {
        self.add(spec, Contiguous, Target::Host, Mapping::new(Tier::Thread, form, Staging::Direct, 64));
    }

    /// One thread a problem that comes by bulk copies; read in place where 32 of them do not fit.
    pub(super) fn bulk(&mut self, spec: &Spec) {
        let staged = [64, 32].map(|threads| Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, threads));
        self.staged(spec, MAX_SHARED_BYTES_SM_90, &staged);
    }

    /// One thread a problem that copies what it reads ahead of its use.
    pub(super) fn ahead(&mut self, spec: &Spec, threads: usize) {
        let mapping = Mapping::new(Tier::Thread, Form::Serial, Staging::Ahead, threads);
        self.add(spec, Interleaved, Target::Cuda, mapping);
    }

    /// One thread a problem that is copied by the lanes of its warp; read in place where 32 of them do not fit.
    pub(super) fn shared(&mut self, spec: &Spec) {
        let staged = |threads| Mapping::new(Tier::Thread, Form::Serial, Staging::Shared, threads);
        self.staged(spec, MAX_SHARED_BYTES, &[128, 64, 32].map(staged));
    }

    /// As [`shared`](Self::shared), in blocks of one warp.
    pub(super) fn shared_warp(&mut self, spec: &Spec) {
        self.staged(spec, MAX_SHARED_BYTES, &[Mapping::new(Tier::Thread, Form::Serial, Staging::Shared, 32)]);
    }

    /// One thread a problem of a tile whose inputs come by bulk copies; at most so many blocks at a time.
    pub(super) fn bulk_tiles(&mut self, spec: &Spec, threads: usize, max_blocks: Option<usize>) {
        let free = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, threads);
        self.add(spec, Interleaved, Target::Cuda, Mapping { max_blocks, ..free });
    }

    /// As [`bulk_tiles`](Self::bulk_tiles) in blocks of a warp, with results written past the caches.
    pub(super) fn streamed(&mut self, spec: &Spec) {
        let plain = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, 32);
        self.add(spec, Interleaved, Target::Cuda, Mapping { is_streamed: true, ..plain });
    }

    /// Warps or groups of their lanes that keep a row a lane, on a problem that is copied to shared memory.
    pub(super) fn rows(&mut self, spec: &Spec, layout: Layout, threads: usize, group: Option<usize>) {
        let plain = Mapping::new(Tier::Warp, Form::Serial, Staging::Shared, threads);
        let rows = Mapping { group, is_by_rows: true, ..plain };
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES_SM_90, [rows]);
    }

    /// As [`bulk_tiles`](Self::bulk_tiles), so many tiles a warp.
    pub(super) fn queue(&mut self, spec: &Spec, threads: usize, n_tiles: usize) {
        let plain = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, threads);
        let queue = Mapping { queue: Some(n_tiles), ..plain };
        if Plan::new(spec, Interleaved, Target::Cuda, queue).shared_bytes <= MAX_SHARED_BYTES_SM_90 {
            self.add(spec, Interleaved, Target::Cuda, queue);
        }
    }

    /// Groups of a few lanes a problem that is copied to shared memory.
    pub(super) fn group(&mut self, spec: &Spec, layout: Layout, threads: usize, lanes: usize) {
        let warp = Mapping::new(Tier::Warp, Form::Serial, Staging::Shared, threads);
        self.first_that_fits(spec, layout, MAX_SHARED_BYTES_SM_90, [Mapping { group: Some(lanes), ..warp }]);
    }

    /// As [`bulk`](Self::bulk) in blocks of a warp, with results in the places of inputs.
    pub(super) fn overlaid(&mut self, spec: &Spec) {
        let plain = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, 32);
        self.add(spec, Contiguous, Target::Cuda, Mapping { is_overlaid: true, ..plain });
    }

    fn staged(&mut self, spec: &Spec, max_bytes: usize, mappings: &[Mapping]) {
        let direct = Mapping::new(Tier::Thread, Form::Serial, Staging::Direct, 64);
        self.first_that_fits(spec, Contiguous, max_bytes, mappings.iter().copied().chain([direct]));
    }

    fn first_that_fits(
        &mut self,
        spec: &Spec,
        layout: Layout,
        max_bytes: usize,
        mappings: impl IntoIterator<Item = Mapping>,
    ) {
        let fits = |mapping: &Mapping| shared_bytes(spec, layout, *mapping) <= max_bytes;
        if let Some(mapping) = mappings.into_iter().find(fits) {
            self.add(spec, layout, Target::Cuda, mapping);
        }
    }

    pub(super) fn add(&mut self, spec: &Spec, layout: Layout, target: Target, mapping: Mapping) {
        if self.seen.insert((target, table::key(spec, layout), mapping)) {
            self.entries.push(Entry { spec: spec.clone(), layout, target, mapping });
        }
    }
}

fn shared_bytes(spec: &Spec, layout: Layout, mapping: Mapping) -> usize {
    // Operands that are read in place by threads of their own take none, and planning them may take long.
    if (mapping.tier, mapping.staging) == (Tier::Thread, Staging::Direct) {
        return 0;
    }
    Plan::new(spec, layout, Target::Cuda, mapping).shared_bytes
}

/// The other layout.
pub(super) fn other(layout: Layout) -> Layout {
    match layout {
        Contiguous => Interleaved,
        Interleaved => Contiguous,
    }
}
