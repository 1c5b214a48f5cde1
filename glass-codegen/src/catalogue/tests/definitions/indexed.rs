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

#[test]
fn products_of_segments_by_words() {
    // Two of them overlap, and one is written twice.
    const OFFSETS: [[usize; 3]; 4] = [[1, 0, 0], [5, 3, 2], [0, 2, 7], [3, 1, 7]];
    let with_offsets = |problem: &mut Problem<'_>| {
        let offsets = problem.operand("offsets");
        problem.values[offsets] = OFFSETS.concat().into_iter().map(|word| word as f64).collect();
    };
    for (flags, [trans, fuse]) in choices(["trans", "fuse"]) {
        let (outputs, terms) = if trans { (2, 3) } else { (3, 2) };
        let text = format!(
            "gemv_segmented, m = 3, n = 2, segments = 4, a_len = 12, x_len = 6, y_len = 11, \
             alpha = runtime, beta = runtime{flags}"
        );
        check_with(&op(&text), with_offsets, |solved| {
            let (a, x, y) = (solved.old("a"), solved.old("x"), solved.old("y"));
            let entry =
                |start, i, t| if trans { a.at(start + t + 3 * i, 0) } else { a.at(start + i + 3 * t, 0) };
            solved.check("y", |at, _| {
                let own = OFFSETS
                    .iter()
                    .enumerate()
                    .filter(|(_, start)| (start[2]..start[2] + outputs).contains(&at));
                own.fold(y.at(at, 0), |old, (segment, [of_a, of_x, of_y])| {
                    let i = at - of_y;
                    let product = sum(terms, |t| entry(of_a, i, t) * x.at(of_x + t, 0));
                    let added = if fuse {
                        solved.old("c").at(segment, 0) * solved.old("s").at(i, segment)
                    } else {
                        0.0
                    };
                    ALPHA * product + BETA * old + added
                })
            });
        });
    }
}
