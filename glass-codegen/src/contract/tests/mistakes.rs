//! What is said about wrong attributes.

use super::{mistakes, op, pair, request, string};
use crate::contract::Fields;
use crate::plan::Tier;

/// Mistakes begin with these texts, in this order, and there are no others.
#[track_caller]
fn check(fields: &Fields, expected: &[&str]) {
    let found = mistakes(fields);
    let is_expected = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.contains(expected));
    assert!(is_expected, "expected {expected:#?}\nfound {found:#?}");
}

#[test]
fn names_of_ops() {
    check(
        &op("gem, m = 7"),
        &["op: glass: op `gem` is not known; did you mean `gemm`?\nallowed: dot, reduce,"],
    );
    check(&op("cholesky, n = 7"), &["op: glass: op `cholesky` is not known\nallowed: "]);
    check(&op("contract, n = 7"), &["op: glass: op `contract` is not known"]);
    check(&op("potrf_reduced, n = 7"), &["op: glass: op `potrf_reduced` is not known\nallowed: "]);
    check(&op("eigh, n = 7"), &["op: glass: op `eigh` is not provided yet\nallowed: dot, reduce,"]);
    check(&op("pcg"), &["op: glass: op `pcg` is not provided yet"]);
}

#[test]
fn atomic_additions_are_refused_with_the_reason() {
    let own = "pairs = 1, a_count = 1, b_count = 1, c_count = 1, atomic";
    let message = "atomic: glass: field `atomic` is not known for op `gemm_batched_indexed`\nallowed: dim, pairs, a_count, \
                   b_count, c_count, trans_a, trans_b, check, alpha, beta, dtype, layout, targets, tier, form, \
                   lanes_per_output, threads_per_block\nwhy: atomic additions of floats come in any order, and equal input \
                   has to give equal bits; what several products add to one place is added in their order";
    check(&op(&format!("gemm_batched_indexed, {own}")), &[message]);
}

#[test]
fn every_array_has_room_for_a_segment() {
    let too_short = |field: &str, given: &str, least: usize| {
        format!(
            "{field}: glass: `{field} = {given}` is less than the {least} elements of a segment\nallowed: {least}..=16777216"
        )
    };
    let task = "gemv_segmented, m = 6, n = 4, segments = 5";
    check(
        &op(&format!("{task}, a_len = 23, x_len = 3, y_len = 5")),
        &[&too_short("a_len", "23", 24), &too_short("x_len", "3", 4), &too_short("y_len", "5", 6)],
    );
    check(&op(&format!("{task}, a_len = 24, x_len = 5, y_len = 5, trans")), &[&too_short("x_len", "5", 6)]);
    check(
        &op(&format!("{task}, a_len = 16777217, y_len = 0")),
        &[
            "a_len: glass: `a_len = 16777217` is out of range\nallowed: 1..=16777216",
            "-: glass: `x_len` is missing: the elements of the array that holds each x(s)\nallowed: 1..=16777216",
            "y_len: glass: `y_len = 0` is out of range\nallowed: 1..=16777216",
        ],
    );
}

#[test]
fn one_thread_owns_no_problem_with_words_for_addresses() {
    let own = "pairs = 1, a_count = 1, b_count = 1, c_count = 1, tier = thread";
    let message = "tier: glass: `tier = thread` is not available for op `gemm_batched_indexed`\nallowed: warp, block\nwhy: \
                   words of each problem say where it reads and writes, so neighbouring lanes would touch scattered memory";
    check(&op(&format!("gemm_batched_indexed, {own}")), &[message]);
}

