//! The phases of each op against its definition.

mod dense;
mod indexed;
mod knots;

use super::interpreter::{ALPHA, BETA, COSINE, Problem, RHO, SINE};
use crate::contract::Fields;
use crate::contract::tests::{op, request, string};
use crate::spec::Spec;

/// A column-major matrix of a problem.
struct Matrix<'a> {
    values: &'a [f64],
    rows: usize,
}

impl Matrix<'_> {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i + j * self.rows]
    }
}

/// A problem before and after.
struct Solved<'a> {
    before: Vec<Vec<f64>>,
    after: Problem<'a>,
    spec: &'a Spec,
}

impl Solved<'_> {
    fn of(spec: &Spec, prepare: impl Fn(&mut Problem<'_>)) -> Solved<'_> {
        let mut after = Problem::random(spec, 11);
        prepare(&mut after);
        let before = after.values.clone();
        after.run();
        after.assert_roles(&before);
        Solved { before, after, spec }
    }

    fn matrix<'a>(&'a self, values: &'a [Vec<f64>], name: &str) -> Matrix<'a> {
        let operand = self.after.operand(name);
        Matrix { values: &values[operand], rows: self.spec.operands[operand].rows }
    }

    fn old(&self, name: &str) -> Matrix<'_> {
        self.matrix(&self.before, name)
    }

    fn result(&self, name: &str) -> Matrix<'_> {
        self.matrix(&self.after.values, name)
    }

    /// Each element of an operand afterwards.
    #[track_caller]
    fn check(&self, name: &str, expected: impl Fn(usize, usize) -> f64) {
        let operand = &self.spec.operands[self.after.operand(name)];
        for j in 0..operand.cols {
            for i in 0..operand.rows {
                assert_near(
                    self.result(name).at(i, j),
                    expected(i, j),
                    &format!("{name}({i},{j}) of {}", self.spec),
                );
            }
        }
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, what: &str) {
    // Sums of a few dozen terms near one, and solves of well conditioned systems.
    assert!((found - expected).abs() <= 1e-10 * (1.0 + expected.abs()), "{found} is not {expected}: {what}");
}

#[track_caller]
fn check_with(fields: &Fields, prepare: impl Fn(&mut Problem<'_>), assert: impl Fn(&Solved<'_>)) {
    let spec = request(fields).spec;
    assert(&Solved::of(&spec, prepare));
}

