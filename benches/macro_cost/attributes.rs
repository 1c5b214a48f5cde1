//! The attributes of the compared crate.

use std::fmt::Write;

/// Attributes in the larger crate.
pub(crate) const N_ATTRIBUTES: usize = 100;

/// Every family of the surface, its sizes left open.
const OPS: [&str; 34] = [
    "op(dot, n = A)",
    "op(reduce, n = A)",
    "op(nrm2, n = A)",
    "op(axpy, n = A)",
    "op(rot, n = A)",
    "op(symmetrize, n = A, in_place)",
    "op(gemv, m = A, n = B)",
    "op(gemv, m = A, n = B, trans, beta = one)",
    "op(trsv, n = A)",
    "op(gemm, m = A, n = B, k = C)",
    "op(gemm, m = A, n = B, k = C, trans_b, alpha = runtime, beta = runtime)",
    "op(syrk, n = A, k = B)",
    "op(syr2k, n = A, k = B, fill = lower)",
    "op(trsm, n = A, nrhs = B)",
    "op(potrf, n = A)",
    "op(potrf, n = A, in_place)",
    "op(posv, n = A)",
    "op(posv, n = A, nrhs = B, reg = shift)",
    "op(potrs, n = A)",
    "op(ldlt, n = A)",
    "op(ldlt_solve, n = A)",
    "op(inv, n = A)",
    "op(tensor_vec_contract, k = A, a = B, b = C)",
    "op(vec_tensor_vec, k = A, a = B, b = C)",
    "op(congruence_sym, n = A, p = B)",
    "op(bilinear, n = A, p = B, q = C)",
    "op(congruence_accum, p = A, q = B, beta = one)",
    "op(riccati_gain, nx = A, nu = H)",
    "op(riccati_gain, nx = A, nu = H, reg = shift, factor)",
    "op(copy_strided, m = A, n = B, ldy = 21)",
    "contract(n_out = A, k = B)",
    "contract(m = A, n = B, k = C)",
    "contract(\"ij,jk->ik\", i = A, j = B, k = C)",
    "contract(\"ki,kl,lj->ij\", i = A, j = A, k = B, l = B, symmetric)",
];

/// All ops in turn, every size from 1 to 14, every dtype and layout, under the macros of a crate.
pub(crate) fn mixed(macros: &str) -> String {
    let mut text = String::new();
    for idx in 0..N_ATTRIBUTES {
        let size = |step: usize| 14 - idx * step % 14;
        let dtype = ["f32", "f32", "f64"][idx % 3];
        let layout = ["contiguous", "interleaved"][idx / 2 % 2];
        let attribute = OPS[idx % OPS.len()]
            .replace("= A", &format!("= {}", size(3)))
            .replace("= B", &format!("= {}", size(5)))
            .replace("= C", &format!("= {}", size(9)))
            .replace("= H", &format!("= {}", size(3).div_ceil(2)))
            .replace(')', &format!(", dtype = {dtype}, layout = {layout})"));
        let _ = writeln!(text, "#[{macros}::{attribute}]\npub struct Kernel{idx};");
    }
    text
}

/// The same contract again and again, under a macro that tells its time.
pub(crate) fn repeated(n_expansions: usize) -> String {
    (0..n_expansions)
        .map(|idx| format!("#[timed::contract(n_out = 7, k = 14)]\npub struct Feedback{idx};\n"))
        .collect()
}
