//! Every option of every op, on small tasks whose sizes all differ.

use super::builder::{Grid, other, reduced};
use crate::attribute::spec;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::{DType, Layout};

use DType::{F32, F64};
use Layout::{Contiguous, Interleaved};

/// A task, and alternatives of which each is written alone.
const SINGLE: &[(&str, &[&str])] = &[
    ("axpy n=5", &["in_place"]),
    ("copy n=5", &["alpha=runtime"]),
    ("copy_strided m=3 n=2 ldy=3", &["", "ldx=5", "alpha=runtime"]),
    ("axpy_strided m=3 n=2 ldy=5", &["ldx=4"]),
    ("scal n=5", &["in_place"]),
    ("add n=5", &["scalar"]),
    ("sub n=5", &["scalar"]),
    ("mult n=5", &["", "scalar"]),
    ("max n=5", &["scalar"]),
    ("min n=5", &["scalar"]),
    ("less n=5", &["scalar"]),
    ("less_equal n=5", &["scalar"]),
    ("greater n=5", &["scalar"]),
    ("greater_equal n=5", &["scalar"]),
    ("equal n=5", &["scalar"]),
    ("not_equal n=5", &["scalar"]),
    ("and n=5", &["scalar"]),
    ("axpby n=5", &["in_place"]),
    ("set_identity n=1", &[""]),
    ("add_identity n=5", &["in_place"]),
    ("add_identity_partial n=5 d=3", &["", "in_place"]),
    ("infnorm n=1", &[""]),
    ("prefix_sum n=5", &["exclusive", "in_place", "exclusive in_place"]),
    ("prefix_sum n=1", &["", "exclusive"]),
    ("softmax n=5", &["alpha=runtime"]),
    ("softmax n=1", &["", "alpha=runtime"]),
    ("trmm m=5 n=3", &["alpha=runtime beta=runtime", "beta=one", "alpha=runtime"]),
    ("trmm m=1 n=3", &["", "uplo=upper"]),
    ("rot n=5", &["in_place"]),
    ("symmetrize n=5", &["", "in_place"]),
    ("symmetrize n=1", &[""]),
    (
        "syrk n=5 k=3",
        &["row_major_c", "fill=lower row_major_c", "alpha=runtime", "beta=one", "alpha=runtime beta=runtime"],
    ),
    ("syrk n=5 k=3 fill=upper", &["", "trans beta=runtime", "alpha=runtime beta=one"]),
    ("syrk n=5 k=3 fill=lower", &["", "trans", "alpha=runtime beta=runtime"]),
    (
        "syr2k n=5 k=3",
        &["", "trans", "row_major_c", "fill=lower", "fill=upper", "alpha=runtime beta=runtime", "beta=one"],
    ),
    (
        "trsm n=5 nrhs=3",
        &[
            "",
            "in_place",
            "uplo=upper",
            "trans",
            "diag=unit",
            "uplo=upper trans diag=unit",
            "uplo=upper diag=unit in_place",
        ],
    ),
    ("potrf n=5", &["in_place", "fill=untouched", "rsqrt", "check=off", "in_place rsqrt check=off"]),
    (
        "posv n=5",
        &["in_place", "reg=shift", "reg=diag_shift", "rsqrt", "check=off", "in_place reg=diag_shift"],
    ),
    ("posv n=5 nrhs=3", &["", "in_place reg=shift", "reg=diag_shift"]),
    ("potrs n=5", &["in_place"]),
    ("potrs n=5 nrhs=3", &["", "in_place"]),
    ("ldlt n=5", &["", "in_place", "fill=untouched", "check=off", "inertia", "in_place inertia check=off"]),
    ("ldlt_solve n=5", &["", "in_place"]),
    ("ldlt_solve n=5 nrhs=3", &["in_place"]),
    ("inv n=5", &["", "in_place", "check=off"]),
    ("iamax n=1", &[""]),
    ("argmax n=1", &[""]),
    ("argmin n=5", &[""]),
    ("getrf n=5", &["", "in_place", "check=off"]),
    ("gesv n=5", &["in_place", "check=off", "in_place check=off"]),
    ("gesv n=5 nrhs=3", &["in_place"]),
    (
        "tensor_vec_contract k=3 a=4 b=5",
        &[
            "",
            "axis=a",
            "axis=b",
            "slab_row_major",
            "slab_row_major axis=a",
            "slab_row_major axis=b",
            "alpha=runtime beta=runtime",
            "beta=one",
        ],
    ),
    (
        "tensor_vec_contract k=3 a=4 b=4 symmetric",
        &["", "slab_row_major", "beta=runtime", "alpha=runtime beta=one"],
    ),
    ("tensor_vec_contract k=33 a=2 b=3", &["", "slab_row_major"]),
    ("tensor_vec_contract k=2 a=64 b=3 axis=a", &["", "slab_row_major"]),
    ("tensor_vec_contract k=2 a=3 b=33 axis=b", &["", "slab_row_major"]),
    ("vec_tensor_vec k=3 a=4 b=5", &["slab_row_major", "alpha=runtime beta=runtime", "beta=one"]),
    ("congruence_sym n=5 p=3", &["alpha=runtime", "beta=one", "alpha=runtime beta=runtime"]),
    ("bilinear n=5 p=3 q=4", &["alpha=runtime", "beta=one", "alpha=runtime beta=runtime"]),
    ("congruence_accum p=3 q=5", &["alpha=runtime", "beta=one", "alpha=runtime beta=runtime"]),
    (
        "riccati_gain nx=5 nu=3",
        &["reg=shift", "reg=diag_shift", "factor", "rsqrt", "check=off", "factor reg=shift check=off"],
    ),
    ("gn_step m=6 n=4", &["reg=shift", "reg=diag_shift", "reg=shift check=off", "reg=shift rsqrt"]),
    ("gemv_strided m=3 n=4", &["", "lda=5", "beta=one", "trans lda=5", "lda=5 alpha=runtime beta=runtime"]),
    (
        "gemm_strided m=3 n=4 k=5",
        &["", "lda=4 ldb=6 ldc=5 beta=one", "ldb=6 beta=runtime", "ldc=4 alpha=runtime"],
    ),
    ("ger m=3 n=4", &["", "alpha=runtime beta=one", "alpha=runtime beta=runtime"]),
    ("symm m=4 n=3", &["", "beta=one", "uplo=upper", "alpha=runtime beta=runtime"]),
    ("dimm m=4 n=3", &["", "beta=one", "right", "right alpha=runtime beta=runtime"]),
    ("trmv n=5", &["", "trans", "uplo=upper diag=unit", "uplo=upper trans"]),
    ("trmm m=4 n=3", &["", "diag=unit trans", "uplo=upper alpha=runtime beta=runtime", "beta=one"]),
    ("axpby n=5", &["", "in_place"]),
    ("prefix_sum n=5", &["", "in_place", "exclusive", "exclusive in_place"]),
    ("add_identity n=4", &["", "in_place"]),
    ("add_identity_partial n=4 d=3", &["", "in_place"]),
    ("softmax n=5", &["", "alpha=runtime"]),
    ("ki,kl,lj->ij k=4 l=5 i=2 j=3", &["alpha=runtime beta=runtime", "beta=one"]),
];

