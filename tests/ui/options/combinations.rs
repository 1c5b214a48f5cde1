//! Options that exclude each other.

#[glass::op(potrf, n = 7, in_place, fill = zero)]
struct Factor;

#[glass::op(tensor_vec_contract, k = 3, a = 3, b = 4, symmetric)]
struct Oblong;

#[glass::op(tensor_vec_contract, k = 3, a = 3, b = 3, axis = b, symmetric)]
struct OtherAxis;

fn main() {
    let _ = (Factor::sources(), Oblong::sources(), OtherAxis::sources());
}
