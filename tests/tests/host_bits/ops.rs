//! Right numbers on the CPU: every named op, launched on the host, against the oracle's twin by raw bytes.

use crate::check::{check, reduced, tasks};
use glass_oracle::*;

tasks! {
    dot, Reduction { kind: ReductionKind::Dot, n: 14 }, Form::Serial, op(dot, n = 14);
    dot_tree, Reduction { kind: ReductionKind::Dot, n: 33 }, reduced(8), op(dot, n = 33, dtype = f64, form = reduced, lanes_per_output = 8);
    reduce, Reduction { kind: ReductionKind::Reduce, n: 7 }, Form::Serial, op(reduce, n = 7, layout = interleaved);
    reduce_fast, Reduction { kind: ReductionKind::Reduce, n: 70 }, reduced(32), op(reduce, n = 70, form = fast);
    asum, Reduction { kind: ReductionKind::Asum, n: 21 }, Form::Serial, op(asum, n = 21, dtype = f64);
    nrm1_diff, Reduction { kind: ReductionKind::Nrm1Diff, n: 12 }, Form::Serial, op(nrm1_diff, n = 12);
    nrm2, Reduction { kind: ReductionKind::Nrm2, n: 14 }, Form::Serial, op(nrm2, n = 14);
    nrm2_tree, Reduction { kind: ReductionKind::Nrm2, n: 100 }, reduced(4), op(nrm2, n = 100, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 4);
    axpy, vector(MapKind::Axpy, 14, ALPHA, false), Form::Serial, op(axpy, n = 14);
    axpy_in_place, vector(MapKind::Axpy, 14, ALPHA, true), Form::Serial, op(axpy, n = 14, in_place, layout = interleaved, dtype = f64);
    axpy_tile, tile(MapKind::Axpy, (14, 14, 14, 21), ALPHA), Form::Serial, op(axpy_strided, m = 14, n = 14, ldy = 21, layout = interleaved);
    copy, vector(MapKind::Copy, 5, PLAIN, false), Form::Serial, op(copy, n = 5);
    copy_scaled, vector(MapKind::Copy, 5, ALPHA, false), Form::Serial, op(copy, n = 5, alpha = runtime, dtype = f64);
    copy_tile, tile(MapKind::Copy, (6, 5, 6, 8), PLAIN), Form::Serial, op(copy_strided, m = 6, n = 5, ldy = 8);
    scal, vector(MapKind::Scal, 7, ALPHA, false), Form::Serial, op(scal, n = 7);
    scal_in_place, vector(MapKind::Scal, 7, ALPHA, true), Form::Serial, op(scal, n = 7, in_place, dtype = f64, layout = interleaved);
    rot, Rot { n: 7, in_place: false }, Form::Serial, op(rot, n = 7);
    rot_in_place, Rot { n: 7, in_place: true }, Form::Serial, op(rot, n = 7, in_place, layout = interleaved, dtype = f64);
    rotg, Rotg, Form::Serial, op(rotg);
    rotg_f64, Rotg, Form::Serial, op(rotg, dtype = f64, layout = interleaved);
    symmetrize, Symmetrize { n: 7, in_place: false }, Form::Serial, op(symmetrize, n = 7, layout = interleaved);
    symmetrize_in_place, Symmetrize { n: 14, in_place: true }, Form::Serial, op(symmetrize, n = 14, in_place, dtype = f64);
    gemv_by_rows, Gemv { row_major: true, trans: true, ..Gemv::new(5, 7) }, Form::Serial, op(gemv, m = 5, n = 7, trans, row_major);
    gemm_by_rows, Gemm { row_major_c: true, ..Gemm::new(9, 4, 7) }, Form::Serial, op(gemm, m = 9, n = 4, k = 7, row_major_c, dtype = f64);
    gemm_indexed, GemmBatchedIndexed::new(4, 9, [3, 5, 2]), Form::Serial, op(gemm_batched_indexed, pairs = 9, a_count = 3, b_count = 5, c_count = 2);
    gemm_indexed_added, GemmBatchedIndexed { trans_a: true, epilogue: BOTH, ..GemmBatchedIndexed::new(3, 8, [2, 2, 3]) }, Form::Serial, op(gemm_batched_indexed, dim = 3, pairs = 8, a_count = 2, b_count = 2, c_count = 3, trans_a, alpha = runtime, beta = runtime, dtype = f64, layout = interleaved);
    gemv_segmented, GemvSegmented { fuse: true, epilogue: Epilogue::ADDED, ..GemvSegmented::new(6, 4, 7, [90, 13, 21]) }, Form::Serial, op(gemv_segmented, m = 6, n = 4, segments = 7, a_len = 90, x_len = 13, y_len = 21, fuse, beta = one);
    gemv_segmented_turned, GemvSegmented { trans: true, epilogue: BOTH, ..GemvSegmented::new(3, 7, 5, [30, 8, 9]) }, Form::Serial, op(gemv_segmented, m = 3, n = 7, segments = 5, a_len = 30, x_len = 8, y_len = 9, trans, alpha = runtime, beta = runtime, dtype = f64, layout = interleaved);
    ger, Ger { m: 4, n: 128, epilogue: PLAIN }, Form::Serial, op(ger, m = 4, n = 128);
    syrk, rank_update(7, 6, Fill::Full), Form::Serial, op(syrk, n = 7, k = 6, trans, layout = interleaved);
    syrk_lower, Syrk { trans: false, epilogue: BOTH, ..rank_update(5, 3, Fill::Lower) }, Form::Serial, op(syrk, n = 5, k = 3, fill = lower, alpha = runtime, beta = runtime);
    syrk_tree, Syrk { trans: false, ..rank_update(6, 33, Fill::Upper) }, reduced(16), op(syrk, n = 6, k = 33, fill = upper, dtype = f64, form = reduced, lanes_per_output = 16);
    syr2k, Syrk { has_b: true, trans: false, ..rank_update(6, 4, Fill::Full) }, Form::Serial, op(syr2k, n = 6, k = 4, dtype = f64);
    trsv, triangle(14, 1), Form::Serial, op(trsv, n = 14);
    trsv_upper, Trsm { uplo: Uplo::Upper, ..triangle(7, 1) }, Form::Serial, op(trsv, n = 7, uplo = upper, dtype = f64, layout = interleaved);
    trsv_upper_trans_unit, Trsm { uplo: Uplo::Upper, trans: true, diag: Diag::Unit, ..triangle(7, 1) }, Form::Serial, op(trsv, n = 7, uplo = upper, trans, diag = unit);
    trsm, triangle(7, 14), Form::Serial, op(trsm, n = 7, nrhs = 14, layout = interleaved);
    trsm_in_place, Trsm { trans: true, in_place: true, ..triangle(6, 4) }, Form::Serial, op(trsm, n = 6, nrhs = 4, trans, in_place, dtype = f64);
    potrf, Potrf::new(7), Form::Serial, op(potrf, n = 7);
    potrf_f64, Potrf::new(14), Form::Serial, op(potrf, n = 14, dtype = f64, layout = interleaved);
    potrf_in_place, Potrf { in_place: true, ..Potrf::new(6) }, Form::Serial, op(potrf, n = 6, in_place, layout = interleaved);
    potrf_untouched, Potrf { opposite: Opposite::Untouched, check: Check::Off, ..Potrf::new(5) }, Form::Serial, op(potrf, n = 5, fill = untouched, check = off);
    potrf_packed, packed(Potrf { opposite: Opposite::Untouched, ..Potrf::new(4) }, 4, Uplo::Lower, &[("a", false), ("l", true)]), Form::Serial, op(potrf, n = 4, packed, layout = interleaved);
    potrf_packed_rolled, packed(Potrf { in_place: true, ..Potrf::new(9) }, 9, Uplo::Lower, &[("a", false)]), Form::Serial, op(potrf, n = 9, packed, in_place, dtype = f64);
    trsv_packed, packed(Trsm { uplo: Uplo::Upper, ..triangle(14, 1) }, 14, Uplo::Upper, &[("a", false)]), Form::Serial, op(trsv, n = 14, packed, uplo = upper);
    syrk_packed, packed(rank_update(7, 6, Fill::Lower), 7, Uplo::Lower, &[("c", true)]), Form::Serial, op(syrk, n = 7, k = 6, trans, fill = lower, packed, dtype = f64, layout = interleaved);
    posv, Posv::new(7), Form::Serial, op(posv, n = 7, layout = interleaved);
    posv_shift, Posv { reg: Reg::Shift, ..Posv::new(14) }, Form::Serial, op(posv, n = 14, reg = shift);
    posv_in_place, Posv { nrhs: 14, reg: Reg::DiagShift, in_place: true, ..Posv::new(7) }, Form::Serial, op(posv, n = 7, nrhs = 14, reg = diag_shift, in_place, dtype = f64);
    potrs, Potrs { n: 7, nrhs: 3, in_place: false }, Form::Serial, op(potrs, n = 7, nrhs = 3);
    ldlt, Ldlt::new(7), Form::Serial, op(ldlt, n = 7);
    ldlt_inertia, Ldlt { inertia: true, in_place: true, ..Ldlt::new(6) }, Form::Serial, op(ldlt, n = 6, inertia, in_place, dtype = f64, layout = interleaved);
    ldlt_solve, LdltSolve { n: 7, nrhs: 2, in_place: false }, Form::Serial, op(ldlt_solve, n = 7, nrhs = 2, layout = interleaved);
    inv, Inv::new(6), Form::Serial, op(inv, n = 6);
    inv_in_place, Inv { in_place: true, check: Check::Off, ..Inv::new(12) }, Form::Serial, op(inv, n = 12, in_place, check = off, dtype = f64, layout = interleaved);
    inv_pivoted, Inv { pivoted: true, ..Inv::new(6) }, Form::Serial, op(inv_pivoted, n = 6);
    inv_pivoted_rolled, Inv { pivoted: true, ..Inv::new(14) }, Form::Serial, op(inv_pivoted, n = 14, dtype = f64, layout = interleaved);
    getrf, Getrf { n: 7, in_place: false, check: Check::On }, Form::Serial, op(getrf, n = 7, layout = interleaved);
    getrs, Getrs { n: 3, nrhs: 2, trans: false, in_place: false }, Form::Serial, op(getrs, n = 3, nrhs = 2);
    getrs_trans, Getrs { n: 7, nrhs: 3, trans: true, in_place: true }, Form::Serial, op(getrs, n = 7, nrhs = 3, trans, in_place, dtype = f64, layout = interleaved);
    ldlt_pivoted, LdltPivoted::new(3), Form::Serial, op(ldlt_pivoted, n = 3);
    ldlt_pivoted_rolled, LdltPivoted { inertia: true, in_place: true, ..LdltPivoted::new(14) }, Form::Serial, op(ldlt_pivoted, n = 14, inertia, in_place, dtype = f64, layout = interleaved);
    ldlt_pivoted_untouched, LdltPivoted { opposite: Opposite::Untouched, check: Check::Off, ..LdltPivoted::new(7) }, Form::Serial, op(ldlt_pivoted, n = 7, fill = untouched, check = off);
    ldlt_pivoted_solve, LdltPivotedSolve { n: 3, nrhs: 1, in_place: false }, Form::Serial, op(ldlt_pivoted_solve, n = 3);
    ldlt_pivoted_solve_rolled, LdltPivotedSolve { n: 7, nrhs: 3, in_place: true }, Form::Serial, op(ldlt_pivoted_solve, n = 7, nrhs = 3, in_place, dtype = f64, layout = interleaved);
    laswp, Laswp { m: 7, n: 3, trans: false, in_place: false }, Form::Serial, op(laswp, m = 7, n = 3, layout = interleaved);
    potrf_many, Many { kind: ManyKind::Potrf, orders: vec![7, 4, 6], in_place: false, check: Check::On }, Form::Serial, op(potrf_many, orders = [7, 4, 6], layout = interleaved);
    inv_many, Many { kind: ManyKind::Inv, orders: vec![12, 12, 6], in_place: true, check: Check::On }, Form::Serial, op(inv_many, orders = [12, 12, 6], in_place, dtype = f64);
    tensor_k, tensor(Axis::K), Form::Serial, op(tensor_vec_contract, k = 3, a = 4, b = 5);
    tensor_a, tensor(Axis::A), reduced(4), op(tensor_vec_contract, k = 3, a = 4, b = 5, axis = a, form = reduced, lanes_per_output = 4);
    tensor_b, TensorVecContract { epilogue: BOTH, ..tensor(Axis::B) }, Form::Serial, op(tensor_vec_contract, k = 3, a = 4, b = 5, axis = b, alpha = runtime, beta = runtime, dtype = f64);
    vec_tensor_vec, VecTensorVec { slabs: Slabs { row_major: true, ..SLABS }, epilogue: PLAIN }, Form::Serial, op(vec_tensor_vec, k = 3, a = 4, b = 5, slab_row_major, layout = interleaved);
    congruence_sym, congruence(CongruenceKind::Sym, 14, 7), Form::Serial, op(congruence_sym, n = 14, p = 7);
    congruence_sym_tree, Congruence { epilogue: BOTH, ..congruence(CongruenceKind::Sym, 33, 5) }, reduced(32), op(congruence_sym, n = 33, p = 5, alpha = runtime, beta = runtime, dtype = f64, form = reduced, lanes_per_output = 32);
    bilinear, congruence(CongruenceKind::Bilinear { q: 21 }, 14, 7), Form::Serial, op(bilinear, n = 14, p = 7, q = 21, layout = interleaved);
    congruence_accum, congruence(CongruenceKind::Accum, 6, 12), Form::Serial, op(congruence_accum, p = 12, q = 6, dtype = f64);
    riccati, Riccati::new(14, 7), Form::Serial, op(riccati_gain, nx = 14, nu = 7);
    riccati_f64, Riccati { reg: Reg::Shift, factor: true, ..Riccati::new(12, 4) }, Form::Serial, op(riccati_gain, nx = 12, nu = 4, reg = shift, factor, dtype = f64, layout = interleaved);
    riccati_tree, Riccati::new(36, 12), reduced(8), op(riccati_gain, nx = 36, nu = 12, layout = interleaved, form = reduced, lanes_per_output = 8);
    riccati_step, RiccatiStep::new(14, 7), Form::Serial, op(riccati_step, nx = 14, nu = 7);
    riccati_step_straight, RiccatiStep { reg: Reg::Shift, ..RiccatiStep::new(4, 2) }, Form::Serial, op(riccati_step, nx = 4, nu = 2, reg = shift, dtype = f64, layout = interleaved);
    riccati_pass, RiccatiPass::new(12, 4, 3), reduced(4), op(riccati_pass, nx = 12, nu = 4, knots = 3, form = reduced, lanes_per_output = 4);
    riccati_pass_interleaved, RiccatiPass { step: RiccatiStep { reg: Reg::DiagShift, ..RiccatiStep::new(3, 2) }, knots: 5 }, Form::Serial, op(riccati_pass, nx = 3, nu = 2, knots = 5, reg = diag_shift, dtype = f64, layout = interleaved);
    gn_step, GnStep::new(6, 7), Form::Serial, op(gn_step, m = 6, n = 7, reg = shift);
    index_string, pair_by_pair(), Form::Serial, contract("ki,kl,lj->ij", k = 4, l = 5, i = 2, j = 3);
}

