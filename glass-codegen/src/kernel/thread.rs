//! Bodies in which one thread owns every output, in the serial form.

use super::build::{Product, Side};
use super::{Index, Stmt};
use crate::plan::Plan;
use std::collections::HashSet;

/// Straight-line text: the contraction index walks outside, so that both operands stream through once and
/// only the accumulators stay.
pub(super) fn unrolled(product: &Product<'_>, plan: &Plan) -> Vec<Stmt> {
    let outputs = outputs(product.m, product.n);
    let mut stmts = zeros(product, &outputs);
    let mut loads = Loads::new(product, plan);
    for t in 0..product.k {
        stmts.push(Stmt::Comment(format!("term {t}")));
        for i in 0..product.m {
            loads.element(Side::Left, i, 0, t, &mut stmts);
        }
        for j in 0..product.n {
            loads.element(Side::Right, 0, j, t, &mut stmts);
        }
        stmts.extend(outputs.iter().map(|(i, j)| Stmt::Fma {
            acc: format!("acc_{}", product.output_suffix(*i, *j)),
            a: product.name(Side::Left, *i, *j, t),
            b: product.name(Side::Right, *i, *j, t),
        }));
    }
    for (i, j) in outputs {
        let suffix = product.output_suffix(i, j);
        let index = Index::constant(product.element(Side::Output, i, j, 0));
        stmts.extend(product.finish(&format!("acc_{suffix}"), &suffix, index));
    }
    stmts
}

/// Loops over tiles of `rows x cols` outputs; each tile is straight-line over its outputs.
pub(super) fn tiled(product: &Product<'_>, rows: usize, cols: usize, unroll_contraction: bool) -> Vec<Stmt> {
    let outputs = outputs(rows, cols);
    let (n_row_tiles, n_col_tiles) = (product.m / rows, product.n / cols);
    let at = |var: &str, count: usize, size: usize, offset: usize| {
        let first = if count == 1 { Index::default() } else { Index::name(var).times(size) };
        first.plus(Index::constant(offset))
    };
    let row = |i: usize| at("row_tile", n_row_tiles, rows, i);
    let col = |j: usize| at("col_tile", n_col_tiles, cols, j);
    let (a, b) = (product.role(Side::Left), product.role(Side::Right));
    let mut tile = zeros(product, &outputs);
    let term = |t: Index, suffix: &str| {
        let mut stmts = Vec::new();
        for i in 0..rows {
            let index = product.index(Side::Left, &row(i), &Index::default(), &t);
            stmts.push(Stmt::Load {
                names: vec![format!("{a}_{i}{suffix}")],
                operand: product.operand(Side::Left),
                index,
            });
        }
        for j in 0..cols {
            let index = product.index(Side::Right, &Index::default(), &col(j), &t);
            stmts.push(Stmt::Load {
                names: vec![format!("{b}_{j}{suffix}")],
                operand: product.operand(Side::Right),
                index,
            });
        }
        stmts.extend(outputs.iter().map(|(i, j)| Stmt::Fma {
            acc: format!("acc_{}", product.output_suffix(*i, *j)),
            a: format!("{a}_{i}{suffix}"),
            b: format!("{b}_{j}{suffix}"),
        }));
        stmts
    };
    if unroll_contraction {
        for t in 0..product.k {
            tile.push(Stmt::Comment(format!("term {t}")));
            tile.extend(term(Index::constant(t), &format!("_{t}")));
        }
    } else {
        tile.push(Stmt::Loop {
            var: "term".to_owned(),
            count: product.k,
            unroll: Some(4),
            stmts: term(Index::name("term"), ""),
        });
    }
    for (i, j) in &outputs {
        let suffix = product.output_suffix(*i, *j);
        let index = product.index(Side::Output, &row(*i), &col(*j), &Index::default());
        tile.extend(product.finish(&format!("acc_{suffix}"), &suffix, index));
    }
    // A compiler that writes a tile loop out hoists the operands of many tiles at once, and spills them.
    for (var, count) in [("row_tile", n_row_tiles), ("col_tile", n_col_tiles)] {
        if count > 1 {
            tile = vec![Stmt::Loop { var: var.to_owned(), count, unroll: Some(1), stmts: tile }];
        }
    }
    tile
}

/// Output positions in storage order.
fn outputs(rows: usize, cols: usize) -> Vec<(usize, usize)> {
    (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j))).collect()
}

fn zeros(product: &Product<'_>, outputs: &[(usize, usize)]) -> Vec<Stmt> {
    outputs
        .iter()
        .map(|(i, j)| Stmt::Zero { acc: format!("acc_{}", product.output_suffix(*i, *j)) })
        .collect()
}

/// Emits each load just before its first use, whole vectors at a time.
struct Loads<'a> {
    product: &'a Product<'a>,
    plan: &'a Plan,
    loaded: HashSet<(usize, usize)>,
}

impl<'a> Loads<'a> {
    fn new(product: &'a Product<'a>, plan: &'a Plan) -> Loads<'a> {
        Loads { product, plan, loaded: HashSet::new() }
    }

    fn element(&mut self, side: Side, i: usize, j: usize, t: usize, stmts: &mut Vec<Stmt>) {
        let element = self.product.element(side, i, j, t);
        let operand = self.product.operand(side);
        let width = self.plan.accesses[operand].vector_width;
        let first = element - element % width;
        if self.loaded.insert((operand, first)) {
            let names = self.product.names_from(side, first, width.min(self.product.elements(side) - first));
            stmts.push(Stmt::Load { names, operand, index: Index::constant(first) });
        }
    }
}
