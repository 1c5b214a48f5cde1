//! The plan of a vector operation: which kernels, in how many launches of which geometry, at which cost.
//!
//! A pure function of the task, the operands' extents, the device's limits and the options. It touches no device and
//! chooses no form: it takes the first embedded variant that fits.

use super::task::{OperandKind, VectorCode, VectorTask, VectorVariant};
use crate::kernel::Target;
use crate::reduction::plan::{check_device, check_shape, limit, meeting_depth};
use crate::reduction::task::MAX_CHAIN;
use crate::reduction::{Level, PlanOptions, ReductionKernel, ReductionLimits, grid, unaligned};
use crate::refusal::Refusal;

/// Bytes of an element, an index and a word of the arena.
const WORD_BYTES: u64 = 4;

/// Size of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A vector.
    Vector {
        /// First element, from the start of its memory.
        offset: u64,
        /// Elements.
        len: u64,
    },
    /// A matrix in compressed sparse rows.
    Matrix {
        /// Rows.
        rows: u64,
        /// Columns.
        columns: u64,
        /// Stored values.
        values: u64,
    },
}

/// How a vector operation of one length runs on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorPlan {
    /// Index of the variant among those of the task.
    pub variant_idx: usize,
    /// Elements of the vectors.
    pub n: u32,
    /// Launches in order, on the host passes: one, or with sums the vector equations and then the rest.
    pub launches: Vec<Level>,
    /// Additions on the longest way from an element's term to its sum; 0 without sums.
    pub addition_depth: u32,
    /// Elements of the memory for the groups' sums; 0 where one launch hands them over.
    pub n_partials: u64,
    /// Sums that the groups of one launch hand over to its last one.
    pub n_handed: u64,
}

