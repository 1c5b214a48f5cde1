//! Products with a triangular matrix: the terms of a row end, or start, at its diagonal.

use super::contraction::Sums;
use super::emit::{Emit, Position};
use super::{Index, Stmt};
use crate::spec::Triangle;

pub(super) fn triangle(triangle: &Triangle, emit: &mut Emit<'_>) {
    let sums = Sums { contraction: &triangle.contraction, is_alone: true };
    let n = triangle.contraction.terms[0].extent;
    emit.positions(&triangle.contraction.outputs, |emit, position| {
        let row = position[0].1.clone();
        let acc = emit.label("acc", &sums.indices(position));
        emit.var(&acc, None);
        let off_diagonal = |emit: &mut Emit<'_>, start: &Index, end: &Index| {
            // A matrix of one element has a diagonal only.
            if n > 1 {
                emit.seq("term", start, end, |emit, term| {
                    sums.term(&acc, &with_term(triangle, position, term), "t", emit);
                });
            }
        };
        if triangle.upper {
            diagonal(triangle, sums, &acc, position, emit);
            off_diagonal(emit, &row.plus(Index::constant(1)), &Index::constant(n));
        } else {
            off_diagonal(emit, &Index::default(), &row);
            diagonal(triangle, sums, &acc, position, emit);
        }
        sums.finish(&acc, position, emit);
    });
}

/// The term on the diagonal. `fma(1, b, acc)` is a sum.
fn diagonal(triangle: &Triangle, sums: Sums<'_>, acc: &str, position: &Position, emit: &mut Emit<'_>) {
    let position = with_term(triangle, position, position[0].1.clone());
    if !triangle.unit {
        return sums.term(acc, &position, "d", emit);
    }
    let right = &triangle.contraction.products[0].right;
    let name = format!("{}_d", emit.spec.operands[right.operand].name);
    let value = emit.read(right.operand, &Emit::index(right, &position), &name);
    emit.push(Stmt::Add { acc: acc.to_owned(), value });
}

fn with_term(triangle: &Triangle, position: &Position, term: Index) -> Position {
    [position.as_slice(), &[(triangle.contraction.terms[0].name, term)]].concat()
}
