//! Solves with the block diagonal `D` of `P A P' = L D L'`: which rows are blocks of two is a matter of selection.

use super::emit::Emit;
use super::{Constant, Function, Index, Stmt};
use crate::spec::{BlockDiagonal, Blocks};

/// The word with the second row of the last block of two; a number that is no row before there is one.
const SECOND: &str = "last_second_row";

pub(super) fn blocks(blocks: &Blocks, emit: &mut Emit<'_>) {
    emit.constant("one", Constant::One);
    emit.value("minus_one", Function::Neg, &["one"]);
    emit.once(|emit| words(blocks, emit));
    emit.barrier();
    inverses(blocks, emit);
}

/// Row by row: whether a word starts a block depends on the words before it.
fn words(blocks: &Blocks, emit: &mut Emit<'_>) {
    let end = Index::constant(blocks.n);
    emit.word(SECOND, end.clone());
    emit.seq("step", &Index::default(), &end, |emit, k| {
        let word = emit.read_word(blocks.pivots, &k, "pivot_word");
        let is_second = emit.var(&emit.label("is_second", &[&k]), None);
        emit.take_at(&is_second, SECOND, &k, "one");
        let row = emit.complement(&emit.label("exchanged_row", &[&k]), &word, &is_second);
        emit.write_word(blocks.rows, k.clone(), &row);
        let is_negative = emit.label("is_negative", &[&k]);
        emit.push(Stmt::IsNegative { name: is_negative.clone(), word });
        let is_first =
            emit.value(&emit.label("is_first", &[&k]), Function::Less, &[&is_second, &is_negative]);
        let (next, second) = (emit.label("next_row", &[&k]), emit.label("second_row", &[&k]));
        // The last row starts no block: the row after it is the number that is no row.
        emit.word(&next, k.clone().plus(Index::constant(1)));
        emit.take_word(SECOND, &next, &is_first);
        emit.word(&second, end.clone());
        emit.take_word(&second, &next, &is_first);
        emit.write_word(blocks.seconds, k, &second);
    });
}

/// The inverses of all pairs of rows, of which those of blocks are kept.
fn inverses(blocks: &Blocks, emit: &mut Emit<'_>) {
    let pairs = Index::constant(blocks.n - 1);
    emit.each("row", &Index::default(), &pairs, |emit, k| {
        let Pair { scale, ratios } = pair(blocks, &k, emit);
        for (column, ratio) in ratios.iter().enumerate() {
            emit.write(blocks.ratios, &ratio_at(blocks.n, &k, column), ratio);
        }
        keep(blocks, (&k, &k), &scale, emit);
    });
    // The reciprocals of first rows are in their places before those of second rows are.
    emit.barrier();
    emit.each("row", &Index::default(), &pairs, |emit, k| {
        let Pair { scale, .. } = pair(blocks, &k, emit);
        keep(blocks, (&k, &k.clone().plus(Index::constant(1))), &scale, emit);
    });
}

/// The inverse of rows `k` and `k + 1` as a block: what it is multiplied with, and what its diagonal is in units of the
/// element off it, the second row's first.
struct Pair {
    scale: String,
    ratios: [String; 2],
}

fn pair(blocks: &Blocks, k: &Index, emit: &mut Emit<'_>) -> Pair {
    let next = k.clone().plus(Index::constant(1));
    let read = |emit: &mut Emit<'_>, i: &Index, j: &Index, name: &str| {
        emit.read(blocks.factors, &i.clone().plus(j.clone().times(blocks.n)), name)
    };
    let first = read(emit, k, k, "first_diagonal");
    let off = read(emit, &next, k, "off_diagonal");
    let second = read(emit, &next, &next, "second_diagonal");
    let mut made = |base: &str, function, args: &[&str]| {
        let name = emit.label(base, &[k]);
        emit.value_once(&name, function, args)
    };
    let inverse = made("coupling", Function::Reciprocal, &[&off]);
    let ratios = [("second_ratio", &second), ("first_ratio", &first)]
        .map(|(base, diagonal)| made(base, Function::Mul, &[diagonal, &inverse]));
    let determinant = made("relative", Function::Fma, &[&ratios[0], &ratios[1], "minus_one"]);
    let determinant = made("determinant", Function::Reciprocal, &[&determinant]);
    Pair { scale: made("scale", Function::Mul, &[&determinant, &inverse]), ratios }
}

/// The reciprocal of row `i` is that of the block where row `k` starts one.
fn keep(blocks: &Blocks, (k, i): (&Index, &Index), scale: &str, emit: &mut Emit<'_>) {
    let second = emit.read_word(blocks.seconds, k, "second_row");
    let own = emit.read(blocks.reciprocals, i, "reciprocal");
    let kept = emit.var(&emit.label("kept_reciprocal", &[k, i]), Some(&own));
    emit.take_at(&kept, &second, &k.clone().plus(Index::constant(1)), scale);
    emit.write(blocks.reciprocals, i, &kept);
}

fn ratio_at(n: usize, k: &Index, column: usize) -> Index {
    k.clone().plus(Index::constant(column * n))
}

/// Each pair of rows becomes that of a block, or stays.
pub(super) fn solve(diagonal: &BlockDiagonal, emit: &mut Emit<'_>) {
    let BlockDiagonal { n, nrhs, target, seconds, ratios } = *diagonal;
    if n == 1 {
        return;
    }
    emit.each("rhs", &Index::default(), &Index::constant(nrhs), |emit, rhs| {
        emit.seq("step", &Index::default(), &Index::constant(n - 1), |emit, k| {
            let next = k.clone().plus(Index::constant(1));
            let second = emit.read_word(seconds, &k, "second_row");
            let rows = [(&k, "first"), (&next, "second")];
            let places = rows.map(|(i, _)| i.clone().plus(rhs.clone().times(n)));
            let old = [0, 1].map(|row| emit.read(target, &places[row], rows[row].1));
            for (row, (_, name)) in rows.iter().enumerate() {
                let name = |base: &str| format!("{base}_{name}");
                let ratio = emit.read(ratios, &ratio_at(n, &k, row), &name("ratio_of"));
                let labels = [&k, &rhs];
                let negated = emit.label(&name("beside"), &labels);
                let negated = emit.value(&negated, Function::Neg, &[&old[1 - row]]);
                let solved = emit.label(&name("solved"), &labels);
                let solved = emit.value(&solved, Function::Fma, &[&ratio, &old[row], &negated]);
                let kept = emit.var(&emit.label(&name("kept"), &labels), Some(&old[row]));
                emit.take_at(&kept, &second, &next, &solved);
                emit.write(target, &places[row], &kept);
            }
        });
    });
}
