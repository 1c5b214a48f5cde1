//! Index strings are part of the plan, not yet of the attribute. What stands beside them is no further mistake.

#[glass::contract("ki,kl,lj->ij", i = 21, j = 21, k = 14, l = 14)]
struct HessianFold;

#[glass::contract("ij,jk->ik", n_out = 0, beta, layout = rows, 3)]
struct Product;

fn main() {
    let _ = (HessianFold::sources(), Product::sources());
}
