//! One thread has no lanes to reduce over.

#[glass::contract(n_out = 7, k = 14, tier = thread, form = reduced)]
struct Vector;

#[glass::contract(m = 7, n = 7, k = 14, tier = thread, form = reduced, lanes_per_output = 4)]
struct Matrix;

fn main() {
    let _ = (Vector::sources(), Matrix::sources());
}