#[track_caller]
fn check(attribute: &str, assert: impl Fn(&Solved<'_>)) {
    check_with(&op(attribute), |_| {}, assert);
}

fn sum(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(term).sum()
}

/// Every choice of flags, as text and as whether each is set.
fn choices<const N: usize>(flags: [&str; N]) -> Vec<(String, [bool; N])> {
    let choice = |bits: usize| {
        let set = std::array::from_fn(|idx| bits >> idx & 1 == 1);
        let text = flags.iter().zip(set).filter(|(_, is_set)| *is_set).map(|(flag, _)| format!(", {flag}"));
        (text.collect(), set)
    };
    (0..1 << N).map(choice).collect()
}

#[test]
fn vectors_and_matrices() {
    for (flags, [trans, row_major]) in choices(["trans", "row_major"]) {
        check(&format!("gemv, m = 3, n = 5, alpha = runtime, beta = runtime{flags}"), |solved| {
            let a =
                |i: usize, j: usize| solved.old("a").values[if row_major { i * 5 + j } else { i + j * 3 }];
            let (n_terms, x, y) = (if trans { 3 } else { 5 }, solved.old("x"), solved.old("y"));
            solved.check("y", |i, _| {
                let entry = |t| if trans { a(t, i) } else { a(i, t) };
                ALPHA * sum(n_terms, |t| entry(t) * x.at(t, 0)) + BETA * y.at(i, 0)
            });
        });
    }
    check("gemv_strided, m = 3, n = 5, lda = 4, trans", |solved| {
        let (a, x) = (solved.old("a"), solved.old("x"));
        solved.check("y", |i, _| sum(3, |t| a.at(t, i) * x.at(t, 0)));
    });
    check("ger, m = 3, n = 2, beta = one", |solved| {
        let (x, y, a) = (solved.old("x"), solved.old("y"), solved.old("a"));
        solved.check("a", |i, j| x.at(i, 0) * y.at(j, 0) + a.at(i, j));
    });
}

#[test]
fn matrices() {
    for (flags, [trans_a, trans_b, row_major_c]) in choices(["trans_a", "trans_b", "row_major_c"]) {
        check(&format!("gemm, m = 3, n = 2, k = 5, beta = one{flags}"), |solved| {
            let (a, b) = (solved.old("a"), solved.old("b"));
            let c =
                |values: &[f64], i: usize, j: usize| values[if row_major_c { i * 2 + j } else { i + j * 3 }];
            for (i, j) in (0..3).flat_map(|i| (0..2).map(move |j| (i, j))) {
                let left = |t| if trans_a { a.at(t, i) } else { a.at(i, t) };
                let right = |t| if trans_b { b.at(j, t) } else { b.at(t, j) };
                let expected = sum(5, |t| left(t) * right(t)) + c(solved.old("c").values, i, j);
                assert_near(c(solved.result("c").values, i, j), expected, &flags);
            }
        });
    }
    check("gemm_strided, m = 3, n = 2, k = 4, lda = 5, ldb = 6, ldc = 7, alpha = runtime", |solved| {
        let (a, b, c) = (solved.old("a"), solved.old("b"), solved.old("c"));
        solved.check(
            "c",
            |i, j| {
                if i < 3 { ALPHA * sum(4, |t| a.at(i, t) * b.at(t, j)) } else { c.at(i, j) }
            },
        );
    });
    for uplo in ["lower", "upper"] {
        check_with(
            &op(&format!("symm, m = 4, n = 3, uplo = {uplo}, beta = runtime")),
            |problem| poison(problem, "a", 4, uplo == "upper"),
            |solved| {
                let (a, b, c) = (solved.old("a"), solved.old("b"), solved.old("c"));
                let whole = |i: usize, t: usize| {
                    let (row, col) = if (uplo == "lower") == (i >= t) { (i, t) } else { (t, i) };
                    a.at(row, col)
                };
                solved.check("c", |i, j| sum(4, |t| whole(i, t) * b.at(t, j)) + BETA * c.at(i, j));
            },
        );
    }
    for (flags, [right]) in choices(["right"]) {
        check(&format!("dimm, m = 4, n = 3{flags}"), |solved| {
            let (d, b) = (solved.old("d"), solved.old("b"));
            solved.check("c", |i, j| d.at(if right { j } else { i }, 0) * b.at(i, j));
        });
    }
}

/// Everything an op must not read of a triangle is NaN.
fn poison(problem: &mut Problem<'_>, name: &str, n: usize, keeps_upper: bool) {
    let operand = problem.operand(name);
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        if i != j && (i < j) != keeps_upper {
            problem.values[operand][i + j * n] = f64::NAN;
        }
    }
}

#[test]
fn rank_updates() {
    for (flags, [trans, row_major_c]) in choices(["trans", "row_major_c"]) {
        for fill in ["full", "lower", "upper"] {
            for name in ["syrk", "syr2k"] {
                let attribute =
                    format!("{name}, n = 4, k = 3, fill = {fill}, alpha = runtime, beta = runtime{flags}");
                check(&attribute, |solved| {
                    let of = |operand: &str, i, t| {
                        let matrix = solved.old(operand);
                        if trans { matrix.at(t, i) } else { matrix.at(i, t) }
                    };
                    let product = |i, j| match name {
                        "syrk" => sum(3, |t| of("a", i, t) * of("a", j, t)),
                        _ => sum(3, |t| of("a", i, t) * of("b", j, t) + of("b", i, t) * of("a", j, t)),
                    };
                    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                        let at = if row_major_c { i * 4 + j } else { i + j * 4 };
                        let old = solved.old("c").values[at];
                        let is_written =
                            fill == "full" || (fill == "lower" && i >= j) || (fill == "upper" && i <= j);
                        let expected = if is_written { ALPHA * product(i, j) + BETA * old } else { old };
                        assert_near(solved.result("c").values[at], expected, &attribute);
                    }
                });
            }
        }
    }
}

