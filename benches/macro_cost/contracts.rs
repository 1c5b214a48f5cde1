//! The contracts of the compared crate.

use std::fmt::Write;

/// Contracts in the larger crate.
pub(crate) const N_CONTRACTS: usize = 100;

/// Three vectors to one matrix, every size from 1 to 14, every dtype, layout and kind of scalar.
pub(crate) fn mixed() -> String {
    let mut text = String::new();
    for idx in 0..N_CONTRACTS {
        let size = |step: usize| 1 + idx * step % 14;
        let shape = if idx % 4 == 3 {
            format!("m = {}, n = {}, k = {}", size(3), size(5), size(9))
        } else {
            format!("n_out = {}, k = {}", size(3), size(9))
        };
        let dtype = ["f32", "f32", "f64"][idx % 3];
        let layout = ["contiguous", "interleaved"][idx / 2 % 2];
        let scalars = ["", ", beta = one", ", alpha = runtime, beta = runtime"][idx / 5 % 3];
        let _ = writeln!(
            text,
            "#[glass::contract({shape}, dtype = {dtype}, layout = {layout}{scalars})]\npub struct Product{idx};"
        );
    }
    text
}

/// The same contract again and again, under a macro that tells its time.
pub(crate) fn timed(n_expansions: usize) -> String {
    (0..n_expansions)
        .map(|idx| format!("#[timed::contract(n_out = 7, k = 14)]\npub struct Feedback{idx};\n"))
        .collect()
}
