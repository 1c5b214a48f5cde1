//! Factorisations, solves, and what is made of them. The triangles that are not read hold NaN.

use crate::matrix::Matrix;
use crate::{BAD, Problem, op};

/// `L L'`, negated in the bad problem.
fn definite(l: &Matrix, seed: usize) -> Matrix {
    l.times(&l.transposed()).scaled(if seed == BAD { -1.0 } else { 1.0 })
}

op!(trsv: op(trsv, n = 3), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    Problem::overwriting([l.dead_above(), l.times(&x)], x)
});

op!(trsm: op(trsm, n = 3, nrhs = 2, trans), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 2, seed + 1));
    Problem::overwriting([l.dead_above(), l.transposed().times(&x)], x)
});

op!(trmv: op(trmv, n = 3), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    Problem::overwriting([l.dead_above(), x.clone()], l.times(&x))
});

op!(trmm: op(trmm, m = 3, n = 2, trans), [], |seed| {
    let (l, b) = (Matrix::lower(3, seed), Matrix::whole(3, 2, seed + 1));
    Problem::overwriting([l.dead_above(), b.clone()], l.transposed().times(&b))
});

op!(potrf: op(potrf, n = 3), [], |seed| {
    let l = Matrix::lower(3, seed);
    Problem::checked([definite(&l, seed).dead_above()], l, seed == BAD)
});

op!(potrf_in_place: op(potrf, n = 3, in_place), [], |seed| {
    let l = Matrix::lower(3, seed);
    let a = definite(&l, seed);
    // The triangle above keeps what it holds.
    let left = Matrix::new(3, 3, |row, col| if row < col { a.at(row, col) } else { l.at(row, col) });
    let result = (seed != BAD).then_some(left);
    Problem { inputs: Vec::new(), outputs: vec![(Some(a), result)], words: vec![vec![u32::from(seed == BAD)]] }
});

op!(posv: op(posv, n = 3), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    let a = definite(&l, seed);
    Problem::checked([a.dead_above(), a.times(&x)], x, seed == BAD)
});

op!(posv_shifted: op(posv, n = 3, nrhs = 2, reg = shift), [2.0], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 2, seed + 1));
    let shifted = definite(&l, seed);
    let a = shifted.minus(&Matrix::diagonal(3, |_| 2.0));
    Problem::checked([a.dead_above(), shifted.times(&x)], x, seed == BAD)
});

op!(posv_diag_shifted: op(posv, n = 3, reg = diag_shift), [1.0], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    let shifted = definite(&l, seed);
    let a = Matrix::new(3, 3, |row, col| shifted.at(row, col) * if row == col { 0.5 } else { 1.0 });
    Problem::checked([a.dead_above(), shifted.times(&x)], x, seed == BAD)
});

op!(posv_unchecked: op(posv, n = 3, check = off), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    let a = l.times(&l.transposed());
    Problem::overwriting([a.dead_above(), a.times(&x)], x)
});

op!(potrs: op(potrs, n = 3), [], |seed| {
    let (l, x) = (Matrix::lower(3, seed), Matrix::whole(3, 1, seed + 1));
    Problem::overwriting([l.dead_above(), l.times(&l.transposed()).times(&x)], x)
});

/// `L` and `D` of a factorisation, and both in one triangle.
fn ldl(seed: usize) -> (Matrix, Matrix, Matrix) {
    let l = Matrix::unit_lower(3, seed);
    let d = Matrix::diagonal(3, |row| [2.0, -1.0, 4.0][(row + seed) % 3]);
    let both = Matrix::new(3, 3, |row, col| if row == col { d.at(row, col) } else { l.at(row, col) });
    (l, d, both)
}

// The bad problem has a zero for its first pivot.
op!(ldlt: op(ldlt, n = 3), [], |seed| {
    let (l, d, both) = ldl(seed);
    let mut a = l.times(&d).times(&l.transposed());
    if seed == BAD {
        a.data[0] = 0.0;
    }
    Problem::checked([a.dead_above()], both, seed == BAD)
});

