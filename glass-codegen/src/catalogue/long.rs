//! Reductions of long vectors: of a length that is known at run time alone.
//!
//! Their spec is one chunk of one level. The run time cuts a vector into chunks, and what becomes of these again, until one is
//! left. A sum of floats is a number; everything else is a state of words ([`super::state`]).

use super::draft::Draft;
use super::entry::{Entry, PLAIN, Sums};
use super::{Op, Settings, state};
use crate::spec::{DType, Format, Operand, Phase, Reduction, Role, Spec, Structure, Term};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Sum, formula: "s = sum x", sums: Sums::Both, ..PLAIN },
    Entry { op: Op::Norm2, formula: "s = x' x", sums: Sums::Both, ..PLAIN },
    Entry { op: Op::Extent, formula: "min, max = the smallest and the largest x(i)", ..PLAIN },
    Entry { op: Op::Vector, formula: "equations", ..PLAIN },
];

/// Every op that reduces long vectors, by the name it has there.
pub const LONG: &[Op] = &[Op::Sum, Op::Dot, Op::Norm2, Op::Min, Op::Max, Op::Extent];

/// Longest chain of additions into one accumulator.
pub(crate) const MAX_CHAIN: usize = 64;

/// What extremes make of floats that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nan {
    /// They are no values.
    Ignore,
    /// Infinities are values, and a NaN is the result.
    Propagate,
}

/// What of a long vector is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Long {
    /// One of [`LONG`].
    pub op: Op,
    /// What the elements are.
    pub format: Format,
    /// Words of a second vector tell which elements count.
    pub is_masked: bool,
    /// Of the extremes of floats.
    pub nan: Nan,
}

impl Long {
    /// The plain reduction of floats.
    pub fn of(op: Op) -> Long {
        Long { op, format: Format::F32, is_masked: false, nan: Nan::Ignore }
    }

    /// Whether its state needs a word that says whether there was a value: where every word may be the key of one, and one
    /// alone shows nothing.
    pub fn has_mark(self) -> bool {
        self.is_masked && self.format != Format::F32 && matches!(self.op, Op::Min | Op::Max)
    }
}

/// The first level on a chunk of so many elements; for a sum of floats it may be a later one, too.
///
/// # Panics
/// For an op that is not in [`LONG`].
pub fn level(of: Long, chunk: usize) -> Spec {
    let (term, formula) = match (of.op, of.format, of.is_masked) {
        (Op::Sum, Format::F32, false) => (Term::Value, "s = sum x"),
        (Op::Sum, Format::F32, true) => (Term::Selected, "s = sum x(i) where mask(i)"),
        (Op::Dot, ..) => (Term::Product, "s = x' y"),
        (Op::Norm2, ..) => (Term::Square, "s = x' x"),
        (Op::Sum | Op::Min | Op::Max | Op::Extent, ..) => return state::level(of, chunk),
        (op, ..) => panic!("`{}` reduces no long vector", op.as_str()),
    };
    let settings = Settings::new(DType::F32);
    let mut draft = Draft::new(of.op, &settings);
    draft.dim("chunk", chunk);
    if of.is_masked {
        draft.flag("masked");
    }
    let mut sources = vec![draft.operand(Operand::vector("x", chunk, Role::In))];
    match term {
        Term::Product => sources.push(draft.operand(Operand::vector("y", chunk, Role::In))),
        Term::Selected => sources.push(draft.operand(Operand::words("mask", chunk, Role::In))),
        _ => {}
    }
    sources.iter().for_each(|source| draft.structure(*source, Structure::Prefix));
    let output = draft.output("s", (1, 1));
    draft.phase(Phase::Reduction(Reduction { term, sources, length: chunk, output }));
    draft.formula(formula);
    draft.finish()
}

/// A level on so many of what a level before leaves: states, or sums.
pub fn later_level(before: &Spec, chunk: usize) -> Spec {
    match before.state() {
        Some(state) => state::later_level(before, state, chunk),
        None => level(Long::of(Op::Sum), chunk),
    }
}
