//! The validated values of a task, from which its spec is made.

use crate::contract::Field;
use crate::spec::{Alpha, Beta, DType};

/// Which triangle of a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Both; the upper one mirrors the lower one.
    Full,
    /// Rows at or below the diagonal.
    Lower,
    /// Rows at or above the diagonal.
    Upper,
    /// The factor's triangle, and +0 in the opposite one.
    Zero,
    /// The factor's triangle alone.
    Untouched,
}

impl Fill {
    /// Spelling in attributes and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Fill::Full => "full",
            Fill::Lower => "lower",
            Fill::Upper => "upper",
            Fill::Zero => "zero",
            Fill::Untouched => "untouched",
        }
    }
}

/// What is added to the diagonal before factoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reg {
    /// Nothing.
    None,
    /// The run-time scalar `rho`.
    Shift,
    /// `rho` times the diagonal entry.
    DiagShift,
}

impl Reg {
    /// Spelling in attributes.
    pub fn as_str(self) -> &'static str {
        match self {
            Reg::None => "none",
            Reg::Shift => "shift",
            Reg::DiagShift => "diag_shift",
        }
    }
}

/// The contracted axis of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Slabs.
    K,
    /// Rows of a slab.
    A,
    /// Columns of a slab.
    B,
}

/// Everything an op's constructor reads. What an op does not know stays at its default.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Element type.
    pub dtype: DType,
    /// Sizes of the op, each at least 1.
    pub sizes: Vec<(Field, usize)>,
    /// Orders of several matrices, each at least 1; empty for an op without them.
    pub orders: Vec<usize>,
    /// Flags that are set.
    pub set: Vec<Field>,
    /// The upper triangle is stored.
    pub upper: bool,
    /// The diagonal is one and not read.
    pub unit: bool,
    /// Which triangle is written; `None` for an op without the choice.
    pub fill: Option<Fill>,
    /// Regularisation.
    pub reg: Reg,
    /// Contracted axis.
    pub axis: Axis,
    /// Pivots are checked.
    pub check: bool,
    /// Factor of the result.
    pub alpha: Alpha,
    /// Factor of the old destination.
    pub beta: Beta,
}

impl Settings {
    /// The plain op of a dtype, without sizes.
    pub fn new(dtype: DType) -> Settings {
        Settings {
            dtype,
            sizes: Vec::new(),
            orders: Vec::new(),
            set: Vec::new(),
            upper: false,
            unit: false,
            fill: None,
            reg: Reg::None,
            axis: Axis::K,
            check: true,
            alpha: Alpha::One,
            beta: Beta::Zero,
        }
    }

    /// The value of a size; 1 where it is not given.
    pub fn size(&self, field: Field) -> usize {
        self.sizes.iter().find(|(given, _)| *given == field).map_or(1, |(_, value)| *value)
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: Field) -> bool {
        self.set.contains(&flag)
    }
}
