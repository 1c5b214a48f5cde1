//! How a task is computed. The only stage that compares numbers to choose a mapping.
//!
//! Words in code, letters in tables and emitted comments:
//!
//! | letter | word | meaning |
//! |---|---|---|
//! | - | `tier` | thread, warp or block: who owns one problem |
//! | - | `form` | serial: one lane walks the contraction; reduced: `p` lanes split it |
//! | p | `lanes_per_output` | 1, 2, 4, 8, 16, 32 |
//! | V | `vector_width` | elements per load |
//! | U | `unroll` | straight-line text, or loops with constant bounds |
//! | T | `threads_per_block` | threads of one block (workgroup in WGSL) |
//! | - | `problems_per_block` | packing of the batch |
//! | - | `staging` | direct: operands are read where they lie; ahead: each thread copies what it reads to shared memory, some loads ahead; shared: copied by the lanes of a warp, or by the workers of a problem; bulk: by asynchronous bulk copies |
//! | r | `max_blocks` | blocks that share a multiprocessor at most |
//! | g | `group` | lanes of a warp that own one problem, where fewer than all do |
//! | q | `queue` | tiles that a warp takes one after another, the inputs of the next on their way while it works on one |
//! | stream | `is_streamed` | results are written past the caches |
//! | over | `is_overlaid` | staged results take the places of staged inputs |
//! | rows | `is_by_rows` | each lane keeps a row of the matrix that is factored in registers |

mod access;
mod candidates;
mod choose;
mod level;
mod mapping;
mod unroll;

pub use access::{Access, SharedPart};
pub(crate) use access::{BARRIER_BYTES, is_stageable, is_staged_by_warps, staged_bytes};
pub use candidates::candidates;
pub(crate) use candidates::{default_threads, shared_excess};
pub use choose::{Arch, Choice, Reason, choices};
pub use level::{
    Destination, EQUATIONS, EQUATIONS_OF_ROWS, EQUATIONS_THEN_SUMS, EQUATIONS_WITH_SUMS, Level,
    MANY_LAUNCHES, MIN_SUBGROUP, Meeting, ONE_LAUNCH, ONE_LAUNCH_OF_TWO, Shape,
};
pub(crate) use level::{has_one_each, most_subgroups};
pub use mapping::{Form, Mapping, Staging, Tier};
pub use unroll::Unroll;

use crate::kernel::{self, Kernel};
use crate::spec::{Layout, Spec};
use std::fmt;

/// A language and execution model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// CUDA C++ for NVIDIA GPUs.
    Cuda,
    /// WGSL for wgpu adapters and browsers; f32 only.
    Wgsl,
    /// Plain Rust for the CPU.
    Host,
}

impl Target {
    /// Spelling in attributes and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Cuda => "cuda",
            Target::Wgsl => "wgsl",
            Target::Host => "host",
        }
    }

    /// Every target.
    pub const ALL: [Target; 3] = [Target::Cuda, Target::Wgsl, Target::Host];
}

/// Lanes of a warp. WGSL kernels use workgroups of this many cooperating invocations and never assume a
/// subgroup of this size.
pub const WARP: usize = 32;

/// Problems in one tile of the interleaved layout, and problems staged by one warp.
pub const TILE: usize = 32;

/// Compute capability times ten from which asynchronous bulk copies exist.
const BULK_CAPABILITY: u32 = 90;

/// The same for asynchronous copies of single elements.
const AHEAD_CAPABILITY: u32 = 80;

/// Elements that a thread has copied ahead at most, and elements that it waits for at once. 96 in groups of 16 were the
/// best of six rings on an H200, or within 1 % of it, for factors and solves from n = 8 on.
pub(crate) const RING_SLOTS: usize = 96;
pub(crate) const RING_GROUP: usize = 16;

/// Everything the builder needs to know besides the spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Language and execution model.
    pub target: Target,
    /// Layout of every operand.
    pub layout: Layout,
    /// Tier, form, staging and block shape.
    pub mapping: Mapping,
    /// Problems that one block serves.
    pub problems_per_block: usize,
    /// How each operand is addressed, in the order of the spec's operands.
    pub accesses: Vec<Access>,
    /// What the workers of one problem keep in shared memory, warp and block tier.
    pub shared: Vec<SharedPart>,
    /// Bytes of that part of shared memory.
    pub problem_shared_bytes: usize,
    /// Dynamic shared memory of one block (workgroup memory in WGSL), in bytes.
    pub shared_bytes: usize,
    /// Straight-line or rolled text.
    pub unroll: Unroll,
    /// Which level of a long vector it is for; `None` for a batch.
    pub level: Option<Level>,
}

impl Plan {
    /// The one plan of a spec under a layout, target and legal mapping.
    pub fn new(spec: &Spec, layout: Layout, target: Target, mapping: Mapping) -> Plan {
        Plan::planned(spec, layout, target, mapping).0
    }

    /// The plan with its kernel, which is built once even where the plan depends on it.
    pub(crate) fn built(spec: &Spec, layout: Layout, target: Target, mapping: Mapping) -> (Plan, Kernel) {
        let (plan, kernel) = Plan::planned(spec, layout, target, mapping);
        let kernel = kernel.unwrap_or_else(|| kernel::build(spec, &plan));
        (plan, kernel)
    }

