//! The ops that have peers, and what a result of each is worth.

use glass_codegen::spec::{Layout, Spec};
use std::collections::BTreeMap;

/// An op with its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `C = A B`.
    Gemm { m: usize, n: usize, k: usize },
    /// `A = L L'`.
    Potrf { n: usize },
    /// `A x = b` for a positive definite `A`.
    Posv { n: usize, nrhs: usize },
}

impl Shape {
    /// Of a spec without options other than `fill`.
    ///
    /// # Errors
    /// The op has no peers here.
    pub(super) fn of(spec: &Spec) -> Result<Shape, String> {
        let dim = |name: &str| spec.dims.iter().find(|dim| dim.name == name).map(|dim| dim.extent);
        let plain = spec.flags.iter().all(|flag| flag == "untouched");
        match (spec.op.as_str(), dim("m"), dim("n"), dim("k")) {
            ("gemm", Some(m), Some(n), Some(k)) if plain => Ok(Shape::Gemm { m, n, k }),
            ("potrf", _, Some(n), _) if plain => Ok(Shape::Potrf { n }),
            ("posv", _, Some(n), _) if plain => Ok(Shape::Posv { n, nrhs: dim("nrhs").unwrap_or(1) }),
            _ => Err(format!(
                "`{}` cannot be compared\nallowed: gemm, potrf and posv without options",
                spec.symbol()
            )),
        }
    }

    pub(super) fn op(self) -> &'static str {
        match self {
            Shape::Gemm { .. } => "gemm",
            Shape::Potrf { .. } => "potrf",
            Shape::Posv { .. } => "posv",
        }
    }

    pub(super) fn dims(self) -> BTreeMap<String, u64> {
        let named: &[(&str, usize)] = match self {
            Shape::Gemm { m, n, k } => &[("m", m), ("n", n), ("k", k)],
            Shape::Potrf { n } => &[("n", n)],
            Shape::Posv { n, nrhs } => &[("n", n), ("nrhs", nrhs)],
        };
        named.iter().map(|(name, dim)| ((*name).to_owned(), *dim as u64)).collect()
    }

    /// Multiplications and additions of one problem; of a factor the whole part of n^3 / 3, roots and divisions apart.
    pub(super) fn flops(self) -> u64 {
        let flops = match self {
            Shape::Gemm { m, n, k } => 2 * m * n * k,
            Shape::Potrf { n } => n * n * n / 3,
            Shape::Posv { n, nrhs } => n * n * n / 3 + 2 * n * n * nrhs,
        };
        flops as u64
    }

    /// Of which elements the caller's layout moves: interleaved triangles are lines of their own.
    pub(super) fn storage(self, layout: Layout) -> &'static str {
        match (self, layout) {
            (Shape::Gemm { .. }, _) | (_, Layout::Contiguous) => "full",
            (_, Layout::Interleaved) => "packed",
        }
    }

    /// Elements that a peer writes in one problem, its status word included.
    pub(super) fn peer_outputs(self) -> u64 {
        let outputs = match self {
            Shape::Gemm { m, n, .. } => m * n,
            Shape::Potrf { n } => n * (n + 1) / 2 + 1,
            Shape::Posv { n, nrhs } => n * nrhs + 1,
        };
        outputs as u64
    }
}
