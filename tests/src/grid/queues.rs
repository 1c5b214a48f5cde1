//! Warps that take tile after tile: texts in lines and in loops, packed triangles, whole operands, what is written in
//! place, and a ragged last tile at every place of a queue.

use super::builder::Grid;
use crate::attribute::spec;
use glass_codegen::spec::DType::{F32, F64};

const TASKS: &[&str] = &[
    "gemm m=7 n=5 k=6 alpha=runtime beta=runtime",
    "trsv n=7 uplo=upper",
    "potrf n=7 fill=untouched",
    "potrf n=6 packed",
    "posv n=8 reg=shift",
    "inv n=7",
    "riccati_gain nx=6 nu=3 reg=shift",
    "riccati_gain nx=14 nu=7",
    "potrf n=12 fill=untouched",
    "gemm m=12 n=12 k=12",
];

pub(super) fn add(grid: &mut Grid) {
    for task in TASKS {
        grid.queue(&spec(task, F32), 32, 4);
        grid.queue(&spec(task, F64), 64, 2);
    }
}