#[test]
fn triangles() {
    for (flags, [trans, upper, unit, in_place]) in
        choices(["trans", "uplo = upper", "diag = unit", "in_place"])
    {
        for (name, nrhs) in [("trsv, n = 4", 1), ("trsm, n = 4, nrhs = 3", 3)] {
            let prepare = |problem: &mut Problem<'_>| {
                poison(problem, "a", 4, upper);
                let a = problem.operand("a");
                for i in 0..4 {
                    problem.values[a][i * 5] = if unit { f64::NAN } else { 2.0 + i as f64 };
                }
            };
            check_with(&op(&format!("{name}{flags}")), prepare, |solved| {
                let a = solved.old("a");
                let x = solved.result(if in_place { "b" } else { "x" });
                let entry = |i: usize, j: usize| match (i < j) == upper {
                    _ if i == j => {
                        if unit {
                            1.0
                        } else {
                            a.at(i, i)
                        }
                    }
                    true => a.at(i, j),
                    false => 0.0,
                };
                for (i, j) in (0..4).flat_map(|i| (0..nrhs).map(move |j| (i, j))) {
                    let left = sum(4, |t| if trans { entry(t, i) } else { entry(i, t) } * x.at(t, j));
                    assert_near(left, solved.old("b").at(i, j), &format!("{name}{flags}"));
                }
            });
        }
    }
}

/// A symmetric, diagonally dominant matrix whose upper triangle is NaN where it must not be read.
fn definite(problem: &mut Problem<'_>, name: &str, n: usize, is_whole: bool) {
    let operand = problem.operand(name);
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let mirrored = if is_whole { problem.values[operand][j + i * n] } else { f64::NAN };
        let value = &mut problem.values[operand][i + j * n];
        if i == j {
            *value += n as f64 + 1.0;
        } else if i < j {
            *value = mirrored;
        }
    }
}

/// An entry of the symmetric matrix whose lower triangle is stored.
fn mirrored(a: &Matrix<'_>, i: usize, j: usize) -> f64 {
    a.at(i.max(j), i.min(j))
}

#[test]
fn factors() {
    for (flags, [in_place]) in choices(["in_place"]) {
        let factor = if in_place { "a" } else { "l" };
        let prepare = |problem: &mut Problem<'_>| definite(problem, "a", 5, false);
        check_with(&op(&format!("potrf, n = 5{flags}")), prepare, |solved| {
            let (a, l) = (solved.old("a"), solved.result(factor));
            for (i, j) in (0..5).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                assert_near(sum(j + 1, |t| l.at(i, t) * l.at(j, t)), a.at(i, j), "L L'");
                assert!(i == j || if in_place { l.at(j, i).is_nan() } else { l.at(j, i).to_bits() == 0 });
            }
        });
        check_with(&op(&format!("ldlt, n = 5{flags}")), prepare, |solved| {
            let (a, l) = (solved.old("a"), solved.result(factor));
            let unit = |i: usize, t: usize| if i == t { 1.0 } else { l.at(i, t) };
            for (i, j) in (0..5).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                assert_near(sum(j + 1, |t| unit(i, t) * l.at(t, t) * unit(j, t)), a.at(i, j), "L D L'");
            }
        });
        check_with(
            &op(&format!("inv, n = 5{flags}")),
            |problem| definite(problem, "a", 5, true),
            |solved| {
                let (a, x) = (solved.old("a"), solved.result(if in_place { "a" } else { "x" }));
                for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
                    assert_near(sum(5, |t| a.at(i, t) * x.at(t, j)), if i == j { 1.0 } else { 0.0 }, "A X");
                }
            },
        );
    }
    for (flags, [in_place]) in choices(["in_place"]) {
        check_with(
            &op(&format!("inv_many, orders = 3 4{flags}")),
            |problem| {
                definite(problem, "a0", 3, true);
                definite(problem, "a1", 4, true);
            },
            |solved| {
                for (n, source, inverse) in [(3, "a0", "x0"), (4, "a1", "x1")] {
                    let (a, x) = (solved.old(source), solved.result(if in_place { source } else { inverse }));
                    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let expected = if i == j { 1.0 } else { 0.0 };
                        assert_near(sum(n, |t| a.at(i, t) * x.at(t, j)), expected, "A X");
                    }
                }
            },
        );
    }
    check_with(
        &op("potrf_many, orders = 2 3"),
        |problem| {
            definite(problem, "a0", 2, false);
            definite(problem, "a1", 3, false);
        },
        |solved| {
            for (n, source, factor) in [(2, "a0", "l0"), (3, "a1", "l1")] {
                let (a, l) = (solved.old(source), solved.result(factor));
                for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                    assert_near(sum(j + 1, |t| l.at(i, t) * l.at(j, t)), a.at(i, j), "L L'");
                }
            }
        },
    );
    check_with(
        &op("potrf, n = 3, fill = untouched"),
        |problem| definite(problem, "a", 3, false),
        |solved| assert_eq!(solved.result("l").at(0, 2).to_bits(), solved.old("l").at(0, 2).to_bits()),
    );
}

