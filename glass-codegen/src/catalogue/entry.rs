//! What the catalogue says about each op.

use super::{Fill, Op, Reg, Settings};
use crate::contract::Field;
use crate::spec::{Alpha, Spec};

/// One row of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// The op.
    pub op: Op,
    /// Its definition in one line.
    pub formula: &'static str,
    /// Its sizes in the order of its definition.
    pub sizes: &'static [Size],
    /// Flags and words it knows beside those with a list of their own below.
    pub options: &'static [Field],
    /// Factors of the result, the default first; empty where there is none.
    pub alphas: &'static [Alpha],
    /// It knows `beta`.
    pub has_beta: bool,
    /// Choices of the written triangle, the default first.
    pub fills: &'static [Fill],
    /// Choices of regularisation, the default first.
    pub regs: &'static [Reg],
    /// It checks its pivots, or the words that it is given, and writes a status word.
    pub has_status: bool,
    /// Whether its sums can be split over lanes.
    pub sums: Sums,
    /// Why one thread cannot own a problem, where that is so.
    pub no_thread: Option<&'static str>,
    /// Makes its spec; `None` while it is not provided, and for index strings.
    pub(crate) build: Option<fn(&Settings) -> Spec>,
}

/// What an op sums, and so which forms it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// Sums that have a serial and a reduced form.
    Both,
    /// As `Both`, also under the strategy names `lowmem` and `fast`.
    Named,
    /// Sums that are provided in the serial form only.
    Serial,
    /// Updates in a stated order.
    Sequential,
    /// No sum at all.
    Nothing,
}

impl Sums {
    /// There is a reduced form.
    pub fn can_reduce(self) -> bool {
        matches!(self, Sums::Both | Sums::Named)
    }
}

/// Whether an op can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Now.
    Now,
    /// Now, for vectors of a length that is known at run time alone.
    Long,
    /// Known, not provided yet.
    Later,
}

/// A named size of an op.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Where it is written.
    pub field: Field,
    /// What it is, for the message where it is missing.
    pub meaning: &'static str,
    /// What stands in where it is absent.
    pub default: Default,
}

/// What stands in for an absent size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    /// Nothing: it must be written.
    Required,
    /// This value.
    Value(usize),
    /// The rows it spans: a leading dimension without a gap.
    Rows(Field),
    /// Nothing; and it spans these rows: a leading dimension.
    RequiredRows(Field),
    /// Nothing; and it may be as large as an operand: the length of an array that holds many things.
    RequiredLength,
}

impl Size {
    /// A size that must be written.
    pub(super) const fn required(field: Field, meaning: &'static str) -> Size {
        Size { field, meaning, default: Default::Required }
    }

    /// The length of an array, which must be written.
    pub(super) const fn length(field: Field, meaning: &'static str) -> Size {
        Size { field, meaning, default: Default::RequiredLength }
    }

    /// A leading dimension over rows, which it is by default.
    pub(super) const fn leading(field: Field, rows: Field) -> Size {
        Size { field, meaning: "a leading dimension", default: Default::Rows(rows) }
    }

    /// The rows that a leading dimension spans.
    pub fn rows(self) -> Option<Field> {
        match self.default {
            Default::Rows(rows) | Default::RequiredRows(rows) => Some(rows),
            Default::Required | Default::RequiredLength | Default::Value(_) => None,
        }
    }
}

/// Right-hand sides, one by default.
pub(super) const NRHS: Size =
    Size { field: Field::Nrhs, meaning: "the right-hand sides", default: Default::Value(1) };

/// What [`Entry`] rows start from: an op without options that is not provided.
pub(super) const PLAIN: Entry = Entry {
    op: Op::Dot,
    formula: "",
    sizes: &[],
    options: &[],
    alphas: &[],
    has_beta: false,
    fills: &[],
    regs: &[],
    has_status: false,
    sums: Sums::Nothing,
    no_thread: None,
    build: None,
};

/// Either factor of a result, one by default.
pub(super) const ALPHAS: &[Alpha] = &[Alpha::One, Alpha::Runtime];

impl Entry {
    /// Whether it can be asked for.
    pub fn availability(&self) -> Availability {
        // What has no name is asked for in another way.
        let is_provided = self.build.is_some() || !self.op.has_name();
        match is_provided {
            true => Availability::Now,
            false if super::LONG.contains(&self.op) => Availability::Long,
            false => Availability::Later,
        }
    }

    /// Every field it knows beside those that all ops share, sizes first.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<_> = self.sizes.iter().map(|size| size.field).collect();
        fields.extend(self.options);
        for (is_known, field) in [
            (!self.fills.is_empty(), Field::Fill),
            (!self.regs.is_empty(), Field::Reg),
            (self.has_status, Field::Check),
            (!self.alphas.is_empty(), Field::Alpha),
            (self.has_beta, Field::Beta),
        ] {
            if is_known {
                fields.push(field);
            }
        }
        fields
    }
}

impl Op {
    /// Its row of the catalogue.
    pub fn entry(self) -> &'static Entry {
        let mut rows = super::FAMILIES.iter().copied().flatten();
        rows.find(|entry| entry.op == self).expect("every op has a row, which a test asserts")
    }

    /// Whether it can be asked for.
    pub fn availability(self) -> Availability {
        self.entry().availability()
    }

    /// Whether it is asked for by its name: an index string and equations stand for themselves.
    pub fn has_name(self) -> bool {
        !matches!(self, Op::Contract | Op::Vector)
    }

    /// The op of a name.
    pub fn named(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.as_str() == name)
    }
}
