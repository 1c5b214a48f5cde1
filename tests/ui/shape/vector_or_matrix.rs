//! `n_out` and `m`, `n` exclude each other.

#[glass::contract(n_out = 7, m = 7, n = 3, k = 14)]
struct Both;

#[glass::contract(n_out = 7, k = 14, transpose = b)]
struct TransposedVector;

fn main() {
    let _ = (Both::sources(), TransposedVector::sources());
}