#[test]
fn what_the_thread_tier_lacks() {
    for (task, is_provided) in [
        ("iamax", true),
        ("getrf", true),
        ("gesv", true),
        ("ldlt_pivoted", true),
        ("ldlt_pivoted_solve", true),
        ("getrs", true),
        ("laswp, m = 3", true),
        ("inv_pivoted", true),
        ("syev", false),
    ] {
        let name = task.split(',').next().expect("a name");
        let later = format!("op: glass: op `{name}` is not provided yet");
        let lacking = format!(
            "tier: glass: `tier = thread` is not available for op `{name}`\nallowed: warp, block\nwhy: each lane works \
             on a different problem, so the data-dependent branch of a pivot search or stopping test would diverge \
             the warp"
        );
        let expected: Vec<&str> =
            [&later, &lacking].into_iter().skip(is_provided.into()).map(String::as_str).collect();
        check(&op(&format!("{task}, n = 7, tier = thread")), &expected);
        let fields = op(&format!("{task}, n = 7, tier = warp"));
        if is_provided {
            assert_eq!(request(&fields).forced.tier, Some(Tier::Warp), "{name}");
        } else {
            check(&fields, &["is not provided yet"]);
        }
    }
    for name in
        ["gemm_reduced, m = 1, n = 1, k = 1", "gemv_reduced, m = 1, n = 1", "syrk_reduced, n = 1, k = 1"]
    {
        check(
            &op(&format!("{name}, tier = thread")),
            &["tier: glass: `tier = thread` is not available for op `g"]
                .map(|text| if name.starts_with('s') { "for op `syrk_reduced`" } else { text }),
        );
    }
    for (form, why) in [
        ("fast", "they choose how lanes or warps combine partial sums; one thread has no reduction strategy"),
        (
            "lowmem",
            "they choose how lanes or warps combine partial sums; one thread has no reduction strategy",
        ),
        ("reduced", "one thread has no reduction strategy: there are no lanes to split the contraction over"),
    ] {
        let expected = format!(
            "form: glass: `form = {form}` is not available for `tier = thread`\nallowed: serial\nwhy: {why}"
        );
        check(&op(&format!("dot, n = 7, tier = thread, form = {form}")), &[&expected]);
    }
    check(
        &op("potrf, n = 7, tier = thread, form = reduced"),
        &["form: glass: `form = reduced` is not available for `tier"],
    );
}

#[test]
fn forms_of_ops() {
    for name in ["potrf, n = 7", "posv, n = 7", "trsm, n = 7", "inv, n = 7", "ldlt_solve, n = 7"] {
        check(
            &op(&format!("{name}, form = reduced")),
            &["allowed: serial\nwhy: every entry takes its updates in a stated order"],
        );
    }
    for name in ["axpy, n = 7", "symmetrize, n = 7", "rotg", "copy_strided, m = 1, n = 1, ldy = 1"] {
        check(
            &op(&format!("{name}, form = reduced, tier = warp")),
            &["allowed: serial\nwhy: every element is computed alone"],
        );
    }
    check(
        &op("symm, m = 1, n = 1, form = reduced"),
        &["allowed: serial\nwhy: its sums are provided in the serial form only"],
    );
    check(
        &op("gemv, m = 1, n = 1, form = fast"),
        &["form: glass: `form = fast` is not known\nallowed: serial, reduced"],
    );
    check(&op("dot, n = 1, form = tree"), &["allowed: serial, reduced, lowmem, fast"]);
    check(
        &op("gemv_reduced, m = 1, n = 1, form = serial"),
        &["form: glass: `form = serial` is not available for op `gemv_reduced`\nallowed: reduced"],
    );
    check(
        &op("gemv, m = 1, n = 1, tier = cgrps"),
        &["tier: glass: `tier = cgrps` is not available for a kernel\nallowed: thread, warp, block\nwhy: "],
    );
    check(
        &op("dot, n = 1, form = lowmem, lanes_per_output = 8"),
        &["lanes_per_output: glass: `lanes_per_output = 8` needs `form = reduced`"],
    );
}

