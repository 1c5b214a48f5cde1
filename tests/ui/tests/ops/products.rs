//! Products of matrices, tensors and chains of them.

use crate::matrix::Matrix;
use crate::{BAD, Problem, op};

fn whole(rows: usize, cols: usize, seed: usize) -> Matrix {
    Matrix::whole(rows, cols, seed)
}

op!(gemv: op(gemv, m = 3, n = 5), [], |seed| {
    let (a, x) = (whole(3, 5, seed), whole(5, 1, seed + 1));
    Problem::overwriting([a.clone(), x.clone()], a.times(&x))
});

op!(gemv_transposed: op(gemv, m = 3, n = 5, trans, alpha = runtime, beta = runtime), [2.0, -3.0], |seed| {
    let (a, x, y) = (whole(3, 5, seed), whole(3, 1, seed + 1), whole(5, 1, seed + 2));
    let result = a.transposed().times(&x).scaled(2.0).plus(&y.scaled(-3.0));
    Problem { inputs: vec![a, x], outputs: vec![(Some(y), Some(result))], words: Vec::new() }
});

op!(gemv_reduced: op(gemv_reduced, m = 3, n = 5, lanes_per_output = 4), [], |seed| {
    let (a, x) = (whole(3, 5, seed), whole(5, 1, seed + 1));
    Problem::overwriting([a.clone(), x.clone()], a.times(&x))
});

op!(gemm: op(gemm, m = 3, n = 2, k = 4, trans_b, beta = one), [], |seed| {
    let (a, b, c) = (whole(3, 4, seed), whole(2, 4, seed + 1), whole(3, 2, seed + 2));
    let result = a.times(&b.transposed()).plus(&c);
    Problem { inputs: vec![a, b], outputs: vec![(Some(c), Some(result))], words: Vec::new() }
});

op!(syrk: op(syrk, n = 3, k = 4), [], |seed| {
    let a = whole(3, 4, seed);
    Problem::overwriting([a.clone()], a.times(&a.transposed()))
});

op!(syrk_lower: op(syrk, n = 3, k = 4, trans, fill = lower), [], |seed| {
    let (a, c) = (whole(4, 3, seed), whole(3, 3, seed + 1));
    let product = a.transposed().times(&a);
    let result = Matrix::new(3, 3, |row, col| if row < col { c.at(row, col) } else { product.at(row, col) });
    Problem { inputs: vec![a], outputs: vec![(Some(c), Some(result))], words: Vec::new() }
});

op!(syr2k: op(syr2k, n = 3, k = 4), [], |seed| {
    let (a, b) = (whole(3, 4, seed), whole(3, 4, seed + 1));
    let half = a.times(&b.transposed());
    Problem::overwriting([a, b], half.plus(&half.transposed()))
});

op!(ger: op(ger, m = 3, n = 2), [], |seed| {
    let (x, y) = (whole(3, 1, seed), whole(2, 1, seed + 1));
    Problem::overwriting([x.clone(), y.clone()], x.times(&y.transposed()))
});

// The second segment overlaps the first one in `y`; of the bad problem the first one ends outside of `x`.
op!(gemv_segmented: op(gemv_segmented, m = 2, n = 2, segments = 2, a_len = 7, x_len = 4, y_len = 4, fuse), [], |seed| {
    let (a, x, c, s) = (whole(7, 1, seed), whole(4, 1, seed + 1), whole(2, 1, seed + 2), whole(2, 2, seed + 3));
    let first_x = if seed == BAD { 3 } else { 2 };
    let offsets = vec![3, first_x, 1, 0, 1, 2];
    let old = whole(4, 1, seed + 4);
    let value = |segment: usize, i: usize| {
        let [of_a, of_x] = [0, 1].map(|array| offsets[3 * segment + array] as usize);
        let product = (0..2).map(|t| a.at(of_a + i + 2 * t, 0) * x.at(of_x + t, 0)).sum::<f64>();
        product + c.at(segment, 0) * s.at(i, segment)
    };
    let new = Matrix::new(4, 1, |at, _| match at {
        1 if seed != BAD => value(0, 0),
        2 | 3 => value(1, at - 2),
        _ => old.at(at, 0),
    });
    Problem {
        outputs: vec![(Some(old), Some(new))],
        words: vec![offsets.clone(), vec![u32::from(seed == BAD)]],
        inputs: vec![a.clone(), x.clone(), c.clone(), s.clone()],
    }
});

// Two products that meet in one matrix, and one alone. Of the bad problem the first names a matrix that there is not.
op!(gemm_batched_indexed: op(gemm_batched_indexed, dim = 2, pairs = 3, a_count = 2, b_count = 2, c_count = 3, trans_b, beta = one), [], |seed| {
    let side_by_side = |parts: &[Matrix]| Matrix::new(2, 2 * parts.len(), |row, col| parts[col / 2].at(row, col % 2));
    let several = |count: usize, seed: usize| (0..count).map(|idx| whole(2, 2, seed + idx)).collect::<Vec<_>>();
    let (a, b, old) = (several(2, seed), several(2, seed + 2), several(3, seed + 4));
    let first_b = if seed == BAD { u32::MAX } else { 0 };
    let pairs = vec![0, first_b, 2, 1, 0, 0, 1, 1, 2];
    let mut new = old.clone();
    for pair in pairs.chunks_exact(3).filter(|pair| pair[1] < 2) {
        let [p, q, r] = [pair[0], pair[1], pair[2]].map(|word| word as usize);
        new[r] = new[r].plus(&a[p].times(&b[q].transposed()));
    }
    Problem {
        inputs: vec![side_by_side(&a), side_by_side(&b)],
        outputs: vec![(Some(side_by_side(&old)), Some(side_by_side(&new)))],
        words: vec![pairs, vec![u32::from(seed == BAD)]],
    }
});

