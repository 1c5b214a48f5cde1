//! Every letter has one extent, and beside an index string every letter is one.

#[glass::contract("ik,kj->ij", i = 2, k = 0, m = 3, ii = 4, n_out = 2)]
struct Product;

#[glass::contract("ik,kj->ij", i = 2, j = N, k = 3, k = 4, transpose = a)]
struct Twice;

#[glass::contract(i = 2, "ik,kj->ij", j = 2, k = 4)]
struct NotFirst;

#[glass::contract("ik,kj->ij", "ik,kj->ij", i = 2, j = 2, k = 4)]
struct TwoStrings;

fn main() {
    let _ = (Product::sources(), Twice::sources(), NotFirst::sources(), TwoStrings::sources());
}
