//! Factors and solves whose rows lie in the registers of lanes: whole warps and groups, packed and in place, alone and inside an op, fewer
//! rows than lanes and as many.

use super::builder::Grid;
use crate::attribute::spec;
use glass_codegen::spec::DType::{F32, F64};
use glass_codegen::spec::Layout::{Contiguous, Interleaved};

/// Tasks, and the lanes of a group that takes them.
const TASKS: &[(&str, Option<usize>)] = &[
    ("potrf n=1", Some(4)),
    ("potrf n=4", Some(4)),
    ("potrf n=7 packed in_place", Some(8)),
    ("potrf n=12 fill=untouched", Some(16)),
    ("potrf n=16", Some(16)),
    ("potrf n=24", None),
    ("potrf n=32", None),
    ("ldlt n=6 inertia", Some(8)),
    ("ldlt n=9 packed", None),
    ("posv n=9 nrhs=3", Some(16)),
    ("posv n=16", Some(16)),
    ("posv n=32", None),
    ("posv n=7 reg=shift", Some(8)),
    ("potrs n=6 packed", Some(8)),
    ("ldlt_solve n=11", Some(16)),
    ("trsv n=7 packed", Some(8)),
    ("trsv n=6 uplo=upper trans diag=unit", Some(8)),
    ("trsv n=32 uplo=upper", None),
    ("trsv n=9 trans in_place", None),
    ("riccati_gain nx=5 nu=3 reg=diag_shift", Some(4)),
];

pub(super) fn add(grid: &mut Grid) {
    for (task, group) in TASKS {
        grid.rows(&spec(task, F32), Contiguous, 64, *group);
        grid.rows(&spec(task, F64), Interleaved, 32, *group);
        grid.rows(&spec(task, F64), Contiguous, 64, None);
    }
}