#[test]
fn solves() {
    for (flags, [in_place]) in choices(["in_place"]) {
        for nrhs in [1, 3] {
            let unknowns = if in_place { "b" } else { "x" };
            for reg in ["none", "shift", "diag_shift"] {
                check_with(
                    &op(&format!("posv, n = 4, nrhs = {nrhs}, reg = {reg}{flags}")),
                    |problem| definite(problem, "a", 4, false),
                    |solved| {
                        let (a, b, x) = (solved.old("a"), solved.old("b"), solved.result(unknowns));
                        let shifted = |i: usize, j: usize| match reg {
                            "shift" if i == j => a.at(i, i) + RHO,
                            "diag_shift" if i == j => a.at(i, i) * (1.0 + RHO),
                            _ => mirrored(&a, i, j),
                        };
                        for (i, j) in (0..4).flat_map(|i| (0..nrhs).map(move |j| (i, j))) {
                            assert_near(sum(4, |t| shifted(i, t) * x.at(t, j)), b.at(i, j), "A X");
                        }
                    },
                );
            }
            for (name, is_ldlt) in [("potrs", false), ("ldlt_solve", true)] {
                check_with(
                    &op(&format!("{name}, n = 4, nrhs = {nrhs}{flags}")),
                    |problem| definite(problem, "l", 4, false),
                    |solved| {
                        let (l, b, x) = (solved.old("l"), solved.old("b"), solved.result(unknowns));
                        let entry = |i: usize, t: usize| if is_ldlt && i == t { 1.0 } else { l.at(i, t) };
                        let d = |t: usize| if is_ldlt { l.at(t, t) } else { 1.0 };
                        let a = |i: usize, j: usize| sum(i.min(j) + 1, |t| entry(i, t) * d(t) * entry(j, t));
                        for (i, j) in (0..4).flat_map(|i| (0..nrhs).map(move |j| (i, j))) {
                            assert_near(sum(4, |t| a(i, t) * x.at(t, j)), b.at(i, j), name);
                        }
                    },
                );
            }
        }
    }
}

#[test]
fn tensors() {
    let (k, a, b) = (4, 3, 2);
    for (flags, [row_major]) in choices(["slab_row_major"]) {
        let at = |t: &Matrix<'_>, slab: usize, i: usize, j: usize| {
            t.values[slab * a * b + if row_major { i * b + j } else { i + j * a }]
        };
        for axis in ["k", "a", "b"] {
            let attribute =
                format!("tensor_vec_contract, k = 4, a = 3, b = 2, axis = {axis}, beta = one{flags}");
            check(&attribute, |solved| {
                let (t, v, m) = (solved.old("t"), solved.old("v"), solved.old("m"));
                let v = |e: usize| v.at(e, 0);
                solved.check("m", |i, j| {
                    let contracted = match axis {
                        "k" => sum(k, |e| v(e) * at(&t, e, i, j)),
                        "a" => sum(a, |e| v(e) * at(&t, i, e, j)),
                        _ => sum(b, |e| v(e) * at(&t, i, j, e)),
                    };
                    contracted + m.at(i, j)
                });
            });
        }
        check(&format!("vec_tensor_vec, k = 4, a = 3, b = 2{flags}"), |solved| {
            let (u, t, w) = (solved.old("u"), solved.old("t"), solved.old("w"));
            solved.check("s", |slab, _| sum(a, |i| sum(b, |j| u.at(i, 0) * at(&t, slab, i, j) * w.at(j, 0))));
        });
    }
    check("tensor_vec_contract, k = 4, a = 3, b = 3, symmetric, beta = runtime", |solved| {
        let (t, v, m) = (solved.old("t"), solved.old("v"), solved.old("m"));
        let lower = |i: usize, j: usize, e: usize| t.values[e * 9 + i.max(j) + i.min(j) * 3];
        solved.check("m", |i, j| sum(k, |e| v.at(e, 0) * lower(i, j, e)) + BETA * m.at(i, j));
    });
}

