//! Groups of a few lanes a problem: every phase that workers share out, and the sizes at which one thread no longer keeps a
//! problem and a warp has more lanes than rows.

use super::builder::Grid;
use crate::attribute::spec;
use glass_codegen::spec::DType::{F32, F64};
use glass_codegen::spec::Layout::{Contiguous, Interleaved};

/// One task for each kind of phase.
const PHASES: &[&str] = &[
    "potrf n=5",
    "potrf n=7 packed in_place",
    "posv n=9 nrhs=3 reg=shift",
    "ldlt n=6 inertia",
    "inv n=7",
    "trsm n=5 nrhs=3 uplo=upper in_place",
    "congruence_sym n=9 p=4",
    "riccati_gain nx=5 nu=3 reg=diag_shift",
    "gn_step m=6 n=4 reg=shift",
    "getrf n=6",
    "gesv n=5 nrhs=2",
    "inv_pivoted n=5",
    "ldlt_pivoted n=7",
    "potrf_many orders=5,3",
    "prefix_sum n=9",
    "nrm2 n=9",
];

/// Tasks whose groups a table may name.
const SIZES: &[&str] = &[
    "potrf n=16",
    "potrf n=20",
    "potrf n=21",
    "potrf n=24",
    "potrf n=32",
    "posv n=16",
    "posv n=20",
    "posv n=21",
    "posv n=24",
    "posv n=32",
    "inv n=12",
    "inv n=14",
    "riccati_gain nx=14 nu=7",
    "riccati_gain nx=36 nu=12",
];

pub(super) fn add(grid: &mut Grid) {
    for (task_idx, task) in PHASES.iter().enumerate() {
        let lanes = [4, 8, 16][task_idx % 3];
        grid.group(&spec(task, F32), Contiguous, 64, lanes);
        grid.group(&spec(task, F64), Interleaved, 32, lanes);
    }
    for task in SIZES {
        for (threads, lanes) in [(64, 8), (64, 16)] {
            grid.group(&spec(task, F32), Contiguous, threads, lanes);
            grid.group(&spec(task, F64), Interleaved, threads, lanes);
        }
    }
}
