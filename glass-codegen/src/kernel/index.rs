//! Affine indices: a constant plus multiples of named integers.

use std::fmt;

/// `coefficient * name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Factor, never 0.
    pub coefficient: isize,
    /// Named integer.
    pub name: String,
}

/// `constant + sum(terms)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Constant part.
    pub constant: isize,
    /// Variable part.
    pub terms: Vec<Term>,
}

impl Index {
    /// A constant index.
    pub fn constant(constant: usize) -> Index {
        Index { constant: constant as isize, terms: Vec::new() }
    }

    /// The value where nothing varies.
    pub fn as_constant(&self) -> Option<usize> {
        self.terms.is_empty().then_some(self.constant).and_then(|constant| constant.try_into().ok())
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
        text
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(""))
    }
}
