//! Affine indices: a constant plus multiples of named integers.

use crate::spec::{Operand, Structure};
use std::fmt;

/// `coefficient * name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Factor, never 0.
    pub coefficient: isize,
    /// Named integer.
    pub name: String,
}

/// A square of which one triangle is stored, column after column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packing {
    /// Rows of the square.
    pub order: usize,
    /// The triangle above the diagonal is stored, not the one below.
    pub is_upper: bool,
}

impl Packing {
    /// The packing of an operand; `None` where all of it is stored.
    pub fn of(operand: &Operand) -> Option<Packing> {
        let is_upper = operand.structure == Structure::Upper;
        operand.is_packed.then_some(Packing { order: operand.rows, is_upper })
    }

    /// Places of the triangle.
    pub fn n_places(self) -> usize {
        self.order * (self.order + 1) / 2
    }

    /// Name of the function from an element of the square to its place.
    pub fn function(self) -> String {
        format!("glass_packed_{}_{}", if self.is_upper { "upper" } else { "lower" }, self.order)
    }
}

/// `constant + sum(terms)`, or the place of that element of a packed triangle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Constant part.
    pub constant: isize,
    /// Variable part.
    pub terms: Vec<Term>,
    /// The triangle in which the element has a place.
    pub packing: Option<Packing>,
}

impl Index {
    /// A constant index.
    pub fn constant(constant: usize) -> Index {
        Index { constant: constant as isize, ..Index::default() }
    }

    /// The value where nothing varies.
    pub fn as_constant(&self) -> Option<usize> {
        self.terms.is_empty().then_some(self.constant).and_then(|constant| constant.try_into().ok())
    }

    /// The name of an integer that stands alone.
    pub fn as_name(&self) -> Option<&str> {
        match self.terms.as_slice() {
            [Term { coefficient: 1, name }] if self.constant == 0 => Some(name),
            _ => None,
        }
    }

    /// A named integer.
    pub fn name(name: &str) -> Index {
        Index { terms: vec![Term { coefficient: 1, name: name.to_owned() }], ..Index::default() }
    }

    /// Where the element of an operand with this index among those of its rows and columns is stored.
    pub fn stored(self, operand: &Operand) -> Index {
        match (Packing::of(operand), self.as_constant()) {
            (None, _) => self,
            (Some(_), Some(element)) => {
                Index::constant(operand.packed(element).expect("nothing outside of a triangle is used"))
            }
            (packing, None) => Index { packing, ..self },
        }
    }

    /// The sum of two indices.
    pub fn plus(mut self, other: Index) -> Index {
        debug_assert!(self.packing.is_none() && other.packing.is_none(), "a place is no affine function");
        self.constant += other.constant;
        for term in other.terms {
            match self.terms.iter_mut().find(|own| own.name == term.name) {
                Some(own) => own.coefficient += term.coefficient,
                None => self.terms.push(term),
            }
        }
        self.terms.retain(|term| term.coefficient != 0);
        self
    }

    /// The difference of two indices.
    pub fn minus(self, other: Index) -> Index {
        self.plus(other.scaled(-1))
    }

    /// The index times a constant.
    pub fn times(self, factor: usize) -> Index {
        self.scaled(factor as isize)
    }

    fn scaled(mut self, factor: isize) -> Index {
        self.constant *= factor;
        for term in &mut self.terms {
            term.coefficient *= factor;
        }
        self.terms.retain(|term| term.coefficient != 0);
        self
    }

    /// Spells the index with a suffix behind every literal. What is subtracted comes last, so that no
    /// intermediate value is negative where the index itself is not.
    pub fn spelled(&self, suffix: &str) -> String {
        let mut text = String::new();
        let positive = self.terms.iter().filter(|term| term.coefficient > 0);
        let negative = self.terms.iter().filter(|term| term.coefficient < 0);
        let product = |factor: usize, name: &str| match factor {
            1 => name.to_owned(),
            _ => format!("{factor}{suffix} * {name}"),
        };
        for Term { coefficient, name } in positive {
            let plus = if text.is_empty() { "" } else { " + " };
            text += &format!("{plus}{}", product(coefficient.unsigned_abs(), name));
        }
        match (text.is_empty(), self.constant) {
            (true, constant) => text = format!("{constant}{suffix}"),
            (false, constant) if constant > 0 => text += &format!(" + {constant}{suffix}"),
            (false, _) => {}
        }
        for Term { coefficient, name } in negative {
            text += &format!(" - {}", product(coefficient.unsigned_abs(), name));
        }
        if self.constant < 0 && self.terms.iter().any(|term| term.coefficient > 0) {
            text += &format!(" - {}{suffix}", self.constant.unsigned_abs());
        }
        match self.packing {
            Some(packing) => format!("{}({text})", packing.function()),
            None => text,
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(""))
    }
}
