//! The op is named first; a name that nothing has is shown with the nearest one, and leads to no second mistake.

#[glass::op(potrv, n = 7)]
struct Misspelt;

#[glass::op(cholesky, n = 7, form = reduced, rsqrt, nrhs = 3)]
struct Foreign;

#[glass::op(syev, n = 7, check = off)]
struct Later;

#[glass::op(potrf_reduced, n = 7)]
struct Unsplit;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 49]])?;
    let (mut l, mut status) = Misspelt::outputs(&device, a.len())?;
    Misspelt::launch(&device, &a, (&mut l, &mut status))?;
    let _ = (Foreign::sources(), Later::sources(), Unsplit::sources());
    Ok(())
}
