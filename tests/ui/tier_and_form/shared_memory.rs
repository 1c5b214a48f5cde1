//! The intermediates of a warp's problem stay in shared memory, which is limited.

#[glass::op(riccati_gain, nx = 400, nu = 200, tier = warp, targets = [cuda])]
struct Gain;

fn main() {}
