//! What each attribute asks for: symbol, operands and formula.

use super::{op, pair, request, string};
use crate::catalogue::{Availability, Op};
use crate::contract::Fields;
use crate::spec::{Element, Role, Spec};

/// Operands as `in a 7x7, out l 7x7, word status 1, temp recip 7`.
fn operands(spec: &Spec) -> String {
    let shown = spec.operands.iter().map(|operand| {
        let role = match (operand.role, operand.element) {
            (Role::In, Element::Word) => "word in",
            (Role::Temporary, Element::Word) => "word temp",
            (_, Element::Word) => "word",
            (Role::In, _) => "in",
            (Role::Out, _) => "out",
            (Role::InOut, _) => "inout",
            (Role::Temporary, _) => "temp",
        };
        let shape = match operand.cols {
            1 => operand.rows.to_string(),
            cols => format!("{}x{cols}", operand.rows),
        };
        format!("{role} {} {shape}", operand.name)
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(fields: &Fields, symbol: &str, expected_operands: &str, formula: &str) {
    let spec = request(fields).spec;
    assert_eq!(spec.symbol(), format!("glass_{symbol}"));
    assert_eq!(operands(&spec), expected_operands, "{symbol}");
    assert_eq!(spec.formula, formula, "{symbol}");
}

/// Attribute, symbol, operands, formula.
const TASKS: &[(&str, &str, &str, &str)] = &[
    ("dot, n = 14", "dot_f32_n14", "in x 14, in y 14, out s 1", "s = x' y"),
    ("reduce, n = 5, dtype = f64", "reduce_f64_n5", "in x 5, out s 1", "s = sum x"),
    ("asum, n = 5", "asum_f32_n5", "in x 5, out s 1", "s = sum abs x"),
    ("nrm1_diff, n = 5", "nrm1_diff_f32_n5", "in x 5, in y 5, out s 1", "s = sum abs(x - y)"),
    ("nrm2, n = 5", "nrm2_f32_n5", "in x 5, out s 1", "s = sqrt(x' x)"),
    ("infnorm, n = 5", "infnorm_f32_n5", "in x 5, out s 1", "s = max abs x"),
    ("prefix_sum, n = 5", "prefix_sum_f32_n5", "in x 5, out y 5", "y(i) = sum of x(0..=i)"),
    (
        "prefix_sum, n = 5, exclusive, in_place",
        "prefix_sum_f32_n5_exclusive_inplace",
        "inout x 5",
        "x(i) = sum of x(0..i)",
    ),
    (
        "logsumexp, n = 5",
        "logsumexp_f32_n5",
        "in x 5, out s 1, temp m 1, temp e 5, temp total 1",
        "s = log sum exp x",
    ),
    (
        "softmax, n = 5",
        "softmax_f32_n5",
        "in x 5, out y 5, temp m 1, temp e 5, temp total 1",
        "y = exp x / sum exp x",
    ),
    (
        "softmax, n = 5, alpha = runtime",
        "softmax_f32_n5_alpha",
        "in x 5, out y 5, temp t 5, temp m 1, temp e 5, temp total 1",
        "y = exp (alpha x) / sum exp (alpha x)",
    ),
    ("axpby, n = 5", "axpby_f32_n5", "in x 5, in y 5, out z 5", "z = alpha x + beta y"),
    ("axpby, n = 5, in_place", "axpby_f32_n5_inplace", "in x 5, inout y 5", "y = alpha x + beta y"),
    ("set_const, n = 5", "set_const_f32_n5", "out x 5", "x(i) = alpha"),
    ("set_identity, n = 5", "set_identity_f32_n5", "out a 5x5", "A = I"),
    ("add_identity, n = 5", "add_identity_f32_n5", "in a 5x5, out b 5x5", "B = A + alpha I"),
    (
        "add_identity_partial, n = 5, d = 2, in_place",
        "add_identity_partial_f32_n5_d2_inplace",
        "inout a 5x5",
        "A = A + alpha I on the first rows",
    ),
    ("clip, n = 5", "clip_f32_n5", "in x 5, in lo 5, in hi 5, out y 5", "y = x between lo and hi"),
    ("add, n = 5", "add_f32_n5", "in x 5, in y 5, out z 5", "z = x + y"),
    ("add, n = 5, scalar", "add_f32_n5_scalar", "in x 5, out z 5", "z = x + alpha"),
    ("less, n = 5, scalar", "less_f32_n5_scalar", "in x 5, out z 5", "z(i) = x(i) < alpha"),
    ("max, n = 5, scalar", "max_f32_n5_scalar", "in x 5, out z 5", "z(i) = the larger of x(i), alpha"),
    ("sub, n = 5", "sub_f32_n5", "in x 5, in y 5, out z 5", "z = x - y"),
    ("max, n = 5", "max_f32_n5", "in x 5, in y 5, out z 5", "z(i) = the larger of x(i), y(i)"),
    ("min, n = 5", "min_f32_n5", "in x 5, in y 5, out z 5", "z(i) = the smaller of x(i), y(i)"),
    ("abs, n = 5", "abs_f32_n5", "in x 5, out y 5", "y = abs x"),
    ("less, n = 5", "less_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) < y(i)"),
    ("less_equal, n = 5", "less_equal_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) <= y(i)"),
    ("greater, n = 5", "greater_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) > y(i)"),
    ("greater_equal, n = 5", "greater_equal_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) >= y(i)"),
    ("equal, n = 5", "equal_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) == y(i)"),
    ("not_equal, n = 5", "not_equal_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) != y(i)"),
    ("and, n = 5", "and_f32_n5", "in x 5, in y 5, out z 5", "z(i) = x(i) and y(i)"),
    ("not, n = 5", "not_f32_n5", "in x 5, out y 5", "y(i) = not x(i)"),
    (
        "trmv, n = 5, uplo = upper, diag = unit, trans",
        "trmv_f32_n5_trans_upper_unit",
        "in a 5x5, in x 5, out y 5",
        "y = A' x",
    ),
    (
        "trmm, m = 5, n = 3, beta = one",
        "trmm_f32_m5_n3_acc",
        "in a 5x5, in b 5x3, inout c 5x3",
        "C = A B + C",
    ),
    (
        "ldlt, n = 7, inertia",
        "ldlt_f32_n7_inertia",
        "in a 7x7, out l 7x7, word status 1, word inertia 3",
        "A = L D L'",
    ),
    ("iamax, n = 5", "iamax_f32_n5", "in x 5, word index 1", "index of the largest abs x"),
    ("argmax, n = 5", "argmax_f32_n5", "in x 5, word index 1", "index of the largest x"),
    ("argmin, n = 5", "argmin_f32_n5", "in x 5, word index 1", "index of the smallest x"),
    ("getrf, n = 5", "getrf_f32_n5", "in a 5x5, out lu 5x5, word status 1, word pivots 5", "P A = L U"),
    (
        "getrf, n = 5, in_place, check = off",
        "getrf_f32_n5_inplace_unchecked",
        "inout a 5x5, word pivots 5",
        "P A = L U",
    ),
    (
        "gesv, n = 5, nrhs = 2",
        "gesv_f32_n5_nrhs2",
        "in a 5x5, in b 5x2, out x 5x2, word status 1, temp lu 5x5, temp recip 5",
        "X = A^-1 B",
    ),
    (
        "gesv, n = 5, in_place",
        "gesv_f32_n5_inplace",
        "inout a 5x5, inout b 5, word status 1, word pivots 5, temp recip 5",
        "b = A^-1 b",
    ),
    (
        "getrs, n = 5, nrhs = 2",
        "getrs_f32_n5_nrhs2",
        "in lu 5x5, in b 5x2, word in pivots 5, out x 5x2, temp recip 5",
        "X = A^-1 B of P A = L U",
    ),
    (
        "getrs, n = 5, trans, in_place",
        "getrs_f32_n5_trans_inplace",
        "in lu 5x5, word in pivots 5, inout b 5, temp recip 5",
        "b = A'^-1 b of P A = L U",
    ),
    (
        "ldlt_pivoted, n = 5, inertia",
        "ldlt_pivoted_f32_n5_inertia",
        "in a 5x5, out l 5x5, word status 1, word inertia 3, word pivots 5, temp sizes 5",
        "P A P' = L D L'",
    ),
    (
        "ldlt_pivoted, n = 5, fill = untouched, check = off",
        "ldlt_pivoted_f32_n5_untouched_unchecked",
        "in a 5x5, inout l 5x5, word pivots 5, temp sizes 5",
        "P A P' = L D L'",
    ),
    (
        "ldlt_pivoted_solve, n = 5, nrhs = 2",
        "ldlt_pivoted_solve_f32_n5_nrhs2",
        "in l 5x5, in b 5x2, word in pivots 5, out x 5x2, temp recip 5, temp ratios 5x2, word temp rows 5, \
         word temp seconds 5",
        "X = A^-1 B of P A P' = L D L'",
    ),
    (
        "ldlt_pivoted_solve, n = 5, in_place",
        "ldlt_pivoted_solve_f32_n5_inplace",
        "in l 5x5, word in pivots 5, inout b 5, temp recip 5, temp ratios 5x2, word temp rows 5, word temp seconds 5",
        "b = A^-1 b of P A P' = L D L'",
    ),
    ("laswp, m = 5, n = 2", "laswp_f32_m5_n2", "in a 5x2, word in pivots 5, out b 5x2", "B = P A"),
    (
        "laswp, m = 5, n = 2, trans, in_place",
        "laswp_f32_m5_n2_trans_inplace",
        "word in pivots 5, inout a 5x2",
        "A = P' A",
    ),
    (
        "inv_pivoted, n = 5",
        "inv_pivoted_f32_n5",
        "in a 5x5, out x 5x5, word status 1, temp w_row 5, temp w_col 5, word temp pivots 5",
        "X = A^-1",
    ),
    ("axpy, n = 5", "axpy_f32_n5", "in x 5, in y 5, out z 5", "z = alpha x + y"),
    ("axpy, n = 5, alpha = runtime, in_place", "axpy_f32_n5_inplace", "in x 5, inout y 5", "y = alpha x + y"),
    (
        "axpy_strided, m = 6, n = 5, ldy = 8",
        "axpy_strided_f32_m6_n5_ldy8_ldx6",
        "in x 6x5, inout y 8x5",
        "Y = alpha X + Y",
    ),
    ("copy, n = 5", "copy_f32_n5", "in x 5, out y 5", "y = x"),
    ("copy, n = 5, alpha = runtime", "copy_f32_n5_alpha", "in x 5, out y 5", "y = alpha x"),
    (
        "copy_strided, m = 6, n = 5, ldy = 6, ldx = 9",
        "copy_strided_f32_m6_n5_ldy6_ldx9",
        "in x 9x5, out y 6x5",
        "Y = X",
    ),
    (
        "copy_strided, m = 6, n = 5, ldy = 7",
        "copy_strided_f32_m6_n5_ldy7_ldx6",
        "in x 6x5, inout y 7x5",
        "Y = X",
    ),
    ("scal, n = 5", "scal_f32_n5", "in x 5, out y 5", "y = alpha x"),
    ("scal, n = 5, in_place", "scal_f32_n5_inplace", "inout x 5", "x = alpha x"),
    (
        "rot, n = 5",
        "rot_f32_n5",
        "in x 5, in y 5, out x_out 5, out y_out 5",
        "x_out = c x + s y, y_out = c y - s x",
    ),
    ("rot, n = 5, in_place", "rot_f32_n5_inplace", "inout x 5, inout y 5", "x, y = c x + s y, c y - s x"),
    ("rotg", "rotg_f32", "in a 1, in b 1, out c 1, out s 1, out r 1", "c, s, r = rotation of (a, b)"),
    ("symmetrize, n = 3", "symmetrize_f32_n3", "in a 3x3, inout b 3x3", "B = (A + A') / 2 off the diagonal"),
    (
        "symmetrize, n = 3, in_place",
        "symmetrize_f32_n3_inplace",
        "inout a 3x3",
        "A = (A + A') / 2 off the diagonal",
    ),
    ("swap, n = 3", "swap_f32_n3", "inout x 3, inout y 3, temp kept 3", "x, y = y, x"),
    ("mult, n = 3", "mult_f32_n3", "in x 3, in y 3, out z 3", "z(i) = x(i) y(i)"),
    ("transpose, m = 2, n = 3", "transpose_f32_m2_n3", "in a 2x3, out b 3x2", "B = A'"),
    ("gemv, m = 7, n = 14", "gemv_f32_m7_k14", "in a 7x14, in x 14, out y 7", "y = A x"),
    (
        "gemv, m = 7, n = 14, trans, alpha = runtime, beta = runtime",
        "gemv_f32_m14_k7_ta_alpha_beta",
        "in a 7x14, in x 7, inout y 14",
        "y = alpha A' x + beta y",
    ),
    (
        "gemv, m = 7, n = 14, row_major, beta = one",
        "gemv_f32_m7_k14_rm_acc",
        "in a 7x14, in x 14, inout y 7",
        "y = A x + y",
    ),
    (
        "gemv_strided, m = 6, n = 5, lda = 8, trans",
        "gemv_strided_f32_m5_k6_lda8_ta",
        "in a 8x5, in x 6, out y 5",
        "y = A' x",
    ),
    ("ger, m = 3, n = 2", "ger_f32_m3_n2", "in x 3, in y 2, out a 3x2", "A = x y'"),
    (
        "gemm, m = 3, n = 2, k = 5, trans_a, trans_b, row_major_c",
        "gemm_f32_m3_n2_k5_ta_tb_rmc",
        "in a 5x3, in b 2x5, out c 3x2",
        "C = A' B'",
    ),
    (
        "gemm_strided, m = 3, n = 2, k = 5, ldc = 4",
        "gemm_strided_f32_m3_n2_k5_lda3_ldb5_ldc4",
        "in a 3x5, in b 5x2, inout c 4x2",
        "C = A B",
    ),
    (
        "gemv_segmented, m = 6, n = 4, segments = 5, a_len = 100, x_len = 20, y_len = 30",
        "gemv_segmented_f32_m6_k4_segments5_a_len100_x_len20_y_len30",
        "in a 100, in x 20, word in offsets 15, inout y 30, word status 1",
        "y(s) = A(s) x(s)",
    ),
    (
        "gemv_segmented, m = 6, n = 4, segments = 5, a_len = 5000, x_len = 6, y_len = 4, trans, fuse, check = off, \
         alpha = runtime, beta = one",
        "gemv_segmented_f32_m4_k6_segments5_a_len5000_x_len6_y_len4_ta_fuse_unchecked_alpha_acc",
        "in a 5000, in x 6, in c 5, in s 4x5, word in offsets 15, inout y 4",
        "y(s) = alpha A(s)' x(s) + y(s) + c(s) S(s)",
    ),
    (
        "gemm_batched_indexed, pairs = 6, a_count = 3, b_count = 5, c_count = 2",
        "gemm_batched_indexed_f32_dim4_pairs6_a_count3_b_count5_c_count2",
        "in a 4x12, in b 4x20, word in pairs 18, inout c 4x8, word status 1",
        "C(c) = A(a) B(b)",
    ),
    (
        "gemm_batched_indexed, dim = 3, pairs = 1, a_count = 1, b_count = 1, c_count = 1, trans_a, trans_b, check = off, \
         alpha = runtime, beta = runtime",
        "gemm_batched_indexed_f32_dim3_pairs1_a_count1_b_count1_c_count1_ta_tb_unchecked_alpha_beta",
        "in a 3x3, in b 3x3, word in pairs 3, inout c 3x3",
        "C(c) = alpha A(a)' B(b)' + beta C(c)",
    ),
    ("symm, m = 3, n = 2", "symm_f32_m3_n2", "in a 3x3, in b 3x2, out c 3x2, temp full 3x3", "C = A B"),
    ("dimm, m = 3, n = 2, right", "dimm_f32_m3_n2_right", "in d 2, in b 3x2, out c 3x2", "C = B diag(d)"),
    ("syrk, n = 3, k = 5", "syrk_f32_n3_k5", "in a 3x5, out c 3x3", "C = A A'"),
    (
        "syrk, n = 3, k = 5, trans, fill = upper",
        "syrk_f32_n3_k5_trans_upper",
        "in a 5x3, inout c 3x3",
        "C = A' A",
    ),
    (
        "syr2k, n = 3, k = 5, fill = lower, row_major_c",
        "syr2k_f32_n3_k5_rmc_lower",
        "in a 3x5, in b 3x5, inout c 3x3",
        "C = (A B' + B A')",
    ),
    ("trsv, n = 7", "trsv_f32_n7", "in a 7x7, in b 7, out x 7, temp recip 7", "x = A^-1 b"),
    (
        "trsv, n = 7, uplo = upper, diag = unit, trans, in_place",
        "trsv_f32_n7_trans_upper_unit_inplace",
        "in a 7x7, inout b 7",
        "b = A'^-1 b",
    ),
    (
        "trsm, n = 7, nrhs = 3",
        "trsm_f32_n7_nrhs3",
        "in a 7x7, in b 7x3, out x 7x3, temp recip 7",
        "X = A^-1 B",
    ),
    ("potrf, n = 7", "potrf_f32_n7", "in a 7x7, out l 7x7, word status 1", "A = L L'"),
    (
        "potrf, n = 7, fill = untouched, check = off, rsqrt",
        "potrf_f32_n7_untouched_rsqrt_unchecked",
        "in a 7x7, inout l 7x7",
        "A = L L'",
    ),
    ("potrf, n = 7, in_place", "potrf_f32_n7_inplace", "inout a 7x7, word status 1", "A = L L'"),
    (
        "posv, n = 7",
        "posv_f32_n7",
        "in a 7x7, in b 7, out x 7, word status 1, temp l 7x7, temp recip 7",
        "x = A^-1 b",
    ),
    (
        "posv, n = 7, nrhs = 14, reg = diag_shift, in_place",
        "posv_f32_n7_nrhs14_inplace_diagshift",
        "inout a 7x7, inout b 7x14, word status 1, temp recip 7",
        "B = (A + rho diag(A))^-1 B",
    ),
    (
        "potrs, n = 7, nrhs = 2",
        "potrs_f32_n7_nrhs2",
        "in l 7x7, in b 7x2, out x 7x2, temp recip 7",
        "X = (L L')^-1 B",
    ),
    ("ldlt, n = 7", "ldlt_f32_n7", "in a 7x7, out l 7x7, word status 1", "A = L D L'"),
    (
        "ldlt_solve, n = 7, in_place",
        "ldlt_solve_f32_n7_inplace",
        "in l 7x7, inout b 7, temp recip 7",
        "b = (L D L')^-1 b",
    ),
    (
        "inv, n = 7",
        "inv_f32_n7",
        "in a 7x7, out x 7x7, word status 1, temp w_row 7, temp w_col 7",
        "X = A^-1",
    ),
    (
        "inv, n = 7, in_place, check = off",
        "inv_f32_n7_inplace_unchecked",
        "inout a 7x7, temp w_row 7, temp w_col 7",
        "A = A^-1",
    ),
    (
        "potrf_many, orders = 3 2",
        "potrf_many_f32_n3_n2",
        "in a0 3x3, in a1 2x2, out l0 3x3, out l1 2x2, word status 2",
        "A0 = L0 L0', A1 = L1 L1'",
    ),
    (
        "inv_many, orders = 12 12 6, in_place",
        "inv_many_f32_n12_n12_n6_inplace",
        "inout a0 12x12, inout a1 12x12, inout a2 6x6, word status 3, temp w_row0 12, temp w_col0 12, temp w_row1 12, \
         temp w_col1 12, temp w_row2 6, temp w_col2 6",
        "A0 = A0^-1, A1 = A1^-1, A2 = A2^-1",
    ),
    (
        "tensor_vec_contract, k = 4, a = 3, b = 2",
        "tensor_vec_contract_f32_k4_a3_b2",
        "in v 4, in t 3x8, out m 3x2",
        "M = sum_k v(k) T(k,:,:)",
    ),
    (
        "tensor_vec_contract, k = 4, a = 3, b = 2, axis = b, slab_row_major, beta = one",
        "tensor_vec_contract_f32_k4_a3_b2_slabrm_axis_b_acc",
        "in v 2, in t 3x8, inout m 4x3",
        "M = sum_b v(b) T(:,:,b) + M",
    ),
    (
        "tensor_vec_contract, k = 4, a = 3, b = 3, symmetric",
        "tensor_vec_contract_f32_k4_a3_b3_sym",
        "in v 4, in t 3x12, out m 3x3",
        "M = sum_k v(k) T(k,:,:)",
    ),
    (
        "vec_tensor_vec, k = 4, a = 3, b = 2",
        "vec_tensor_vec_f32_k4_a3_b2",
        "in u 3, in t 3x8, in w 2, out s 4",
        "s = u' T w",
    ),
    (
        "congruence_sym, n = 14, p = 7, beta = runtime",
        "congruence_sym_f32_n14_p7_beta",
        "in x 14x7, in m 14x14, inout q 7x7, temp w 14x7",
        "Q = X' M X + beta Q",
    ),
    (
        "bilinear, n = 14, p = 7, q = 21",
        "bilinear_f32_n14_p7_q21",
        "in x 14x7, in m 14x14, in y 14x21, out r 7x21, temp w 14x21",
        "R = X' M Y",
    ),
    (
        "congruence_accum, p = 7, q = 14, alpha = runtime",
        "congruence_accum_f32_p7_q14_alpha",
        "in g 7x14, in m 14x14, out c 7x7, temp w 14x7",
        "C = alpha G M G'",
    ),
    (
        "riccati_gain, nx = 14, nu = 7",
        "riccati_gain_f32_nx14_nu7",
        "in p 14x14, in a 14x14, in b 14x7, in r 7x7, out k 7x14, word status 1, temp w 14x7, temp s 7x7, \
         temp recip 7",
        "K = (R + B' P B)^-1 B' P A",
    ),
    (
        "riccati_gain, nx = 4, nu = 2, reg = shift, factor",
        "riccati_gain_f32_nx4_nu2_shift_factor",
        "in p 4x4, in a 4x4, in b 4x2, in r 2x2, out k 2x4, out l 2x2, word status 1, temp w 4x2, temp s 2x2, \
         temp recip 2",
        "K = (R + B' P B + rho I)^-1 B' P A",
    ),
    (
        "riccati_step, nx = 3, nu = 2, reg = shift",
        "riccati_step_f32_nx3_nu2_shift",
        "in vxx_next 3x3, in vx_next 3, in fx 3x3, in fu 3x2, in lxx 3x3, in lux 2x3, in luu 2x2, in lx 3, in lu 2, \
         out k 2x3, out d 2, out vxx 3x3, out vx 3, word status 1, temp w 3x2, temp t 3x3, temp quu 2x2, temp y 2x4, \
         temp recip 2",
        "K = (Quu + rho I)^-1 Qux, d = (Quu + rho I)^-1 Qu, Vxx = Qxx - Qux' K, Vx = Qx - Qux' d",
    ),
    (
        "riccati_pass, nx = 3, nu = 2, knots = 4",
        "riccati_pass_f32_nx3_nu2_knots4",
        "in vxx_end 3x3, in vx_end 3, in fx 3x12, in fu 3x8, in lxx 3x12, in lux 2x12, in luu 2x8, in lx 3x4, in lu 2x4, \
         out k 2x12, out d 2x4, out vxx 3x12, out vx 3x4, word status 1, temp v 3x3, temp g 3, temp a 3x3, temp b 3x2, \
         temp qxx 3x3, temp qx 3, temp w 3x2, temp t 3x3, temp quu 2x2, temp y 2x4, temp recip 2",
        "K = Quu^-1 Qux, d = Quu^-1 Qu, Vxx = Qxx - Qux' K, Vx = Qx - Qux' d, from the last knot to the first",
    ),
    (
        "gn_step, m = 6, n = 7",
        "gn_step_f32_m6_n7_shift",
        "in jac 6x7, in r 6, out dq 7, word status 1, temp h 7x7, temp recip 7",
        "dq = (J' J + rho I)^-1 J' r",
    ),
];

#[test]
fn symbols_operands_and_formulas() {
    for (attribute, symbol, operands, formula) in TASKS {
        check(&op(attribute), symbol, operands, formula);
    }
}

#[test]
fn every_provided_op_is_among_them() {
    for &each in Op::ALL.iter().filter(|op| op.availability() == Availability::Now) {
        let is_there = TASKS.iter().any(|(attribute, ..)| attribute.split(',').next() == Some(each.as_str()));
        assert!(is_there || !each.has_name(), "{each:?}");
    }
}

#[test]
fn scalars_stand_in_launch_order() {
    for (attribute, scalars) in [
        ("gemm, m = 1, n = 1, k = 1", &[] as &[&str]),
        ("gemm, m = 1, n = 1, k = 1, beta = runtime, alpha = runtime", &["alpha", "beta"]),
        ("gemm, m = 1, n = 1, k = 1, beta = one", &[]),
        ("axpy, n = 1", &["alpha"]),
        ("scal, n = 1, in_place", &["alpha"]),
        ("posv, n = 2, reg = shift", &["rho"]),
        ("posv, n = 2", &[]),
        ("riccati_gain, nx = 2, nu = 1, reg = diag_shift", &["rho"]),
        ("rot, n = 1", &["c", "s"]),
    ] {
        assert_eq!(request(&op(attribute)).spec.scalars, scalars, "{attribute}");
    }
}

#[test]
fn a_pair_is_the_op_of_its_shape() {
    let same = |of_pair: &str, of_op: &str| {
        assert_eq!(request(&pair(of_pair)), request(&op(of_op)), "{of_pair}");
    };
    same("n_out = 7, k = 14", "gemv, m = 7, n = 14");
    same("n_out = 7, k = 14, transpose = a, beta = one", "gemv, m = 14, n = 7, trans, beta = one");
    same("m = 3, n = 2, k = 5, transpose = ab", "gemm, m = 3, n = 2, k = 5, trans_a, trans_b");
    same("m = 3, n = 1, k = 5, dtype = f64", "gemm, m = 3, n = 1, k = 5, dtype = f64");
}

#[test]
fn the_suffix_is_the_form() {
    let suffixed = "gemm_reduced, m = 3, n = 2, k = 5, lanes_per_output = 8, tier = warp";
    let spelled = "gemm, m = 3, n = 2, k = 5, form = reduced, lanes_per_output = 8, tier = warp";
    assert_eq!(request(&op(suffixed)), request(&op(spelled)));
    assert_eq!(request(&op("dot, n = 9, form = fast")), request(&op("dot, n = 9, form = reduced")));
    let lowmem = "dot, n = 9, form = lowmem, tier = block";
    assert_eq!(request(&op(lowmem)), request(&op("dot, n = 9, form = serial, tier = block")));
}

#[test]
fn index_strings() {
    check(
        &string("ki,kl,lj->ij", "i = 21, j = 21, k = 14, l = 14, symmetric"),
        "contract_f32_i21_j21_k14_l14_sym_ki_kl_lj_to_ij",
        "in first 14x21, in second 14x14, in third 14x21, out result 21x21, temp first_second 21x14",
        "result(i,j) = first(k,i) second(k,l) third(l,j), as (first second) third",
    );
    check(
        &string("ij, jk, k -> i", "i = 5, j = 6, k = 7, alpha = runtime, beta = runtime"),
        "contract_f32_i5_j6_k7_alpha_beta_ij_jk_k_to_i",
        "in first 5x6, in second 6x7, in third 7, inout result 5, temp second_third 6",
        "result(i) = alpha first(i,j) second(j,k) third(k) + beta result(i), as first (second third)",
    );
    check(
        &string("kab,k->ab", "k = 2, a = 3, b = 4"),
        "contract_f32_a3_b4_k2_kab_k_to_ab",
        "in first 2x12, in second 2, out result 3x4",
        "result(a,b) = first(k,a,b) second(k)",
    );
    check(
        &string("i,i->", "i = 5"),
        "contract_f32_i5_i_i_to_",
        "in first 5, in second 5, out result 1",
        "result = first(i) second(i)",
    );
}

/// Inputs before results, numbers before words, temporaries last.
#[test]
fn operands_stand_in_call_order() {
    let rank = |operand: &crate::spec::Operand| match (operand.role, operand.element) {
        (Role::In, Element::Real) => 0,
        (Role::In, Element::Word) => 1,
        (Role::Out | Role::InOut, Element::Real) => 2,
        (Role::Out | Role::InOut, Element::Word) => 3,
        (Role::Temporary, _) => 4,
    };
    for (attribute, ..) in TASKS {
        let spec = request(&op(attribute)).spec;
        let ranks: Vec<_> = spec.operands.iter().map(rank).collect();
        assert!(ranks.is_sorted(), "{attribute}: {}", operands(&spec));
        let n_temporaries = ranks.iter().filter(|rank| **rank == 4).count();
        assert_eq!(spec.arguments().len() + n_temporaries, spec.operands.len());
    }
}
