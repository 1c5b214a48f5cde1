//! The sizes of an op are named in its own words.

#[glass::op(posv)]
struct Solve;

#[glass::op(riccati_gain, nx = 14, nu = 0)]
struct Gain;

#[glass::op(axpy_strided, m = 14, n = 14, ldy = 12)]
struct Short;

#[glass::op(copy_strided, m = 14, n = 14, ldx = 7)]
struct Tile;

#[glass::op(tensor_vec_contract, k = 4096, a = 4096, b = 2)]
struct Tensor;

#[glass::op(add_identity_partial, n = 7, d = 8)]
struct Partial;

#[glass::op(gemv_segmented, m = 6, n = 4, segments = 2, a_len = 20, x_len = 4, y_len = 6)]
struct Segments;

fn main() {
    let _ = (Partial::sources(), Segments::sources());
    let _ = (Solve::sources(), Gain::sources(), Short::sources(), Tile::sources(), Tensor::sources());
}
