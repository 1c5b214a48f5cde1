//! Straight-line text while it is small enough to be fast and to compile quickly, loops beyond.

use super::{Mapping, Staging, Target, Tier};
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

/// Registers that straight-line text may ask for, of 255 a thread. Vector loads and register pairs leave
/// less room: ptxas spills from about 210 on.
const MAX_REGISTERS: usize = 240;
const MAX_REGISTERS_WIDE: usize = 200;

/// Accumulators of a rolled tile, in registers.
const MAX_TILE_REGISTERS: usize = 32;

/// Operand values that a compiler may hoist out of a rolled tile loop before it spills, in registers.
const MAX_HOISTED_REGISTERS: usize = 128;

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
    // ptxas takes seconds beyond some thousand statements, WGSL front ends are quadratic in the length of one
    // function, and rustc checks every statement of every host form: 10 ms for 7x14 written out, 2 ms in loops,
    // which LLVM unrolls again where that pays.
    let (max_fmas, max_loads) = match target {
        Target::Cuda => (3072, 1200),
        Target::Wgsl => (512, 512),
        Target::Host => (48, 96),
    };
    let max_registers = match (spec.dtype, mapping.staging) {
        (DType::F32, Staging::Direct) => MAX_REGISTERS,
        _ => MAX_REGISTERS_WIDE,
    };
    let is_short = spec.n_fmas() <= max_fmas && (m + n) * k <= max_loads;
    if is_short && (m * n + m + n) * words <= max_registers {
        return Unroll::Full;
    }
    let rows = tile(m, MAX_TILE_REGISTERS / words);
    let cols = tile(n, MAX_TILE_REGISTERS / words / rows);
    let is_written = target != Target::Host
        && k <= MAX_WRITTEN_TERMS
        && rows * cols * k <= 1024
        && rows.max(cols) * k * words <= MAX_HOISTED_REGISTERS;
    Unroll::Tiled { rows, cols, contraction: is_written }
}

/// The most register-friendly divisor of a dimension: 4 if possible, so that no tile is ragged.
fn tile(dim: usize, max: usize) -> usize {
    let divisors = [4, 5, 6, 7, 8, 3, 2];
    divisors.into_iter().find(|rows| *rows <= max && dim.is_multiple_of(*rows)).unwrap_or(1)
}