#[test]
fn chains() {
    let whole = |name: &'static str, n| move |problem: &mut Problem<'_>| definite(problem, name, n, true);
    check_with(
        &op("congruence_sym, n = 5, p = 3, alpha = runtime, beta = runtime"),
        whole("m", 5),
        |solved| {
            let (x, m, q) = (solved.old("x"), solved.old("m"), solved.old("q"));
            solved.check("q", |i, j| {
                ALPHA * sum(5, |s| sum(5, |t| x.at(s, i) * m.at(s, t) * x.at(t, j))) + BETA * q.at(i, j)
            });
        },
    );
    check("bilinear, n = 5, p = 3, q = 2, beta = one", |solved| {
        let (x, m, y, r) = (solved.old("x"), solved.old("m"), solved.old("y"), solved.old("r"));
        solved.check("r", |i, j| sum(5, |s| sum(5, |t| x.at(s, i) * m.at(s, t) * y.at(t, j))) + r.at(i, j));
    });
    check_with(&op("congruence_accum, p = 3, q = 5, beta = one"), whole("m", 5), |solved| {
        let (g, m, c) = (solved.old("g"), solved.old("m"), solved.old("c"));
        solved.check("c", |i, j| sum(5, |s| sum(5, |t| g.at(i, s) * m.at(s, t) * g.at(j, t))) + c.at(i, j));
    });
}

#[test]
fn gains() {
    for (flags, [factor]) in choices(["factor"]) {
        for reg in ["none", "shift", "diag_shift"] {
            let prepare = |problem: &mut Problem<'_>| {
                definite(problem, "p", 4, true);
                definite(problem, "r", 2, false);
            };
            check_with(
                &op(&format!("riccati_gain, nx = 4, nu = 2, reg = {reg}{flags}")),
                prepare,
                |solved| {
                    let [p, a, b, r] = ["p", "a", "b", "r"].map(|name| solved.old(name));
                    let k = solved.result("k");
                    let s = |i: usize, j: usize| {
                        let entry =
                            mirrored(&r, i, j) + sum(4, |x| sum(4, |y| b.at(x, i) * p.at(x, y) * b.at(y, j)));
                        match reg {
                            "shift" if i == j => entry + RHO,
                            "diag_shift" if i == j => entry * (1.0 + RHO),
                            _ => entry,
                        }
                    };
                    for (i, j) in (0..2).flat_map(|i| (0..4).map(move |j| (i, j))) {
                        let right = sum(4, |x| sum(4, |y| b.at(x, i) * p.at(x, y) * a.at(y, j)));
                        assert_near(sum(2, |t| s(i, t) * k.at(t, j)), right, "S K");
                    }
                    if factor {
                        let l = solved.result("l");
                        assert_near(l.at(1, 0) * l.at(0, 0), s(1, 0), "L of S");
                        assert_eq!(l.at(0, 1).to_bits(), 0);
                    }
                },
            );
        }
    }
    for reg in ["shift", "diag_shift"] {
        check(&format!("gn_step, m = 5, n = 3, reg = {reg}"), |solved| {
            let (jac, r, dq) = (solved.old("jac"), solved.old("r"), solved.result("dq"));
            let h = |i: usize, j: usize| sum(5, |m| jac.at(m, i) * jac.at(m, j));
            let shifted = |i: usize, j: usize| match reg {
                "shift" if i == j => h(i, i) + RHO,
                "diag_shift" if i == j => h(i, i) * (1.0 + RHO),
                _ => h(i, j),
            };
            for i in 0..3 {
                let right = sum(5, |m| jac.at(m, i) * r.at(m, 0));
                assert_near(sum(3, |t| shifted(i, t) * dq.at(t, 0)), right, "H dq");
            }
        });
    }
}

#[test]
fn index_strings() {
    check_with(
        &string("ki,kl,lj->ij", "i = 4, j = 4, k = 3, l = 3, symmetric, beta = runtime"),
        |problem| {
            definite(problem, "second", 3, true);
            // A congruence is symmetric only where both ends are the same matrix.
            let (first, third) = (problem.operand("first"), problem.operand("third"));
            problem.values[third] = problem.values[first].clone();
        },
        |solved| {
            let [a, b, c, old] = ["first", "second", "third", "result"].map(|name| solved.old(name));
            solved.check("result", |i, j| {
                sum(3, |k| sum(3, |l| a.at(k, i) * b.at(k, l) * c.at(l, j))) + BETA * old.at(i, j)
            });
        },
    );
    check_with(
        &string("ab,bc,cd,da->", "a = 2, b = 3, c = 4, d = 5, alpha = runtime"),
        |_| {},
        |solved| {
            let [p, q, r, s] = ["first", "second", "third", "fourth"].map(|name| solved.old(name));
            let chain = |a, d| sum(3, |b| sum(4, |c| p.at(a, b) * q.at(b, c) * r.at(c, d)));
            solved.check("result", |_, _| ALPHA * sum(2, |a| sum(5, |d| chain(a, d) * s.at(d, a))));
        },
    );
    check_with(
        &string("i,j,ij->ji", "i = 2, j = 3"),
        |_| {},
        |solved| {
            let [x, y, a] = ["first", "second", "third"].map(|name| solved.old(name));
            solved.check("result", |j, i| x.at(i, 0) * y.at(j, 0) * a.at(i, j));
        },
    );
}