op!(ldlt_with_inertia: op(ldlt, n = 3, inertia), [], |seed| {
    let (l, d, both) = ldl(seed);
    let a = l.times(&d).times(&l.transposed());
    Problem { words: vec![vec![0], vec![2, 1, 0]], ..Problem::overwriting([a.dead_above()], both) }
});

op!(ldlt_solve: op(ldlt_solve, n = 3, nrhs = 2), [], |seed| {
    let (l, d, both) = ldl(seed);
    let x = Matrix::whole(3, 2, seed + 1);
    Problem::overwriting([both.dead_above(), l.times(&d).times(&l.transposed()).times(&x)], x)
});

// The second one of the bad problem is negated; the first one is as good as ever.
op!(potrf_many: op(potrf_many, orders = [2, 3]), [], |seed| {
    let (first, second) = (Matrix::lower(2, seed), Matrix::lower(3, seed + 1));
    let sources = [definite(&first, 0), definite(&second, seed)];
    let second = (seed != BAD).then_some(second);
    Problem {
        inputs: sources.map(|a| a.dead_above()).into(),
        outputs: vec![(None, Some(first)), (None, second)],
        words: vec![vec![0, u32::from(seed == BAD)]],
    }
});

op!(inv_many: op(inv_many, orders = [3, 1, 2]), [], |seed| {
    let triangles = [Matrix::lower(3, seed), Matrix::lower(1, seed + 1), Matrix::lower(2, seed + 2)];
    let inverse = |l: &Matrix, n: usize| (None, Some(l.solved(&Matrix::diagonal(n, |_| 1.0))));
    Problem {
        outputs: triangles.iter().zip([3, 1, 2]).map(|(l, n)| inverse(l, n)).collect(),
        inputs: triangles.into(),
        words: vec![vec![0, 0, 0]],
    }
});

op!(inv: op(inv, n = 3), [], |seed| {
    let (lower, upper) = (Matrix::unit_lower(3, seed), Matrix::lower(3, seed + 1).transposed());
    let mut a = lower.times(&upper);
    let inverse = upper.transposed().solved_transposed(&lower.solved(&Matrix::diagonal(3, |_| 1.0)));
    if seed == BAD {
        a.data[0] = 0.0;
    }
    Problem::checked([a], inverse, seed == BAD)
});

/// `L U` with its first row exchanged, `L` and `U` in one matrix, and the exchanges: the largest of each column is its
/// pivot, which is only in the first column elsewhere.
fn lu(seed: usize) -> (Matrix, Matrix, Vec<u32>) {
    let below = |row: usize, col: usize| [0.5, -0.25, 0.0][(row + col + seed) % 3];
    let l = Matrix::new(3, 3, |row, col| match row.cmp(&col) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => below(row, col),
    });
    let u = Matrix::lower(3, seed).transposed();
    let both = Matrix::new(3, 3, |row, col| if row > col { l.at(row, col) } else { u.at(row, col) });
    let (product, first) = (l.times(&u), 1 + seed % 2);
    let a = Matrix::new(3, 3, |row, col| {
        let source = if row == 0 {
            first
        } else if row == first {
            0
        } else {
            row
        };
        product.at(source, col)
    });
    (a, both, vec![first as u32, 1, 2])
}

op!(getrf: op(getrf, n = 3), [], |seed| {
    let (a, both, pivots) = lu(seed);
    Problem { words: vec![vec![0], pivots], ..Problem::overwriting([a], both) }
});

// The bad problem has no first column.
op!(gesv: op(gesv, n = 3), [], |seed| {
    let (mut a, _, _) = lu(seed);
    let x = Matrix::whole(3, 1, seed + 1);
    let b = a.times(&x);
    if seed == BAD {
        a.data[..3].fill(0.0);
    }
    Problem::checked([a, b], x, seed == BAD)
});

op!(getrs: op(getrs, n = 3, nrhs = 2), [], |seed| {
    let (a, both, pivots) = lu(seed);
    let x = Matrix::whole(3, 2, seed + 1);
    Problem { words: vec![pivots], ..Problem::overwriting([both, a.times(&x)], x) }
});

