//! Index strings are part of the plan, not yet of the attribute.

#[glass::contract("ki,kl,lj->ij", i = 21, j = 21, k = 14, l = 14)]
struct HessianFold;

fn main() {
    let _ = HessianFold::sources();
}
