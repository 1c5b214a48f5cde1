//! Straight-line text while it is small enough to be fast and to compile quickly, loops beyond.

use super::{Plan, Staging, Target, Tier};
use crate::kernel::{self, Kernel};
use crate::spec::{Access, Contraction, DType, Domain, Layout, Phase, Spec};
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
    /// Loops with constant bounds; the terms that one lane sums are written out up to a limit.
    PerOutput {
        /// Most terms of one lane that are written out.
        max_terms: usize,
    },
}

impl fmt::Display for Unroll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unroll::Full => f.write_str("fully unrolled"),
            Unroll::Tiled { rows, cols, contraction } => {
                let written = if *contraction { "written out" } else { "rolled" };
                write!(f, "rolled over {rows}x{cols} output tiles, contraction {written}")
            }
            Unroll::PerOutput { max_terms: 0 } => f.write_str("rolled"),
            Unroll::PerOutput { max_terms } => write!(f, "rolled, sums written out up to {max_terms} terms"),
        }
    }
}

/// Terms of a contraction that are written out inside a rolled loop.
const MAX_WRITTEN_TERMS: usize = 64;

/// Registers that the accumulators of a product may ask for, of 255 a thread. Vector loads and register pairs leave
/// less room: ptxas spills from about 210 on.
const MAX_REGISTERS: usize = 240;
const MAX_REGISTERS_WIDE: usize = 200;

/// Registers of the values that any other straight-line text keeps at once: single ones read in place, and pairs or vectors.
const MAX_PRESSURE: usize = 248;
const MAX_PRESSURE_WIDE: usize = 238;

/// Accumulators of a rolled tile, in registers.
const MAX_TILE_REGISTERS: usize = 32;

/// Operand values that a compiler may hoist out of a rolled tile loop before it spills, in registers.
const MAX_HOISTED_REGISTERS: usize = 128;

/// Chooses for a plan that is otherwise complete, which says `Full`. The kernel where it had to be built to choose.
pub(super) fn unroll(spec: &Spec, plan: &Plan) -> (Unroll, Option<Kernel>) {
    let Plan { target, mapping, .. } = plan;
    let written_terms = if *target == Target::Host { 0 } else { MAX_WRITTEN_TERMS };
    // A place that a word names is no constant, and passes are a loop.
    let has_places = spec.phases.iter().any(|phase| matches!(phase, Phase::Indexed(_) | Phase::Repeat(_)));
    if mapping.tier != Tier::Thread || mapping.form.lanes_per_output() > 1 || has_places {
        return (Unroll::PerOutput { max_terms: written_terms }, None);
    }
    if let [Phase::Contraction(contraction)] = spec.phases.as_slice()
        && is_plain_product(contraction)
    {
        let fits = is_short(spec, *target) && accumulators_fit(contraction, spec, plan);
        let unroll = if fits { Unroll::Full } else { tiles(contraction, words(spec), *target) };
        return (unroll, None);
    }
    let straight = is_short(spec, *target).then(|| kernel::build(spec, plan));
    match straight.filter(|kernel| values_fit(kernel, spec, plan)) {
        Some(kernel) => (Unroll::Full, Some(kernel)),
        None => (Unroll::PerOutput { max_terms: written_terms }, None),
    }
}

/// 32-bit registers of one value.
fn words(spec: &Spec) -> usize {
    match spec.dtype {
        DType::F32 => 1,
        DType::F64 => 2,
    }
}

/// ptxas takes seconds beyond some thousand statements, WGSL front ends are quadratic in the length of one
/// function, and rustc checks every statement of every host form: 10 ms for 7x14 written out, 2 ms in loops,
/// which LLVM unrolls again where that pays.
fn is_short(spec: &Spec, target: Target) -> bool {
    let (max_fmas, max_loads) = match target {
        Target::Cuda => (4608, 1200),
        Target::Wgsl => (512, 512),
        Target::Host => (48, 96),
    };
    let n_elements: usize = spec.arguments().iter().map(|operand| operand.elements()).sum();
    spec.n_fmas() <= max_fmas && n_elements <= max_loads
}

/// Whether each load fills one register, and no copies of the thread's own are under way beside it.
fn loads_singles(spec: &Spec, plan: &Plan) -> bool {
    let is_single = match plan.mapping.staging {
        Staging::Direct => true,
        Staging::Bulk => plan.layout == Layout::Interleaved,
        Staging::Shared | Staging::Ahead => false,
    };
    spec.dtype == DType::F32 && is_single
}

/// What the text of a product keeps: the accumulators, and what one term needs.
fn accumulators_fit(contraction: &Contraction, spec: &Spec, plan: &Plan) -> bool {
    let max_registers = if loads_singles(spec, plan) { MAX_REGISTERS } else { MAX_REGISTERS_WIDE };
    let (rows, cols) = extents(contraction);
    (rows * cols + rows + cols) * words(spec) <= max_registers
}

/// What any other straight-line text keeps.
fn values_fit(straight: &Kernel, spec: &Spec, plan: &Plan) -> bool {
    let max_pressure = if loads_singles(spec, plan) { MAX_PRESSURE } else { MAX_PRESSURE_WIDE };
    kernel::pressure(straight) * words(spec) <= max_pressure
}

/// One product over one summed letter, whose factors go along the rows and the columns of the result.
fn is_plain_product(contraction: &Contraction) -> bool {
    let [product] = contraction.products.as_slice() else { return false };
    let (rows, cols) = match contraction.outputs.as_slice() {
        [row] => (row.name, None),
        [row, col] => (row.name, Some(col.name)),
        _ => return false,
    };
    let is_along = |access: &Access, letter| access.strides.iter().any(|(name, _)| *name == letter);
    contraction.domain == Domain::Full
        && contraction.terms.len() == 1
        && product.scale.is_none()
        && !is_along(&product.right, rows)
        && cols.is_none_or(|col| !is_along(&product.left, col))
}

fn extents(contraction: &Contraction) -> (usize, usize) {
    (contraction.outputs[0].extent, contraction.outputs.get(1).map_or(1, |letter| letter.extent))
}

fn tiles(contraction: &Contraction, words: usize, target: Target) -> Unroll {
    let (m, n) = extents(contraction);
    let k = contraction.n_terms();
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
