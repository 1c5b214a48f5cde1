//! What completes the dense ops: functions of elements, identities, running sums, searches, triangles and exchanges.

use super::*;

#[test]
fn elementwise_functions() {
    type Function = fn(f64, f64) -> f64;
    let functions: [(&str, Function); 12] = [
        ("add", |x, y| x + y),
        ("sub", |x, y| x - y),
        ("max", f64::max),
        ("min", f64::min),
        ("less", |x, y| f64::from(x < y)),
        ("less_equal", |x, y| f64::from(x <= y)),
        ("greater", |x, y| f64::from(x > y)),
        ("greater_equal", |x, y| f64::from(x >= y)),
        ("equal", |x, y| f64::from(x == y)),
        ("not_equal", |x, y| f64::from(x != y)),
        ("and", |x, y| f64::from(x != 0.0 && y != 0.0)),
        ("axpby", |x, y| ALPHA * x + BETA * y),
    ];
    for (name, function) in functions {
        // Some pairs are equal, and some elements zero.
        let prepare = |problem: &mut Problem<'_>| {
            let (x, y) = (problem.operand("x"), problem.operand("y"));
            problem.values[y][1] = problem.values[x][1];
            problem.values[x][2] = 0.0;
        };
        check_with(&op(&format!("{name}, n = 5")), prepare, |solved| {
            let (x, y) = (solved.old("x"), solved.old("y"));
            solved.check("z", |i, _| function(x.at(i, 0), y.at(i, 0)));
        });
    }
    check("sub, n = 4, scalar", |solved| solved.check("z", |i, _| solved.old("x").at(i, 0) - ALPHA));
    check("greater, n = 9, scalar", |solved| {
        solved.check("z", |i, _| f64::from(solved.old("x").at(i, 0) > ALPHA));
    });
    check("abs, n = 4", |solved| solved.check("y", |i, _| solved.old("x").at(i, 0).abs()));
    check("not, n = 4", |solved| solved.check("y", |_, _| 0.0));
    check("clip, n = 9", |solved| {
        let [x, lo, hi] = ["x", "lo", "hi"].map(|name| solved.old(name));
        solved.check("y", |i, _| x.at(i, 0).min(hi.at(i, 0)).max(lo.at(i, 0)));
    });
}

#[test]
fn constants_and_diagonals() {
    let delta = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    check("set_const, n = 4", |solved| solved.check("x", |_, _| ALPHA));
    check("set_identity, n = 4", |solved| solved.check("a", delta));
    for (flags, [in_place]) in choices(["in_place"]) {
        let result = if in_place { "a" } else { "b" };
        check(&format!("add_identity, n = 4{flags}"), |solved| {
            solved.check(result, |i, j| solved.old("a").at(i, j) + ALPHA * delta(i, j));
        });
        check(&format!("add_identity_partial, n = 4, d = 2{flags}"), |solved| {
            let added = |i: usize, j: usize| if i < 2 { ALPHA * delta(i, j) } else { 0.0 };
            solved.check(result, |i, j| solved.old("a").at(i, j) + added(i, j));
        });
    }
}

#[test]
fn running_sums_and_extremes() {
    for (flags, [exclusive, in_place]) in choices(["exclusive", "in_place"]) {
        check(&format!("prefix_sum, n = 5{flags}"), |solved| {
            let x = solved.old("x");
            let result = if in_place { "x" } else { "y" };
            solved.check(result, |i, _| sum(if exclusive { i } else { i + 1 }, |t| x.at(t, 0)));
        });
    }
    check("infnorm, n = 5", |solved| {
        let largest = (0..5).map(|t| solved.old("x").at(t, 0).abs()).fold(0.0, f64::max);
        solved.check("s", |_, _| largest);
    });
    check("logsumexp, n = 5", |solved| {
        let total = sum(5, |t| solved.old("x").at(t, 0).exp());
        solved.check("s", |_, _| total.ln());
    });
    for (alpha, factor) in [("one", 1.0), ("runtime", ALPHA)] {
        check(&format!("softmax, n = 5, alpha = {alpha}"), |solved| {
            let power = |t: usize| (factor * solved.old("x").at(t, 0)).exp();
            solved.check("y", |i, _| power(i) / sum(5, power));
        });
    }
}