#[test]
fn fields_of_ops() {
    check(
        &op("gemv, m = 7, n = 14, uplo = upper, nrhs = 3"),
        &[
            "nrhs: glass: field `nrhs` is not known for op `gemv`\nallowed: m, n, trans, row_major, alpha, beta, dtype,",
            "uplo: glass: field `uplo` is not known for op `gemv`",
        ],
    );
    check(
        &pair("n_out = 7, k = 14, symmetric"),
        &[
            "symmetric: glass: field `symmetric` is not known\nallowed: n_out, m, n, k, dtype, layout, transpose, alpha, \
           beta, targets, tier, form, lanes_per_output, threads_per_block",
        ],
    );
    check(
        &Fields { index_string: Some("i,i->".to_owned()), ..op("dot, n = 3") },
        &["index string: glass: field `index string` is not known for op `dot`"],
    );
    check(
        &Fields { extents: vec![('i', 3)], ..op("dot, n = 3") },
        &["i: glass: field `i` is not known for op `dot`"],
    );
}

#[test]
fn sizes_of_ops() {
    check(&op("posv"), &["-: glass: `n` is missing: the order of the matrix\nallowed: 1..=4096"]);
    check(
        &op("gemm, m = 0, n = 5000"),
        &[
            "m: glass: `m = 0` is out of range\nallowed: 1..=4096",
            "n: glass: `n = 5000` is out of range",
            "-: glass: `k` is missing: the contraction length",
        ],
    );
    check(
        &op("axpy_strided, m = 6, n = 5, ldy = 5, ldx = 4"),
        &[
            "ldy: glass: `ldy = 5` is less than the 6 rows it spans\nallowed: 6..=4096",
            "ldx: glass: `ldx = 4` is less than the 6 rows it spans",
        ],
    );
    check(&op("axpy_strided, m = 6, n = 5"), &["-: glass: `ldy` is missing: the leading dimension of Y"]);
    check(&op("axpy_strided, m = 6, n = 5, ldy = 0"), &["ldy: glass: `ldy = 0` is out of range"]);
    check(
        &op("vec_tensor_vec, k = 4096, a = 4096, b = 4096"),
        &["-: glass: operand `t` has 68719476736 elements\nallowed: up to 16777216"],
    );
}

#[test]
fn orders_of_several_matrices() {
    check(
        &op("inv_many, n = 7"),
        &[
            "n: glass: field `n` is not known for op `inv_many`",
            "-: glass: `orders` is missing: the orders of",
        ],
    );
    check(
        &op("inv_many, orders = 6"),
        &["orders: glass: `orders` has 1 item(s)\nallowed: 2..=4\nwhy: a single one has an op of its own"],
    );
    check(&op("inv_many, orders = 6 6 6 6 6"), &["orders: glass: `orders` has 5 item(s)\nallowed: 2..=4"]);
    check(
        &op("potrf_many, orders = 6 0 x -1"),
        &[
            "orders: glass: order `0` is out of range\nallowed: 1..=4096",
            "orders: glass: order `x` is no whole number\nallowed: digits alone, 1..=4096",
            "orders: glass: order `-1` is out of range",
        ],
    );
    check(&op("potrf, n = 7, orders = 7 7"), &["orders: glass: field `orders` is not known for op `potrf`"]);
    check(
        &op("inv_many, orders = 6 6, form = reduced"),
        &["form: glass: `form = reduced` is not available for op `inv_many`"],
    );
}

