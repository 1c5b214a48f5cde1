//! Sizes have limits at both ends, and a number of any length is shown as written.

#[glass::contract(n_out = 0, k = -14)]
struct Vector;

#[glass::contract(m = 4097, n = 0x7fff_ffff, k = 340282366920938463463374607431768211456)]
struct Matrix;

#[glass::contract(n_out = -340282366920938463463374607431768211456, k = 1)]
struct Negative;

fn main() {
    let _ = (Vector::sources(), Matrix::sources(), Negative::sources());
}
