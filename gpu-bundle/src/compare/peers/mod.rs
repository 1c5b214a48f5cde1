//! Outside implementations, opened at run time: what the machine lacks is a lane that is not there.

mod lane;
mod library;

pub(super) use lane::{Operands, PeerLane};
pub(super) use library::Libraries;

use super::shape::Shape;

/// What a peer runs in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routine {
    /// One strided-batched product.
    Product,
    /// One batched factorisation.
    Factor { is_upper: bool },
    /// A batched factorisation and a batched solve.
    Solve { is_upper: bool },
}

const PRODUCTS: &[(&str, Routine)] = &[("cublas gemmStridedBatched", Routine::Product)];
const FACTORS: &[(&str, Routine)] = &[
    ("cusolver potrfBatched lower", Routine::Factor { is_upper: false }),
    ("cusolver potrfBatched upper", Routine::Factor { is_upper: true }),
];
const SOLVES: &[(&str, Routine)] = &[
    ("cusolver potrfBatched potrsBatched lower", Routine::Solve { is_upper: false }),
    ("cusolver potrfBatched potrsBatched upper", Routine::Solve { is_upper: true }),
];

/// The peers of an op. The batched solve of cuSOLVER takes one right-hand side.
fn routines(shape: Shape) -> &'static [(&'static str, Routine)] {
    match shape {
        Shape::Gemm { .. } => PRODUCTS,
        Shape::Potrf { .. } => FACTORS,
        Shape::Posv { nrhs: 1, .. } => SOLVES,
        Shape::Posv { .. } => &[],
    }
}

pub(super) fn names(shape: Shape) -> Vec<&'static str> {
    routines(shape).iter().map(|(name, _)| *name).collect()
}