/// As [`SINGLE`], after all others: what an earlier task takes by turns depends on its position.
const LATER: &[(&str, &[&str])] = &[
    ("getrs n=5", &["", "in_place", "trans", "trans in_place"]),
    ("getrs n=5 nrhs=3", &["in_place", "trans", "trans in_place"]),
    ("laswp m=5 n=3", &["", "in_place", "trans", "trans in_place"]),
    ("laswp m=1 n=3", &["", "in_place"]),
    ("inv_pivoted n=5", &["", "in_place", "check=off"]),
    ("potrf_many orders=2,5", &["in_place"]),
    ("potrf_many orders=5,3", &["check=off"]),
    ("inv_many orders=4,3,5,1", &["in_place"]),
    ("inv_many orders=2,3", &["check=off"]),
    ("logsumexp n=1", &[""]),
    ("logsumexp n=5", &[""]),
    (
        "gemm_batched_indexed pairs=7 a_count=3 b_count=5 c_count=2",
        &[
            "beta=one",
            "trans_a trans_b alpha=runtime beta=runtime",
            "trans_b check=off",
            "trans_a alpha=runtime beta=one",
        ],
    ),
    ("gemm_batched_indexed dim=7 pairs=3 a_count=2 b_count=1 c_count=4", &["beta=one", ""]),
    ("gemm_batched_indexed dim=1 pairs=1 a_count=1 b_count=2 c_count=3", &["", "beta=runtime"]),
    (
        "gemv_segmented m=6 n=4 segments=5 a_len=70 x_len=13 y_len=17",
        &["beta=one", "trans fuse beta=one", "fuse alpha=runtime beta=runtime", "trans check=off", "fuse"],
    ),
    ("gemv_segmented m=3 n=5 segments=1 a_len=15 x_len=5 y_len=3", &["alpha=runtime beta=one", ""]),
    ("gemv_segmented m=45 n=2 segments=3 a_len=200 x_len=2 y_len=130", &["fuse beta=one", ""]),
    ("ldlt_pivoted n=4", &["", "in_place inertia", "fill=untouched inertia check=off"]),
    ("ldlt_pivoted n=1", &["inertia"]),
    ("ldlt_pivoted n=2", &["in_place"]),
    ("ldlt_pivoted n=7", &["", "in_place inertia"]),
    ("ldlt_pivoted n=12", &["in_place"]),
    ("ldlt_pivoted n=14", &["inertia"]),
    ("ldlt_pivoted_solve n=1", &[""]),
    ("ldlt_pivoted_solve n=2", &["in_place"]),
    ("ldlt_pivoted_solve n=4", &["", "in_place"]),
    ("ldlt_pivoted_solve n=4 nrhs=3", &["", "in_place"]),
    ("ldlt_pivoted_solve n=7", &["", "nrhs=3 in_place"]),
    ("ldlt_pivoted_solve n=12", &["in_place"]),
    ("ldlt_pivoted_solve n=14", &["", "nrhs=3"]),
    ("potrf n=5 packed", &["", "in_place", "rsqrt check=off"]),
    ("posv n=5 packed", &["", "in_place reg=shift", "nrhs=3 reg=diag_shift"]),
    ("potrs n=5 packed", &["", "nrhs=3 in_place"]),
    ("ldlt n=5 packed", &["", "in_place inertia"]),
    ("ldlt_solve n=5 packed", &["", "nrhs=3 in_place"]),
    ("trsv n=5 packed", &["", "uplo=upper trans in_place"]),
    ("trsm n=5 nrhs=3 packed", &["uplo=upper", "trans diag=unit in_place"]),
    ("trmv n=5 packed", &["trans", "uplo=upper"]),
    ("trmm m=5 n=3 packed", &["", "uplo=upper diag=unit trans beta=one"]),
    ("syrk n=5 k=3 packed fill=lower", &["", "trans beta=one"]),
    ("syrk n=5 k=3 packed fill=upper", &["", "beta=runtime"]),
    ("syr2k n=5 k=3 packed fill=lower", &["", "beta=one"]),
];

