//! WGSL has no f64. The caller's types stay those of the attribute.

#[glass::contract(n_out = 7, k = 14, dtype = f64, targets = [cuda, wgsl], alpha = runtime, beta = runtime)]
struct Double;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f64; 98]])?;
    let x = device.upload(&[[1.0f64; 14]])?;
    let mut y = Double::output(&device, a.len())?;
    Double::launch(&device, (&a, &x), &mut y, 2.0, 0.5)?;
    let y: Vec<f64> = y.download()?;
    println!("{y:?}");
    Ok(())
}
