//! A missing size has no token: it shows on the attribute.

#[glass::contract]
struct Nothing;

#[glass::contract(n_out = 7)]
struct NoContraction;

#[glass::contract(k = 14)]
struct NoResult;

#[glass::contract(m = 7, k = 14)]
struct NoColumns;

#[glass::contract(n = 7)]
struct NoRows;

fn launched<K: glass::Kernel<Element = f32>>() {}

fn main() -> Result<(), glass::Error> {
    launched::<Nothing>();
    launched::<NoContraction>();
    launched::<NoColumns>();
    launched::<NoRows>();
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 98]])?;
    let x = device.upload(&[[1.0f32; 14]])?;
    let mut y = NoResult::output(&device, a.len())?;
    NoResult::launch(&device, (&a, &x), &mut y)?;
    println!("{:?} {:?}", y.download()?, NoResult::plan(&device, 1));
    Ok(())
}
