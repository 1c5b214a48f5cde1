//! The CUDA functions behind square roots, reciprocals, pivots and rotations.
//!
//! The compiler's own correctly rounded ones call a slow path, past which it hoists no load. These have no branch,
//! start from the hardware's approximations, and round correctly whatever those return within their stated error.

use super::language::Language;
use super::uses::Uses;
use crate::kernel::{Function, PivotKind};
use crate::spec::DType;
use std::sync::OnceLock;

/// A piece of CUDA text that defines functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// The struct that pivots return.
    Pivot,
    /// Approximate f64 reciprocal square roots.
    NearRsqrt,
    /// Square roots of the normal range.
    Root,
    /// Square roots.
    Sqrt,
    /// The last rounding of an f64 reciprocal.
    Nearest,
    /// Reciprocals.
    Reciprocal,
    /// Pivots of `A = L L'`.
    Cholesky,
    /// The same by an approximate reciprocal square root.
    Rsqrt,
    /// Pivots of either sign.
    General,
    /// Powers of two.
    Exponent,
    /// Givens rotations.
    Rotg,
    /// The larger and the smaller of two, or NaN.
    Extreme,
}

/// In order of definition.
const PIECES: [Piece; 12] = [
    Piece::Pivot,
    Piece::NearRsqrt,
    Piece::Root,
    Piece::Sqrt,
    Piece::Nearest,
    Piece::Reciprocal,
    Piece::Cholesky,
    Piece::Rsqrt,
    Piece::General,
    Piece::Exponent,
    Piece::Rotg,
    Piece::Extreme,
];

impl Piece {
    fn as_str(self) -> &'static str {
        match self {
            Piece::Pivot => "pivot",
            Piece::NearRsqrt => "near_rsqrt",
            Piece::Root => "root",
            Piece::Sqrt => "sqrt",
            Piece::Nearest => "nearest",
            Piece::Reciprocal => "reciprocal",
            Piece::Cholesky => "cholesky_pivot",
            Piece::Rsqrt => "rsqrt_pivot",
            Piece::General => "general_pivot",
            Piece::Exponent => "exponent",
            Piece::Rotg => "rotg",
            Piece::Extreme => "extreme",
        }
    }

    /// Whether a body needs the piece, itself or for another piece.
    fn is_needed(self, uses: &Uses, dtype: DType) -> bool {
        let pivot = |kind| uses.pivots.contains(&kind);
        let is_wide = dtype == DType::F64;
        match self {
            Piece::Pivot => !uses.pivots.is_empty(),
            Piece::NearRsqrt => is_wide && (Piece::Root.is_needed(uses, dtype) || pivot(PivotKind::Rsqrt)),
            Piece::Root => uses.any(&[Function::Sqrt]) || pivot(PivotKind::Cholesky),
            Piece::Sqrt => uses.any(&[Function::Sqrt]),
            Piece::Nearest => {
                let inverts = pivot(PivotKind::Cholesky) || Piece::Reciprocal.is_needed(uses, dtype);
                is_wide && inverts
            }
            Piece::Reciprocal => uses.any(&[Function::Reciprocal]) || pivot(PivotKind::General),
            Piece::Cholesky => pivot(PivotKind::Cholesky),
            Piece::Rsqrt => pivot(PivotKind::Rsqrt),
            Piece::General => pivot(PivotKind::General),
            Piece::Exponent => uses.any(&[Function::ExponentScale, Function::InverseExponentScale]),
            Piece::Rotg => uses.any(&[Function::RotgCos, Function::RotgSin, Function::RotgRadius]),
            Piece::Extreme => uses.any(&[Function::Maximum, Function::Minimum]),
        }
    }
}

/// The functions that a body needs, each piece with its name.
pub(super) fn pieces(uses: &Uses, dtype: DType) -> Vec<(String, String)> {
    let needed = PIECES.into_iter().filter(|piece| piece.is_needed(uses, dtype));
    needed.map(|piece| (format!("{}_{}", piece.as_str(), dtype.as_str()), text(piece, dtype))).collect()
}

/// The definitions of the functions that a body needs, one after the other.
pub(super) fn definitions(uses: &Uses, dtype: DType) -> String {
    pieces(uses, dtype).into_iter().map(|(_, text)| text + "\n").collect()
}

/// Every function of a type, for tests that prove them.
pub fn cuda_numerics(dtype: DType) -> String {
    let is_wide = |piece: &Piece| matches!(piece, Piece::NearRsqrt | Piece::Nearest);
    let all = PIECES.into_iter().filter(|piece| dtype == DType::F64 || !is_wide(piece));
    all.map(|piece| text(piece, dtype)).collect::<Vec<_>>().join("\n")
}

macro_rules! templates {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/cuda/numerics/", $name)))),*]
    };
}

const TEMPLATES: &[(&str, &str)] = templates! {
    "pivot_f32.cu.tera" "root_f32.cu.tera" "sqrt_f32.cu.tera" "reciprocal_f32.cu.tera"
    "cholesky_pivot_f32.cu.tera" "rsqrt_pivot_f32.cu.tera" "general_pivot_f32.cu.tera" "exponent_f32.cu.tera"
    "rotg_f32.cu.tera" "extreme_f32.cu.tera"
    "pivot_f64.cu.tera" "near_rsqrt_f64.cu.tera" "root_f64.cu.tera" "sqrt_f64.cu.tera" "nearest_f64.cu.tera" "reciprocal_f64.cu.tera"
    "cholesky_pivot_f64.cu.tera" "rsqrt_pivot_f64.cu.tera" "general_pivot_f64.cu.tera" "exponent_f64.cu.tera"
    "rotg_f64.cu.tera" "extreme_f64.cu.tera"
};

fn text(piece: Piece, dtype: DType) -> String {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    let language = LANGUAGE.get_or_init(|| Language::new(TEMPLATES, &[]));
    let name = format!("{}_{}.cu.tera", piece.as_str(), dtype.as_str());
    language.file(&name, &std::collections::BTreeMap::<&str, &str>::new())
}
