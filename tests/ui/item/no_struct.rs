//! The attribute stands on a unit struct; its own mistakes show beside that.

#[glass::contract(n_out = 7, k = 14, dtype = f16)]
fn feedback() {}

#[glass::contract(n_out = 7, k = 14, tier = grid)]
enum Choice {
    One,
}

#[glass::contract(n_out = 7, k = 14)]
union Either {
    single: f32,
    double: f64,
}

#[glass::contract(n_out = 7, k = 14)]
mod kernels {}

fn main() {
    feedback();
    let _ = (Choice::One, Choice::sources(), Either { single: 0.0 }, Either::sources());
}