#[test]
fn maps_and_reductions() {
    check("axpy, n = 5", |solved| {
        let (x, y) = (solved.old("x"), solved.old("y"));
        solved.check("z", |i, _| ALPHA * x.at(i, 0) + y.at(i, 0));
    });
    check("axpy_strided, m = 3, n = 2, ldy = 5, ldx = 4", |solved| {
        let (x, y) = (solved.old("x"), solved.old("y"));
        solved.check("y", |i, j| if i < 3 { ALPHA * x.at(i, j) + y.at(i, j) } else { y.at(i, j) });
    });
    check("copy_strided, m = 3, n = 2, ldy = 5, ldx = 4", |solved| {
        let (x, y) = (solved.old("x"), solved.old("y"));
        solved.check("y", |i, j| if i < 3 { x.at(i, j) } else { y.at(i, j) });
    });
    check("scal, n = 5, in_place", |solved| solved.check("x", |i, _| ALPHA * solved.old("x").at(i, 0)));
    check("copy, n = 5, alpha = runtime", |solved| {
        solved.check("y", |i, _| ALPHA * solved.old("x").at(i, 0))
    });
    for (flags, [in_place]) in choices(["in_place"]) {
        let result = |name: &str| if in_place { name.to_owned() } else { format!("{name}_out") };
        check(&format!("rot, n = 5{flags}"), |solved| {
            let (x, y) = (solved.old("x"), solved.old("y"));
            solved.check(&result("x"), |i, _| COSINE * x.at(i, 0) + SINE * y.at(i, 0));
            solved.check(&result("y"), |i, _| COSINE * y.at(i, 0) - SINE * x.at(i, 0));
        });
        check(&format!("symmetrize, n = 4{flags}"), |solved| {
            let result = if in_place { "a" } else { "b" };
            let (a, old) = (solved.old("a"), solved.old(result));
            solved.check(result, |i, j| if i == j { old.at(i, i) } else { (a.at(i, j) + a.at(j, i)) / 2.0 });
        });
    }
    check("rotg", |solved| {
        let (a, b) = (solved.old("a").at(0, 0), solved.old("b").at(0, 0));
        solved.check("c", |_, _| a / a.hypot(b));
        solved.check("s", |_, _| b / a.hypot(b));
    });
    check("swap, n = 4", |solved| {
        solved.check("x", |i, _| solved.old("y").at(i, 0));
        solved.check("y", |i, _| solved.old("x").at(i, 0));
    });
    check("mult, n = 4", |solved| {
        solved.check("z", |i, _| solved.old("x").at(i, 0) * solved.old("y").at(i, 0));
    });
    check("transpose, m = 3, n = 2", |solved| solved.check("b", |i, j| solved.old("a").at(j, i)));
    check("dot, n = 5", |solved| {
        let (x, y) = (solved.old("x"), solved.old("y"));
        solved.check("s", |_, _| sum(5, |t| x.at(t, 0) * y.at(t, 0)));
    });
    check("nrm1_diff, n = 5", |solved| {
        let (x, y) = (solved.old("x"), solved.old("y"));
        solved.check("s", |_, _| sum(5, |t| (x.at(t, 0) - y.at(t, 0)).abs()));
    });
    type Term = fn(f64) -> f64;
    let sums: [(&str, Term, Term); 3] =
        [("reduce", |x| x, |sum| sum), ("asum", f64::abs, |sum| sum), ("nrm2", |x| x * x, f64::sqrt)];
    for (name, term, finish) in sums {
        check(&format!("{name}, n = 5"), |solved| {
            solved.check("s", |_, _| finish(sum(5, |t| term(solved.old("x").at(t, 0)))));
        });
    }
}
