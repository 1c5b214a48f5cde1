//! Formulas over named values, as the equations of vector operations are made of them.

use std::fmt;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A number of 32 bits.
    F32,
    /// A word: a count, or a condition that holds unless it is 0.
    U32,
    /// A word in two's complement, as the elements of long vectors may be.
    I32,
}

impl Format {
    /// Spelling in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::F32 => "f32",
            Format::U32 => "u32",
            Format::I32 => "i32",
        }
    }
}

/// An operation on values; each rounds once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `-x`.
    Neg,
    /// `abs(x)`.
    Abs,
    /// `x + y`; words wrap.
    Add,
    /// `x - y`; words wrap.
    Sub,
    /// `x * y`; words wrap.
    Mul,
    /// `x / y`.
    Div,
    /// `fma(x, y, z)`.
    Fma,
    /// `x < y` as a word, 1 or 0.
    Less,
    /// `x <= y`.
    LessEqual,
    /// `x == y`.
    Equal,
    /// `x != y`.
    NotEqual,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// 1 where the word is 0, else 0.
    Not,
    /// `x` where the word `c` is not 0, else `y`.
    Select,
    /// 1 for a number, 0 for NaN and the infinities: by the bits of the exponent.
    Finite,
    /// What only states of long vectors are made of.
    Word(WordOperator),
}

/// An operation on words that may be the bits of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordOperator {
    /// The smaller one of two.
    Min,
    /// The larger one of two.
    Max,
    /// 1 where it is the bits of a finite float, else 0.
    IsFinite,
    /// 1 where it is the bits of a NaN, else 0.
    IsNan,
    /// From the bits of a float to a word that is to other such words as the floats are to each other; -0 lies below +0.
    KeyOfFloat,
    /// The inverse.
    FloatOfKey,
    /// The same between the bits of a signed integer and words: its own inverse.
    FlipSign,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A value in scope.
    Name(String),
    /// A number, as its shortest decimal text.
    Number(String),
    /// A word.
    Integer(u32),
    /// An operation on values of one format; for [`Operator::Select`] that of its result.
    Call(Operator, Format, Vec<Expression>),
}

impl Expression {
    /// A value in scope.
    pub(crate) fn name(name: &str) -> Expression {
        Expression::Name(name.to_owned())
    }

    /// An operation on words.
    pub(crate) fn word<const N: usize>(operator: Operator, args: [Expression; N]) -> Expression {
        Expression::Call(operator, Format::U32, args.into())
    }

    /// The same formula over other names.
    pub(crate) fn renamed(&self, to: &impl Fn(&str) -> String) -> Expression {
        match self {
            Expression::Name(name) => Expression::Name(to(name)),
            Expression::Number(_) | Expression::Integer(_) => self.clone(),
            Expression::Call(operator, format, args) => {
                Expression::Call(*operator, *format, args.iter().map(|arg| arg.renamed(to)).collect())
            }
        }
    }

    /// Visits every named value.
    pub fn names(&self, visit: &mut impl FnMut(&str)) {
        match self {
            Expression::Name(name) => visit(name),
            Expression::Number(_) | Expression::Integer(_) => {}
            Expression::Call(_, _, args) => args.iter().for_each(|arg| arg.names(visit)),
        }
    }

    /// Visits every operator.
    pub fn operators(&self, visit: &mut impl FnMut(Operator)) {
        if let Expression::Call(operator, _, args) = self {
            visit(*operator);
            args.iter().for_each(|arg| arg.operators(visit));
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Name(name) | Expression::Number(name) => f.write_str(name),
            Expression::Integer(word) => write!(f, "{word}"),
            Expression::Call(operator, _, args) => {
                write!(f, "{operator:?}(")?;
                for (position, arg) in args.iter().enumerate() {
                    write!(f, "{}{arg}", if position == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}
