//! The plan of a reduction: which kernels, in how many launches of which geometry, at which cost.
//!
//! A plan is a pure function of the task, the inputs' lengths and offsets, the device's limits and the options. It
//! touches no device and chooses no form: it takes the first embedded variant that fits.

use super::geometry::{grid, levels, parts};
use super::task::{MAX_CHAIN, ReductionCode, ReductionKernel, ReductionTask, ReductionVariant, Strategy};
use crate::graph::{Life, Placement};
use crate::kernel::{Code, Target};
use crate::refusal::Refusal;

/// Bytes of one element and of one word of the arena.
const WORD_BYTES: u64 = 4;

/// Bytes of a sum that the groups of one launch hand over, with the mark that it is there.
pub(crate) const HANDED_BYTES: u64 = 8;

/// What a device offers to a reduction; [`crate::Device::reduction_limits`] asks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionLimits {
    /// Kind of the device.
    pub target: Target,
    /// Compute capability of a CUDA device, 90 = sm_90.
    pub arch: Option<u32>,
    /// Most groups of a grid in each of its three dimensions.
    pub groups_per_dimension: u32,
    /// Most threads of a group.
    pub threads: u32,
    /// Most memory that a group shares, in bytes.
    pub group_bytes: u32,
    /// Most bytes of one binding.
    pub binding_bytes: u64,
    /// Bindings begin at multiples of so many bytes.
    pub alignment: u32,
    /// Most memories that a kernel binds.
    pub bindings: u32,
    /// Smallest and largest subgroup; 1 and 1 where kernels may use none.
    pub subgroup_sizes: (u32, u32),
}

impl ReductionLimits {
    /// Refuses what goes beyond the limits of a device.
    pub(crate) fn check_within(&self, device: &ReductionLimits) -> Result<(), Refusal> {
        limit("groups per dimension", self.groups_per_dimension, device.groups_per_dimension)?;
        limit("threads per group", self.threads, device.threads)?;
        limit("bytes that a group shares", self.group_bytes, device.group_bytes)?;
        limit("bytes of one binding", self.binding_bytes, device.binding_bytes)?;
        limit("bindings of one kernel", self.bindings, device.bindings)?;
        let (given, multiple_of) = (self.alignment, device.alignment);
        match given > 0 && given.is_multiple_of(multiple_of) {
            true => Ok(()),
            false => Err(Refusal::Alignment { given, multiple_of }),
        }
    }
}

/// What a caller asks of a plan beyond the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// The strategy to take; `None` takes that of the first variant that fits.
    pub strategy: Option<Strategy>,
}

/// One launch. On the host: one pass over the level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Elements it reads of each input.
    pub n: u32,
    /// Groups, each of which sums its share.
    pub groups: u32,
    /// The grid of this level; groups past the end do nothing.
    pub grid: [u32; 3],
    /// Threads started.
    pub invocations: u64,
    /// Bytes read from inputs and partial sums.
    pub bytes_read: u64,
    /// Bytes written to partial sums and the result.
    pub bytes_written: u64,
    /// Barriers a group passes.
    pub barriers: u32,
}

/// A part of the inputs that fits the bindings of one launch. The first one stores its sum, later ones add theirs,
/// in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First element, from the start of the views.
    pub start: u64,
    /// Elements.
    pub len: u32,
    /// Launches in order.
    pub levels: Vec<Level>,
}

/// How a reduction of one length runs on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionPlan {
    /// Index of the variant among those of the task.
    pub variant_idx: usize,
    /// How the threads of a group meet.
    pub strategy: Strategy,
    /// Threads of a group.
    pub threads: u32,
    /// Elements each thread adds.
    pub elements_per_thread: u32,
    /// Smallest and largest subgroup of the device; 1 and 1 where kernels may use none.
    pub subgroup_sizes: (u32, u32),
    /// Parts of the inputs.
    pub spans: Vec<Span>,
    /// Additions on the longest way from an element to the result, without the rounding of the map.
    pub addition_depth: u32,
    /// Bytes of all partial sums, in a single launch with the marks that they are there.
    pub transient_bytes: u64,
    /// Bytes of the memory they need when those that do not live at the same time share it.
    pub transient_bytes_placed: u64,
    /// Bytes of the arena it writes.
    pub arena_bytes: u64,
}

