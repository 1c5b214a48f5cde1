//! Bytes, operations and elements of a cell from its shape and layout alone.

use crate::capture::Cell;

/// Counts of one problem, in elements unless the name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Read and written once each, in the caller's layout.
    pub(crate) n_read: u64,
    pub(crate) n_written: u64,
    /// Distinct, as stored: what our kernel is given, and what a peer works on in place.
    pub(crate) n_own_stored: u64,
    pub(crate) n_peer_stored: u64,
    /// Written by the op, words included: what an oracle has to see.
    pub(crate) n_outputs: u64,
    pub(crate) n_peer_outputs: u64,
    /// Words of status.
    pub(crate) n_words: u64,
    pub(crate) flops: u64,
}

impl Counts {
    /// Of one problem of a cell; `None` for an op without a rule.
    pub(crate) fn of(cell: &Cell) -> Option<Counts> {
        let dim = |name: &str| cell.dims.get(name).copied();
        let is_packed = cell.storage == "packed";
        match cell.op.as_str() {
            "gemm" => {
                let (m, n, k) = (dim("m")?, dim("n")?, dim("k")?);
                Some(Counts {
                    n_read: m * k + k * n,
                    n_written: m * n,
                    n_own_stored: m * k + k * n + m * n,
                    n_peer_stored: m * k + k * n + m * n,
                    n_outputs: m * n,
                    n_peer_outputs: m * n,
                    n_words: 0,
                    flops: 2 * m * n * k,
                })
            }
            "potrf" => {
                let n = dim("n")?;
                let (square, triangle) = (n * n, n * (n + 1) / 2);
                let moved = if is_packed { triangle } else { square };
                Some(Counts {
                    n_read: moved,
                    n_written: moved,
                    n_own_stored: 2 * square,
                    n_peer_stored: square,
                    n_outputs: moved + 1,
                    n_peer_outputs: triangle + 1,
                    n_words: 1,
                    flops: factor_flops(n),
                })
            }
            "posv" => {
                let (n, nrhs) = (dim("n")?, dim("nrhs")?);
                let matrix = if is_packed { n * (n + 1) / 2 } else { n * n };
                Some(Counts {
                    n_read: matrix + n * nrhs,
                    n_written: n * nrhs,
                    n_own_stored: n * n + 2 * n * nrhs,
                    n_peer_stored: n * n + n * nrhs,
                    n_outputs: n * nrhs + 1,
                    n_peer_outputs: n * nrhs + 1,
                    n_words: 1,
                    flops: factor_flops(n) + 2 * n * n * nrhs,
                })
            }
            _ => None,
        }
    }

    /// Declared bytes of one call.
    pub(crate) fn bytes(&self, cell: &Cell) -> u64 {
        cell.batch * ((self.n_read + self.n_written) * element_bytes(cell) + 4 * self.n_words)
    }

    /// Distinct bytes of one call as stored: interleaved problems fill whole tiles of 32.
    pub(crate) fn stored_bytes(&self, cell: &Cell, is_own: bool) -> u64 {
        let is_tiled = is_own && cell.layout == "aosoa32";
        let n_problems = if is_tiled { cell.batch.next_multiple_of(32) } else { cell.batch };
        let n_stored = if is_own { self.n_own_stored } else { self.n_peer_stored };
        n_problems * n_stored * element_bytes(cell) + 4 * cell.batch * self.n_words
    }

    /// More is read than written, which a copy, the measure of the memory, does not do.
    pub(crate) fn reads_more(&self) -> bool {
        self.n_read > self.n_written
    }
}

fn element_bytes(cell: &Cell) -> u64 {
    if cell.dtype == "f64" { 8 } else { 4 }
}

/// Multiplications and additions of a Cholesky factor, roots and divisions apart: the whole part of n^3 / 3.
fn factor_flops(n: u64) -> u64 {
    n * n * n / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(op: &str, dims: &[(&str, u64)], layout: &str, storage: &str) -> Cell {
        let variant = r#"{"pick":"stated","mapping":"","symbol":"","plan":{"text":"","tier":"thread",
            "threads_per_block":32,"problems_per_block":32,"shared_bytes":0},"plan_sha256":"","source_sha256":""}"#;
        let text = format!(
            r#"{{"id":"","task":"","key":"","op":"{op}","dims":{{}},"dtype":"f32","layout":"{layout}","storage":"{storage}",
            "batch":33,"regime":"launch","bytes":0,"flops":0,"is_aa":false,"a":{variant},"b":{variant},"control":null,"peers":[]}}"#
        );
        let cell: Cell = serde_json::from_str(&text).expect("follows the format");
        Cell { dims: dims.iter().map(|(name, dim)| ((*name).to_owned(), *dim)).collect(), ..cell }
    }

    /// The rules of the table of declared bytes, by hand.
    #[test]
    fn bytes_of_a_problem() {
        for (cell, moved, stored, peer) in [
            (cell("gemm", &[("m", 7), ("n", 7), ("k", 7)], "aos", "full"), 33 * 588, 33 * 588, 33 * 588),
            (cell("potrf", &[("n", 7)], "aos", "full"), 33 * 396, 33 * 396, 33 * 200),
            (cell("potrf", &[("n", 7)], "aosoa32", "packed"), 33 * 228, 64 * 392 + 33 * 4, 33 * 200),
            (cell("posv", &[("n", 7), ("nrhs", 1)], "aos", "full"), 33 * 256, 33 * 256, 33 * 228),
            (
                cell("posv", &[("n", 7), ("nrhs", 1)], "aosoa32", "packed"),
                33 * 172,
                64 * 252 + 33 * 4,
                33 * 228,
            ),
        ] {
            let counts = Counts::of(&cell).expect("an op with a rule");
            assert_eq!(
                [counts.bytes(&cell), counts.stored_bytes(&cell, true), counts.stored_bytes(&cell, false)],
                [moved, stored, peer],
                "{} {}",
                cell.op,
                cell.layout
            );
        }
        assert_eq!(Counts::of(&cell("trsm", &[], "aos", "full")), None);
    }
}
