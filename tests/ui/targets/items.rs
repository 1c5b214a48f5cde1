//! Each wrong item of the list is its own mistake.

#[glass::contract(n_out = 7, k = 14, targets = [cuda, metal, "wgsl", cuda, host, , wgsl wgsl])]
struct Feedback;

fn main() {
    let _ = Feedback::sources();
}
