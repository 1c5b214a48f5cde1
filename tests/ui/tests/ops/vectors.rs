//! Sums over vectors and element-wise operations.

use crate::matrix::Matrix;
use crate::{Problem, op};

fn x(seed: usize) -> Matrix {
    Matrix::whole(5, 1, seed)
}

fn y(seed: usize) -> Matrix {
    Matrix::whole(5, 1, seed + 3)
}

fn sum(matrix: &Matrix, of: impl Fn(f64) -> f64) -> Matrix {
    Matrix::scalar(matrix.data.iter().map(|value| of(*value)).sum())
}

op!(dot: op(dot, n = 5), [], |seed| {
    Problem::overwriting([x(seed), y(seed)], x(seed).transposed().times(&y(seed)))
});

op!(reduce: op(reduce, n = 5), [], |seed| Problem::overwriting([x(seed)], sum(&x(seed), |value| value)));

op!(asum: op(asum, n = 5), [], |seed| Problem::overwriting([x(seed)], sum(&x(seed), f64::abs)));

op!(nrm1_diff: op(nrm1_diff, n = 5), [], |seed| {
    Problem::overwriting([x(seed), y(seed)], sum(&x(seed).minus(&y(seed)), f64::abs))
});

// 2, 3 and 6 have the norm 7; the squares of the largest ones overflow.
op!(nrm2: op(nrm2, n = 3), [], |seed| {
    let scale = 2f64.powi([0, 120, -100][seed % 3]);
    let x = Matrix::new(3, 1, |row, _| [2.0, -3.0, 6.0][row] * scale);
    Problem::overwriting([x], Matrix::scalar(7.0 * scale))
});

op!(axpy: op(axpy, n = 5), [-2.0], |seed| {
    Problem::overwriting([x(seed), y(seed)], x(seed).scaled(-2.0).plus(&y(seed)))
});

op!(axpy_in_place: op(axpy, n = 5, in_place), [-2.0], |seed| Problem {
    inputs: vec![x(seed)],
    outputs: vec![(Some(y(seed)), Some(x(seed).scaled(-2.0).plus(&y(seed))))],
    words: Vec::new(),
});

/// A tile of two rows in a matrix of four, and the matrix with another tile.
fn tile(seed: usize, tile: impl Fn(f64, f64) -> f64) -> Problem {
    let (x, y) = (Matrix::whole(2, 3, seed), Matrix::whole(4, 3, seed + 1));
    let result =
        Matrix::new(
            4,
            3,
            |row, col| {
                if row < 2 { tile(x.at(row, col), y.at(row, col)) } else { y.at(row, col) }
            },
        );
    Problem { inputs: vec![x], outputs: vec![(Some(y), Some(result))], words: Vec::new() }
}

op!(axpy_strided: op(axpy_strided, m = 2, n = 3, ldy = 4), [3.0], |seed| tile(seed, |x, y| 3.0 * x + y));

op!(copy_strided: op(copy_strided, m = 2, n = 3, ldy = 4), [], |seed| tile(seed, |x, _| x));

op!(copy: op(copy, n = 5), [], |seed| Problem::overwriting([x(seed)], x(seed)));

op!(copy_scaled: op(copy, n = 5, alpha = runtime), [3.0], |seed| {
    Problem::overwriting([x(seed)], x(seed).scaled(3.0))
});

op!(scal: op(scal, n = 5), [3.0], |seed| Problem::overwriting([x(seed)], x(seed).scaled(3.0)));

op!(scal_in_place: op(scal, n = 5, in_place), [3.0], |seed| Problem {
    inputs: Vec::new(),
    outputs: vec![(Some(x(seed)), Some(x(seed).scaled(3.0)))],
    words: Vec::new(),
});

op!(rot: op(rot, n = 5), [3.0, -2.0], |seed| Problem {
    inputs: vec![x(seed), y(seed)],
    outputs: vec![
        (None, Some(x(seed).scaled(3.0).plus(&y(seed).scaled(-2.0)))),
        (None, Some(y(seed).scaled(3.0).plus(&x(seed).scaled(2.0)))),
    ],
    words: Vec::new(),
});

// Three sides of a right-angled triangle, then the two special cases.
op!(rotg: op(rotg), [], |seed| {
    let scale = f64::from(1 << (seed % 5));
    let [a, b, c, s, r] = [
        [3.0 * scale, 4.0 * scale, 0.6, 0.8, 5.0 * scale],
        [-3.0, 0.0, 1.0, 0.0, -3.0],
        [0.0, -4.0, 0.0, 1.0, -4.0],
    ][seed % 3];
    Problem {
        inputs: [a, b].map(Matrix::scalar).to_vec(),
        outputs: [c, s, r].map(|value| (None, Some(Matrix::scalar(value)))).to_vec(),
        words: Vec::new(),
    }
});

op!(symmetrize: op(symmetrize, n = 3), [], |seed| {
    let (a, b) = (Matrix::whole(3, 3, seed), Matrix::whole(3, 3, seed + 1));
    let mean = a.plus(&a.transposed()).scaled(0.5);
    // The diagonal is not touched.
    let result = Matrix::new(3, 3, |row, col| if row == col { b.at(row, col) } else { mean.at(row, col) });
    Problem { inputs: vec![a], outputs: vec![(Some(b), Some(result))], words: Vec::new() }
});

