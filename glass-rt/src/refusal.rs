//! Why a graph, an arena or a plan does not take an operation.

use crate::kernel::Target;
use crate::reduction::{Map, Strategy};
use crate::word::Format;

/// The reason of [`crate::Error::Refused`]: what was given and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An operation or a slot without a name.
    #[error("an empty name given\n  allowed: a name that tells it from the others")]
    EmptyName,

    /// Two operations of a graph, or two slots of an arena, of one name.
    #[error("a name that is taken already\n  allowed: each name once")]
    NameTaken,

    /// More slots than an arena holds.
    #[error("slot {given} of one arena\n  allowed: at most {max}")]
    TooManySlots {
        /// Slots asked for.
        given: usize,
        /// Most slots.
        max: usize,
    },

    /// A view that leaves its vector.
    #[error("elements {offset}..{} of a vector of {vector_len}\n  allowed: elements inside it", offset.saturating_add(*.len))]
    OutsideVector {
        /// First element.
        offset: usize,
        /// Elements of the view.
        len: usize,
        /// Elements of the vector.
        vector_len: usize,
    },

    /// A handle of another graph.
    #[error("an input of another graph given\n  allowed: views imported into this graph")]
    ForeignGraph,

    /// A slot of another arena.
    #[error("a scalar of another arena given\n  allowed: slots of the arena of this graph")]
    ForeignArena,

    /// A vector, a matrix or an arena of another device.
    #[error("memory on {given} given\n  allowed: {expected}, the device of the graph")]
    ForeignDevice {
        /// The memory's device.
        given: String,
        /// The graph's device.
        expected: String,
    },

    /// An operation with two gates.
    #[error("a second gate given\n  allowed: one gate per operation")]
    SecondGate,

    /// A gate that the operation itself writes, although it looks at it again afterwards.
    #[error(
        "a gate that is a result of the operation given\n  allowed: another slot, as each of its parts looks at the gate"
    )]
    GateIsResult,

    /// An alignment that bindings of the device do not have.
    #[error(
        "an alignment of {given} bytes given\n  allowed: multiples of {multiple_of}, at which bindings of this device begin"
    )]
    Alignment {
        /// The alignment.
        given: u32,
        /// That of the device.
        multiple_of: u32,
    },

    /// An operation without a result to which it could add.
    #[error("no sum to add to the old value\n  allowed: reductions")]
    NoSum,

    /// Too few or too many inputs.
    #[error("{given} input(s) given\n  allowed: {}, as the map is {map:?}", .map.n_inputs())]
    InputCount {
        /// Inputs given.
        given: usize,
        /// The map of the reduction.
        map: Map,
    },

    /// An input of another format.
    #[error("a vector of {given} given as `{input}`\n  allowed: {expected}")]
    InputFormat {
        /// The input.
        input: &'static str,
        /// Format of the vector.
        given: Format,
        /// Format of the input.
        expected: Format,
    },

    /// A mask that is a part of what it selects from.
    #[error("a mask that shares elements with `x` given\n  allowed: a mask with elements of its own")]
    MaskOverlap,

    /// A mask in other pieces than what it selects from.
    #[error("a mask in other pieces than `x` given\n  allowed: pieces of the same lengths in the same order")]
    MaskPieces,

    /// Too few or too many slots for results.
    #[error("{given} slot(s) for results given\n  allowed: {}, one each for {}", .names.len(), .names.join(", "))]
    ResultCount {
        /// Slots given.
        given: usize,
        /// Names of the results.
        names: Vec<&'static str>,
    },

    /// A slot of another format.
    #[error("a slot of {given} given for `{result}`\n  allowed: {expected}")]
    ResultFormat {
        /// The result.
        result: &'static str,
        /// Format of the slot.
        given: Format,
        /// Format of the result.
        expected: Format,
    },

    /// Inputs of unequal length.
    #[error("{given} elements in the second input\n  allowed: {expected}, the length of the first")]
    UnequalLengths {
        /// Elements of the second input.
        given: u64,
        /// Elements of the first input.
        expected: u64,
    },

    /// Operands of a vector operation whose sizes do not fit.
    #[error("{given} {unit} in `{operand}`\n  allowed: {expected}, the number of {other_unit} in `{other}`")]
    UnequalOperands {
        /// The operand.
        operand: &'static str,
        /// What of it is counted.
        unit: &'static str,
        /// How many it has.
        given: u64,
        /// The operand that it has to fit.
        other: &'static str,
        /// What of that is counted.
        other_unit: &'static str,
        /// How many that has.
        expected: u64,
    },

    /// One vector or scalar for two of a vector operation that writes one of them.
    #[error("the same given for `{first}` and `{second}`\n  allowed: only where both are read")]
    SharedOperand {
        /// A vector or a scalar.
        first: &'static str,
        /// A later one.
        second: &'static str,
    },

    /// Two handles to one memory that an operation writes.
    #[error(
        "a second handle to memory that is written\n  allowed: one import of memory that an operation writes"
    )]
    Aliased,

    /// An operation that clears no word.
    #[error("no operation that clears a scalar\n  allowed: vector operations")]
    NoClearing,

    /// An operation with two scalars to clear.
    #[error("a second scalar to clear given\n  allowed: one per operation")]
    SecondClearing,

    /// An operation that would clear what its groups read.
    #[error("{what} given to clear\n  allowed: a scalar that the operation does not read")]
    ClearedWhileRead {
        /// What the scalar is to the operation.
        what: String,
    },

    /// Nothing to reduce.
    #[error("an input of 0 elements given\n  allowed: at least 1")]
    Empty,

    /// More elements than kernels count.
    #[error("{given} elements given\n  allowed: at most {max}, as kernels count in 32 bits")]
    TooLong {
        /// Elements given.
        given: u64,
        /// Most elements.
        max: u64,
    },

    /// Groups of threads that no tree fits.
    #[error("{given} threads per group\n  allowed: a power of two, at least {least}")]
    Threads {
        /// Threads of a group.
        given: u32,
        /// Fewest threads.
        least: u32,
    },

    /// An accumulator with too long a chain of additions.
    #[error("{given} elements per thread\n  allowed: 1 to {max}")]
    ElementsPerThread {
        /// Elements of a thread.
        given: u32,
        /// Longest chain.
        max: u32,
    },

    /// Row offsets that do not ascend from 0 to the number of stored values.
    #[error("offset {given} where row {row} begins\n  allowed: {least} to {most}")]
    RowOffset {
        /// The row, from 0; the end of the last row is where a row after it would begin.
        row: usize,
        /// The offset.
        given: u32,
        /// Smallest allowed offset.
        least: usize,
        /// Largest allowed offset.
        most: usize,
    },

    /// Row offsets of a matrix without any.
    #[error("no row offset given\n  allowed: one where each row begins, and one where the last one ends")]
    NoRowOffsets,

    /// Unequal numbers of columns and values.
    #[error("{given} values given\n  allowed: {expected}, one for each column given")]
    ValueCount {
        /// Values given.
        given: usize,
        /// Columns given.
        expected: usize,
    },

    /// A column outside the matrix.
    #[error("column {given} in row {row}\n  allowed: below {n_columns}")]
    Column {
        /// The row, from 0.
        row: usize,
        /// The column.
        given: u32,
        /// Columns of the matrix.
        n_columns: usize,
    },

    /// A level with more groups than a grid holds.
    #[error(
        "{groups} groups in one level\n  allowed: a grid of at most {per_dimension} in each of 3 dimensions"
    )]
    TooManyGroups {
        /// Groups of the level.
        groups: u64,
        /// Most groups in one dimension.
        per_dimension: u32,
    },

    /// More partial sums than one group adds.
    #[error("{given} partial sums for one group\n  allowed: at most {max} with the strategy last block")]
    TooManyPartials {
        /// Partial sums of the launch.
        given: u64,
        /// Most that the last group may add.
        max: u64,
    },

    /// The device offers less of something than the kernels need.
    #[error("{what}: {required} needed\n  allowed: at most {available}")]
    Limit {
        /// The resource, with its unit.
        what: &'static str,
        /// Amount needed.
        required: u64,
        /// Amount the device offers.
        available: u64,
    },

    /// A GPU that is older than the kernels.
    #[error("kernels for sm_{required} and later\n  allowed: the device is sm_{given}")]
    ComputeCapability {
        /// Lowest compute capability of the kernels.
        required: u32,
        /// Compute capability of the device.
        given: u32,
    },

    /// A device without subgroups, or with smaller ones than the kernels need.
    #[error("kernels for subgroups of at least {required}\n  allowed: at most {available} on this device")]
    Subgroups {
        /// Smallest subgroup the kernels work with.
        required: u32,
        /// Smallest subgroup of the device, 1 where it has none.
        available: u32,
    },

    /// No kernels for the device.
    #[error("no kernels for {target}{}\n  allowed: {}", with(.strategy), list(.available))]
    NoVariant {
        /// Target of the device.
        target: Target,
        /// The strategy asked for.
        strategy: Option<Strategy>,
        /// What there are kernels for.
        available: Vec<(Target, Strategy)>,
    },
}

fn with(strategy: &Option<Strategy>) -> String {
    strategy.map_or(String::new(), |strategy| format!(" with the strategy {strategy}"))
}

fn list(available: &[(Target, Strategy)]) -> String {
    if available.is_empty() {
        return "none, the task has no variants".into();
    }
    let names: Vec<String> =
        available.iter().map(|(target, strategy)| format!("{target} with {strategy}")).collect();
    names.join(", ")
}
