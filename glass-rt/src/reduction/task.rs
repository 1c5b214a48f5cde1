//! Static descriptions of reductions: what an expansion embeds, and the contract its kernels keep.
//!
//! A reduction applies a map to every element of one or two vectors and reduces the results to one or two scalars. It runs in
//! levels: the first reads the vectors, each later one the partial sums of the level before, until one group is
//! left. With `T` threads and `E` elements per thread, group `g` of a level sums the elements from `g * T * E` on:
//! thread `t` takes `base + t`, `base + t + T`, ... in ascending order from +0 (`acc + x`, `fma(x, x, acc)`,
//! `fma(x, y, acc)`), then the threads meet in the tree of the [`Strategy`]. With vectors of `V` elements, a thread has
//! `V` accumulators: accumulator `v` takes `base + V t + v`, `base + V (t + T) + v`, ..., and they meet by offsets
//! `V/2 .. 1` first.
//!
//! # States
//!
//! Where an integer is summed, or an [`Operator`] gives extremes, groups leave states instead of sums: words that merge in any
//! order with the same outcome. The words of one state follow each other: for a sum the sum modulo 2^32; for extremes the
//! key of each. Keys are in the order of the numbers: `x` of a `u32`, `x ^ 2^31` of an `i32`, of a float `!x` where its
//! sign is set, else `x | 2^31`. A NaN that is to be the result has the key 0 as the least and `2^32 - 1` as the greatest,
//! which are the bits of NaNs again. Where only finite floats are values, `2^23` is subtracted from the key of the least and
//! added to that of the greatest, modulo 2^32: then the keys of all that is not finite lie beyond, from `2^32 - 2^24` on and
//! below `2^24`. What a state of nothing holds, `2^32 - 1` or 0, is the key of no value either; so whether there was one is
//! read off the least word, or off two that are in the wrong order. Only the minimum or maximum of integers that a mask
//! selects needs a word of its own for that, before its key: 1 where there was no value, else 0.
//!
//! # Kernel interface, CUDA and WGSL
//!
//! Storage bindings (CUDA: pointers), in this order, all in group 0:
//!
//! | binding | access | when |
//! |---|---|---|
//! | `x` | read | always: the vector, or the partial sums of the level before |
//! | `y` | read | [`Map::Multiply`] and [`Map::Select`], first level: the second vector, the mask |
//! | `partials` | written | [`ReductionCode::Levels`]: the kernel writes partial sums, or states |
//! | `handed` | read, written | [`ReductionCode::OneLaunch`]: 64 bits for each word of a group, zeros between launches |
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
//! | `slot` | word of the (first) result in the arena |
//! | `gate` | word in the arena; 0 there means that nothing is written. [`NO_GATE`]: always on |
//! | `accumulate` | 1: the old results are one more element, unless the old status says that there is none; 0: they are not |
//! | further slots | words of the other results, in the order of [`Operator::results`] |
//!
//! The grid is three-dimensional. A kernel linearises its group index and compares it with `n_groups` before it
//! multiplies.
//!
//! Compiled for sm_90 or later, a CUDA kernel waits by `griddepcontrol.wait` before it touches memory: it is launched while
//! the kernels before it may still run.

use std::fmt;

use crate::error::Error;
use crate::kernel::{Code, Target};
use crate::reduction::plan::{PlanOptions, ReductionLimits, ReductionPlan};
use crate::word::Format;

/// The gate argument of a launch without a gate.
pub const NO_GATE: u32 = u32::MAX;

/// Most elements that one thread adds to one accumulator, and so the largest `elements_per_thread`.
pub const MAX_CHAIN: u32 = 64;

/// What the first level does with its elements; every later level takes them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Map {
    /// `x`.
    Identity,
    /// `x * x`.
    Square,
    /// `x * y`.
    Multiply,
    /// `x` where the word of a mask is not 0; elsewhere there is no element.
    Select,
}

impl Map {
    /// Vectors it reads.
    pub const fn n_inputs(self) -> usize {
        match self {
            Map::Identity | Map::Square => 1,
            Map::Multiply | Map::Select => 2,
        }
    }

    /// Names of the vectors it reads, with the format of each for a reduction of `format`.
    pub(crate) const fn inputs(self, format: Format) -> &'static [(&'static str, Format)] {
        const fn of(format: Format) -> &'static [(&'static str, Format); 2] {
            match format {
                Format::F32 => &[("x", Format::F32), ("mask", Format::U32)],
                Format::U32 => &[("x", Format::U32), ("mask", Format::U32)],
                Format::I32 => &[("x", Format::I32), ("mask", Format::U32)],
            }
        }
        match self {
            Map::Identity | Map::Square => of(format).split_at(1).0,
            Map::Multiply => &[("x", Format::F32), ("y", Format::F32)],
            Map::Select => of(format),
        }
    }
}

/// Name of the result that says whether there was a value.
pub(crate) const STATUS: &str = "status";

/// What the elements become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Their sum; of integers modulo 2^32.
    Sum,
    /// The smallest of them, and a status.
    Min,
    /// The largest of them, and a status.
    Max,
    /// Both, and a status.
    Extent,
}

impl Operator {
    /// Names of the results, with the format of each for elements of `format`. Bit 0 of a status is set where there was no
    /// value, and the other results are 0 then.
    pub fn results(self, format: Format) -> Vec<(&'static str, Format)> {
        let status = (STATUS, Format::U32);
        match self {
            Operator::Sum => vec![("sum", format)],
            Operator::Min => vec![("min", format), status],
            Operator::Max => vec![("max", format), status],
            Operator::Extent => vec![("min", format), ("max", format), status],
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
    /// What the elements are; a mask is of words.
    pub format: Format,
    /// What they become.
    pub operator: Operator,
    /// Words that a group leaves to the next level: a sum, or a state.
    pub n_words: u32,
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
        /// What becomes of the sum or the state of everything.
        finish: FinishEntry,
    },
}

/// The host form of one level, on words: `sums` takes the sum, or the words of the state, of each group in turn.
///
/// `x` holds the elements of these groups and nothing else, as many words each as the level before leaves; only the last
/// group may be short. `y` is given, in the length of `x`, to the first level of [`Map::Multiply`] and [`Map::Select`]. A
/// level may be evaluated in several calls, each on a run of whole groups.
pub type LevelEntry = fn(x: &[u32], y: Option<&[u32]>, sums: &mut [u32]);

/// The results from the sum or the state of everything, and from the old results where these take part.
pub type FinishEntry = fn(state: &[u32], old: Option<&[u32]>, results: &mut [u32]);

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
