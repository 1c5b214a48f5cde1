//! A kernel has one shape.

#[glass::contract(n_out = N, k = 14)]
struct Sized<const N: usize>;

fn main() {
    let _ = (Sized::<7>::sources(), Sized::<8>::plan(&glass::Device::host(), 1));
}
