//! What a tier or a form lacks for an op, with the reason.

#[glass::op(iamax, n = 7, tier = thread)]
struct Search;

#[glass::op(gemm_reduced, m = 7, n = 7, k = 14, tier = thread)]
struct Product;

#[glass::op(gemm_reduced, m = 7, n = 7, k = 14, form = serial)]
struct Contradiction;

#[glass::op(nrm2, n = 7, tier = thread, form = fast)]
struct Norm;

#[glass::op(posv, n = 7, form = reduced)]
struct Solve;

#[glass::op(axpy, n = 7, form = reduced)]
struct Axpy;

#[glass::op(syrk, n = 7, k = 7, tier = cgrps)]
struct Groups;

#[glass::op(gemv, m = 7, n = 14, form = fast)]
struct Strategy;

#[glass::op(getrs, n = 7, tier = thread)]
struct Exchanged;

#[glass::op(laswp, m = 7, n = 3, tier = thread)]
struct Rows;

#[glass::op(inv_pivoted, n = 7, tier = thread)]
struct Inverse;

#[glass::op(gemm_batched_indexed, pairs = 3, a_count = 2, b_count = 2, c_count = 2, tier = thread)]
struct Scattered;

#[glass::op(ldlt_pivoted, n = 7, tier = thread)]
struct Indefinite;

fn main() {
    let _ = (Search::sources(), Product::sources(), Contradiction::sources(), Norm::sources());
    let _ = (Solve::sources(), Axpy::sources(), Groups::sources(), Strategy::sources());
    let _ = (Exchanged::sources(), Rows::sources(), Inverse::sources());
    let _ = (Scattered::sources(), Indefinite::sources());
}