#[test]
fn options_of_ops() {
    check(
        &op("posv, n = 7, reg = ridge, check = maybe"),
        &[
            "reg: glass: `reg = ridge` is not known\nallowed: none, shift, diag_shift",
            "check: glass: `check = maybe` is not known\nallowed: on, off",
        ],
    );
    check(&op("gn_step, m = 1, n = 1, reg = none"), &["allowed: shift, diag_shift"]);
    check(&op("axpy, n = 7, alpha = one"), &["alpha: glass: `alpha = one` is not known\nallowed: runtime"]);
    check(&op("syrk, n = 7, k = 1, fill = zero"), &["allowed: full, lower, upper"]);
    check(&op("potrf, n = 7, fill = upper"), &["allowed: zero, untouched"]);
    check(
        &op("potrf, n = 7, fill = zero, in_place"),
        &["fill: glass: `fill = zero` is not available for `in_place`\nallowed: untouched"],
    );
    check(
        &op("add_identity_partial, n = 3, d = 4"),
        &["d: glass: `d = 4` is out of range\nallowed: 1..=3\nwhy: the diagonal has `n` entries"],
    );
    check(&op("potrf, n = 7, inertia"), &["inertia: glass: field `inertia` is not known for op `potrf`"]);
    for options in ["axis = a", "b = 2"] {
        let sizes = if options.starts_with('b') { "k = 1, a = 3" } else { "k = 1, a = 3, b = 3" };
        check(
            &op(&format!("tensor_vec_contract, {sizes}, {options}, symmetric")),
            &["symmetric: glass: `symmetric` needs `axis = k` and `a` equal to `b`"],
        );
    }
    check(
        &op("trsv, n = 7, uplo = left, diag = one, dtype = f16, targets = metal"),
        &["dtype: ", "uplo: ", "diag: ", "targets: "],
    );
}

#[test]
fn everything_at_once() {
    check(
        &op(
            "potrf, n = 0, k = 3, dtype = f64, targets = cuda wgsl, tier = warp, form = reduced, threads_per_block = 48",
        ),
        &[
            "k: glass: field `k` is not known for op `potrf`",
            "n: glass: `n = 0`",
            "targets: glass: target `wgsl` is not available for `dtype = f64`",
            "form: glass: `form = reduced` is not available for op `potrf`",
            "threads_per_block: glass: `threads_per_block = 48` is not a whole number of warps",
        ],
    );
}

#[test]
fn index_strings() {
    for (text, expected) in [
        ("ik,kj", "has no `->`\nallowed: such as `ik,kj->ij`"),
        ("ik->ik", "has 1 operand(s)\nallowed: 2..=6"),
        ("a,a,a,a,a,a,a->a", "has 7 operand(s)"),
        ("iK,Kj->ij", "holds `K`"),
        ("ik,kj->i>j", "holds `>`"),
        ("ik,,kj->ij", "has an operand without letters"),
        ("ii,ij->j", "has `i` twice in `ii`"),
        ("ik,kj->ijj", "has `j` twice in `ijj`"),
        ("ik,kj->il", "has no operand with `l`"),
        ("ik,kj->i", "has `j` in one operand only"),
        ("abcdefghi,jklmnopqr->abcdefghijklmnopqr", "has 18 letters\nallowed: up to 16"),
        ("", "has no `->`"),
    ] {
        let expected = format!("index string: glass: index string \"{text}\" {expected}");
        check(&string(text, ""), &[&expected]);
    }
    check(
        &string("ik,kj->ij", "i = 0, k = 3, z = 4, n_out = 7"),
        &[
            "n_out: glass: field `n_out` is not known\nallowed: symmetric, alpha, beta, dtype,",
            "i: glass: `i = 0` is out of range",
            "-: glass: `j` is missing: the extent of an index",
            "z: glass: field `z` is not known\nallowed: i, k, j, symmetric, alpha,",
        ],
    );
    check(
        &string("ik,kj->ij", "i = 2, k = 3, j = 4, symmetric"),
        &["symmetric: glass: `symmetric` needs a square result"],
    );
    check(
        &string("ab,cd->abcd", "a = 4096, b = 4096, c = 4096, d = 2"),
        &[
            "index string: glass: index string \"ab,cd->abcd\" spans 137438953472 points\nallowed: up to 68719476736",
        ],
    );
    check(
        &string("ab,c->abc", "a = 4096, b = 4096, c = 2"),
        &["-: glass: operand `result` has 33554432 elements"],
    );
}