#[test]
fn triangular_products() {
    for (flags, [upper, unit, trans]) in choices(["uplo = upper", "diag = unit", "trans"]) {
        let entry = |a: &Matrix<'_>, i: usize, t: usize| {
            let (row, col) = if trans { (t, i) } else { (i, t) };
            match row.cmp(&col) {
                std::cmp::Ordering::Equal if unit => 1.0,
                std::cmp::Ordering::Less if !upper => 0.0,
                std::cmp::Ordering::Greater if upper => 0.0,
                _ => a.at(row, col),
            }
        };
        check(&format!("trmv, n = 4{flags}"), |solved| {
            let (a, x) = (solved.old("a"), solved.old("x"));
            solved.check("y", |i, _| sum(4, |t| entry(&a, i, t) * x.at(t, 0)));
        });
        check(&format!("trmm, m = 4, n = 3, alpha = runtime, beta = runtime{flags}"), |solved| {
            let (a, b, c) = (solved.old("a"), solved.old("b"), solved.old("c"));
            solved.check("c", |i, j| ALPHA * sum(4, |t| entry(&a, i, t) * b.at(t, j)) + BETA * c.at(i, j));
        });
    }
}

#[test]
fn searches_and_exchanges() {
    check("iamax, n = 7", |solved| {
        let x = solved.old("x");
        let found = solved.result("index").at(0, 0) as usize;
        assert!((0..7).all(|i| x.at(i, 0).abs() <= x.at(found, 0).abs()));
    });
    check("argmax, n = 7", |solved| {
        let (x, found) = (solved.old("x"), solved.result("index").at(0, 0) as usize);
        assert!((0..7).all(|i| x.at(i, 0) <= x.at(found, 0)));
    });
    check("argmin, n = 7", |solved| {
        let (x, found) = (solved.old("x"), solved.result("index").at(0, 0) as usize);
        assert!((0..7).all(|i| x.at(i, 0) >= x.at(found, 0)));
    });
    for (flags, [in_place]) in choices(["in_place"]) {
        let factors = if in_place { "a" } else { "lu" };
        check(&format!("getrf, n = 5{flags}"), |solved| {
            let (a, lu, pivots) = (solved.old("a"), solved.result(factors), solved.result("pivots"));
            let mut rows: Vec<usize> = (0..5).collect();
            (0..5).for_each(|k| rows.swap(k, pivots.at(k, 0) as usize));
            assert_ne!(rows, [0, 1, 2, 3, 4]);
            for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
                let lower = |t: usize| if t == i { 1.0 } else { lu.at(i, t) };
                let product = sum(i.min(j) + 1, |t| lower(t) * lu.at(t, j));
                assert_near(product, a.at(rows[i], j), "L U");
                assert!(i <= j || lu.at(i, j).abs() <= 1.0);
            }
        });
        for nrhs in [1, 3] {
            check(&format!("gesv, n = 4, nrhs = {nrhs}{flags}"), |solved| {
                let x = solved.result(if in_place { "b" } else { "x" });
                let (a, b) = (solved.old("a"), solved.old("b"));
                for (i, j) in (0..4).flat_map(|i| (0..nrhs).map(move |j| (i, j))) {
                    assert_near(sum(4, |t| a.at(i, t) * x.at(t, j)), b.at(i, j), "A X");
                }
            });
        }
    }
}

/// Unit `L` and block diagonal `D` in one lower triangle, blocks of two where words are negative.
fn unpacked(stored: &Matrix<'_>, pivots: &Matrix<'_>, n: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut firsts: Vec<usize> = Vec::new();
    for k in 0..n {
        let is_second = firsts.last().is_some_and(|first| first + 1 == k);
        if pivots.at(k, 0) < 0.0 && !is_second {
            firsts.push(k);
        }
    }
    let is_coupled = |i: usize, j: usize| i == j + 1 && firsts.contains(&j);
    let matrix = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    let l = matrix(&|i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater if !is_coupled(i, j) => stored.at(i, j),
        std::cmp::Ordering::Equal => 1.0,
        _ => 0.0,
    });
    let d = matrix(&|i, j| match () {
        () if i == j || is_coupled(i, j) => stored.at(i, j),
        () if is_coupled(j, i) => stored.at(j, i),
        () => 0.0,
    });
    (l, d)
}

/// Which row of a matrix stands where after the exchanges of a pivoted `L D L'`.
fn order(pivots: &Matrix<'_>, n: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).collect();
    let mut k = 0;
    while k < n {
        let word = pivots.at(k, 0);
        let (own, row) = if word < 0.0 { (k + 1, -1.0 - word) } else { (k, word) };
        rows.swap(own, row as usize);
        k = own + 1;
    }
    rows
}