op!(symm: op(symm, m = 3, n = 2), [], |seed| {
    let (a, b) = (Matrix::symmetric(3, seed), whole(3, 2, seed + 1));
    Problem::overwriting([a.dead_above(), b.clone()], a.times(&b))
});

op!(dimm: op(dimm, m = 3, n = 2), [], |seed| {
    let (d, b) = (whole(3, 1, seed), whole(3, 2, seed + 1));
    Problem::overwriting([d.clone(), b.clone()], Matrix::diagonal(3, |row| d.data[row]).times(&b))
});

/// The matrix as a tile of a taller one, with NaN below it.
fn tall(matrix: &Matrix, leading: usize) -> Matrix {
    Matrix::new(
        leading,
        matrix.cols,
        |row, col| if row < matrix.rows { matrix.at(row, col) } else { f64::NAN },
    )
}

op!(gemv_strided: op(gemv_strided, m = 3, n = 5, lda = 4), [], |seed| {
    let (a, x) = (whole(3, 5, seed), whole(5, 1, seed + 1));
    Problem::overwriting([tall(&a, 4), x.clone()], a.times(&x))
});

op!(gemm_strided: op(gemm_strided, m = 3, n = 2, k = 4, lda = 5, ldb = 6), [], |seed| {
    let (a, b) = (whole(3, 4, seed), whole(4, 2, seed + 1));
    Problem::overwriting([tall(&a, 5), tall(&b, 6)], a.times(&b))
});

op!(congruence_sym: op(congruence_sym, n = 4, p = 3), [], |seed| {
    let (x, m) = (whole(4, 3, seed), Matrix::symmetric(4, seed + 1));
    Problem::overwriting([x.clone(), m.clone()], x.transposed().times(&m).times(&x))
});

op!(bilinear: op(bilinear, n = 4, p = 3, q = 2), [], |seed| {
    let (x, m, y) = (whole(4, 3, seed), whole(4, 4, seed + 1), whole(4, 2, seed + 2));
    Problem::overwriting([x.clone(), m.clone(), y.clone()], x.transposed().times(&m).times(&y))
});

op!(congruence_accum: op(congruence_accum, p = 3, q = 4, beta = one), [], |seed| {
    let (g, m, c) = (whole(3, 4, seed), Matrix::symmetric(4, seed + 1), Matrix::symmetric(3, seed + 2));
    let result = g.times(&m).times(&g.transposed()).plus(&c);
    Problem { inputs: vec![g, m], outputs: vec![(Some(c), Some(result))], words: Vec::new() }
});

/// Two slabs of 3 x 4 beside each other.
fn tensor(seed: usize) -> (Matrix, [Matrix; 2]) {
    let slabs = [whole(3, 4, seed), whole(3, 4, seed + 2)];
    (Matrix::new(3, 8, |row, col| slabs[col / 4].at(row, col % 4)), slabs)
}

op!(tensor_vec_contract: op(tensor_vec_contract, k = 2, a = 3, b = 4), [], |seed| {
    let (t, [first, second]) = tensor(seed);
    let v = whole(2, 1, seed + 1);
    Problem::overwriting([v.clone(), t], first.scaled(v.data[0]).plus(&second.scaled(v.data[1])))
});

op!(tensor_over_columns: op(tensor_vec_contract, k = 2, a = 3, b = 4, axis = b), [], |seed| {
    let (t, slabs) = tensor(seed);
    let v = whole(4, 1, seed + 1);
    let [first, second] = slabs.map(|slab| slab.times(&v));
    let result = Matrix::new(2, 3, |k, a| [&first, &second][k].data[a]);
    Problem::overwriting([v, t], result)
});

op!(vec_tensor_vec: op(vec_tensor_vec, k = 2, a = 3, b = 4), [], |seed| {
    let (t, slabs) = tensor(seed);
    let (u, w) = (whole(3, 1, seed + 1), whole(4, 1, seed + 3));
    let sums = slabs.map(|slab| u.transposed().times(&slab).times(&w).data[0]);
    Problem::overwriting([u, t, w], Matrix::new(2, 1, |k, _| sums[k]))
});

op!(index_string: contract("ki,kl,lj->ij", i = 3, j = 3, k = 4, l = 2), [], |seed| {
    let (first, second, third) = (whole(4, 3, seed), whole(4, 2, seed + 1), whole(2, 3, seed + 2));
    Problem::overwriting(
        [first.clone(), second.clone(), third.clone()],
        first.transposed().times(&second).times(&third),
    )
});

op!(
    symmetric_index_string: contract("ki,kl,lj->ij", i = 3, j = 3, k = 4, l = 4, symmetric, beta = one),
    [],
    |seed| {
        let (x, m, q) = (whole(4, 3, seed), Matrix::symmetric(4, seed + 1), Matrix::symmetric(3, seed + 2));
        let result = x.transposed().times(&m).times(&x).plus(&q);
        Problem { inputs: vec![x.clone(), m, x], outputs: vec![(Some(q), Some(result))], words: Vec::new() }
    }
);
