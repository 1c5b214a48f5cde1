//! Loops over tiles of outputs that one thread owns; each tile is straight-line over its outputs.

use super::contraction::Sums;
use super::emit::{Emit, Position};
use super::{Index, Stmt};
use crate::spec::Letter;

/// Rows and columns of a tile, and whether its terms are written out.
pub(super) struct Tile {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) unroll_terms: bool,
}

/// A contraction with one product over one letter and a full domain of one or two letters.
pub(super) fn tiled(sums: Sums<'_>, tile: &Tile, emit: &mut Emit<'_>) {
    let letters = &sums.contraction.outputs;
    let row = letters[0];
    let col = letters.get(1).copied().unwrap_or(Letter::new(' ', 1));
    let (n_row_tiles, n_col_tiles) = (row.extent / tile.rows, col.extent / tile.cols);
    // A compiler that writes a tile loop out hoists the operands of many tiles at once, and spills them.
    let stmts = emit.scope(|emit| one(sums, tile, row, col, emit));
    let looped = |var: &str, count: usize, stmts: Vec<Stmt>| match count {
        1 => stmts,
        _ => {
            let (start, end) = (Index::default(), Index::constant(count));
            vec![Stmt::Loop { var: var.to_owned(), start, end, step: 1, unroll: Some(1), stmts }]
        }
    };
    for stmt in looped("col_tile", n_col_tiles, looped("row_tile", n_row_tiles, stmts)) {
        emit.push(stmt);
    }
}

fn one(sums: Sums<'_>, tile: &Tile, row: Letter, col: Letter, emit: &mut Emit<'_>) {
    let at = |var: &str, extent: usize, size: usize, offset: usize| {
        let first = if extent == size { Index::default() } else { Index::name(var).times(size) };
        first.plus(Index::constant(offset))
    };
    let outputs: Vec<(usize, usize)> =
        (0..tile.cols).flat_map(|j| (0..tile.rows).map(move |i| (i, j))).collect();
    let position = |i: usize, j: usize| -> Position {
        vec![
            (row.name, at("row_tile", row.extent, tile.rows, i)),
            (col.name, at("col_tile", col.extent, tile.cols, j)),
        ]
    };
    let acc = |i: usize, j: usize| match sums.contraction.outputs.len() {
        1 => format!("acc_{i}"),
        _ => format!("acc_{i}_{j}"),
    };
    for (i, j) in &outputs {
        emit.var(&acc(*i, *j), None);
    }
    let [term] = sums.contraction.terms.as_slice() else {
        unreachable!("tiles are planned for one summed letter")
    };
    let [product] = sums.contraction.products.as_slice() else {
        unreachable!("tiles are planned for one product")
    };
    let add = |index: Index, suffix: &str, emit: &mut Emit<'_>| {
        for (i, j) in &outputs {
            let position = [position(*i, *j).as_slice(), &[(term.name, index.clone())]].concat();
            // Values are named by the output row or column that first needs them.
            let left = Emit::index(&product.left, &position);
            let left_name = format!("{}_{i}{suffix}", emit.spec.operands[product.left.operand].name);
            let left = emit.read(product.left.operand, &left, &format!("{left_name}_l"));
            let right = Emit::index(&product.right, &position);
            let right_name = format!("{}_{j}{suffix}", emit.spec.operands[product.right.operand].name);
            let right = emit.read(product.right.operand, &right, &format!("{right_name}_r"));
            emit.add_product(product, &acc(*i, *j), &left, &right);
        }
    };
    if tile.unroll_terms {
        for index in 0..term.extent {
            emit.comment(format!("term {index}"));
            add(Index::constant(index), &format!("_{index}"), emit);
        }
    } else {
        let stmts = emit.scope(|emit| add(Index::name("term"), "", emit));
        let (start, end) = (Index::default(), Index::constant(term.extent));
        emit.push(Stmt::Loop { var: "term".to_owned(), start, end, step: 1, unroll: Some(4), stmts });
    }
    for (i, j) in outputs {
        // Names of the epilogue end with its scope.
        emit.block(|emit| sums.finish(&acc(i, j), &position(i, j), emit));
    }
}
