//! Every named operation: what it is, what can be asked of it, and its spec.
//!
//! One file per family holds its rows ([`Entry`]) beside the constructors that the rows name. A constructor takes
//! validated [`Settings`] and gives a [`Spec`](crate::spec::Spec): operands in call order, phases, symbol and formula. Nothing here
//! knows tiers, lanes or languages.

mod composed;
mod draft;
mod elementwise;
mod entry;
mod factor;
mod identity;
mod indexed;
mod knot;
mod later;
mod long;
mod many;
mod maps;
mod op;
mod pivoted;
mod products;
mod reductions;
mod settings;
mod state;
mod strided;
mod string;
mod tensor;
mod triangular;

pub use entry::{Availability, Default, Entry, Size, Sums};
pub(crate) use long::MAX_CHAIN;
pub use long::{LONG, Long, Nan, later_level, level};
pub use many::MAX_MATRICES;
pub use op::Op;
pub use settings::{Axis, Fill, Reg, Settings};
pub use string::{IndexString, contract};

const FAMILIES: &[&[Entry]] = &[
    reductions::ENTRIES,
    maps::ENTRIES,
    elementwise::ENTRIES,
    identity::ENTRIES,
    products::ENTRIES,
    strided::ENTRIES,
    indexed::ENTRIES,
    triangular::ENTRIES,
    factor::ENTRIES,
    many::ENTRIES,
    pivoted::ENTRIES,
    tensor::ENTRIES,
    composed::ENTRIES,
    knot::ENTRIES,
    string::ENTRIES,
    long::ENTRIES,
    later::ENTRIES,
];

/// The spec of an op; `None` for one that is not provided, or that is made from an index string.
pub fn spec(op: Op, settings: &Settings) -> Option<crate::spec::Spec> {
    op.entry().build.map(|build| build(settings))
}

#[cfg(test)]
mod tests;
