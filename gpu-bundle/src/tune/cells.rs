//! The tasks whose mapping is measured.

use glass_codegen::spec::{Alpha, Beta, DType, Dims, Layout, Op, Spec, Transpose, contract_pair};
use glass_codegen::table;

/// Batch bands: a row measured at one of these serves batches up to the next.
pub(crate) const BATCHES: [u64; 6] = [1, 64, 1024, 8192, 65536, 1_048_576];

/// One task and layout.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) key: String,
    pub(crate) spec: Spec,
    pub(crate) layout: Layout,
}

const SIDES: [usize; 10] = [1, 4, 6, 7, 8, 12, 14, 16, 21, 32];

/// Further shapes that users of batched solvers run: joint counts beyond the sides above, the larger
/// comparison points of state and input sizes, contractions one past a warp.
const USER_GEMV: [(usize, usize); 12] = [
    (24, 24),
    (30, 30),
    (33, 33),
    (36, 36),
    (48, 48),
    (64, 64),
    (36, 12),
    (12, 36),
    (48, 16),
    (16, 48),
    (5, 33),
    (33, 5),
];

/// Shapes measured with transposes and scalars too.
const VARIED_GEMV: [(usize, usize); 7] = [(6, 6), (7, 14), (14, 7), (14, 14), (12, 12), (4, 12), (6, 12)];

const GEMM: [(usize, usize, usize); 16] = [
    (4, 4, 4),
    (6, 6, 6),
    (7, 7, 7),
    (8, 8, 8),
    (12, 12, 12),
    (14, 14, 14),
    (16, 16, 16),
    (21, 21, 21),
    (24, 24, 24),
    (32, 32, 32),
    (14, 21, 14),
    (14, 7, 14),
    (7, 14, 14),
    (12, 4, 12),
    (12, 6, 12),
    (36, 12, 36),
];

/// Every cell, both element types and layouts, in the order of the table.
pub(crate) fn cells() -> Vec<Cell> {
    let plain = (Transpose::default(), Alpha::One, Beta::Zero);
    let sides = SIDES.into_iter().flat_map(|m| SIDES.into_iter().map(move |k| (m, k)));
    let mut tasks: Vec<_> =
        sides.chain(USER_GEMV).map(|(m, k)| (Op::Gemv, Dims { m, n: 1, k }, plain)).collect();
    let varied = [
        (Transpose { a: true, b: false }, Alpha::One, Beta::Zero),
        (Transpose::default(), Alpha::One, Beta::One),
        (Transpose::default(), Alpha::Runtime, Beta::Runtime),
    ];
    tasks.extend(
        VARIED_GEMV.into_iter().flat_map(|(m, k)| varied.map(|with| (Op::Gemv, Dims { m, n: 1, k }, with))),
    );
    tasks.extend(GEMM.into_iter().map(|(m, n, k)| (Op::Gemm, Dims { m, n, k }, plain)));
    let mut cells = Vec::new();
    for (op, dims, (transpose, alpha, beta)) in tasks {
        for dtype in [DType::F32, DType::F64] {
            for layout in [Layout::Contiguous, Layout::Interleaved] {
                let spec = contract_pair(op, dtype, dims, transpose, alpha, beta);
                cells.push(Cell { key: table::key(&spec, layout), spec, layout });
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_parse_back() {
        let cells = cells();
        let mut keys: Vec<_> = cells.iter().map(|cell| cell.key.as_str()).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), cells.len());
        for cell in &cells {
            let (spec, layout) = crate::kernel_id::parse_key(&cell.key).unwrap();
            assert_eq!((&spec, layout), (&cell.spec, cell.layout));
        }
    }
}