op!(getrs_transposed: op(getrs, n = 3, trans), [], |seed| {
    let (a, both, pivots) = lu(seed);
    let x = Matrix::whole(3, 1, seed + 1);
    Problem { words: vec![pivots], ..Problem::overwriting([both, a.transposed().times(&x)], x) }
});

/// A symmetric matrix whose first two rows are one block, which sends its last row to the second place; the factors in
/// one triangle, and the words.
fn indefinite(seed: usize) -> (Matrix, Matrix, Vec<u32>) {
    let power = |idx: usize| [2.0, -4.0, 8.0][(seed + idx) % 3];
    let (off, last) = (4.0 * power(0), power(1));
    let l = [0.5, -0.25];
    // Row 1 of A is row 2 of L D L', and the other way round.
    let second = off * l[0];
    let a = Matrix::new(3, 3, |row, col| match (row.max(col), row.min(col)) {
        (1, 0) => off * l[1],
        (2, 0) => off,
        (2, 1) => second,
        (1, 1) => last + 2.0 * off * l[0] * l[1],
        _ => 0.0,
    });
    let factors = Matrix::new(3, 3, |row, col| match (row, col) {
        (1, 0) => off,
        (2, 0) => l[0],
        (2, 1) => l[1],
        (2, 2) => last,
        _ => 0.0,
    });
    (a, factors, vec![!2, !2, 2])
}

op!(ldlt_pivoted: op(ldlt_pivoted, n = 3, inertia), [], |seed| {
    let (a, factors, pivots) = indefinite(seed);
    let is_positive = u32::from(factors.at(2, 2) > 0.0);
    let inertia = vec![1 + is_positive, 2 - is_positive, 0];
    Problem { words: vec![vec![0], inertia, pivots], ..Problem::overwriting([a.dead_above()], factors) }
});

op!(ldlt_pivoted_solve: op(ldlt_pivoted_solve, n = 3, nrhs = 2), [], |seed| {
    let (a, factors, pivots) = indefinite(seed);
    let x = Matrix::whole(3, 2, seed + 1);
    Problem { words: vec![pivots], ..Problem::overwriting([factors.dead_above(), a.times(&x)], x) }
});

/// Three rows, the words that take the first one to the end, and what becomes of them. Words that name no row below
/// their own leave it.
fn rolled(seed: usize) -> (Matrix, Vec<u32>, Matrix) {
    let a = Matrix::whole(3, 2, seed);
    let (words, shift) = if seed == BAD { (vec![0, 3, u32::MAX], 0) } else { (vec![1, 2, 0], 1) };
    let b = Matrix::new(3, 2, |row, col| a.at((row + shift) % 3, col));
    (a, words, b)
}

op!(laswp: op(laswp, m = 3, n = 2), [], |seed| {
    let (a, words, b) = rolled(seed);
    Problem { words: vec![words], ..Problem::overwriting([a], b) }
});

op!(laswp_back: op(laswp, m = 3, n = 2, trans, in_place), [], |seed| {
    let (a, words, b) = rolled(seed);
    Problem { inputs: Vec::new(), outputs: vec![(Some(b), Some(a))], words: vec![words] }
});

// Only exchanges find a pivot in the first column.
op!(inv_pivoted: op(inv_pivoted, n = 2), [], |seed| {
    let power = |idx: usize| [2.0, -4.0, 8.0][(seed + idx) % 3];
    let a = Matrix::new(2, 2, |row, col| if seed != BAD && row != col { power(row) } else { 0.0 });
    let inverse = Matrix::new(2, 2, |row, col| if row == col { 0.0 } else { 1.0 / power(col) });
    Problem::checked([a], inverse, seed == BAD)
});

/// Operands of a gain and what comes out of them: `[P, A, B, R]`, `K` and the factor.
fn riccati(seed: usize) -> (Vec<Matrix>, Matrix, Matrix) {
    let (p, a) = (Matrix::symmetric(3, seed), Matrix::whole(3, 3, seed + 1));
    let (b, l) = (Matrix::whole(3, 2, seed + 2), Matrix::lower(2, seed));
    let product = b.transposed().times(&p);
    let r = definite(&l, seed).minus(&product.times(&b));
    let k = l.solved_transposed(&l.solved(&product.times(&a)));
    (vec![p, a, b, r.dead_above()], k, l)
}

