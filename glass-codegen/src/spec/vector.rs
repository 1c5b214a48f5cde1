//! Operations on long vectors: equations for every element, sums over all of them, and equations of scalars after that.

use super::expression::{Expression, Format};
use std::fmt;

/// What an operand of a vector operation is, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A matrix of compressed sparse rows.
    Matrix,
    /// A vector whose own element is read.
    Read,
    /// A vector that is overwritten without being read.
    Write,
    /// A vector that is read and then overwritten.
    ReadWrite,
    /// A vector that only a matrix multiplies.
    Gathered,
}

/// A vector or matrix, under the name of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorOperand {
    /// Name of the field.
    pub name: &'static str,
    /// What becomes of it.
    pub usage: Usage,
}

/// A scalar of the arena, under the name of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorScalar {
    /// Name of the field.
    pub name: &'static str,
    /// What it is.
    pub format: Format,
    /// What it was before is read.
    pub is_read: bool,
    /// The operation changes it.
    pub is_written: bool,
}

/// What happens for every element, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elementwise {
    /// `name = row of a matrix times a vector`: `acc = fma(value, x(column), acc)` in the order of storage, from +0.
    Product {
        /// Name of the value.
        name: String,
        /// Position of the matrix among the operands.
        matrix: usize,
        /// Position of the vector.
        vector: usize,
    },
    /// `name = formula`.
    Value {
        /// Name of the value.
        name: String,
        /// How it is made.
        of: Expression,
        /// The operand that takes it, once the last element is read.
        stored: Option<usize>,
    },
    /// A term of a sum: `acc = acc + term`, `acc = fma(x, y, acc)` of a term `x * y`.
    Term {
        /// Which sum.
        sum: usize,
        /// What is added.
        of: Expression,
    },
}

/// An equation of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarEquation {
    /// Name of the value.
    pub name: String,
    /// What it is.
    pub format: Format,
    /// How it is made.
    pub of: Expression,
}

/// An operation on vectors of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorOp {
    /// Name in symbols.
    pub name: String,
    /// The equations as written.
    pub formulas: Vec<String>,
    /// Vectors and matrices, in the order of the fields.
    pub operands: Vec<VectorOperand>,
    /// Scalars, in the order of the fields.
    pub scalars: Vec<VectorScalar>,
    /// Per element.
    pub elementwise: Vec<Elementwise>,
    /// Names of the totals.
    pub sums: Vec<String>,
    /// After the sums, in order.
    pub equations: Vec<ScalarEquation>,
    /// Which total or value each written scalar takes: position of the scalar and name.
    pub results: Vec<(usize, String)>,
}

/// Name of an element of a vector as it was.
pub(crate) fn element(name: &str) -> String {
    format!("{name}_i")
}

/// Name of a scalar as it was.
pub(crate) fn scalar(name: &str) -> String {
    format!("{name}_s")
}

/// Name of what an equation makes.
pub(crate) fn made(name: &str) -> String {
    format!("{name}_new")
}

/// Name of an element of a matrix times a vector; a suffix of its own, as every kind of name has one.
pub(crate) fn product(matrix: &str, vector: &str) -> String {
    format!("{matrix}_{vector}_product")
}

impl VectorOp {
    /// Distinct products of a matrix and a vector, by their positions.
    pub fn products(&self) -> impl Iterator<Item = (usize, usize)> {
        self.elementwise.iter().filter_map(|step| match step {
            Elementwise::Product { matrix, vector, .. } => Some((*matrix, *vector)),
            Elementwise::Value { .. } | Elementwise::Term { .. } => None,
        })
    }

    /// Whether anything happens per element.
    pub fn has_elements(&self) -> bool {
        !self.elementwise.is_empty()
    }

    /// Whether anything is written to the arena.
    pub fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    /// Scalars that equations of elements read, by position.
    pub fn element_scalars(&self) -> Vec<usize> {
        let mut read = vec![false; self.scalars.len()];
        let mut visit = |of: &Expression| {
            of.names(&mut |name| {
                let known = self.scalars.iter().position(|known| scalar(known.name) == name);
                known.into_iter().for_each(|position| read[position] = true);
            });
        };
        self.elementwise.iter().for_each(|step| match step {
            Elementwise::Value { of, .. } | Elementwise::Term { of, .. } => visit(of),
            Elementwise::Product { .. } => {}
        });
        (0..read.len()).filter(|position| read[*position]).collect()
    }

    /// Scalars that the equations after the sums read, by position.
    pub fn equation_scalars(&self) -> Vec<usize> {
        let is_read = |position: &usize| {
            let wanted = scalar(self.scalars[*position].name);
            let mut found = false;
            self.equations.iter().for_each(|equation| equation.of.names(&mut |name| found |= name == wanted));
            found
        };
        (0..self.scalars.len()).filter(is_read).collect()
    }
}

impl fmt::Display for VectorOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "vector operation {}: {}", self.name, self.formulas.join("; "))?;
        for VectorOperand { name, usage } in &self.operands {
            writeln!(f, "  {usage:?} {name}")?;
        }
        for VectorScalar { name, format, is_read, is_written } in &self.scalars {
            let usage = match (is_read, is_written) {
                (true, true) => "ReadWrite",
                (false, true) => "Write",
                (_, false) => "Read",
            };
            writeln!(f, "  {usage} {} {name}", format.as_str())?;
        }
        for step in &self.elementwise {
            match step {
                Elementwise::Product { name, matrix, vector } => {
                    let [matrix, vector] = [*matrix, *vector].map(|position| self.operands[position].name);
                    writeln!(f, "  each {name} = row of {matrix} * {vector}")?;
                }
                Elementwise::Value { name, of, .. } => writeln!(f, "  each {name} = {of}")?,
                Elementwise::Term { sum, of } => writeln!(f, "  each {} += {of}", self.sums[*sum])?,
            }
        }
        for ScalarEquation { name, of, .. } in &self.equations {
            writeln!(f, "  then {name} = {of}")?;
        }
        Ok(())
    }
}