#[test]
fn symmetric_exchanges() {
    for (flags, [in_place, inertia]) in choices(["in_place", "inertia"]) {
        for n in [1, 2, 3, 5, 8] {
            check(&format!("ldlt_pivoted, n = {n}{flags}"), |solved| {
                let (a, stored) = (solved.old("a"), solved.result(if in_place { "a" } else { "l" }));
                let pivots = solved.result("pivots");
                let ((l, d), rows) = (unpacked(&stored, &pivots, n), order(&pivots, n));
                for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                    let product = sum(n, |p| sum(n, |q| l[i][p] * d[p][q] * l[j][q]));
                    let (row, col) = (rows[i].max(rows[j]), rows[i].min(rows[j]));
                    assert_near(product, a.at(row, col), "L D L'");
                }
                assert_eq!(inertia, solved.spec.inertia().is_some());
            });
        }
    }
    for (flags, [in_place]) in choices(["in_place"]) {
        for (n, nrhs) in [(1, 1), (4, 1), (6, 3)] {
            let task = op(&format!("ldlt_pivoted_solve, n = {n}, nrhs = {nrhs}{flags}"));
            let prepare = |problem: &mut Problem<'_>| {
                let (pivots, factors) = (problem.operand("pivots"), problem.operand("l"));
                // Blocks of one row and of two by turns; a diagonal of both signs, far from zero.
                for k in 0..n {
                    let second = k - k % 3 + 1;
                    let is_pair = k % 3 < 2 && second < n;
                    let word = if is_pair { -1.0 - ((second + 1).min(n - 1) as f64) } else { k as f64 };
                    problem.values[pivots][k] = word;
                    problem.values[factors][k + k * n] += if k % 2 == 0 { 2.0 } else { -2.0 };
                }
            };
            check_with(&task, prepare, |solved| {
                let (stored, pivots) = (solved.old("l"), solved.old("pivots"));
                let (b, x) = (solved.old("b"), solved.result(if in_place { "b" } else { "x" }));
                let ((l, d), rows) = (unpacked(&stored, &pivots, n), order(&pivots, n));
                for (i, rhs) in (0..n).flat_map(|i| (0..nrhs).map(move |rhs| (i, rhs))) {
                    let entry = |j: usize| sum(n, |p| sum(n, |q| l[i][p] * d[p][q] * l[j][q]));
                    assert_near(sum(n, |j| entry(j) * x.at(rows[j], rhs)), b.at(rows[i], rhs), "A X");
                }
            });
        }
    }
}

/// Exchanges as `getrf` leaves them: every row with one that is not above it.
fn with_pivots(problem: &mut Problem<'_>) {
    let pivots = problem.operand("pivots");
    let n = problem.values[pivots].len();
    for k in 0..n {
        problem.values[pivots][k] = (k + [1, 2, 0][k % 3].min(n - 1 - k)) as f64;
    }
}

#[test]
fn rows_by_words() {
    for (flags, [trans, in_place]) in choices(["trans", "in_place"]) {
        check_with(&op(&format!("laswp, m = 5, n = 3{flags}")), with_pivots, |solved| {
            let (a, pivots) = (solved.old("a"), solved.old("pivots"));
            let mut rows: Vec<usize> = (0..5).collect();
            (0..5).for_each(|k| rows.swap(k, pivots.at(k, 0) as usize));
            let place =
                |i: usize| if trans { rows.iter().position(|row| *row == i).unwrap() } else { rows[i] };
            solved.check(if in_place { "a" } else { "b" }, |i, j| a.at(place(i), j));
        });
        for nrhs in [1, 3] {
            check_with(&op(&format!("getrs, n = 4, nrhs = {nrhs}{flags}")), with_pivots, |solved| {
                let (lu, pivots, b) = (solved.old("lu"), solved.old("pivots"), solved.old("b"));
                let x = solved.result(if in_place { "b" } else { "x" });
                let mut rows: Vec<usize> = (0..4).collect();
                (0..4).for_each(|k| rows.swap(k, pivots.at(k, 0) as usize));
                // Row `i` of `L U` is row `rows[i]` of `A`.
                let lower = |i: usize, t: usize| if t == i { 1.0 } else { lu.at(i, t) };
                let product = |i: usize, j: usize| sum(i.min(j) + 1, |t| lower(i, t) * lu.at(t, j));
                let row_of = |row: usize| rows.iter().position(|own| *own == row).unwrap();
                let a = |i: usize, j: usize| product(row_of(i), j);
                for (i, rhs) in (0..4).flat_map(|i| (0..nrhs).map(move |rhs| (i, rhs))) {
                    let entry = |t: usize| if trans { a(t, i) } else { a(i, t) };
                    assert_near(sum(4, |t| entry(t) * x.at(t, rhs)), b.at(i, rhs), "A X");
                }
            });
        }
    }
    check("inv_pivoted, n = 4", |solved| {
        let (a, x) = (solved.old("a"), solved.result("x"));
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            assert_near(sum(4, |t| a.at(i, t) * x.at(t, j)), f64::from(i == j), "A X");
        }
    });
}
