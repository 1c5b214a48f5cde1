//! Fields and values that a reduction has no use for.

#[glass::reduce(dot, n = 7, threads_per_block = 48, elements_per_thread = 65)]
pub struct Sizes;

#[glass::reduce(sum, dtype = f64, threads_per_block = 512)]
pub struct Wide;

#[glass::reduce(sum, targets = [cuda, metal], in_place)]
pub struct Targets;

#[glass::reduce(sum, tier = warp, alpha = runtime)]
pub struct Words;

#[glass::reduce(sum)]
#[glass::op(copy, n = 7)]
pub struct Both;

fn main() {}
