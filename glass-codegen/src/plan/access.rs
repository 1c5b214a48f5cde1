//! How the body addresses the operands of its problem.

use super::{Mapping, Staging, TILE, Target, Tier, Unroll, WARP};
use crate::spec::{DType, Element, Layout, Operand, Role, Spec};
use std::fmt;

/// Addressing of one operand inside the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Distance between neighbouring elements of one problem: 1, or 32 in an interleaved tile.
    pub element_stride: usize,
    /// Elements per load and store where the text is straight-line.
    pub vector_width: usize,
    /// Elements from one staged problem to the next, or those of one that are staged where problems interleave; equals
    /// the operand's size when nothing is padded and nothing left out.
    pub problem_stride: usize,
    /// Only the triangle that the operand's structure names is staged, column after column.
    pub is_packed: bool,
    /// Other blocks hand it over during the launch.
    pub is_handed: bool,
    /// The warps of the thread tier copy it to shared memory.
    pub is_staged: bool,
    /// The input in whose staged place it lies.
    pub overlays: Option<usize>,
}

impl Access {
    /// Elements one after the other, each by itself.
    fn dense(elements: usize) -> Access {
        Access {
            element_stride: 1,
            vector_width: 1,
            problem_stride: elements,
            is_packed: false,
            is_handed: false,
            is_staged: false,
            overlays: None,
        }
    }

    /// Elements of one problem that a copy of the operand moves.
    pub(crate) fn n_copied(&self, operand: &Operand) -> usize {
        if self.is_packed { operand.n_packed() } else { operand.elements() }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "element stride {}, V = {}, problem stride {}",
            self.element_stride, self.vector_width, self.problem_stride
        )?;
        if self.is_packed {
            write!(f, ", packed triangle")?;
        }
        if let Some(input) = self.overlays {
            write!(f, ", in the place of operand {input}")?;
        }
        if self.is_handed { write!(f, ", handed over") } else { Ok(()) }
    }
}

/// A temporary or staged operand in the shared memory of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPart {
    /// Position in the spec's operands.
    pub operand: usize,
    /// Where it starts in the problem's part, in bytes; a multiple of 16.
    pub offset_bytes: usize,
}

/// Addressing of every operand of a spec. On the host an element is a vector of problems, whatever the layout.
pub(super) fn accesses(
    spec: &Spec,
    layout: Layout,
    target: Target,
    mapping: &Mapping,
    unroll: Unroll,
) -> Vec<Access> {
    let access = |operand: &Operand| {
        let dense = Access::dense(operand.elements());
        if !is_stageable(operand) || target == Target::Host {
            return dense;
        }
        let is_staged = is_staged_by_warps(operand, layout, mapping);
        // Where an element of a packed triangle lies is no affine function of its row and column.
        let is_packed = is_staged && unroll == Unroll::Full && operand.has_dead_triangle();
        let access = match (layout, mapping.tier, mapping.staging) {
            (_, Tier::Warp | Tier::Block, Staging::Shared | Staging::Bulk) => dense,
            (Layout::Interleaved, ..) if is_packed => {
                Access { element_stride: TILE, is_packed, ..Access::dense(operand.n_packed()) }
            }
            (Layout::Interleaved, ..) => Access { element_stride: TILE, ..dense },
            (Layout::Contiguous, Tier::Thread, Staging::Shared | Staging::Bulk) => {
                staged(spec.dtype, operand.elements())
            }
            (Layout::Contiguous, ..) => dense,
        };
        Access { is_staged, ..access }
    };
    spec.operands.iter().map(access).collect()
}

/// Whether a frame may copy an operand through shared memory: the real arguments of a caller.
pub(crate) fn is_stageable(operand: &Operand) -> bool {
    operand.role != Role::Temporary && operand.element == Element::Real
}

/// Whether the warps of the thread tier copy an operand to shared memory: contiguous problems in and out; of
/// interleaved ones what is only read, since an element of a result is a whole line where it lies.
pub(crate) fn is_staged_by_warps(operand: &Operand, layout: Layout, mapping: &Mapping) -> bool {
    mapping.tier == Tier::Thread
        && is_stageable(operand)
        && match (mapping.staging, layout) {
            (Staging::Direct | Staging::Ahead, _) => false,
            (Staging::Shared, _) | (Staging::Bulk, Layout::Contiguous) => true,
            (Staging::Bulk, Layout::Interleaved) => operand.role == Role::In,
        }
}

