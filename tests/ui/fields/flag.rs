//! A flag has no value, and every other field has one.

#[glass::op(posv, n = 7, in_place = true, rsqrt =, reg)]
struct Solve;

#[glass::op(gemm, m = 2, n = 3, k, trans_a, trans_a, trans_b: yes)]
struct Product;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let mut a = device.upload(&[[1.0f32; 49]])?;
    let mut b = device.upload(&[[1.0f32; 7]])?;
    let mut status = device.upload(&[[0u32]])?;
    Solve::launch(&device, (), (&mut a, &mut b, &mut status))?;
    let _ = Product::sources();
    Ok(())
}
