//! An unknown word is shown with all known ones, and leads to no second mistake.

#[glass::contract(n_out = 7, k = 14, layout = row_major, transpose = c, alpha = minus_one, beta = add)]
struct Feedback;

#[glass::contract(m = 7, n = 3, k = 14, transpose = c, tier = grid, form = tree, lanes_per_output = 8, threads_per_block = 64)]
struct Matrix;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 98]])?;
    let x = device.upload(&[[1.0f32; 14]])?;
    let mut y = Feedback::output(&device, a.len())?;
    Feedback::launch(&device, (&a, &x), &mut y, -1.0, 1.0)?;
    let _ = Matrix::plan(&device, 1);
    Ok(())
}