op!(infnorm: op(infnorm, n = 5), [], |seed| {
    let largest = x(seed).data.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    Problem::overwriting([x(seed)], Matrix::scalar(largest))
});

op!(prefix_sum: op(prefix_sum, n = 5), [], |seed| {
    let x = x(seed);
    Problem::overwriting([x.clone()], Matrix::new(5, 1, |row, _| x.data[..=row].iter().sum()))
});

op!(exclusive_prefix_sum: op(prefix_sum, n = 5, exclusive), [], |seed| {
    let x = x(seed);
    Problem::overwriting([x.clone()], Matrix::new(5, 1, |row, _| x.data[..row].iter().sum()))
});

// Of a single element nothing else is left, however large it is.
op!(logsumexp: op(logsumexp, n = 1), [], |seed| {
    let x = Matrix::new(1, 1, |_, _| seed as f64 * 300.0);
    Problem::overwriting([x.clone()], x)
});

// Equal elements share the whole, however large they are.
op!(softmax: op(softmax, n = 4), [], |seed| {
    Problem::overwriting([Matrix::new(4, 1, |_, _| seed as f64 * 300.0)], Matrix::new(4, 1, |_, _| 0.25))
});

op!(axpby: op(axpby, n = 5), [2.0, -3.0], |seed| {
    Problem::overwriting([x(seed), y(seed)], x(seed).scaled(2.0).plus(&y(seed).scaled(-3.0)))
});

op!(set_const: op(set_const, n = 5), [2.5], |_| Problem::overwriting([], Matrix::new(5, 1, |_, _| 2.5)));

op!(set_identity: op(set_identity, n = 3), [], |_| Problem::overwriting([], Matrix::diagonal(3, |_| 1.0)));

op!(add_identity: op(add_identity, n = 3), [2.0], |seed| {
    let a = Matrix::whole(3, 3, seed);
    Problem::overwriting([a.clone()], a.plus(&Matrix::diagonal(3, |_| 2.0)))
});

op!(add_identity_partial: op(add_identity_partial, n = 3, d = 2), [2.0], |seed| {
    let a = Matrix::whole(3, 3, seed);
    Problem::overwriting([a.clone()], a.plus(&Matrix::diagonal(3, |row| if row < 2 { 2.0 } else { 0.0 })))
});

op!(clip: op(clip, n = 5), [], |seed| {
    let (x, bound) = (x(seed), |value: f64| Matrix::new(5, 1, |_, _| value));
    let result = Matrix::new(5, 1, |row, _| x.data[row].clamp(-1.0, 2.0));
    Problem::overwriting([x, bound(-1.0), bound(2.0)], result)
});

op!(abs: op(abs, n = 5), [], |seed| {
    Problem::overwriting([x(seed)], Matrix::new(5, 1, |row, _| x(seed).data[row].abs()))
});

op!(not: op(not, n = 5), [], |seed| {
    Problem::overwriting([x(seed)], Matrix::new(5, 1, |row, _| truth(x(seed).data[row] == 0.0)))
});

fn truth(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

/// Functions of two elements.
macro_rules! pairs {
    ($($name:ident: $of:expr;)*) => {
        $(
            op!($name: op($name, n = 5), [], |seed| {
                let of: fn(f64, f64) -> f64 = $of;
                let (x, y) = (x(seed), y(seed));
                let result = Matrix::new(5, 1, |row, _| of(x.data[row], y.data[row]));
                Problem::overwriting([x, y], result)
            });
        )*
    };
}

pairs! {
    add: |x, y| x + y;
    sub: |x, y| x - y;
    mult: |x, y| x * y;
    max: f64::max;
    min: f64::min;
    less: |x, y| truth(x < y);
    less_equal: |x, y| truth(x <= y);
    greater: |x, y| truth(x > y);
    greater_equal: |x, y| truth(x >= y);
    equal: |x, y| truth(x == y);
    not_equal: |x, y| truth(x != y);
    and: |x, y| truth(x != 0.0 && y != 0.0);
}

/// The index of the first element whose key is the largest.
fn first_largest(seed: usize, key: impl Fn(f64) -> f64) -> Problem {
    let x = x(seed);
    let keys: Vec<_> = x.data.iter().map(|value| key(*value)).collect();
    let largest = keys.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let index = keys.iter().position(|key| *key == largest).expect("one is the largest");
    Problem { inputs: vec![x], outputs: Vec::new(), words: vec![vec![index as u32]] }
}

op!(iamax: op(iamax, n = 5), [], |seed| first_largest(seed, f64::abs));

op!(argmax: op(argmax, n = 5), [], |seed| first_largest(seed, |value| value));

op!(argmin: op(argmin, n = 5), [], |seed| first_largest(seed, |value| -value));

op!(swap: op(swap, n = 5), [], |seed| Problem {
    inputs: Vec::new(),
    outputs: vec![(Some(x(seed)), Some(y(seed))), (Some(y(seed)), Some(x(seed)))],
    words: Vec::new(),
});

op!(transpose: op(transpose, m = 3, n = 2), [], |seed| {
    let a = Matrix::whole(3, 2, seed);
    Problem::overwriting([a.clone()], a.transposed())
});