const ALPHA: Epilogue = Epilogue { alpha: AlphaChoice::Runtime, ..PLAIN };
const BOTH: Epilogue = Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime };
const PLAIN: Epilogue = Epilogue { alpha: AlphaChoice::One, beta: BetaChoice::Zero };
const SLABS: Slabs = Slabs { k: 3, a: 4, b: 5, row_major: false };

fn vector(kind: MapKind, n: usize, epilogue: Epilogue, in_place: bool) -> Map {
    Map { kind, rows: n, cols: 1, ldx: n, ldy: n, epilogue, in_place }
}

fn tile(kind: MapKind, (rows, cols, ldx, ldy): (usize, usize, usize, usize), epilogue: Epilogue) -> Map {
    Map { kind, rows, cols, ldx, ldy, epilogue, in_place: kind == MapKind::Axpy }
}

fn rank_update(n: usize, k: usize, fill: Fill) -> Syrk {
    Syrk { n, k, has_b: false, trans: true, fill, row_major_c: false, epilogue: PLAIN }
}

/// An op whose operands of these names are packed; some of them are written in full.
fn packed(task: impl Into<Task>, order: usize, uplo: Uplo, operands: &[(&'static str, bool)]) -> Packed {
    let operand =
        |(name, is_result): &(&'static str, bool)| PackedOperand { name, order, uplo, is_result: *is_result };
    Packed { operands: operands.iter().map(operand).collect(), task: Box::new(task.into()) }
}

fn triangle(n: usize, nrhs: usize) -> Trsm {
    Trsm { n, nrhs, uplo: Uplo::Lower, diag: Diag::Nonunit, trans: false, in_place: false }
}

fn tensor(axis: Axis) -> TensorVecContract {
    TensorVecContract { slabs: SLABS, axis, symmetric: false, epilogue: PLAIN }
}

fn congruence(kind: CongruenceKind, n: usize, p: usize) -> Congruence {
    Congruence { kind, n, p, epilogue: PLAIN }
}

/// `(first second) third`: 40 multiply-adds for the first pair and 30 for the second; the other way 60 and 24.
fn pair_by_pair() -> Contract {
    let step = |left, right, result: &str, terms: &str, is_serial| Step {
        left,
        right: Some(right),
        result: result.to_owned(),
        terms: terms.to_owned(),
        is_serial,
    };
    Contract {
        letters: vec![('i', 2), ('j', 3), ('k', 4), ('l', 5)],
        operands: ["ki", "kl", "lj"].map(str::to_owned).to_vec(),
        output: "ij".to_owned(),
        steps: vec![step(0, 1, "il", "k", true), step(3, 2, "ij", "l", false)],
        symmetric: false,
        epilogue: PLAIN,
    }
}
