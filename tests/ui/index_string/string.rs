//! What is wrong with an index string shows on it.

#[glass::contract("ij,jk", i = 2, j = 3, k = 4)]
struct NoArrow;

#[glass::contract("ij,jK->iK", i = 2, j = 3)]
struct Capital;

#[glass::contract("ij->ji", i = 2, j = 3)]
struct OneOperand;

#[glass::contract("ij,,jk->ik", i = 2, j = 3, k = 4)]
struct NoLetters;

#[glass::contract("ii,ij->j", i = 2, j = 3)]
struct Diagonal;

#[glass::contract("ij,jk->im", i = 2, j = 3, k = 4)]
struct Foreign;

#[glass::contract("ij,k->i", i = 2, j = 3, k = 4)]
struct Alone;

#[glass::contract("abcdefghi,abcdefghijklmnopq->jklmnopq", a = 1)]
struct Letters;

#[glass::contract("ij,jk->ik", i = 4096, j = 4096, k = 4097)]
struct Range;

#[glass::contract("ij,jk,kl,l->i", i = 4096, j = 4096, k = 4096, l = 4096)]
struct Points;

fn main() -> Result<(), glass::Error> {
    let device = glass::Device::host();
    let a = device.upload(&[[1.0f32; 6]])?;
    let b = device.upload(&[[1.0f32; 12]])?;
    let mut c = NoArrow::output(&device, a.len())?;
    NoArrow::launch(&device, (&a, &b), &mut c)?;
    let _ = (Capital::sources(), OneOperand::sources(), NoLetters::sources(), Diagonal::sources());
    let _ = (Foreign::sources(), Alone::sources(), Letters::sources(), Range::sources(), Points::sources());
    Ok(())
}