impl ReductionPlan {
    /// The plan for `len` elements of inputs that begin at the elements `offsets` of their vectors.
    ///
    /// # Errors
    /// A length that is no reduction's or more than a device holds, a malformed variant, and where no variant fits
    /// the reason that the last one does not.
    pub fn new(
        task: &ReductionTask,
        len: u64,
        offsets: &[u64],
        limits: &ReductionLimits,
        options: &PlanOptions,
    ) -> Result<ReductionPlan, Refusal> {
        let max = u64::from(u32::MAX);
        if len == 0 {
            return Err(Refusal::Empty);
        }
        if len > max {
            return Err(Refusal::TooLong { given: len, max });
        }
        let spans = parts(len as u32, offsets, limits.binding_bytes, limits.alignment)?;
        let available = task.variants.iter().map(|variant| (variant.target(), variant.strategy)).collect();
        let mut refusal = Refusal::NoVariant { target: limits.target, strategy: options.strategy, available };
        for (variant_idx, variant) in task.variants.iter().enumerate() {
            if !serves(variant, limits.target, options) || len > u64::from(variant.up_to) {
                continue;
            }
            check_shape(variant.threads, variant.elements_per_thread, 2)?;
            let fits = check_device(variant.threads, variant.lanes, &kernels(variant), limits);
            let planned = fits.and_then(|()| {
                let spans = spans.iter().map(|part| {
                    let levels = span_levels(task, variant, part.len, limits)?;
                    Ok(Span { start: part.start, len: part.len, levels })
                });
                spans.collect::<Result<Vec<Span>, Refusal>>()
            });
            match planned {
                Ok(spans) => return Ok(Self::costed(task, variant_idx, spans, limits)),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }

    fn costed(
        task: &ReductionTask,
        variant_idx: usize,
        spans: Vec<Span>,
        limits: &ReductionLimits,
    ) -> ReductionPlan {
        let variant = &task.variants[variant_idx];
        let n_words = task.n_words;
        let of_span = |span: &Span| span.levels.iter().map(|level| level_depth(variant, level, limits)).sum();
        let deepest: u32 = spans.iter().map(of_span).max().unwrap_or(0);
        let mut lives = Vec::new();
        let mut n_steps = 0;
        for span in &spans {
            lives.extend(partials(n_words, &span.levels, n_steps));
            n_steps += span.levels.len();
        }
        let bytes =
            |lens: &mut dyn Iterator<Item = usize>| -> u64 { lens.map(|len| len as u64 * WORD_BYTES).sum() };
        let handed =
            || spans.iter().map(|span| n_handed(variant, n_words, span.levels[0].groups) * HANDED_BYTES);
        ReductionPlan {
            variant_idx,
            strategy: variant.strategy,
            threads: variant.threads,
            elements_per_thread: variant.elements_per_thread,
            subgroup_sizes: limits.subgroup_sizes,
            addition_depth: deepest + spans.len() as u32 - 1,
            transient_bytes: bytes(&mut lives.iter().map(|life| life.len)) + handed().sum::<u64>(),
            transient_bytes_placed: bytes(&mut Placement::of(&lives).memories.into_iter())
                + handed().max().unwrap_or(0),
            arena_bytes: task.operator.results(task.format).len() as u64 * WORD_BYTES,
            spans,
        }
    }
}

/// The partial sums, or states of so many words, that the launches of a span leave to later ones, from step `first` on, in the
/// order of the levels that write them.
pub(crate) fn partials(n_words: u32, levels: &[Level], first: usize) -> Vec<Life> {
    let life = |(idx, level): (usize, &Level)| {
        let (len, written) = (level.groups as usize * n_words as usize, first + idx);
        Life { len, first: written, last: written + 1 }
    };
    levels.iter().enumerate().take(levels.len() - 1).map(life).collect()
}

/// The words that the groups of a launch hand over to its last one, so many each.
pub(crate) fn n_handed(variant: &ReductionVariant, n_words: u32, groups: u32) -> u64 {
    match variant.code {
        ReductionCode::OneLaunch(_) => u64::from(groups) * u64::from(n_words),
        ReductionCode::Levels { .. } | ReductionCode::Host { .. } => 0,
    }
}

/// Whether a variant is one for the target and the options.
fn serves(variant: &ReductionVariant, target: Target, options: &PlanOptions) -> bool {
    // No other target orders memory between the groups of a launch.
    let orders = target == Target::Cuda || !matches!(variant.code, ReductionCode::OneLaunch(_));
    let wanted = options.strategy.is_none_or(|strategy| strategy == variant.strategy);
    variant.target() == target && orders && wanted
}

/// Refuses what no device could run.
pub(crate) fn check_shape(threads: u32, elements_per_thread: u32, least_threads: u32) -> Result<(), Refusal> {
    if threads < least_threads || !threads.is_power_of_two() {
        return Err(Refusal::Threads { given: threads, least: least_threads });
    }
    let given = elements_per_thread;
    if !(1..=MAX_CHAIN).contains(&given) {
        return Err(Refusal::ElementsPerThread { given, max: MAX_CHAIN });
    }
    Ok(())
}

/// Refuses kernels that this device cannot run, with groups of so many threads and subgroups of at least `lanes`.
pub(crate) fn check_device(
    threads: u32,
    lanes: u32,
    kernels: &[&ReductionKernel],
    limits: &ReductionLimits,
) -> Result<(), Refusal> {
    limit("threads per group", threads, limits.threads)?;
    let (required, (available, _)) = (lanes, limits.subgroup_sizes);
    if required > available {
        return Err(Refusal::Subgroups { required, available });
    }
    for kernel in kernels {
        match kernel.code {
            Code::Cuda { min_compute_capability: required, .. } => {
                let given = limits.arch.unwrap_or(0);
                if given < required {
                    return Err(Refusal::ComputeCapability { required, given });
                }
            }
            Code::Wgsl { workgroup_bytes, .. } => {
                limit("bytes of workgroup memory", workgroup_bytes, limits.group_bytes)?;
            }
            Code::HostF32(_) | Code::HostF64(_) => {}
        }
    }
    Ok(())
}

/// Refuses more of something than there is.
pub(crate) fn limit(
    what: &'static str,
    required: impl Into<u64>,
    available: impl Into<u64>,
) -> Result<(), Refusal> {
    let (required, available) = (required.into(), available.into());
    if required <= available { Ok(()) } else { Err(Refusal::Limit { what, required, available }) }
}

/// All kernels of a variant.
fn kernels(variant: &ReductionVariant) -> Vec<&ReductionKernel> {
    match &variant.code {
        ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar } => {
            vec![chunk, chunk_to_scalar, fold, fold_to_scalar]
        }
        ReductionCode::OneLaunch(kernel) => vec![kernel],
        ReductionCode::Host { .. } => Vec::new(),
    }
}

/// The launches for `n` elements.
fn span_levels(
    task: &ReductionTask,
    variant: &ReductionVariant,
    n: u32,
    limits: &ReductionLimits,
) -> Result<Vec<Level>, Refusal> {
    let n_words = u64::from(task.n_words);
    let n_results = task.operator.results(task.format).len() as u64;
    let group_elements = u64::from(variant.threads) * u64::from(variant.elements_per_thread);
    let mut group_counts = levels(n, group_elements);
    if variant.strategy == Strategy::LastBlock {
        // The last group adds all partial sums.
        let (given, max) = (u64::from(group_counts[0]), u64::from(variant.threads) * u64::from(MAX_CHAIN));
        if given > max {
            return Err(Refusal::TooManyPartials { given, max });
        }
        let n_levels = if matches!(variant.code, ReductionCode::OneLaunch(_)) { 1 } else { 2 };
        group_counts.truncate(n_levels);
        if let Some(last) = group_counts.get_mut(1) {
            *last = 1;
        }
    }
    let mut n = n;
    let mut launches = Vec::with_capacity(group_counts.len());
    for (idx, &groups) in group_counts.iter().enumerate() {
        let grid = grid(groups, limits.groups_per_dimension)?;
        let n_groups: u64 = grid.iter().map(|extent| u64::from(*extent)).product();
        let words_of_each = if idx == 0 { task.map.n_inputs() as u64 } else { n_words };
        // A single launch hands its partial sums over, puts zeros in their places and writes the results after them.
        let handed = n_handed(variant, task.n_words, groups) * HANDED_BYTES;
        let is_last = idx + 1 == group_counts.len();
        let written = if is_last { n_results } else { u64::from(groups) * n_words };
        launches.push(Level {
            n,
            groups,
            grid,
            invocations: n_groups * u64::from(variant.threads),
            bytes_read: u64::from(n) * words_of_each * WORD_BYTES + handed,
            bytes_written: 2 * handed + written * WORD_BYTES,
            barriers: kernel(variant, idx, group_counts.len()).map_or(0, |kernel| kernel.barriers),
        });
        n = groups;
    }
    Ok(launches)
}

/// The kernel of level `idx` of `n_levels`; `None` on the host.
pub(crate) fn kernel(variant: &ReductionVariant, idx: usize, n_levels: usize) -> Option<&ReductionKernel> {
    match &variant.code {
        ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar } => {
            Some(match (idx == 0, idx + 1 == n_levels) {
                (true, false) => chunk,
                (true, true) => chunk_to_scalar,
                (false, false) => fold,
                (false, true) => fold_to_scalar,
            })
        }
        ReductionCode::OneLaunch(kernel) => Some(kernel),
        ReductionCode::Host { .. } => None,
    }
}