/// What the workers of one problem keep in shared memory: staged arguments, then temporaries.
pub(super) fn shared_parts(
    spec: &Spec,
    layout: Layout,
    target: Target,
    mapping: &Mapping,
) -> (Vec<SharedPart>, usize) {
    if mapping.tier == Tier::Thread || target == Target::Host {
        return (Vec::new(), 0);
    }
    // Lanes that keep rows read a contiguous matrix once, whole columns at a time: it needs no place here.
    let is_kept =
        |operand: &Operand| mapping.is_by_rows && layout == Layout::Contiguous && operand.role == Role::In;
    let is_staged =
        |operand: &Operand| mapping.staging != Staging::Direct && is_stageable(operand) && !is_kept(operand);
    let mut offset_bytes = 0;
    let mut parts = Vec::new();
    for (operand_idx, operand) in spec.operands.iter().enumerate() {
        if is_staged(operand) || operand.role == Role::Temporary {
            parts.push(SharedPart { operand: operand_idx, offset_bytes });
            offset_bytes += operand.bytes(spec.dtype).next_multiple_of(16);
        }
    }
    if mapping.group.is_some() {
        // Groups of a warp that read the same elements of their problems meet in different banks.
        let lines = (mapping.workers() * spec.dtype.bytes()).next_multiple_of(16) % BANKS_BYTES;
        offset_bytes += (BANKS_BYTES + lines - offset_bytes % BANKS_BYTES) % BANKS_BYTES;
    }
    (parts, offset_bytes)
}

/// Bytes that all banks of shared memory hold side by side.
const BANKS_BYTES: usize = 128;

/// Shared-memory banks in units of the widest load, 16 bytes.
const WIDE_BANKS: usize = 8;

/// Smallest problem that is worth a bulk copy of its own, in bytes.
const MIN_COPY_BYTES: usize = 128;

/// Addressing of 32 problems in shared memory, one lane a problem.
///
/// Lane `l` reads `V` elements at `l * stride`, and the eight lanes of one access phase collide
/// `gcd(stride / V, 8)`-fold where `V` fills 16 bytes; narrower loads are taken only where the stride makes
/// them conflict-free. Shared memory has several times the bandwidth that a problem needs, so collisions up to
/// fourfold hide behind the memory; an eightfold one is broken by 16 bytes of padding, unless the problem is so
/// small that a copy of its own costs more.
fn staged(dtype: DType, elements: usize) -> Access {
    let widest = 16 / dtype.bytes();
    let vector_width = widest.min(1 << elements.trailing_zeros());
    let collides = (elements / vector_width).is_multiple_of(WIDE_BANKS);
    let padded = collides && elements * dtype.bytes() >= MIN_COPY_BYTES;
    let problem_stride = if padded { elements + widest } else { elements };
    Access { vector_width, ..Access::dense(problem_stride) }
}

/// Bytes of one warp's staged operands, each rounded up to 16 so that every copy is aligned.
pub(crate) fn staged_bytes(dtype: DType, access: &Access) -> usize {
    (TILE * access.problem_stride * dtype.bytes()).next_multiple_of(16)
}

/// A transaction barrier, padded to keep the next warp's operands aligned.
pub(crate) const BARRIER_BYTES: usize = 16;

/// Shared memory of a multiprocessor of sm_90, and what the driver takes of it for each block.
const MULTIPROCESSOR_BYTES_SM_90: usize = 228 * 1024;
const DRIVER_BYTES: usize = 1024;

/// Shared memory of one block in bytes.
pub(super) fn shared_bytes(
    spec: &Spec,
    mapping: &Mapping,
    accesses: &[Access],
    target: Target,
    problem_shared_bytes: usize,
) -> usize {
    let threads = mapping.threads_per_block;
    if mapping.tier != Tier::Thread {
        let n_problems = threads.div_ceil(mapping.workers());
        // WGSL combines lane partials in workgroup memory: one slot an invocation. Fewer than a warp need none, because
        // each evaluates whole trees in registers.
        let slots = match target {
            Target::Wgsl if mapping.form.lanes_per_output() > 1 && threads >= WARP => {
                (threads * spec.dtype.bytes()).next_multiple_of(16)
            }
            _ => 0,
        };
        return n_problems * problem_shared_bytes + slots;
    }
    let n_warps = threads.div_ceil(WARP);
    let staged = || {
        let staged = accesses.iter().filter(|access| access.is_staged && access.overlays.is_none());
        staged.map(|access| staged_bytes(spec.dtype, access)).sum::<usize>()
    };
    let needed = match (target, mapping.staging) {
        // Known once the text is.
        (Target::Host, _) | (_, Staging::Direct | Staging::Ahead) => 0,
        (_, Staging::Shared) => n_warps * staged(),
        (_, Staging::Bulk) => n_warps * (staged() + BARRIER_BYTES),
    };
    // A block that takes more than it needs keeps others off its multiprocessor.
    needed.max(mapping.max_blocks.map_or(0, |blocks| MULTIPROCESSOR_BYTES_SM_90 / blocks - DRIVER_BYTES))
}
