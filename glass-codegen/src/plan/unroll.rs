//! Straight-line text while it is small enough to be fast and to compile quickly, loops beyond.

use super::{Mapping, Target, Tier};
use crate::spec::{DType, Dims, Spec};
use std::fmt;

/// How much of a body is straight-line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// Every statement is written out.
    Full,
    /// Loops over tiles of `rows x cols` outputs; the contraction inside is written out or rolled.
    Tiled {
        /// Output rows of a tile.
        rows: usize,
        /// Output columns of a tile.
        cols: usize,
        /// Whether the contraction is written out.
        contraction: bool,
    },
    /// A loop over the outputs that a lane owns; the contraction inside is written out or rolled.
    PerOutput {
        /// Whether the contraction is written out.
        contraction: bool,
    },
}

impl fmt::Display for Unroll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = |contraction: &bool| if *contraction { "written out" } else { "rolled" };
        match self {
            Unroll::Full => f.write_str("fully unrolled"),
            Unroll::Tiled { rows, cols, contraction } => {
                write!(f, "rolled over {rows}x{cols} output tiles, contraction {}", written(contraction))
            }
            Unroll::PerOutput { contraction } => {
                write!(f, "rolled over outputs, contraction {}", written(contraction))
            }
        }
    }
}

/// Terms of a contraction that are written out inside a rolled loop.
const MAX_WRITTEN_TERMS: usize = 64;

pub(super) fn unroll(spec: &Spec, target: Target, mapping: &Mapping) -> Unroll {
    let Dims { m, n, k } = spec.dims;
    let lanes = mapping.form.lanes_per_output();
    if mapping.tier != Tier::Thread || lanes > 1 {
        let terms_per_lane = if mapping.tier == Tier::Thread { k } else { k.div_ceil(lanes) };
        return Unroll::PerOutput { contraction: terms_per_lane <= MAX_WRITTEN_TERMS };
    }
    let words = match spec.dtype {
        DType::F32 => 1,
        DType::F64 => 2,
    };
    // Accumulators stay in registers: 255 a thread, less one row and column of operands. WGSL front ends are
    // quadratic in the length of one function, and rustc pays for every statement of the host form.
    let max_fmas = match target {
        Target::Cuda => 4096,
        Target::Wgsl => 512,
        Target::Host => 1024,
    };
    if spec.n_fmas() <= max_fmas && (m * n + m + n) * words <= 240 {
        return Unroll::Full;
    }
    let (rows, cols) = (tile(m), tile(n));
    Unroll::Tiled { rows, cols, contraction: rows * cols * k <= 1024 && k <= MAX_WRITTEN_TERMS }
}

/// The most register-friendly divisor of a dimension: 4 if possible, so that no tile is ragged.
fn tile(dim: usize) -> usize {
    [4, 5, 6, 7, 8, 3, 2].into_iter().find(|rows| dim.is_multiple_of(*rows)).unwrap_or(1)
}
