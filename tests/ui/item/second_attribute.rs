//! A struct names one kernel; only the attribute that is too many is a mistake.

#[glass::contract(n_out = 7, k = 14, alpha = runtime)]
#[glass::contract(n_out = 6, k = 12)]
struct Feedback;

use glass::contract;

#[contract(m = 7, n = 3, k = 14)]
/// Between the two.
#[contract(m = 7, n = 3, k = 14)]
struct Matrix;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 98]])?;
    let x = device.upload(&[[1.0f32; 14]])?;
    let mut y = Feedback::output(&device, a.len())?;
    Feedback::launch(&device, (&a, &x), &mut y, -1.0)?;
    let _ = Matrix::sources();
    Ok(())
}
