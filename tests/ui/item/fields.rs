//! A kernel holds no data.

#[glass::contract(n_out = 7, k = 14)]
struct Named {
    gain: f32,
}

#[glass::contract(n_out = 7, k = 0)]
struct Tuple(f32);

#[glass::contract(n_out = 7, k = 14)]
struct Braces {}

fn main() {
    let _ = (Named { gain: 1.0 }.gain, Tuple(1.0).0, Braces {});
    let _ = (Named::sources(), Tuple::sources(), Braces::sources());
}
