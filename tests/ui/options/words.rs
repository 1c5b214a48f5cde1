//! Each op has words of its own.

#[glass::op(posv, n = 7, reg = ridge, check = never)]
struct Solve;

#[glass::op(trsv, n = 7, uplo = both, diag = ones)]
struct Triangle;

#[glass::op(syrk, n = 7, k = 14, fill = zero)]
struct Update;

#[glass::op(potrf, n = 7, fill = lower)]
struct Factor;

#[glass::op(axpy, n = 7, alpha = one)]
struct Axpy;

#[glass::op(gn_step, m = 12, n = 7, reg = none)]
struct Step;

#[glass::op(tensor_vec_contract, k = 3, a = 3, b = 3, axis = c, beta = two)]
struct Tensor;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 49]])?;
    let b = device.upload(&[[1.0f32; 7]])?;
    let (mut x, mut status) = Solve::outputs(&device, a.len())?;
    Solve::launch(&device, (&a, &b), (&mut x, &mut status), 0.5)?;
    let _ = (Triangle::sources(), Update::sources(), Factor::sources(), Axpy::sources());
    let _ = (Step::sources(), Tensor::sources());
    Ok(())
}
