//! A list without targets asks for nothing.

#[glass::contract(n_out = 7, k = 14, targets = [])]
struct Nothing;

fn main() {
    let _ = Nothing::sources();
}
