//! Every op at the sizes users run, at every tier.

use super::THREAD_COUNTS;
use super::builder::{Grid, other, reduced};
use crate::attribute::spec;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::{DType, Layout};

use DType::{F32, F64};
use Layout::{Contiguous, Interleaved};

/// Ops with a sum, which have both forms.
const SUMS: &[&str] = &[
    "dot n=7",
    "dot n=14",
    "dot n=36",
    "reduce n=7",
    "reduce n=14",
    "asum n=14",
    "asum n=33",
    "nrm1_diff n=7",
    "nrm1_diff n=12",
    "nrm1_diff n=14",
    "nrm2 n=7",
    "nrm2 n=14",
    "nrm2 n=100",
    "softmax n=7",
    "softmax n=64",
    // J' J of a 6x7 Jacobian, and products of state and control matrices.
    "syrk n=7 k=6 trans",
    "syrk n=4 k=4",
    "syrk n=6 k=6",
    "syrk n=12 k=6",
    "syrk n=14 k=7",
    "syrk n=14 k=14",
    "syrk n=21 k=14",
    "syr2k n=7 k=6",
    "ger m=4 n=128",
    "ger m=64 n=8",
    "dimm m=6 n=4",
    "tensor_vec_contract k=14 a=14 b=14",
    "tensor_vec_contract k=14 a=7 b=14",
    "tensor_vec_contract k=14 a=7 b=14 axis=a",
    "tensor_vec_contract k=14 a=7 b=14 axis=b",
    "vec_tensor_vec k=14 a=14 b=14",
    "vec_tensor_vec k=14 a=7 b=14",
    "vec_tensor_vec k=2 a=3 b=4",
    "congruence_sym n=6 p=6",
    "congruence_sym n=12 p=4",
    "congruence_sym n=12 p=6",
    "congruence_sym n=14 p=7",
    "congruence_sym n=14 p=21",
    "congruence_sym n=33 p=5",
    "congruence_sym n=64 p=3",
    "bilinear n=6 p=4 q=5",
    "bilinear n=14 p=7 q=14",
    "bilinear n=14 p=7 q=21",
    "congruence_accum p=6 q=6",
    "congruence_accum p=12 q=6",
    "congruence_accum p=14 q=7",
    "congruence_accum p=14 q=14",
    "riccati_gain nx=12 nu=4",
    "riccati_gain nx=12 nu=6",
    "riccati_gain nx=14 nu=7",
    "riccati_gain nx=36 nu=12",
    "riccati_gain nx=5 nu=3",
    "gn_step m=6 n=7 reg=shift",
    "gn_step m=12 n=7 reg=diag_shift",
    "ki,kl,lj->ij k=14 l=14 i=7 j=7",
    "ki,kl,lj->ij symmetric k=12 l=12 i=6 j=6",
    "kab,k->ab k=3 a=4 b=5",
    "ij,jk,kl,l->i i=6 j=5 k=4 l=3",
    "logsumexp n=7",
    "logsumexp n=14",
    "logsumexp n=100",
];

