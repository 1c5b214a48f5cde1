//! Formats, masks and treatments of NaN where a reduction has none.

#[glass::reduce(dot, dtype = u32, masked)]
pub struct Product;

#[glass::reduce(norm2, masked, nan = ignore)]
pub struct Norm;

#[glass::reduce(sum, nan = propagate)]
pub struct Sum;

#[glass::reduce(extent, dtype = i32, nan = propagate)]
pub struct Integers;

#[glass::reduce(min, dtype = f16, nan = drop, masked = yes)]
pub struct Words;

#[glass::reduce(max, masked, targets = [host])]
pub struct Fine;

fn main() {}
