//! What is known and not provided yet.

use super::Op;
use super::entry::{Entry, PLAIN, Sums};

/// Why an op with a search or a stopping test has no thread tier.
pub(super) const DIVERGENCE: &str = "each lane works on a different problem, so the data-dependent branch of a pivot search \
                          or stopping test would diverge the warp";

const fn later(op: Op, formula: &'static str) -> Entry {
    Entry { op, formula, ..PLAIN }
}

const fn branching(op: Op, formula: &'static str) -> Entry {
    Entry { no_thread: Some(DIVERGENCE), sums: Sums::Sequential, ..later(op, formula) }
}

pub(super) const ENTRIES: &[Entry] = &[
    branching(Op::Syev, "A = V diag(w) V', cyclic Jacobi"),
    later(Op::Eigh, "A = V diag(w) V', fixed sweeps"),
    later(Op::EigClamp, "V max(diag(w), floor) V'"),
    later(Op::PsdProject, "nearest positive semidefinite matrix"),
    later(Op::Eig3, "A = V diag(w) V' of 3x3"),
    later(Op::Svd3, "A = U diag(s) V' of 3x3"),
    later(Op::ClosestRotation, "nearest rotation of 3x3"),
    later(Op::Bdmv, "y = A x, A block tridiagonal"),
    later(Op::LoadBlock, "a block out of a strip"),
    later(Op::StoreBlock, "a block into a strip"),
    later(Op::Bdsv, "x = A^-1 b, A block tridiagonal"),
    later(Op::Pcg, "x = A^-1 b by conjugate gradients"),
];