op!(riccati_gain: op(riccati_gain, nx = 3, nu = 2), [], |seed| {
    let (inputs, k, _) = riccati(seed);
    Problem::checked(inputs, k, seed == BAD)
});

op!(riccati_gain_with_factor: op(riccati_gain, nx = 3, nu = 2, factor), [], |seed| {
    let (inputs, k, l) = riccati(seed);
    let outputs = [k, l].map(|result| (None, (seed != BAD).then_some(result)));
    Problem { inputs, outputs: outputs.to_vec(), words: vec![vec![u32::from(seed == BAD)]] }
});

/// A knot of one state and one control, `[Fx, Fu, Lxx, Lux, Luu, Lx, Lu]`, and what it leaves of a value: `[K, d, Vxx, Vx]`.
fn knot([v, g]: [f64; 2], [fx, fu, lxx, lux, luu, lx, lu]: [f64; 7]) -> [f64; 4] {
    let (quu, qux, qu) = (luu + fu * v * fu, lux + fu * v * fx, lu + fu * g);
    let value = [lxx + fx * v * fx - qux * qux / quu, lx + fx * g - qux * qu / quu];
    [qux / quu, qu / quu, value[0], value[1]]
}

fn power(seed: usize, idx: usize) -> f64 {
    [2.0, -4.0, 8.0][(seed + idx) % 3]
}

/// Quu = 4 + 2 * 3 * 2 = 16, so that every result is exact; with a cost of 16 less it is not positive.
fn last_knot(seed: usize) -> ([f64; 2], [f64; 7]) {
    let power = |idx| power(seed, idx);
    let luu = if seed == BAD { -16.0 } else { 4.0 };
    ([3.0, power(0)], [power(1), 2.0, 1.0, power(2), luu, power(0), power(1)])
}

/// Named operands of one element a knot, and results that are not compared where the problem is bad.
fn horizon(value: [f64; 2], knots: &[[f64; 7]], results: &[[f64; 4]], is_bad: bool) -> Problem {
    let row = |values: Vec<f64>| Matrix::new(1, values.len(), |_, col| values[col]);
    let ends = value.into_iter().map(|end| row(vec![end]));
    let parts = (0..7).map(|idx| row(knots.iter().map(|knot| knot[idx]).collect()));
    let outputs = (0..4).map(|idx| row(results.iter().map(|result| result[idx]).collect()));
    Problem {
        inputs: ends.chain(parts).collect(),
        outputs: outputs.map(|result| (None, (!is_bad).then_some(result))).collect(),
        words: vec![vec![u32::from(is_bad)]],
    }
}

op!(riccati_step: op(riccati_step, nx = 1, nu = 1), [], |seed| {
    let (value, last) = last_knot(seed);
    horizon(value, &[last], &[knot(value, last)], seed == BAD)
});

// The first knot is not steered, so that its Quu is 16 as well.
op!(riccati_pass: op(riccati_pass, nx = 1, nu = 1, knots = 2), [], |seed| {
    let (value, last) = last_knot(seed);
    let after = knot(value, last);
    let first = [2.0, 0.0, 1.0, power(seed, 2), 16.0, power(seed, 1), power(seed, 0)];
    horizon(value, &[first, last], &[knot([after[2], after[3]], first), after], seed == BAD)
});

// J' J = 4 I, so that a shift of 12 makes it 16 I; one of -20 fails.
op!(gn_step: op(gn_step, m = 4, n = 2), [12.0], |seed| {
    let sign = |row: usize, col: usize| if (row >> col) & 1 == 1 { -1.0 } else { 1.0 };
    let jacobian = Matrix::new(4, 2, sign);
    let r = Matrix::whole(4, 1, seed);
    let step = jacobian.transposed().times(&r).scaled(1.0 / 16.0);
    Problem::checked([jacobian, r], step, false)
});
