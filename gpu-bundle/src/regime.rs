//! What a measurement of one batch is a measurement of: bytes touched, rotation of operand sets, regime.

use glass_codegen::generate;
use glass_codegen::plan::{Form, Mapping, Plan, Staging, Target, Tier, Unroll};
use glass_codegen::spec::{Element, Layout, Operand, Role, Spec};
use serde::Serialize;

/// Bytes in rotation beyond which nothing survives in a 60 MB L2 cache until its next use.
const COLD_BYTES: u64 = 240_000_000;

/// Bytes that the memory of an H200 moves in two microseconds. A launch that touches fewer is bound by launching.
const LAUNCH_BYTES: u64 = 8_500_000;

/// Bytes of a rotation that the memory of an H200 holds beside those of another one's results.
const MOST_BYTES: u64 = 115_000_000_000;

/// Never pooled, never compared with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Regime {
    /// The byte floor is below two microseconds: the time is that of launching and of one problem's latency.
    Launch,
    /// The operand sets in rotation exceed the cache four times.
    DramCold,
}

/// One operand of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Bytes as stored, padding included.
    pub(crate) n_bytes: u64,
    /// Only read.
    pub(crate) is_input: bool,
}

/// Operand sets of one task, layout and batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rotation {
    pub(crate) regime: Regime,
    /// The arguments in order.
    pub(crate) operands: Vec<Stored>,
    /// Sets, used in turn.
    pub(crate) n_sets: u64,
}

impl Rotation {
    pub(crate) fn new(spec: &Spec, layout: Layout, n_problems: u64) -> Rotation {
        let stored = |operand: &Operand| Stored {
            n_bytes: stored_bytes(spec, operand, layout, n_problems),
            is_input: operand.role == Role::In,
        };
        let operands: Vec<_> = spec.arguments().iter().map(stored).collect();
        let n_bytes: u64 = operands.iter().map(|operand| operand.n_bytes).sum();
        let (regime, n_sets) = regime(n_bytes);
        Rotation { regime, operands, n_sets }
    }

    /// Whether a GPU holds all sets.
    fn fits(&self) -> bool {
        self.n_sets * self.bytes_per_call() <= MOST_BYTES
    }

    /// Distinct bytes touched by one call.
    pub(crate) fn bytes_per_call(&self) -> u64 {
        self.operands.iter().map(|operand| operand.n_bytes).sum()
    }
}

/// Those of some batches whose operand sets a GPU holds.
pub(crate) fn held(spec: &Spec, layout: Layout, batches: &'static [u64]) -> impl Iterator<Item = u64> {
    batches.iter().copied().filter(move |batch| Rotation::new(spec, layout, *batch).fits())
}

/// The regime of calls that touch so many distinct bytes each, and the operand sets that they take in turn.
pub(crate) fn regime(n_bytes: u64) -> (Regime, u64) {
    if n_bytes < LAUNCH_BYTES {
        return (Regime::Launch, 1);
    }
    // Two at least: no launch finds the last one's operands.
    (Regime::DramCold, COLD_BYTES.div_ceil(n_bytes).max(2))
}

/// Stored bytes of an operand.
fn stored_bytes(spec: &Spec, operand: &Operand, layout: Layout, n_problems: u64) -> u64 {
    match (operand.element, layout) {
        (Element::Word, _) => n_problems * 4 * operand.elements() as u64,
        (Element::Real, Layout::Contiguous) => n_problems * (operand.elements() * spec.dtype.bytes()) as u64,
        (Element::Real, Layout::Interleaved) => {
            n_problems.next_multiple_of(32) * (operand.elements() * spec.dtype.bytes()) as u64
        }
    }
}

/// Declared bytes of one call, padding excluded.
///
/// Contiguous problems are adjacent, so memory moves whole operands: inputs once, outputs once, what is updated twice.
/// An interleaved element is a line of its own: only elements that the op reads or writes count, a triangle as one.
pub(crate) fn declared_bytes(spec: &Spec, layout: Layout, n_problems: u64) -> u64 {
    let n_elements = match layout {
        Layout::Contiguous => whole_operands(spec),
        Layout::Interleaved => touched_elements(spec).unwrap_or_else(|| whole_operands(spec)),
    };
    n_problems * (n_elements * spec.dtype.bytes() + 4 * n_words(spec)) as u64
}

fn n_words(spec: &Spec) -> usize {
    let words = spec.arguments().iter().filter(|operand| operand.element == Element::Word);
    words.map(Operand::elements).sum()
}

fn whole_operands(spec: &Spec) -> usize {
    let reals = spec.arguments().iter().filter(|operand| operand.element == Element::Real);
    reals.map(|operand| operand.elements() * if operand.role == Role::InOut { 2 } else { 1 }).sum()
}

/// Elements that straight-line text loads and stores: each once. `None` where a task has no such text.
fn touched_elements(spec: &Spec) -> Option<usize> {
    let mapping = Mapping::new(Tier::Thread, Form::Serial, Staging::Direct, 32);
    let plan = Plan::new(spec, Layout::Interleaved, Target::Cuda, mapping);
    if plan.unroll != Unroll::Full {
        return None;
    }
    let variant = generate::variant(spec, Layout::Interleaved, Target::Cuda, mapping, Vec::new());
    Some(variant.cost.n_loads + variant.cost.n_stores - n_words(spec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glass_codegen::spec::DType;
    use glass_tests::attribute::spec;

    #[test]
    fn cold_batches_rotate_over_four_caches() {
        let gemv = spec("contract n_out=7 k=14", DType::F32);
        let rotation = |n_problems| Rotation::new(&gemv, Layout::Contiguous, n_problems);
        let per_problem = 4 * (7 * 14 + 14 + 7);
        assert_eq!(rotation(8192).regime, Regime::Launch);
        let medium = rotation(65_536);
        assert_eq!((medium.regime, medium.bytes_per_call()), (Regime::DramCold, 65_536 * per_problem));
        assert_eq!(medium.n_sets, 8);
        assert!(medium.n_sets * medium.bytes_per_call() >= COLD_BYTES);
        assert!((medium.n_sets - 1) * medium.bytes_per_call() < COLD_BYTES);
        assert_eq!(rotation(1 << 20).n_sets, 2, "499 MB exceed the cache, but another set follows");
    }

    #[test]
    fn padding_is_touched_but_not_declared() {
        let gemv = spec("contract n_out=7 k=14 beta=one", DType::F64);
        assert_eq!(Rotation::new(&gemv, Layout::Interleaved, 1).bytes_per_call(), 32 * 8 * 119);
        assert_eq!(declared_bytes(&gemv, Layout::Interleaved, 1), 8 * (119 + 7));
        let plain = spec("contract n_out=7 k=14", DType::F64);
        assert_eq!(declared_bytes(&plain, Layout::Contiguous, 3), 3 * 8 * 119);
    }

    #[test]
    fn a_triangle_counts_once_where_elements_are_lines() {
        let potrf = spec("potrf n=7 fill=untouched", DType::F32);
        assert_eq!(declared_bytes(&potrf, Layout::Interleaved, 1), 4 * (28 + 28) + 4);
        let whole = spec("potrf n=7", DType::F32);
        assert_eq!(declared_bytes(&whole, Layout::Contiguous, 1), 4 * (49 + 49) + 4);
    }
}
