//! A field of another op is a mistake in its name, whatever its value.

#[glass::op(potrf, n = 7, nrhs = 2, reg = shift, trans, uplo = upper)]
struct Factor;

#[glass::op(gemv, m = 7, n = 14, k = 14, transpose = a)]
struct Product;

#[glass::op(potrs, n = 7, check = off)]
struct Solve;

#[glass::op(gemm_batched_indexed, pairs = 3, a_count = 2, b_count = 2, c_count = 2, atomic)]
struct Unordered;

#[glass::contract(n_out = 7, k = 14, trans, nrhs = 2)]
struct Contraction;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 49]])?;
    let (mut l, mut status) = Factor::outputs(&device, a.len())?;
    Factor::launch(&device, &a, (&mut l, &mut status))?;
    let _ = (Product::sources(), Solve::sources(), Unordered::sources(), Contraction::sources());
    Ok(())
}
