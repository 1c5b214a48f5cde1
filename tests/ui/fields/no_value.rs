//! Names without a value, and what is no `name = value` at all, hide no later mistake.

#[glass::contract(alpha, n_out =, k: 14, 3, layout(interleaved), , beta = two)]
struct Feedback;

fn main() {
    let _ = Feedback::sources();
}
