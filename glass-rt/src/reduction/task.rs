//! Static descriptions of reductions: what an expansion embeds, and the contract its kernels keep.
//!
//! A reduction applies a map to every element of one or two vectors and sums the results to one scalar. It runs in
//! levels: the first reads the vectors, each later one the partial sums of the level before, until one group is
//! left. With `T` threads and `E` elements per thread, group `g` of a level sums the elements from `g * T * E` on:
//! thread `t` takes `base + t`, `base + t + T`, ... in ascending order from +0 (`acc + x`, `fma(x, x, acc)`,
//! `fma(x, y, acc)`), then the threads meet in the tree of the [`Strategy`]. With vectors of `V` elements, a thread has
//! `V` accumulators: accumulator `v` takes `base + V t + v`, `base + V (t + T) + v`, ..., and they meet by offsets
//! `V/2 .. 1` first.
//!
//! # Kernel interface, CUDA and WGSL
//!
//! Storage bindings (CUDA: pointers), in this order, all in group 0:
//!
//! | binding | access | when |
//! |---|---|---|
//! | `x` | read | always: the vector, or the partial sums of the level before |
//! | `y` | read | [`Map::Multiply`], first level |
//! | `partials` | written | [`ReductionCode::Levels`]: the kernel writes partial sums |
//! | `handed` | read, written | [`ReductionCode::OneLaunch`]: 64 bits a group, zeros between launches |
//! | `arena` | read, written | always: words; the gate, and the result by its bits |
//!
//! Arguments, each 32 bits, in this order: CUDA parameters after the pointers, WGSL a block padded with zeros to a
//! multiple of 16 bytes, as immediates (native) or a uniform buffer bound last (web):
//!
//! | argument | meaning |
//! |---|---|
//! | `n` | elements of this level, at least 1 |
//! | `n_groups` | groups of this level, `ceil(n / (T * E))` |
//! | `x_start`, `y_start` | first element, from the start of the binding |
//! | `slot` | word of the result in the arena |
//! | `gate` | word in the arena; 0 there means that nothing is written. [`NO_GATE`]: always on |
//! | `accumulate` | 1: the result is the old value + the sum; 0: the sum |
//!
//! The grid is three-dimensional. A kernel linearises its group index and compares it with `n_groups` before it
//! multiplies.

use std::fmt;

use crate::error::Error;
use crate::kernel::{Code, Target};
use crate::reduction::plan::{PlanOptions, ReductionLimits, ReductionPlan};

/// The gate argument of a launch without a gate.
pub const NO_GATE: u32 = u32::MAX;

/// Most elements that one thread adds to one accumulator, and so the largest `elements_per_thread`.
pub const MAX_CHAIN: u32 = 64;

/// What the first level does with its elements; every later level adds them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Map {
    /// `x`.
    Identity,
    /// `x * x`.
    Square,
    /// `x * y`.
    Multiply,
}

impl Map {
    /// Vectors it reads.
    pub const fn n_inputs(self) -> usize {
        match self {
            Map::Identity | Map::Square => 1,
            Map::Multiply => 2,
        }
    }
}

/// How the threads of a group meet, and what a level's partial sums become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// By halving offsets `T/2 .. 1` in memory that the group shares; one launch per level.
    Tree,
    /// A collective sum per subgroup, then a tree over the totals; one launch per level.
    Subgroup,
    /// One launch: the group of the highest index waits for the partial sums of all and adds them in index order,
    /// thread `t` taking `t`, `t + T`, ... from +0, and its threads meet as those of the other groups did.
    LastBlock,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Tree => "tree",
            Strategy::Subgroup => "subgroup",
            Strategy::LastBlock => "last block",
        })
    }
}

/// A reduction with all its embedded variants.
#[derive(Clone, Copy, Debug)]
pub struct ReductionTask {
    /// Name used in messages.
    pub symbol: &'static str,
    /// What the first level does.
    pub map: Map,
    /// For [`Map::Multiply`]: the reduction that serves two equal inputs, which are then bound once.
    pub square: Option<&'static ReductionTask>,
    /// The embedded kernels. The first one that the length and the device allow is taken.
    pub variants: &'static [ReductionVariant],
}

/// The kernels of one strategy for one target.
#[derive(Clone, Copy, Debug)]
pub struct ReductionVariant {
    /// How the threads of a group meet.
    pub strategy: Strategy,
    /// Threads of a group, `T`: a power of two, at least 2.
    pub threads: u32,
    /// Elements each thread adds, `E`: 1 to [`MAX_CHAIN`].
    pub elements_per_thread: u32,
    /// Elements each thread loads at once, `V`: a power of two that divides `E`.
    pub vector_width: u32,
    /// The longest vector that it is taken for.
    pub up_to: u32,
    /// Smallest subgroup the text works with; 1 where it uses none.
    pub lanes: u32,
    /// The kernels.
    pub code: ReductionCode,
}

impl ReductionVariant {
    /// The target of its kernels.
    pub const fn target(&self) -> Target {
        match &self.code {
            ReductionCode::Levels { chunk, .. } => chunk.code.target(),
            ReductionCode::OneLaunch(kernel) => kernel.code.target(),
            ReductionCode::Host { .. } => Target::Host,
        }
    }
}

/// The kernels of a variant, by role.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "a description lies in a static and is read where it lies")]
pub enum ReductionCode {
    /// One launch per level.
    Levels {
        /// First of several levels: the map; partial sums out.
        chunk: ReductionKernel,
        /// First and only level: the map; the result out.
        chunk_to_scalar: ReductionKernel,
        /// Later level but the last: partial sums in and out.
        fold: ReductionKernel,
        /// Last of several levels: partial sums in, the result out.
        fold_to_scalar: ReductionKernel,
    },
    /// One launch for everything: [`Strategy::LastBlock`], CUDA.
    OneLaunch(ReductionKernel),
    /// The host form, which evaluates the tree of its strategy.
    Host {
        /// First level.
        chunk: LevelEntry,
        /// Later levels. With [`Strategy::LastBlock`] there is one, whose only group adds all partial sums.
        fold: LevelEntry,
    },
}

/// The host form of one level: `sums[g]` becomes the sum of group `g`.
///
/// `x` holds the elements of the groups 0 to `sums.len() - 1` and nothing else; only the last group may be short.
/// `y` is given, in the length of `x`, to the first level of [`Map::Multiply`]. A level may be evaluated in several
/// calls, each on a run of whole groups.
pub type LevelEntry = fn(x: &[f32], y: Option<&[f32]>, sums: &mut [f32]);

/// One kernel text.
#[derive(Clone, Copy, Debug)]
pub struct ReductionKernel {
    /// Entry point; unique over all kernels of a program.
    pub symbol: &'static str,
    /// Content hash of the source.
    pub hash: &'static str,
    /// [`Code::Cuda`] or [`Code::Wgsl`].
    pub code: Code,
    /// Barriers a group passes, as counted in the text.
    pub barriers: u32,
}

/// A type that stands for a reduction; implemented by the attribute's expansion.
pub trait Reduction {
    /// The reduction.
    const TASK: &'static ReductionTask;

    /// The plan for inputs of `len` elements that begin where bindings may begin.
    ///
    /// # Errors
    /// Those of [`ReductionPlan::new`], under the name of the task.
    fn plan(len: u64, limits: &ReductionLimits, options: &PlanOptions) -> Result<ReductionPlan, Error> {
        ReductionPlan::new(Self::TASK, len, &[0], limits, options)
            .map_err(|reason| Error::Refused { operation: Self::TASK.symbol.into(), reason })
    }
}
