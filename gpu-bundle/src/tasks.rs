//! The tasks that are measured, and the way back from a key to a spec.

use crate::crossover::shapes;
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::table;
use glass_tests::attribute::spec;
use glass_tests::grid;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Sides of matrix-vector products.
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

/// Orders of factorisations and solves.
const ORDERS: [usize; 11] = [4, 6, 7, 8, 12, 14, 16, 20, 21, 24, 32];

/// Ops beyond the products, as attributes.
const OTHERS: &[&str] = &[
    "posv n=7 nrhs=14",
    "posv n=7 nrhs=15",
    "posv n=4 nrhs=13",
    "posv n=14 nrhs=14",
    "potrs n=7",
    "potrs n=14",
    "potrs n=7 nrhs=14",
    "potrs n=7 packed",
    "potrs n=14 packed",
    "trsv n=6",
    "trsv n=7",
    "trsv n=14",
    "trsm n=7 nrhs=14",
    "trsm n=14 nrhs=14",
    "ldlt n=7",
    "ldlt n=14",
    "ldlt_solve n=7",
    "ldlt_solve n=14",
    "inv n=4",
    "inv n=6",
    "inv n=7",
    "inv n=12",
    "inv n=14",
    "syrk n=7 k=14",
    "syrk n=14 k=14",
    "congruence_sym n=14 p=14",
    "congruence_sym n=14 p=7",
    "congruence_sym n=12 p=12",
    "congruence_sym n=12 p=4",
    "congruence_sym n=14 p=21",
    "congruence_sym n=14 p=14 beta=one",
    "congruence_sym n=14 p=7 beta=one",
    "congruence_sym n=12 p=12 beta=one",
    "congruence_sym n=12 p=4 beta=one",
    "bilinear n=14 p=14 q=7",
    "bilinear n=12 p=12 q=4",
    "bilinear n=14 p=14 q=7 beta=one",
    "bilinear n=12 p=12 q=4 beta=one",
    "riccati_gain nx=12 nu=4",
    "riccati_gain nx=12 nu=6",
    "riccati_gain nx=14 nu=7",
    "riccati_gain nx=36 nu=12",
    "riccati_gain nx=48 nu=16",
    "riccati_step nx=12 nu=4",
    "riccati_step nx=12 nu=6",
    "riccati_step nx=14 nu=7",
    "riccati_step nx=36 nu=12",
    "riccati_pass nx=12 nu=4 knots=32",
    "riccati_pass nx=14 nu=7 knots=32",
];

/// Every cell of the tuning table, both element types and layouts, in the order of the table.
pub(crate) fn tuned() -> Vec<(Spec, Layout)> {
    let sides = SIDES.into_iter().flat_map(|m| SIDES.into_iter().map(move |k| (m, k)));
    let mut attributes: Vec<String> =
        sides.chain(USER_GEMV).map(|(m, k)| format!("contract n_out={m} k={k}")).collect();
    for (m, k) in VARIED_GEMV {
        for options in ["transpose=a", "beta=one", "alpha=runtime beta=runtime"] {
            attributes.push(format!("contract n_out={m} k={k} {options}"));
        }
    }
    attributes.extend(GEMM.map(|(m, n, k)| format!("contract m={m} n={n} k={k}")));
    for n in ORDERS {
        attributes.push(format!("potrf n={n}"));
        attributes.push(format!("potrf n={n} fill=untouched"));
        attributes.push(format!("posv n={n}"));
        attributes.extend(["potrf", "posv"].map(|op| format!("{op} n={n} packed")));
    }
    attributes.extend(OTHERS.iter().map(|attribute| (*attribute).to_owned()));
    let layouts = [Layout::Contiguous, Layout::Interleaved];
    let mut cells = Vec::new();
    for attribute in &attributes {
        for dtype in [DType::F32, DType::F64] {
            let spec = spec(attribute, dtype);
            cells.extend(layouts.map(|layout| (spec.clone(), layout)));
        }
    }
    cells
}

/// The task and layout behind a table key such as `glass_posv_f64_n7 interleaved`, of the grid, the tuning cells or the crossover.
pub(crate) fn of_key(key: &str) -> Result<(Spec, Layout), String> {
    static KNOWN: OnceLock<HashMap<String, (Spec, Layout)>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let of_grid = grid::grid().iter().map(|entry| (entry.spec.clone(), entry.layout));
        let of_crossover = shapes::all().into_iter().map(|shape| (shape.spec, Layout::Contiguous));
        of_grid
            .chain(tuned())
            .chain(of_crossover)
            .map(|(spec, layout)| (table::key(&spec, layout), (spec, layout)))
            .collect()
    });
    known
        .get(key)
        .cloned()
        .ok_or_else(|| format!("`{key}` is no key of the grid, a tuning cell or the crossover"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_lead_back() {
        let cells = tuned();
        let mut keys: Vec<_> = cells.iter().map(|(spec, layout)| table::key(spec, *layout)).collect();
        for (key, cell) in keys.iter().zip(&cells) {
            assert_eq!(of_key(key).as_ref(), Ok(cell));
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), cells.len());
        assert!(of_key("glass_dot").is_err());
    }
}
