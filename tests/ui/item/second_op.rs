//! Attributes of either notation are one too many.

#[glass::op(dot, n = 7)]
#[glass::contract(n_out = 6, k = 12)]
struct Dot;

use glass::op;

#[op(gemv, m = 6, n = 12)]
#[glass::op(dot, n = 7)]
struct Feedback;

fn main() {
    let _ = (Dot::output(&glass::Device::host(), 1), Feedback::sources());
}
