//! The width of the tree is part of the reduced form, and a power of two.

#[glass::contract(n_out = 7, k = 14, lanes_per_output = 8)]
struct NoForm;

#[glass::contract(n_out = 7, k = 14, form = serial, lanes_per_output = 8)]
struct Serial;

#[glass::contract(n_out = 7, k = 14, form = reduced, lanes_per_output = 12)]
struct Uneven;

#[glass::contract(n_out = 7, k = 14, form = reduced, lanes_per_output = 64)]
struct Wide;

#[glass::contract(n_out = 7, k = 14, tier = thread, form = serial, lanes_per_output = -1)]
struct Everything;

fn main() {
    let _ = (NoForm::sources(), Serial::sources(), Uneven::sources(), Wide::sources(), Everything::sources());
}
