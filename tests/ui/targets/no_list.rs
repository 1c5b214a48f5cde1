//! One target is still a list.

#[glass::contract(n_out = 7, k = 14, targets = cuda)]
struct Word;

#[glass::contract(n_out = 7, k = 14, targets = (cuda, wgsl))]
struct Tuple;

fn main() {
    let _ = (Word::sources(), Tuple::sources());
}
