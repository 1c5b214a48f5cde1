//! What is computed: operands and phases, with no word about tiers, lanes or languages.

mod access;
mod expression;
mod indexed;
mod phase;
mod pivoted;
mod repeat;
mod state;
mod vector;

pub use access::{Access, Letter};
pub use expression::{Expression, Format, Operator, WordOperator};
pub use indexed::Indexed;
pub use phase::{
    Alpha, Beta, Contraction, Domain, Factor, FactorKind, Map, MapKind, Opposite, Order, Phase, Product,
    Reduction, Scan, Shift, Solve, Sweep, Term, Triangle,
};
pub use pivoted::{BlockDiagonal, Blocks, BunchKaufman, Exchange, Lu, Search, Sought};
pub use repeat::Repeat;

pub(crate) use state::{ACCUMULATE, old};
pub use state::{Finish, Merge, State, StateLoad, StateWord};
pub use vector::{Elementwise, ScalarEquation, Usage, VectorOp, VectorOperand, VectorScalar};
pub(crate) use vector::{element, made, product, scalar};

use crate::catalogue::Op;
use std::fmt;

/// Element type of the real operands of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Spelling in attributes, tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
        }
    }
}

/// How the elements of a batch lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Problem-major: element `e` of problem `b` at `b * elements + e`.
    Contiguous,
    /// Tiles of 32 problems: element `e` of problem `b` at `((b / 32) * elements + e) * 32 + b % 32`.
    Interleaved,
}

impl Layout {
    /// Spelling in attributes, tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Layout::Contiguous => "contiguous",
            Layout::Interleaved => "interleaved",
        }
    }
}

/// Who writes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only; bit-unchanged after the call.
    In,
    /// Written in full, never read.
    Out,
    /// Read and written, or written in part: what is not written keeps its bits.
    InOut,
    /// Lives between phases of one problem; no caller sees it.
    Temporary,
}

/// Mathematical structure of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Every element is independent.
    General,
    /// `A(i,j) == A(j,i)`; the full square is stored.
    Symmetric,
    /// Only `i >= j` is meaningful.
    Lower,
    /// Only `i <= j` is meaningful.
    Upper,
    /// A vector of which only the first `count` elements exist, or a matrix of which only so many columns do, a number of
    /// each problem; other elements of a vector read as 0.
    Prefix,
}

/// What the elements of an operand are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Numbers of the spec's [`DType`].
    Real,
    /// `u32`: status words, counts and row numbers, problem-major in either layout.
    Word,
}

/// A column-major array of one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Name in emitted code and in errors.
    pub name: &'static str,
    /// Rows of the stored matrix; the length of a vector.
    pub rows: usize,
    /// Columns of the stored matrix; 1 for a vector.
    pub cols: usize,
    /// Who writes it.
    pub role: Role,
    /// Its mathematical structure.
    pub structure: Structure,
    /// What its elements are.
    pub element: Element,
    /// Of a matrix with one meaningful triangle nothing else is stored, column after column: LAPACK's packed form.
    pub is_packed: bool,
}

impl Operand {
    /// A matrix of real elements without structure.
    pub fn matrix(name: &'static str, (rows, cols): (usize, usize), role: Role) -> Operand {
        let structure = Structure::General;
        Operand { name, rows, cols, role, structure, element: Element::Real, is_packed: false }
    }

    /// A vector of real elements.
    pub fn vector(name: &'static str, rows: usize, role: Role) -> Operand {
        Operand::matrix(name, (rows, 1), role)
    }

    /// Words of one problem; a result is written in full.
    pub fn words(name: &'static str, count: usize, role: Role) -> Operand {
        Operand { element: Element::Word, ..Operand::vector(name, count, role) }
    }

    /// Whether how many of its elements exist is known at run time alone.
    pub fn is_prefix(&self) -> bool {
        self.structure == Structure::Prefix
    }

    /// What of a prefix is counted: the elements of a vector, the columns of a matrix.
    pub fn length(&self) -> usize {
        if self.cols == 1 { self.rows } else { self.cols }
    }

    /// Elements that each of those consists of.
    pub fn width(&self) -> usize {
        self.elements() / self.length()
    }

    /// Stored elements of one problem.
    pub fn elements(&self) -> usize {
        if self.is_packed { self.n_packed() } else { self.n_whole() }
    }

    /// Rows and columns as stored: a packed triangle is one column.
    pub fn stored_shape(&self) -> (usize, usize) {
        if self.is_packed { (self.n_packed(), 1) } else { (self.rows, self.cols) }
    }

    /// Elements of its rows and columns, which indices of phases name whether they are stored or not.
    pub fn n_whole(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether all of a square matrix is stored of which one triangle is meaningful.
    pub fn has_dead_triangle(&self) -> bool {
        let is_triangle = matches!(self.structure, Structure::Lower | Structure::Upper);
        self.rows == self.cols && is_triangle && !self.is_packed
    }

    /// Elements of a triangle, its diagonal included.
    pub fn n_packed(&self) -> usize {
        self.rows * (self.rows + 1) / 2
    }

    /// Where an element of a triangle lies among those of the triangle, column after column; `None` outside of it.
    pub fn packed(&self, element: usize) -> Option<usize> {
        let (row, col) = (element % self.rows, element / self.rows);
        match self.structure {
            Structure::Lower if row >= col => Some(element - col * (col + 1) / 2),
            Structure::Upper if row <= col => Some(col * (col + 1) / 2 + row),
            _ => None,
        }
    }

    /// The element that is stored at a place.
    ///
    /// # Panics
    /// If nothing is.
    pub fn element_at(&self, place: usize) -> usize {
        assert!(place < self.elements(), "{} has {} places: {place}", self.name, self.elements());
        if !self.is_packed {
            return place;
        }
        let first_row = |col| if self.structure == Structure::Lower { col } else { 0 };
        let mut firsts = (0..self.cols).rev().map(|col| col * self.rows + first_row(col));
        let in_column = |first| Some(first + place.checked_sub(self.packed(first)?)?);
        firsts.find_map(in_column).expect("the first column begins at 0")
    }

    /// Bytes of one problem.
    pub fn bytes(&self, dtype: DType) -> usize {
        match self.element {
            Element::Real => self.elements() * dtype.bytes(),
            Element::Word => self.elements() * size_of::<u32>(),
        }
    }
}

/// A named size of an op.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Spelling in the attribute.
    pub name: String,
    /// Its value.
    pub extent: usize,
}

