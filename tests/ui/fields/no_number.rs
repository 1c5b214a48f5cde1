//! Sizes are whole numbers, written as digits.

const N: usize = 7;

#[glass::contract(n_out = "7", k = 14.0)]
struct Text;

#[glass::contract(n_out = N, k = 14usize)]
struct Constant;

#[glass::contract(n_out = -7_i32, k = 0xfu8)]
struct Suffixed;

#[glass::contract(m = [7], n = true, k = 2 * 7, tier = warp, form = reduced, lanes_per_output = p8, threads_per_block = 'w')]
struct Matrix;

fn main() {
    let _ = (Text::sources(), Constant::sources(), Suffixed::sources(), Matrix::sources(), N);
}
