//! Options that exclude each other.

#[glass::op(potrf, n = 7, in_place, fill = zero)]
struct Factor;

#[glass::op(tensor_vec_contract, k = 3, a = 3, b = 4, symmetric)]
struct Oblong;

#[glass::op(tensor_vec_contract, k = 3, a = 3, b = 3, axis = b, symmetric)]
struct OtherAxis;

#[glass::op(potrf, n = 7, packed, fill = untouched)]
struct NoOpposite;

#[glass::op(syrk, n = 7, k = 3, packed)]
struct BothTriangles;

#[glass::op(syrk, n = 7, k = 3, packed, fill = lower, row_major_c)]
struct Rows;

fn main() {
    let _ = (Factor::sources(), Oblong::sources(), OtherAxis::sources());
    let _ = (NoOpposite::sources(), BothTriangles::sources(), Rows::sources());
}
