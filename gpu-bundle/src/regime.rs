//! What a measurement of one batch is a measurement of: bytes touched, rotation of operand sets, regime.

use glass_codegen::spec::{Layout, Spec};
use serde::Serialize;

/// Bytes in rotation beyond which nothing survives in a 60 MB L2 cache until its next use.
pub(crate) const COLD_BYTES: u64 = 240_000_000;

/// Bytes that the memory of an H200 moves in two microseconds. A launch that touches fewer is bound by launching.
pub(crate) const LAUNCH_BYTES: u64 = 8_500_000;

/// Never pooled, never compared with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Regime {
    /// The byte floor is below two microseconds: the time is that of launching and of one problem's latency.
    Launch,
    /// The operand sets in rotation exceed the cache four times.
    DramCold,
}

/// Operand sets of one task, layout and batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rotation {
    pub(crate) regime: Regime,
    /// Bytes of the operands as stored, padding included: inputs, then the output.
    pub(crate) operand_bytes: [u64; 3],
    /// Sets, used in turn.
    pub(crate) n_sets: u64,
}

impl Rotation {
    pub(crate) fn new(spec: &Spec, layout: Layout, n_problems: u64) -> Rotation {
        let operand_bytes = operand_bytes(spec, layout, n_problems);
        let n_bytes: u64 = operand_bytes.iter().sum();
        if n_bytes < LAUNCH_BYTES {
            return Rotation { regime: Regime::Launch, operand_bytes, n_sets: 1 };
        }
        // Two at least: no launch finds the last one's operands.
        let n_sets = COLD_BYTES.div_ceil(n_bytes).max(2);
        Rotation { regime: Regime::DramCold, operand_bytes, n_sets }
    }

    /// Distinct bytes touched by one call.
    pub(crate) fn bytes_per_call(&self) -> u64 {
        self.operand_bytes.iter().sum()
    }
}

/// Stored bytes of every operand.
fn operand_bytes(spec: &Spec, layout: Layout, n_problems: u64) -> [u64; 3] {
    let n_stored = match layout {
        Layout::Contiguous => n_problems,
        Layout::Interleaved => n_problems.next_multiple_of(32),
    };
    [0, 1, 2]
        .map(|operand_idx| n_stored * (spec.operands[operand_idx].elements() * spec.dtype.bytes()) as u64)
}

/// Declared bytes of one call: every input read once, the output written once and, where it takes part, read once.
/// Padding of the last tile is not declared.
pub(crate) fn declared_bytes(spec: &Spec, n_problems: u64) -> u64 {
    let [a, b, c] = operand_bytes(spec, Layout::Contiguous, n_problems);
    let reads_old = spec.output().role == glass_codegen::spec::Role::InOut;
    a + b + if reads_old { 2 * c } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_id::parse_key;

    fn rotation(key: &str, n_problems: u64) -> Rotation {
        let (spec, layout) = parse_key(key).unwrap();
        Rotation::new(&spec, layout, n_problems)
    }

    #[test]
    fn cold_batches_rotate_over_four_caches() {
        let key = "gemv f32 contiguous m7 n1 k14";
        let per_problem = 4 * (7 * 14 + 14 + 7);
        assert_eq!(rotation(key, 8192).regime, Regime::Launch);
        let medium = rotation(key, 65_536);
        assert_eq!((medium.regime, medium.bytes_per_call()), (Regime::DramCold, 65_536 * per_problem));
        assert_eq!(medium.n_sets, 8);
        assert!(medium.n_sets * medium.bytes_per_call() >= COLD_BYTES);
        assert!((medium.n_sets - 1) * medium.bytes_per_call() < COLD_BYTES);
        assert_eq!(rotation(key, 1 << 20).n_sets, 2, "499 MB exceed the cache, but another set follows");
    }

    #[test]
    fn padding_is_touched_but_not_declared() {
        let key = "gemv f64 interleaved m7 n1 k14 acc";
        let (spec, _) = parse_key(key).unwrap();
        assert_eq!(rotation(key, 1).bytes_per_call(), 32 * 8 * 119);
        assert_eq!(declared_bytes(&spec, 1), 8 * (119 + 7));
        let (plain, _) = parse_key("gemv f64 interleaved m7 n1 k14").unwrap();
        assert_eq!(declared_bytes(&plain, 3), 3 * 8 * 119);
    }
}
