//! The plain products, where every mapping is swept: block sizes, tree widths, lengths, scalars.

use super::builder::{Grid, reduced};
use super::{THREAD_COUNTS, TREE_WIDTHS};
use crate::attribute::spec;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::{DType, Layout, Spec};

use DType::{F32, F64};
use Layout::{Contiguous, Interleaved};

/// Matrix-vector products, outputs and terms: what users run, and the edges of a warp.
const GEMV: &[(usize, usize)] = &[
    (7, 14),
    (6, 6),
    (14, 14),
    (14, 7),
    (4, 12),
    (6, 12),
    (12, 12),
    (21, 21),
    (1, 1),
    (5, 33),
    (33, 5),
    (12, 36),
    (32, 32),
];

/// Matrix-matrix products: the demanding cases, then squares.
const GEMM: &[(usize, usize, usize)] = &[
    (1, 1, 1),
    (8, 1, 5),
    (1, 8, 5),
    (5, 8, 1),
    (9, 4, 7),
    (7, 5, 6),
    (16, 4, 8),
    (2, 2, 33),
    (4, 4, 64),
    (4, 4, 4),
    (6, 6, 6),
    (7, 7, 7),
    (8, 8, 8),
    (12, 12, 12),
    (14, 14, 14),
    (14, 21, 14),
];

fn gemv(n_out: usize, k: usize) -> String {
    format!("gemv m={n_out} n={k}")
}

fn gemm(m: usize, n: usize, k: usize) -> String {
    format!("gemm m={m} n={n} k={k}")
}

/// The same task for both element types.
fn specs(attribute: &str) -> (Spec, Spec) {
    (spec(attribute, F32), spec(attribute, F64))
}

pub(super) fn add(grid: &mut Grid) {
    every_shape(grid);
    thread_counts(grid);
    tree_widths(grid);
    lengths(grid);
    transposes(grid);
    scalars(grid);
}

/// Every shape at every tier in both forms, both types and both layouts; the tree width rotates.
fn every_shape(grid: &mut Grid) {
    let vectors = GEMV.iter().map(|(n_out, k)| gemv(*n_out, *k));
    let matrices = GEMM.iter().map(|(m, n, k)| gemm(*m, *n, *k));
    for (task_idx, task) in vectors.chain(matrices).enumerate() {
        let tree = reduced([2, 4, 8, 16, 32][task_idx % 5]);
        let (single, double) = specs(&task);
        grid.bulk(&single);
        grid.shared(&single);
        grid.shared_warp(&single);
        grid.warp(&single, Contiguous, Form::Serial);
        grid.warp(&single, Contiguous, tree);
        grid.block(&single, Contiguous, Form::Serial, 64);
        grid.block(&single, Contiguous, tree, 96);
        grid.thread(&single, Interleaved);
        grid.warp(&single, Interleaved, Form::Serial);
        grid.bulk(&double);
        grid.shared(&double);
        grid.warp(&double, Contiguous, tree);
        grid.block(&double, Contiguous, Form::Serial, 96);
        grid.thread(&double, Interleaved);
        grid.warp(&double, Interleaved, Form::Serial);
        grid.block(&double, Interleaved, tree, 64);

        grid.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, tree, 32);
        grid.wgsl(&single, Contiguous, Tier::Block, Form::Serial, 64);
        grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Interleaved, Tier::Warp, Form::Serial, 32);
        grid.wgsl(&single, Interleaved, Tier::Block, tree, 64);

        for spec in [&single, &double] {
            grid.host(spec, Form::Serial);
            grid.host(spec, tree);
        }
    }
    for task in [gemv(7, 14), gemm(9, 4, 7)] {
        let (single, double) = specs(&task);
        grid.thread(&single, Contiguous);
        grid.thread(&double, Contiguous);
        grid.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, Form::Serial, 32);
    }
}