/// Every combination of the options of a triangle.
const TRIANGLES: [&str; 8] = [
    "",
    "trans",
    "diag=unit",
    "diag=unit trans",
    "uplo=upper",
    "uplo=upper trans",
    "uplo=upper diag=unit",
    "uplo=upper diag=unit trans",
];

/// Ops without options.
const PLAIN: &[&str] = &[
    "infnorm n=5",
    "set_const n=5",
    "set_identity n=4",
    "add n=5",
    "sub n=5",
    "max n=5",
    "min n=5",
    "abs n=5",
    "clip n=5",
    "less n=5",
    "less_equal n=5",
    "greater n=5",
    "greater_equal n=5",
    "equal n=5",
    "not_equal n=5",
    "and n=5",
    "not n=5",
];

pub(super) fn add(grid: &mut Grid) {
    let plain = PLAIN.iter().map(|task| (*task).to_owned());
    let written = |tasks: &'static [(&str, &[&str])]| {
        let options_of = |(task, options): &'static (&str, &[&str])| {
            options.iter().map(move |options| format!("{task} {options}"))
        };
        tasks.iter().flat_map(options_of)
    };
    let triangles = TRIANGLES.iter().flat_map(|options| {
        ["trsv n=5 in_place", "trsv n=5", "trmv n=5", "trmm m=5 n=3"].map(|task| format!("{task} {options}"))
    });
    for (task_idx, task) in written(SINGLE).chain(triangles).chain(plain).chain(written(LATER)).enumerate() {
        every_tier_once(grid, &task, task_idx);
    }
}

/// One kernel a tier; layouts, types and stagings alternate.
fn every_tier_once(grid: &mut Grid, task: &str, task_idx: usize) {
    let (single, double) = (spec(task, F32), spec(task, F64));
    let layout = if task_idx.is_multiple_of(2) { Contiguous } else { Interleaved };
    let has_sums = single.op.entry().sums.can_reduce();
    let tree = reduced([2, 4, 8, 16, 32][task_idx % 5]);
    if single.op.entry().no_thread.is_none() {
        match task_idx % 4 {
            0 | 2 => grid.thread(&single, Interleaved),
            1 => grid.bulk(&double),
            _ => grid.shared(&double),
        }
    }
    let form = if has_sums { tree } else { Form::Serial };
    grid.warp_staged(&single, layout, form);
    grid.block(&double, layout, Form::Serial, [33, 64, 31, 96][task_idx % 4]);

    if layout == Interleaved && single.op.entry().no_thread.is_none() {
        grid.wgsl(&single, layout, Tier::Thread, Form::Serial, 64);
    } else {
        grid.wgsl(&single, other(layout), Tier::Warp, form, 32);
    }

    grid.host(&single, Form::Serial);
    grid.host(&double, form);
}
