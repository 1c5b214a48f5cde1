//! A block size belongs to a tier, and a warp is never cut.

#[glass::contract(n_out = 7, k = 14, threads_per_block = 64)]
struct NoTier;

#[glass::contract(n_out = 7, k = 14, tier = block, threads_per_block = 0)]
struct Empty;

#[glass::contract(n_out = 7, k = 14, tier = thread, threads_per_block = 1025)]
struct TooMany;

#[glass::contract(n_out = 7, k = 14, tier = warp, threads_per_block = 48)]
struct CutWarp;

fn main() {
    let _ = (NoTier::sources(), Empty::sources(), TooMany::sources(), CutWarp::sources());
}
