//! Half precision is no arithmetic type; the rest of the attribute is still checked.

#[glass::contract(n_out = 7, k = 0, dtype = f16, beta = half)]
struct Half;

fn main() {
    let _ = Half::sources();
}