    /// The plan, and the kernel where the plan depends on it.
    fn planned(spec: &Spec, layout: Layout, target: Target, mapping: Mapping) -> (Plan, Option<Kernel>) {
        let plan = Plan::sized(spec, layout, target, mapping);
        let (unroll, kernel) = unroll::unroll(spec, &plan);
        let plan = Plan::with_text(spec, layout, target, mapping, unroll);
        if mapping.staging != Staging::Ahead && !mapping.is_overlaid {
            return (plan, kernel);
        }
        let kernel = kernel.unwrap_or_else(|| kernel::build(spec, &plan));
        if mapping.is_overlaid {
            return (plan.overlaid(spec, &kernel), Some(kernel));
        }
        let ring_bytes = kernel.body.ring_slots * spec.dtype.bytes();
        (Plan { shared_bytes: mapping.threads_per_block * ring_bytes, ..plan }, Some(kernel))
    }

    /// The plan with results in the places of inputs, where the text allows it.
    fn overlaid(mut self, spec: &Spec, kernel: &Kernel) -> Plan {
        for (result, input) in kernel::overlays(spec, &self, kernel) {
            self.accesses[result].overlays = Some(input);
        }
        let Plan { mapping, target, problem_shared_bytes, .. } = self;
        self.shared_bytes =
            access::shared_bytes(spec, &mapping, &self.accesses, target, problem_shared_bytes);
        self
    }

    /// The plan with straight-line text, whether that fits or not: to find out takes longer than all the rest.
    fn sized(spec: &Spec, layout: Layout, target: Target, mapping: Mapping) -> Plan {
        Plan::with_text(spec, layout, target, mapping, Unroll::Full)
    }

    fn with_text(spec: &Spec, layout: Layout, target: Target, mapping: Mapping, unroll: Unroll) -> Plan {
        let accesses = access::accesses(spec, layout, target, &mapping, unroll);
        let (shared, problem_shared_bytes) = access::shared_parts(spec, layout, target, &mapping);
        let shared_bytes = access::shared_bytes(spec, &mapping, &accesses, target, problem_shared_bytes);
        let at_once = match mapping.tier {
            Tier::Thread | Tier::Warp => mapping.threads_per_block / mapping.workers(),
            Tier::Block => 1,
        };
        let n_tiles = queue(layout, target, &mapping).unwrap_or(1);
        Plan {
            target,
            layout,
            mapping,
            problems_per_block: at_once * n_tiles,
            accesses,
            shared,
            problem_shared_bytes,
            shared_bytes,
            unroll,
            level: None,
        }
    }

    /// Tiles that a warp takes one after another; `None` where its frame is no loop over them.
    pub(crate) fn queue(&self) -> Option<usize> {
        queue(self.layout, self.target, &self.mapping)
    }

    /// Whether warps stage tiles of interleaved problems, which are whole in the last block too.
    pub(crate) fn stages_tiles(&self) -> bool {
        stages_tiles(self.layout, &self.mapping)
    }

    /// Compute capability (times ten) below which the CUDA text does not compile.
    pub fn min_compute_capability(&self) -> u32 {
        match self.mapping.staging {
            Staging::Bulk => BULK_CAPABILITY,
            Staging::Ahead => AHEAD_CAPABILITY,
            Staging::Direct | Staging::Shared => 70,
        }
    }

    /// Symbol suffix: `thread_serial_interleaved_t128`.
    pub fn suffix(&self) -> String {
        let Mapping { tier, form, staging, threads_per_block, .. } = self.mapping;
        let mut suffix = format!("{}_{form}", tier.as_str());
        if self.target == Target::Host {
            return suffix;
        }
        if let Some(Level { meeting, destination, vector_width }) = self.level {
            let vectors = if vector_width > 1 { format!("_v{vector_width}") } else { String::new() };
            return format!(
                "level_{}{threads_per_block}{vectors}_{}",
                meeting.as_str(),
                destination.as_str()
            );
        }
        suffix += &format!("_{}", self.layout.as_str());
        if staging != Staging::Direct {
            suffix += &format!("_{}", staging.as_str());
        }
        suffix += &format!("_t{threads_per_block}");
        self.mapping.refinements().iter().for_each(|word| suffix += &format!("_{word}"));
        suffix
    }
}

/// Only warps that stage tiles have a queue of them.
fn queue(layout: Layout, target: Target, mapping: &Mapping) -> Option<usize> {
    mapping.queue.filter(|_| target == Target::Cuda && stages_tiles(layout, mapping))
}

fn stages_tiles(layout: Layout, mapping: &Mapping) -> bool {
    (layout, mapping.tier, mapping.staging) == (Layout::Interleaved, Tier::Thread, Staging::Bulk)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mapping { tier, form, staging, threads_per_block, .. } = self.mapping;
        writeln!(f, "target {}, {} tier, {form} form", self.target.as_str(), tier.as_str())?;
        writeln!(f, "layout {}, staging {}, {}", self.layout.as_str(), staging.as_str(), self.unroll)?;
        write!(f, "T = {threads_per_block}, problems per block {}", self.problems_per_block)?;
        if let Some(blocks) = self.mapping.min_blocks {
            write!(f, ", at least {blocks} resident block(s)")?;
        }
        if let Some(blocks) = self.mapping.max_blocks {
            write!(f, ", at most {blocks} resident block(s)")?;
        }
        if self.mapping.is_streamed {
            write!(f, ", results streamed")?;
        }
        writeln!(f, ", {} B of shared memory", self.shared_bytes)?;
        for (operand_idx, access) in self.accesses.iter().enumerate() {
            writeln!(f, "operand {operand_idx}: {access}")?;
        }
        Ok(())
    }
}
