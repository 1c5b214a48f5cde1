//! Reductions that do not exist, and ops that are none.

#[glass::reduce(nrm2)]
pub struct Misspelt;

#[glass::reduce(gemm)]
pub struct Product;

#[glass::reduce("dot")]
pub struct Quoted;

#[glass::reduce]
pub struct Missing;

#[glass::op(norm2, n = 7)]
pub struct Fixed;

fn main() {}
