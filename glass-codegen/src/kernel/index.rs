//! Affine indices: a constant plus multiples of named integers.

use std::fmt;

/// `coefficient * name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Factor, at least 1.
    pub coefficient: usize,
    /// Named integer.
    pub name: String,
}

/// `constant + sum(terms)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Constant part.
    pub constant: usize,
    /// Variable part.
    pub terms: Vec<Term>,
}

impl Index {
    /// A constant index.
    pub fn constant(constant: usize) -> Index {
        Index { constant, terms: Vec::new() }
    }

    /// A named integer.
    pub fn name(name: &str) -> Index {
        Index { constant: 0, terms: vec![Term { coefficient: 1, name: name.to_owned() }] }
    }

    /// The sum of two indices.
    pub fn plus(mut self, other: Index) -> Index {
        self.constant += other.constant;
        for term in other.terms {
            match self.terms.iter_mut().find(|own| own.name == term.name) {
                Some(own) => own.coefficient += term.coefficient,
                None => self.terms.push(term),
            }
        }
        self
    }

    /// The index times a constant.
    pub fn times(mut self, factor: usize) -> Index {
        self.constant *= factor;
        for term in &mut self.terms {
            term.coefficient *= factor;
        }
        self.terms.retain(|term| term.coefficient > 0);
        self
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (term_idx, Term { coefficient, name }) in self.terms.iter().enumerate() {
            let plus = if term_idx == 0 { "" } else { " + " };
            match coefficient {
                1 => write!(f, "{plus}{name}")?,
                _ => write!(f, "{plus}{coefficient} * {name}")?,
            }
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}