/// Ops in a stated order or without any sum.
const ORDERED: &[&str] = &[
    "axpy n=14",
    "axpy n=21",
    "axpy_strided m=14 n=14 ldy=21",
    "axpy_strided m=6 n=5 ldx=6 ldy=8",
    "copy n=14",
    "copy_strided m=14 n=14 ldy=21",
    "copy_strided m=6 n=5 ldx=6 ldy=8",
    "scal n=14",
    "axpby n=14",
    "add n=14",
    "sub n=7",
    "mult n=7",
    "max n=7",
    "min n=7",
    "abs n=7",
    "clip n=7",
    "less n=7",
    "less_equal n=7",
    "greater n=7",
    "greater_equal n=7",
    "equal n=7",
    "not_equal n=7",
    "and n=7",
    "not n=7",
    "set_const n=14",
    "set_identity n=7",
    "add_identity n=7",
    "add_identity_partial n=7 d=3",
    "infnorm n=14",
    "infnorm n=100",
    "prefix_sum n=14",
    "prefix_sum n=100",
    "trmv n=7",
    "trmv n=14",
    "trmm m=7 n=14",
    "trmm m=14 n=7",
    "rot n=7",
    "rotg",
    "symmetrize n=6",
    "symmetrize n=14",
    "symmetrize n=21",
    "swap n=7",
    "transpose m=6 n=4",
    "gemv_strided m=6 n=6 lda=8",
    "gemm_strided m=4 n=4 k=4 lda=6 ldb=5 ldc=8",
    "symm m=6 n=4",
    "syr2k n=6 k=6",
    "syr2k n=14 k=7",
    "trsv n=6",
    "trsv n=7",
    "trsv n=14",
    "trsv n=21",
    "trsm n=6 nrhs=6",
    "trsm n=7 nrhs=7",
    "trsm n=7 nrhs=14",
    "trsm n=14 nrhs=7",
    "potrf n=1",
    "potrf n=4",
    "potrf n=6",
    "potrf n=7",
    "potrf n=12",
    "potrf n=14",
    "potrf n=21",
    "potrf n=24",
    "posv n=6",
    "posv n=7",
    "posv n=14",
    "posv n=20",
    "posv n=21",
    "posv n=7 nrhs=14",
    "posv n=4 nrhs=12",
    "posv n=7 reg=shift",
    "potrs n=7",
    "potrs n=14",
    "potrs n=7 nrhs=14",
    "ldlt n=6",
    "ldlt n=7",
    "ldlt n=14",
    "ldlt n=14 inertia",
    "ldlt_solve n=7",
    "ldlt_solve n=14",
    "ldlt_solve n=6 nrhs=4",
    "inv n=1",
    "inv n=4",
    "inv n=6",
    "inv n=7",
    "inv n=12",
    "inv n=14",
    "inv n=21",
    "iamax n=7",
    "argmax n=7",
    "argmin n=33",
    "iamax n=100",
    "getrf n=1",
    "getrf n=6",
    "getrf n=7",
    "getrf n=14",
    "gesv n=7",
    "gesv n=14",
    "gesv n=6 nrhs=4",
    "getrs n=7",
    "getrs n=14 trans",
    "getrs n=6 nrhs=4",
    "laswp m=14 n=7",
    "laswp m=7 n=1",
    "inv_pivoted n=1",
    "inv_pivoted n=7",
    "inv_pivoted n=14",
    "potrf_many orders=7,14",
    "potrf_many orders=6,6,6,6",
    "inv_many orders=12,12,6",
    "inv_many orders=14,14,7",
];

/// Small tasks of each kind of step that run under every block size.
const SWEPT: &[&str] = &[
    "nrm2 n=33",
    "syrk n=5 k=6",
    "symmetrize n=7 in_place",
    "softmax n=7 alpha=runtime",
    "infnorm n=33",
    "prefix_sum n=33 in_place",
    "set_identity n=7",
    "add_identity n=7",
    "trmm m=7 n=3 diag=unit",
    "trsv n=7 in_place",
    "trsm n=5 nrhs=3",
    "potrf n=7",
    "posv n=7 reg=shift",
    "ldlt n=6 in_place",
    "inv n=6",
    "iamax n=33",
    "getrf n=6 in_place",
    "gesv n=5 nrhs=3",
    "getrs n=5 nrhs=3",
    "inv_pivoted n=5 in_place",
    "vec_tensor_vec k=3 a=4 b=5",
    "congruence_sym n=6 p=4",
    "riccati_gain nx=6 nu=3 reg=shift",
    "inv_many orders=3,6,1",
];