/// Additions on the longest way through one level.
fn level_depth(variant: &ReductionVariant, level: &Level, limits: &ReductionLimits) -> u32 {
    let meet = meeting_depth(variant.strategy, variant.threads, limits);
    // A single group adds whatever there is.
    let only = |n: u32, width: u32| n.div_ceil(variant.threads * width) - 1 + width.ilog2() + meet;
    let whole = variant.threads * variant.elements_per_thread;
    let first = only(level.n.min(whole), variant.vector_width);
    match variant.code {
        ReductionCode::OneLaunch(_) => first + if level.groups > 1 { only(level.groups, 1) } else { 0 },
        ReductionCode::Levels { .. } | ReductionCode::Host { .. } => first,
    }
}

/// Additions on the longest way through the meeting of a group's threads.
pub(crate) fn meeting_depth(strategy: Strategy, threads: u32, limits: &ReductionLimits) -> u32 {
    let (smallest, largest) = limits.subgroup_sizes;
    match (strategy, limits.target) {
        // WGSL does not say in which order a subgroup adds.
        (Strategy::Subgroup, Target::Wgpu) => {
            let n_totals = threads.div_ceil(smallest);
            largest.min(threads) - 1 + n_totals.next_power_of_two().ilog2()
        }
        _ => threads.ilog2(),
    }
}

#[cfg(test)]
mod tests;