/// Block sizes with and without a ragged last warp, in every form on one shape.
fn thread_counts(grid: &mut Grid) {
    let sweeps: [(String, DType, Layout, &[usize]); 4] = [
        (gemv(7, 14), F32, Contiguous, &TREE_WIDTHS),
        (gemm(9, 4, 7), F64, Interleaved, &[32]),
        (gemm(7, 5, 6), F32, Contiguous, &[4]),
        (gemm(2, 2, 33), F32, Interleaved, &[8]),
    ];
    for (task, dtype, layout, widths) in sweeps {
        let spec = spec(&task, dtype);
        let forms: Vec<_> = [Form::Serial].into_iter().chain(widths.iter().map(|p| reduced(*p))).collect();
        for threads in THREAD_COUNTS {
            for form in &forms {
                grid.block(&spec, layout, *form, threads);
            }
            // In WGSL a tree takes whole warps or, below one, the registers of one thread.
            if dtype == F32 && (threads < 32 || threads % 32 == 0) {
                for form in [forms[0], forms[forms.len() - 1]] {
                    grid.wgsl(&spec, layout, Tier::Block, form, threads);
                }
            }
        }
    }
    for threads in [32, 64, 256] {
        let spec = spec(&gemv(7, 14), F32);
        grid.warp_of(&spec, Contiguous, reduced(8), threads);
        grid.thread_of(&spec, Interleaved, threads);
    }
}

/// Every tree width, above and below the contraction length.
fn tree_widths(grid: &mut Grid) {
    for task in [gemv(7, 14), gemv(33, 5), gemm(2, 2, 33), gemm(4, 4, 64)] {
        let (single, double) = specs(&task);
        for p in TREE_WIDTHS {
            grid.warp(&single, Contiguous, reduced(p));
            grid.warp(&double, Interleaved, reduced(p));
            grid.wgsl(&single, Contiguous, Tier::Warp, reduced(p), 32);
            grid.host(&single, reduced(p));
            grid.host(&double, reduced(p));
        }
    }
}

/// Contraction lengths around powers of two and around the largest written-out contraction.
fn lengths(grid: &mut Grid) {
    for k in [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65] {
        let (single, double) = specs(&gemv(3, k));
        grid.bulk(&single);
        grid.warp(&single, Interleaved, reduced(32));
        grid.warp(&double, Contiguous, reduced(4));
        grid.wgsl(&single, Interleaved, Tier::Warp, reduced(8), 32);
        grid.host(&single, reduced(8));
    }
    // Beyond every written-out text: loops over tiles, and over the terms of one output.
    for task in [gemm(24, 20, 32), gemv(7, 130)] {
        let (single, double) = specs(&task);
        grid.thread(&single, Interleaved);
        grid.warp(&double, Contiguous, Form::Serial);
        grid.block(&single, Contiguous, Form::Serial, 64);
        grid.block(&single, Contiguous, reduced(2), 128);
        grid.block(&double, Interleaved, reduced(16), 31);
        grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, reduced(2), 32);
        grid.host(&single, Form::Serial);
        grid.host(&double, reduced(16));
    }
}

/// Every pair of transposes and storage orders.
fn transposes(grid: &mut Grid) {
    let vectors = [(7, 14), (14, 7), (5, 33), (33, 5)].map(|(n_out, k)| format!("{} trans", gemv(k, n_out)));
    let by_rows = ["row_major", "trans row_major"].map(|flags| format!("{} {flags}", gemv(5, 7)));
    let flags = ["trans_a", "trans_b", "trans_a trans_b", "row_major_c", "trans_a trans_b row_major_c"];
    let shapes = [(1, 1, 1), (8, 1, 5), (1, 8, 5), (5, 8, 1), (9, 4, 7)];
    let matrices =
        shapes.into_iter().flat_map(|(m, n, k)| flags.map(|flags| format!("{} {flags}", gemm(m, n, k))));
    for task in vectors.into_iter().chain(by_rows).chain(matrices) {
        let (single, double) = specs(&task);
        grid.bulk(&single);
        grid.warp(&single, Interleaved, reduced(4));
        grid.thread(&double, Interleaved);
        grid.block(&double, Contiguous, Form::Serial, 33);
        grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, reduced(16), 32);
        grid.host(&single, Form::Serial);
        grid.host(&double, reduced(4));
    }
}

/// Every combination of scalars.
fn scalars(grid: &mut Grid) {
    for task in [gemv(7, 14), gemm(9, 4, 7), gemm(16, 4, 8)] {
        for alpha in ["one", "runtime"] {
            for beta in ["zero", "one", "runtime"] {
                let (single, double) = specs(&format!("{task} alpha={alpha} beta={beta}"));
                grid.bulk(&single);
                grid.shared(&single);
                grid.shared_warp(&single);
                grid.warp(&single, Interleaved, reduced(8));
                grid.thread(&double, Interleaved);
                grid.block(&double, Contiguous, reduced(32), 57);
                grid.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
                grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
                grid.wgsl(&single, Contiguous, Tier::Warp, reduced(8), 32);
                grid.host(&single, Form::Serial);
                grid.host(&double, reduced(8));
            }
        }
    }
}
