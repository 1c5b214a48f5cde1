//! Attributes of either notation are one too many.

#[glass::op(dot, n = 7)]
#[glass::contract(n_out = 6, k = 12)]
struct Dot;

use glass::op;

#[glass::contract(n_out = 6, k = 12)]
#[op(dot, n = 7)]
struct Feedback;

fn main() {
    let _ = (Dot::output(&glass::Device::host(), 1), Feedback::sources());
}
