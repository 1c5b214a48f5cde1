use super::super::interpreter::{ALPHA, BETA, Problem};
use super::{check_with, choices, sum};
use crate::contract::tests::op;

#[test]
fn products_of_matrices_by_words() {
    const PAIRS: [[usize; 3]; 4] = [[1, 0, 0], [0, 2, 1], [1, 1, 0], [1, 0, 0]];
    let with_pairs = |problem: &mut Problem<'_>| {
        let pairs = problem.operand("pairs");
        problem.values[pairs] = PAIRS.concat().into_iter().map(|word| word as f64).collect();
    };
    for (flags, [trans_a, trans_b]) in choices(["trans_a", "trans_b"]) {
        let text = format!(
            "gemm_batched_indexed, dim = 3, pairs = 4, a_count = 2, b_count = 3, c_count = 3, \
             alpha = runtime, beta = runtime{flags}"
        );
        check_with(&op(&text), with_pairs, |solved| {
            let (a, b, c) = (solved.old("a"), solved.old("b"), solved.old("c"));
            let left = |p: usize, i, t| if trans_a { a.at(t, 3 * p + i) } else { a.at(i, 3 * p + t) };
            let right = |q: usize, t, j| if trans_b { b.at(j, 3 * q + t) } else { b.at(t, 3 * q + j) };
            solved.check("c", |i, col| {
                let (r, j) = (col / 3, col % 3);
                let own = PAIRS.iter().filter(|pair| pair[2] == r);
                own.fold(c.at(i, col), |old, [p, q, _]| {
                    ALPHA * sum(3, |t| left(*p, i, t) * right(*q, t, j)) + BETA * old
                })
            });
        });
    }
}