impl VectorPlan {
    /// The plan for operands of these extents, one for each operand of the task.
    ///
    /// # Errors
    /// Extents that do not fit each other, more than the device binds or counts, a malformed variant, and where no
    /// variant fits the reason that the last one does not. The strategy that `options` ask for matters to operations
    /// with sums only.
    ///
    /// # Panics
    /// Where the extents are not those of the task's operands by number or kind.
    pub fn new(
        task: &VectorTask,
        extents: &[Extent],
        limits: &ReductionLimits,
        options: &PlanOptions,
    ) -> Result<VectorPlan, Refusal> {
        let n = length(task, extents)?;
        check_bindings(task, extents, limits)?;
        let strategy = options.strategy.filter(|_| task.n_sums > 0);
        let available = task.variants.iter().map(|variant| (variant.target(), variant.strategy)).collect();
        let mut refusal = Refusal::NoVariant { target: limits.target, strategy, available };
        for (variant_idx, variant) in task.variants.iter().enumerate() {
            if variant.target() != limits.target
                || strategy.is_some_and(|wanted| wanted != variant.strategy)
                || !orders(task, variant)
                || n > variant.up_to
            {
                continue;
            }
            let least_threads = if task.n_sums > 0 { 2 } else { 1 };
            check_shape(variant.threads, variant.elements_per_thread, least_threads)?;
            let fits = check_device(variant.threads, variant.lanes, &kernels(variant), limits);
            match fits.and_then(|()| launches(task, variant, extents, n, limits)) {
                Ok(launches) => {
                    let n_groups = launches[0].groups;
                    let n_sums = u64::from(task.n_sums) * u64::from(n_groups);
                    let is_handed = matches!(variant.code, VectorCode::OneLaunch(_));
                    return Ok(VectorPlan {
                        variant_idx,
                        n,
                        addition_depth: addition_depth(task, variant, n, n_groups, limits),
                        n_partials: if is_handed { 0 } else { n_sums },
                        n_handed: if is_handed { n_sums } else { 0 },
                        launches,
                    });
                }
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }
}

/// Whether a target runs the launches of a variant: none but CUDA orders memory between the groups of one.
fn orders(task: &VectorTask, variant: &VectorVariant) -> bool {
    let is_folded = task.n_sums > 0 && matches!(variant.code, VectorCode::OneLaunch(_));
    !is_folded || variant.target() == Target::Cuda
}

/// The length that all vectors have; refuses other ones.
fn length(task: &VectorTask, extents: &[Extent]) -> Result<u32, Refusal> {
    assert_eq!(task.operands.len(), extents.len(), "an extent for each operand");
    let mut first: Option<Counted> = None;
    for (operand, extent) in task.operands.iter().zip(extents) {
        let (unit, count) = match (operand.kind, *extent) {
            (OperandKind::Gathered, _) => continue,
            (_, Extent::Vector { len, .. }) => ("elements", len),
            (_, Extent::Matrix { rows, .. }) => ("rows", rows),
        };
        let counted = Counted { operand: operand.name, unit, count };
        counted.must_equal(first.get_or_insert(counted))?;
    }
    for product in task.products {
        let [matrix, vector] = [product.matrix, product.vector];
        let (Extent::Matrix { columns, .. }, Extent::Vector { len, .. }) = (extents[matrix], extents[vector])
        else {
            panic!("a product of something else than a matrix and a vector")
        };
        let elements = Counted { operand: task.operands[vector].name, unit: "elements", count: len };
        let columns = Counted { operand: task.operands[matrix].name, unit: "columns", count: columns };
        elements.must_equal(&columns)?;
    }
    let (n, max) = (first.map_or(1, |first| first.count), u64::from(u32::MAX));
    match n {
        0 => Err(Refusal::Empty),
        n if n > max => Err(Refusal::TooLong { given: n, max }),
        n => Ok(n as u32),
    }
}

/// How many of what an operand has.
#[derive(Clone, Copy)]
struct Counted {
    operand: &'static str,
    unit: &'static str,
    count: u64,
}

impl Counted {
    fn must_equal(&self, other: &Counted) -> Result<(), Refusal> {
        if self.count == other.count {
            return Ok(());
        }
        Err(Refusal::UnequalOperands {
            operand: self.operand,
            unit: self.unit,
            given: self.count,
            other: other.operand,
            other_unit: other.unit,
            expected: other.count,
        })
    }
}

/// Refuses operands that one kernel cannot bind.
fn check_bindings(task: &VectorTask, extents: &[Extent], limits: &ReductionLimits) -> Result<(), Refusal> {
    let mut n_bindings = 1 + u32::from(task.n_sums > 0);
    for extent in extents {
        let longest = match *extent {
            Extent::Vector { offset, len } => {
                n_bindings += 1;
                unaligned(offset, limits.alignment) + len
            }
            Extent::Matrix { rows, values, .. } => {
                n_bindings += 3;
                values.max(rows + 1)
            }
        };
        limit("bytes of one binding", longest * WORD_BYTES, limits.binding_bytes)?;
    }
    limit("bindings of one kernel", n_bindings, limits.bindings)
}

/// All kernels of a variant.
fn kernels(variant: &VectorVariant) -> Vec<&ReductionKernel> {
    match &variant.code {
        VectorCode::OneLaunch(kernel) => vec![kernel],
        VectorCode::TwoLaunches { chunk, finish } => vec![chunk, finish],
        VectorCode::Host { .. } => Vec::new(),
    }
}

fn launches(
    task: &VectorTask,
    variant: &VectorVariant,
    extents: &[Extent],
    n: u32,
    limits: &ReductionLimits,
) -> Result<Vec<Level>, Refusal> {
    let group_elements = u64::from(variant.threads) * u64::from(variant.elements_per_thread);
    let groups = u64::from(n).div_ceil(group_elements) as u32;
    let grid = grid(groups, limits.groups_per_dimension)?;
    let n_partials = u64::from(task.n_sums) * u64::from(groups);
    if n_partials > 0 {
        // One group adds them all.
        let (given, max) = (u64::from(groups), u64::from(variant.threads) * u64::from(MAX_CHAIN));
        if given > max {
            return Err(Refusal::TooManyPartials { given, max });
        }
        limit("bytes of one binding", n_partials * WORD_BYTES, limits.binding_bytes)?;
    }
    let [n_read, n_written] = traffic(task, extents);
    let n_results = task.scalars.iter().filter(|scalar| scalar.is_written).count() as u64;
    let launch = |n, groups, grid: [u32; 3], [n_read, n_written]: [u64; 2], barriers| Level {
        n,
        groups,
        grid,
        invocations: grid.iter().map(|extent| u64::from(*extent)).product::<u64>()
            * u64::from(variant.threads),
        bytes_read: n_read * WORD_BYTES,
        bytes_written: n_written * WORD_BYTES,
        barriers,
    };
    let with_sums = [n_read, n_written + n_partials];
    let finish = |barriers| launch(groups, 1, [1, 1, 1], [n_partials, n_results], barriers);
    Ok(match &variant.code {
        VectorCode::OneLaunch(kernel) => {
            // Two words a sum, and zeros in their places.
            let n_handed = 2 * n_partials;
            let words = [n_read + n_handed, n_written + 2 * n_handed + n_results];
            vec![launch(n, groups, grid, words, kernel.barriers)]
        }
        VectorCode::TwoLaunches { chunk, finish: second } => {
            vec![launch(n, groups, grid, with_sums, chunk.barriers), finish(second.barriers)]
        }
        VectorCode::Host { .. } if n_partials > 0 => {
            vec![launch(n, groups, grid, with_sums, 0), finish(0)]
        }
        VectorCode::Host { .. } => vec![launch(n, groups, grid, [n_read, n_written + n_results], 0)],
    })
}

/// Words read from operands and scalars, and words written to operands; each one once.
fn traffic(task: &VectorTask, extents: &[Extent]) -> [u64; 2] {
    let (mut n_read, mut n_written) = (task.scalars.len() as u64, 0);
    for (operand, extent) in task.operands.iter().zip(extents) {
        match *extent {
            Extent::Matrix { rows, values, .. } => n_read += rows + 1 + 2 * values,
            Extent::Vector { len, .. } => {
                n_read += if operand.kind == OperandKind::Write { 0 } else { len };
                n_written += if operand.kind.is_written() { len } else { 0 };
            }
        }
    }
    [n_read, n_written]
}

/// Additions on the longest way through a group, and through the one that adds the groups' sums.
fn addition_depth(
    task: &VectorTask,
    variant: &VectorVariant,
    n: u32,
    n_groups: u32,
    limits: &ReductionLimits,
) -> u32 {
    if task.n_sums == 0 {
        return 0;
    }
    let meet = meeting_depth(variant.strategy, variant.threads, limits);
    let chain = |n: u32, width: u32| n.div_ceil(variant.threads * width) - 1;
    let width = variant.vector_width;
    let first = chain(n, width).min(variant.elements_per_thread / width - 1) + width.ilog2();
    first + meet + chain(n_groups, 1) + meet
}

#[cfg(test)]
mod tests;
