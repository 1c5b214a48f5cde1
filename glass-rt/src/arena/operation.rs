//! Operations on scalars: one kernel for all of them, and the same arithmetic on the host.

use crate::word::Format;

/// An operation of two scalars of one format with a result of the same format.
///
/// Integers wrap; an integer divided by 0 is 0. The zero that `Min` and `Max` give for zeros of both signs is
/// unspecified, and so is what they give for NaN in WGSL; elsewhere they ignore one NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `left + right`.
    Add,
    /// `left - right`.
    Subtract,
    /// `left * right`.
    Multiply,
    /// `left / right`.
    Divide,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// A comparison of two scalars of one format; the result is 1 where it holds and 0 where not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `left == right`.
    Equal,
    /// `left != right`.
    NotEqual,
    /// `left < right`.
    Less,
    /// `left <= right`.
    LessOrEqual,
    /// `left > right`.
    Greater,
    /// `left >= right`.
    GreaterOrEqual,
}

/// What a scalar step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Stores bits.
    Literal { bits: u32 },
    /// Stores the bits of another word.
    Copy { from: u32 },
    /// Stores the square root of another word, a float.
    SquareRoot { of: u32 },
    /// Stores a result of two other words.
    Binary { operation: Binary, left: u32, right: u32 },
    /// Stores 1 or 0.
    Compare { comparison: Comparison, left: u32, right: u32 },
}

/// One operation on the arena. Operands and results are word numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScalarStep {
    pub(crate) operation: Operation,
    /// Format of the operands.
    pub(crate) format: Format,
    pub(crate) result: u32,
    /// Word of the gate, or [`crate::reduction::task::NO_GATE`].
    pub(crate) gate: u32,
}

impl ScalarStep {
    /// The arguments of the kernels, as `kernels/scalar.*` number them: operation, format, left, right, result, gate.
    #[cfg_attr(
        not(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu")),
        allow(dead_code, reason = "the host reads the step itself")
    )]
    pub(crate) fn arguments(&self) -> [u32; 6] {
        let (code, left, right) = match self.operation {
            Operation::Literal { bits } => (0, bits, 0),
            Operation::Copy { from } => (1, from, 0),
            Operation::SquareRoot { of } => (2, of, 0),
            Operation::Binary { operation, left, right } => (binary_code(operation), left, right),
            Operation::Compare { comparison, left, right } => (comparison_code(comparison), left, right),
        };
        let format = match self.format {
            Format::F32 => 0,
            Format::U32 => 1,
            Format::I32 => 2,
        };
        [code, format, left, right, self.result, self.gate]
    }

    /// The host form.
    pub(crate) fn run(&self, arena: &mut [u32]) {
        let word = |idx: u32| arena[idx as usize];
        arena[self.result as usize] = match self.operation {
            Operation::Literal { bits } => bits,
            Operation::Copy { from } => word(from),
            Operation::SquareRoot { of } => f32::from_bits(word(of)).sqrt().to_bits(),
            Operation::Binary { operation, left, right } => {
                binary(self.format, operation, word(left), word(right))
            }
            Operation::Compare { comparison, left, right } => {
                u32::from(compare(self.format, comparison, word(left), word(right)))
            }
        };
    }
}

fn binary_code(operation: Binary) -> u32 {
    match operation {
        Binary::Add => 3,
        Binary::Subtract => 4,
        Binary::Multiply => 5,
        Binary::Divide => 6,
        Binary::Min => 7,
        Binary::Max => 8,
    }
}

fn comparison_code(comparison: Comparison) -> u32 {
    match comparison {
        Comparison::Equal => 9,
        Comparison::NotEqual => 10,
        Comparison::Less => 11,
        Comparison::LessOrEqual => 12,
        Comparison::Greater => 13,
        Comparison::GreaterOrEqual => 14,
    }
}

/// The result's bits from the operands' bits.
fn binary(format: Format, operation: Binary, left: u32, right: u32) -> u32 {
    match format {
        Format::F32 => {
            let (left, right) = (f32::from_bits(left), f32::from_bits(right));
            let result = match operation {
                Binary::Add => left + right,
                Binary::Subtract => left - right,
                Binary::Multiply => left * right,
                Binary::Divide => left / right,
                Binary::Min => left.min(right),
                Binary::Max => left.max(right),
            };
            result.to_bits()
        }
        Format::U32 => match operation {
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide => left.checked_div(right).unwrap_or(0),
            Binary::Min => left.min(right),
            Binary::Max => left.max(right),
        },
        Format::I32 => {
            let (left, right) = (left.cast_signed(), right.cast_signed());
            let result = match operation {
                Binary::Add => left.wrapping_add(right),
                Binary::Subtract => left.wrapping_sub(right),
                Binary::Multiply => left.wrapping_mul(right),
                Binary::Divide if right == 0 => 0,
                Binary::Divide => left.wrapping_div(right),
                Binary::Min => left.min(right),
                Binary::Max => left.max(right),
            };
            result.cast_unsigned()
        }
    }
}

fn compare(format: Format, comparison: Comparison, left: u32, right: u32) -> bool {
    match format {
        Format::F32 => holds(comparison, &f32::from_bits(left), &f32::from_bits(right)),
        Format::U32 => holds(comparison, &left, &right),
        Format::I32 => holds(comparison, &left.cast_signed(), &right.cast_signed()),
    }
}

fn holds<T: PartialOrd>(comparison: Comparison, left: &T, right: &T) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
    }
}
