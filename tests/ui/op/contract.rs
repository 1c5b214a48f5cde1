//! The notations do not mix.

#[glass::contract(gemv, m = 7, n = 14)]
struct Named;

#[glass::op(contract, m = 7)]
struct Contract;

fn main() {
    let _ = (Named::sources(), Contract::sources());
}