/// Tasks whose threads read ahead: fewer loads than slots, more, and results that overwrite what was read.
const AHEAD: &[&str] = &[
    "gemm m=7 n=7 k=7 alpha=runtime beta=runtime",
    "potrf n=7 in_place fill=untouched",
    "potrf n=14 fill=untouched",
    "posv n=7 nrhs=4",
    "posv n=8 in_place reg=shift",
    "posv n=14",
    "ldlt n=12",
    "inv n=7",
    "riccati_gain nx=6 nu=3 reg=shift",
];

pub(super) fn add(grid: &mut Grid) {
    for task in AHEAD {
        grid.ahead(&spec(task, F32), 64);
        grid.ahead(&spec(task, F64), 32);
    }
    for threads in [33, 57, 96] {
        grid.ahead(&spec("posv n=6", F32), threads);
    }
    for (task_idx, task) in SUMS.iter().enumerate() {
        every_tier(grid, task, task_idx);
        in_trees(grid, task, task_idx);
    }
    for (task_idx, task) in ORDERED.iter().enumerate() {
        every_tier(grid, task, task_idx);
    }
    for (task_idx, task) in SWEPT.iter().enumerate() {
        every_block_size(grid, task, task_idx);
    }
}

/// The serial form. What one task takes contiguous, the next takes interleaved; doubles take half of the mappings by
/// turns.
fn every_tier(grid: &mut Grid, task: &str, task_idx: usize) {
    let (single, double) = (spec(task, F32), spec(task, F64));
    let layout = if task_idx.is_multiple_of(2) { Contiguous } else { Interleaved };
    let by_turns = layout == Contiguous;
    if single.op.entry().no_thread.is_none() {
        grid.bulk(&single);
        grid.thread(&single, Interleaved);
        if by_turns {
            grid.shared(&single);
            grid.bulk(&double);
        } else {
            grid.thread(&double, Interleaved);
        }
        grid.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
    }
    grid.warp_staged(&single, Contiguous, Form::Serial);
    grid.block_staged(&single, layout, Form::Serial, 64);
    if by_turns {
        grid.warp(&double, Interleaved, Form::Serial);
        grid.wgsl(&single, Interleaved, Tier::Warp, Form::Serial, 32);
    } else {
        grid.block_staged(&double, Contiguous, Form::Serial, 57);
        grid.wgsl(&single, Interleaved, Tier::Block, Form::Serial, 64);
    }

    grid.host(&single, Form::Serial);
    grid.host(&double, Form::Serial);
}

/// The reduced form; the width rotates.
fn in_trees(grid: &mut Grid, task: &str, task_idx: usize) {
    let (single, double) = (spec(task, F32), spec(task, F64));
    let tree = |turn: usize| reduced([8, 2, 16, 4, 32][(task_idx + turn) % 5]);
    let layout = if task_idx.is_multiple_of(2) { Interleaved } else { Contiguous };
    grid.warp_staged(&single, Contiguous, tree(0));
    grid.block_staged(&single, layout, tree(1), 96);
    grid.warp(&double, layout, tree(2));
    grid.wgsl(&single, layout, Tier::Warp, tree(0), 32);
    grid.host(&single, tree(0));
    grid.host(&double, tree(2));
}

/// Blocks with and without a ragged last warp. Trees where there are sums.
fn every_block_size(grid: &mut Grid, task: &str, task_idx: usize) {
    let (single, double) = (spec(task, F32), spec(task, F64));
    let has_sums = single.op.entry().sums.can_reduce();
    for (count_idx, threads) in THREAD_COUNTS.into_iter().enumerate() {
        let layout = if (task_idx + count_idx).is_multiple_of(2) { Contiguous } else { Interleaved };
        grid.block_staged(&single, layout, Form::Serial, threads);
        if has_sums {
            grid.block(&double, other(layout), reduced([4, 32][count_idx % 2]), threads);
        } else if threads % 32 > 0 {
            grid.block(&double, other(layout), Form::Serial, threads);
        }
    }
}
