//! Only a square result has a triangle to mirror.

#[glass::contract("ik,kj->ij", i = 2, j = 3, k = 4, symmetric)]
struct Oblong;

#[glass::contract("ik,k->i", i = 2, k = 4, symmetric)]
struct Vector;

fn main() {
    let _ = (Oblong::sources(), Vector::sources());
}
