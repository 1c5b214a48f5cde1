//! Packed triangles at the sizes users run: where whole squares would leave holes in memory.

use super::builder::Grid;
use crate::attribute::spec;
use glass_codegen::spec::DType::{F32, F64};
use glass_codegen::spec::Layout::Interleaved;

/// Tasks by the order of their triangle, and the orders.
const TASKS: &[(&str, &[usize])] = &[
    ("potrf packed", &[4, 6, 7, 8, 12, 14, 16, 24]),
    ("posv packed", &[4, 7, 14]),
    ("potrs packed", &[7, 14]),
];

pub(super) fn add(grid: &mut Grid) {
    for (task, orders) in TASKS {
        for n in *orders {
            let [single, double] = [F32, F64].map(|dtype| spec(&format!("{task} n={n}"), dtype));
            grid.thread(&single, Interleaved);
            grid.bulk(&single);
            if *n <= 14 {
                grid.thread(&double, Interleaved);
                grid.bulk(&double);
            }
        }
    }
}
