//! Reductions of long vectors: of a length that is known at run time alone.
//!
//! Their spec is one chunk of one level. The run time cuts a vector into chunks, and the sums of these again, until one is left.

use super::draft::Draft;
use super::entry::{Entry, PLAIN, Sums};
use super::{Op, Settings};
use crate::spec::{DType, Phase, Reduction, Spec, Structure, Term};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Sum, formula: "s = sum x", sums: Sums::Both, ..PLAIN },
    Entry { op: Op::Norm2, formula: "s = x' x", sums: Sums::Both, ..PLAIN },
    Entry { op: Op::Vector, formula: "equations", ..PLAIN },
];

/// Every op that reduces long vectors, by the name it has there.
pub const LONG: &[Op] = &[Op::Sum, Op::Dot, Op::Norm2];

/// Longest chain of additions into one accumulator.
pub(crate) const MAX_CHAIN: usize = 64;

/// One level on a chunk of so many elements: the first level of an op, or with [`Op::Sum`] any later one.
///
/// # Panics
/// For an op that is not in [`LONG`].
pub fn level(op: Op, dtype: DType, chunk: usize) -> Spec {
    let (term, formula) = match op {
        Op::Sum => (Term::Value, "s = sum x"),
        Op::Dot => (Term::Product, "s = x' y"),
        Op::Norm2 => (Term::Square, "s = x' x"),
        _ => panic!("`{}` reduces no long vector", op.as_str()),
    };
    let settings = Settings::new(dtype);
    let mut draft = Draft::new(op, &settings);
    draft.dim("chunk", chunk);
    let names: &[_] = if op == Op::Dot { &["x", "y"] } else { &["x"] };
    let sources: Vec<_> = names.iter().map(|name| draft.input(name, (chunk, 1))).collect();
    sources.iter().for_each(|source| draft.structure(*source, Structure::Prefix));
    let output = draft.output("s", (1, 1));
    draft.phase(Phase::Reduction(Reduction { term, sources, length: chunk, output }));
    draft.formula(formula);
    draft.finish()
}