impl Dim {
    /// A size under its name.
    pub fn new(name: &str, extent: usize) -> Dim {
        Dim { name: name.to_owned(), extent }
    }
}

/// A complete, valid task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The named op this is.
    pub op: Op,
    /// Element type.
    pub dtype: DType,
    /// Sizes in the order of the op's definition.
    pub dims: Vec<Dim>,
    /// What differs from the plain op, in a fixed order: `ta`, `upper`, `shift`, `beta`. Part of the symbol.
    pub flags: Vec<String>,
    /// Names of the run-time scalars, in launch order: `alpha`, `beta`, `rho`, `c`, `s`.
    pub scalars: Vec<&'static str>,
    /// Inputs in call order, then word inputs, outputs, words, temporaries.
    pub operands: Vec<Operand>,
    /// Steps in execution order.
    pub phases: Vec<Phase>,
    /// The task as a formula: `y = alpha A' x + beta y`.
    pub formula: String,
}

impl Spec {
    /// Symbol of the task without its plan, for example `glass_gemv_f32_m7_k14_ta`.
    pub fn symbol(&self) -> String {
        let mut symbol = format!("glass_{}_{}", self.op.as_str(), self.element());
        for Dim { name, extent } in &self.dims {
            symbol += &format!("_{name}{extent}");
        }
        for flag in &self.flags {
            symbol += &format!("_{flag}");
        }
        symbol
    }

    /// Spelling of what its elements are.
    pub fn element(&self) -> &'static str {
        match self.state() {
            Some(state) => state.format.as_str(),
            None => self.dtype.as_str(),
        }
    }

    /// The state of words that it makes, where it makes one.
    pub fn state(&self) -> Option<&State> {
        match self.phases.as_slice() {
            [Phase::State(state)] => Some(state),
            _ => None,
        }
    }

    /// The operands a caller passes: everything but temporaries. They come first in [`Spec::operands`].
    pub fn arguments(&self) -> &[Operand] {
        let n_arguments = self.operands.iter().take_while(|operand| operand.role != Role::Temporary).count();
        &self.operands[..n_arguments]
    }

    /// Position of the status word among the operands, where the op checks what it is given.
    pub fn status(&self) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == "status")
    }

    /// What a status word numbers the first bad one of: pivots, or the items of [`Indexed`].
    pub fn checked(&self) -> &'static str {
        let items = self.phases.iter().find_map(|phase| match phase {
            Phase::Indexed(indexed) => Some(indexed.item),
            _ => None,
        });
        items.unwrap_or("pivot")
    }

    /// Position of the counts of positive, negative and zero pivots, where the op has them.
    pub fn inertia(&self) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == "inertia")
    }

    /// Value of a named size; 1 where the op has no such size.
    pub fn dim(&self, name: &str) -> usize {
        self.dims.iter().find(|dim| dim.name == name).map_or(1, |dim| dim.extent)
    }

    /// Every step, those of a repeated pass once.
    pub fn steps(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().flat_map(Phase::steps)
    }

    /// Fused multiply-adds of one problem, to first order: what decides whether straight-line text is tried.
    pub fn n_fmas(&self) -> usize {
        self.phases.iter().map(Phase::n_fmas).sum()
    }

    /// The task as a formula with its shapes, for example `y = A x; A 7x14, x 14, y 7; f32`.
    pub fn summary(&self) -> String {
        let is_shown = |operand: &&Operand| operand.element == Element::Real || self.state().is_some();
        let shapes = self.arguments().iter().filter(is_shown).map(|operand| {
            let (name, packed) = (operand.name, if operand.is_packed { " packed" } else { "" });
            match operand.cols {
                1 => format!("{name} {}", operand.rows),
                cols => format!("{} {}x{cols}{packed}", name.to_uppercase(), operand.rows),
            }
        });
        format!("{}; {}; {}", self.formula, shapes.collect::<Vec<_>>().join(", "), self.element())
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "task {}: {}", self.symbol(), self.summary())?;
        for operand in &self.operands {
            let Operand { name, rows, cols, role, structure, element, is_packed } = operand;
            let packed = if *is_packed { " packed" } else { "" };
            writeln!(f, "  {role:?} {name} {rows}x{cols} {structure:?} {element:?}{packed}")?;
        }
        for phase in &self.phases {
            writeln!(f, "  {}", phase.display(self))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_triangle_follow_each_other() {
        for structure in [Structure::Lower, Structure::Upper] {
            let operand = Operand { structure, is_packed: true, ..Operand::matrix("a", (5, 5), Role::In) };
            let packed: Vec<_> = (0..25).filter_map(|element| operand.packed(element)).collect();
            assert_eq!(packed, (0..operand.n_packed()).collect::<Vec<_>>());
            let back = |place| operand.packed(operand.element_at(place));
            assert!(packed.iter().all(|place| back(*place) == Some(*place)));
            assert_eq!(operand.packed(if structure == Structure::Lower { 5 } else { 1 }), None);
        }
    }
}
