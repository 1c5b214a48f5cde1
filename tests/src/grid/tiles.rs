//! Interleaved tiles whose inputs come by bulk copies: packed triangles, whole operands, and what is written in place.

use super::builder::Grid;
use crate::attribute::spec;
use glass_codegen::spec::DType::{F32, F64};

/// Each in singles and doubles, in blocks of two warps and of one.
const TASKS: &[&str] = &[
    "gemm m=7 n=5 k=6 alpha=runtime beta=runtime",
    "symm m=4 n=3 uplo=upper",
    "trmm m=5 n=3 trans",
    "trsv n=7 uplo=upper",
    "trsm n=5 nrhs=3 uplo=upper diag=unit trans",
    "potrf n=7 fill=untouched",
    "potrf_many orders=2,5",
    "posv n=8 reg=shift",
    "posv n=7 nrhs=4",
    "ldlt n=6",
    "inv n=7",
    "riccati_gain nx=6 nu=3 reg=shift",
];

/// Text in loops, which finds its triangle in a whole square.
const ROLLED: &[&str] = &["gemm m=12 n=12 k=12", "potrf n=17 fill=untouched"];

/// Results written past the caches, and results in the places of inputs: factors, inverses, solves, and products of which
/// no result may lie over a factor.
const REFINED: &[&str] = &[
    "potrf n=7",
    "ldlt n=5 inertia",
    "inv n=7",
    "posv n=6",
    "posv n=4 nrhs=2",
    "gemm m=4 n=4 k=4",
    "axpy n=7",
    "potrf n=6 packed",
];

pub(super) fn add(grid: &mut Grid) {
    for task in TASKS {
        grid.bulk_tiles(&spec(task, F32), 64, None);
        grid.bulk_tiles(&spec(task, F64), 32, None);
    }
    for task in ROLLED {
        grid.bulk_tiles(&spec(task, F64), 32, None);
    }
    grid.bulk_tiles(&spec("potrf n=14", F32), 32, Some(6));
    for task in REFINED {
        grid.streamed(&spec(task, F64));
        grid.overlaid(&spec(task, F32));
    }
}
