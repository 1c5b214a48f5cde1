//! `P A P' = L D L'` in the lower triangle, with the pivots of Bunch and Kaufman: blocks of `D` of one row or of two.
//!
//! Which a block is differs from problem to problem, so that it is selected, never branched to. A step exchanges one
//! row. A block of two takes two steps: the first one finds it and leaves its column alone, the second one exchanges the
//! row after it and takes the multiples of both columns from the later ones.

use super::build::SIGNS;
use super::emit::Emit;
use super::exchange::{Lines, Offer};
use super::factor::{Taken, pivot_of};
use super::{Constant, Function, Index, Note, PivotKind, Stmt, search};
use crate::spec::{BunchKaufman, Opposite};

/// The word with the row that the open block exchanges.
const PARTNER: &str = "partner";
/// The word with the second row of the last block of two; a number that is no row before there is one.
const SECOND: &str = "second_row";

pub(super) fn bunch_kaufman(factor: &BunchKaufman, emit: &mut Emit<'_>) {
    let n = factor.n;
    copy(factor, emit);
    emit.word(PARTNER, Index::default());
    emit.word(SECOND, Index::constant(n));
    emit.constant("one", Constant::One);
    emit.value("minus_one", Function::Neg, &["one"]);
    emit.constant("threshold", Constant::BunchKaufman);
    let matrix = Lines::rows(factor.target, n, emit);
    emit.block(|emit| Step { factor, matrix, k: Index::default(), before: None }.write(emit));
    emit.seq("step", &Index::constant(1), &Index::constant(n), |emit, k| {
        let before = Some(k.clone().minus(Index::constant(1)));
        Step { factor, matrix, k, before }.write(emit);
    });
}

/// The lower triangle of a matrix that is not factored in its place.
fn copy(factor: &BunchKaufman, emit: &mut Emit<'_>) {
    let BunchKaufman { n, source, target, opposite, .. } = *factor;
    if source == target {
        return;
    }
    let (matrix, end) = (Lines::rows(target, n, emit), Index::constant(n));
    if opposite == Opposite::Zero {
        emit.each("col", &Index::constant(1), &end, |emit, col| {
            emit.seq("above", &Index::default(), &col, |emit, above| {
                let zero = emit.constant(&emit.label("zero", &[&above, &col]), Constant::Zero);
                emit.write(target, &matrix.at(&above, &col), &zero);
            });
        });
    }
    emit.each("col", &Index::default(), &end, |emit, col| {
        emit.seq("row", &col, &end, |emit, row| {
            let place = matrix.at(&row, &col);
            let given = emit.read(source, &place, "given");
            emit.write(target, &place, &given);
        });
    });
    emit.barrier();
}

/// One row of the factors.
struct Step<'f> {
    factor: &'f BunchKaufman,
    matrix: Lines,
    /// The row.
    k: Index,
    /// The row before it, which may have found a block of two.
    before: Option<Index>,
}

/// What a step does, in values that are 1 or 0.
struct Chosen {
    /// It is the second one of a block of two.
    is_second: String,
    /// It is the first one of a block of two.
    is_first: String,
    /// Either.
    is_double: String,
}

/// What the columns of a block are multiplied with.
struct Multipliers {
    /// The reciprocal of its pivot, or of its determinant and its off-diagonal element.
    scale: String,
    /// Diagonal elements of a block of two over the off-diagonal one: of the row itself, and of the row before it.
    ratios: Option<[String; 2]>,
}

/// The elements of a row of `L` in the column of a step and the one before it.
struct Row {
    own: String,
    before: Option<String>,
}

impl Step<'_> {
    fn write(&self, emit: &mut Emit<'_>) {
        let chosen = self.choose(emit);
        self.exchange(&chosen, emit);
        self.eliminate(&chosen, emit);
    }

    fn target(&self) -> usize {
        self.factor.target
    }

    fn next(&self) -> Index {
        self.k.clone().plus(Index::constant(1))
    }

    fn end(&self) -> Index {
        Index::constant(self.factor.n)
    }

    /// A name of this step.
    fn name(&self, base: &str, emit: &Emit<'_>) -> String {
        emit.label(base, &[&self.k])
    }

    /// A value of this step.
    fn value(&self, base: &str, function: Function, args: &[&str], emit: &mut Emit<'_>) -> String {
        emit.value(&self.name(base, emit), function, args)
    }

    /// The largest magnitude of the column below its diagonal is held against the diagonal, and the largest of its own
    /// row beside the diagonal against that one's diagonal.
    fn choose(&self, emit: &mut Emit<'_>) -> Chosen {
        let (matrix, k, next, end) = (self.matrix, &self.k, self.next(), self.end());
        let is_second = self.is_second(emit);
        let (column_size, found) = (self.name("column_size", emit), self.name("largest_row", emit));
        search::largest((&column_size, &found), k, (&next, &end), emit, |emit, i| {
            emit.read(matrix.operand(), &matrix.at(i, k), "candidate_entry")
        });
        self.row_sizes(emit);
        let row_size = emit.var(&self.name("row_size", emit), None);
        let corner = emit.var(&self.name("corner", emit), None);
        emit.seq("candidate", &next, &end, |emit, i| {
            let size = emit.read(self.factor.scratch, &i, "candidate_size");
            emit.take_at(&row_size, &found, &i, &size);
            let diagonal = emit.read(self.target(), &matrix.at(&i, &i), "candidate_diagonal");
            emit.take_at(&corner, &found, &i, &diagonal);
        });
        let given = emit.read(self.target(), &matrix.at(k, k), "given");
        // A quotient first: the products of the definition underflow sooner.
        let growth = self.value("growth", Function::Div, &[&row_size, &column_size], emit);
        let given_size = self.value("given_size", Function::Abs, &[&given], emit);
        let weighted = self.value("weighted", Function::Mul, &[&given_size, &growth], emit);
        let bound = self.value("column_bound", Function::Mul, &["threshold", &column_size], emit);
        let stays = self.value("stays", Function::LessEqual, &[&bound, &weighted], emit);
        let corner_size = self.value("corner_size", Function::Abs, &[&corner], emit);
        let bound = self.value("row_bound", Function::Mul, &["threshold", &row_size], emit);
        let moves = self.value("moves", Function::LessEqual, &[&bound, &corner_size], emit);
        let is_single = self.value("is_single", Function::Max, &[&stays, &moves], emit);
        let is_taken = self.value("is_taken", Function::Max, &[&is_single, &is_second], emit);
        let is_first = self.value("is_first", Function::Not, &[&is_taken], emit);
        let is_double = self.value("is_double", Function::Max, &[&is_first, &is_second], emit);
        let is_new = self.value("is_new", Function::Not, &[&is_second], emit);
        let (own, second) = (self.name("own_row", emit), self.name("next_row", emit));
        emit.word(&own, k.clone());
        emit.take_word(&found, &own, &stays);
        emit.take_word(PARTNER, &found, &is_new);
        emit.word(&second, next);
        emit.take_word(SECOND, &second, &is_first);
        Chosen { is_second, is_first, is_double }
    }

    /// Whether the row before has found a block of two.
    fn is_second(&self, emit: &mut Emit<'_>) -> String {
        let is_second = emit.var(&self.name("is_second", emit), None);
        if self.before.is_some() {
            emit.take_at(&is_second, SECOND, &self.k, "one");
        }
        is_second
    }

    /// The largest magnitude of each later row beside its diagonal, in scratch.
    fn row_sizes(&self, emit: &mut Emit<'_>) {
        let (matrix, k, next, end) = (self.matrix, &self.k, self.next(), self.end());
        emit.each("row", &next, &end, |emit, i| {
            let largest = emit.var(&emit.label("largest", &[&i, k]), None);
            let raise = |emit: &mut Emit<'_>, place: &Index, j: &Index| {
                let entry = emit.read(self.target(), place, "entry");
                let size = emit.label("size", &[&i, j, k]);
                let value = emit.value(&size, Function::Abs, &[&entry]);
                emit.push(Stmt::Raise { acc: largest.clone(), value, keeps_nan: false });
            };
            emit.seq("left", k, &i, |emit, j| raise(emit, &matrix.at(&i, &j), &j));
            let below = i.clone().plus(Index::constant(1));
            emit.seq("below", &below, &end, |emit, j| raise(emit, &matrix.at(&j, &i), &j));
            emit.write(self.factor.scratch, &i, &largest);
        });
        emit.barrier();
    }

    /// Rows and columns `k` and that of the block; a block of two waits for its second step.
    fn exchange(&self, chosen: &Chosen, emit: &mut Emit<'_>) {
        let (matrix, k, next, end) = (self.matrix, &self.k, self.next(), self.end());
        let word = self.name("exchanged_row", emit);
        emit.complement(&word, PARTNER, &chosen.is_first);
        // Every worker has chosen before anything moves.
        emit.barrier();
        emit.each("col", &Index::default(), k, |emit, j| matrix.exchange(k, &j, &word, emit));
        let operand = self.target();
        // The column above the other row's diagonal is that row's part to the left of it.
        emit.each("col", &next, &Index::constant(self.factor.n - 1), |emit, j| {
            let below = j.clone().plus(Index::constant(1));
            let (top, others) = (matrix.at(&j, k), (&below, &end));
            let offer = Offer { operand, name: "col", labels: [k, &j], top, others };
            offer.exchange(&word, emit, |i| matrix.at(i, &j));
        });
        emit.barrier();
        let after = next.clone().plus(Index::constant(1));
        emit.each("row", &after, &end, |emit, i| {
            let (top, others) = (matrix.at(&i, k), (&next, &i));
            let offer = Offer { operand, name: "row", labels: [k, &i], top, others };
            offer.exchange(&word, emit, |j| matrix.at(&i, j));
        });
        emit.once(|emit| {
            let (top, others) = (matrix.at(k, k), (&next, &end));
            let offer = Offer { operand, name: "diagonal", labels: [k, k], top, others };
            offer.exchange(&word, emit, |i| matrix.at(i, i));
        });
        emit.barrier();
    }

    /// Takes the multiples of the columns of a complete block from the later ones, and scales them.
    fn eliminate(&self, chosen: &Chosen, emit: &mut Emit<'_>) {
        let (matrix, k, next, end) = (self.matrix, &self.k, self.next(), self.end());
        let own = emit.read(self.target(), &matrix.at(k, k), "own_diagonal");
        self.count(&own, chosen, emit);
        // The first row of a block of two has no pivot, and its second one has that of both: 1 is a good one.
        let value = self.value("candidate_pivot", Function::Select, &[&chosen.is_double, "one", &own], emit);
        let Taken { pivot, reciprocal } = pivot_of(PivotKind::General, &value, k, emit);
        // Behind a bad pivot the column is not scaled.
        let scale = self.value("scale", Function::OrOne, &[&reciprocal], emit);
        let (multipliers, off_diagonal) = match &self.before {
            None => (Multipliers { scale, ratios: None }, None),
            Some(before) => self.double(before, &own, scale, chosen, emit),
        };
        emit.each("row", &next, &end, |emit, i| {
            let row = self.row(&i, &multipliers, chosen, emit);
            emit.seq("later", &next, &i.clone().plus(Index::constant(1)), |emit, j| {
                self.update(&i, &j, &row, chosen, emit);
            });
        });
        // Every worker has read both columns before they are scaled.
        emit.barrier();
        emit.each("row", &next, &end, |emit, i| {
            let row = self.row(&i, &multipliers, chosen, emit);
            emit.write(self.target(), &matrix.at(&i, k), &row.own);
            if let (Some(before), Some(value)) = (&self.before, &row.before) {
                emit.write(self.target(), &matrix.at(&i, before), value);
            }
        });
        let diagonal = self.value("diagonal", Function::Select, &[&chosen.is_double, &own, &pivot], emit);
        let word = self.name("pivot_word", emit);
        emit.complement(&word, PARTNER, &chosen.is_double);
        emit.once(|emit| {
            emit.write(self.target(), &matrix.at(k, k), &diagonal);
            if let (Some(before), Some(value)) = (&self.before, &off_diagonal) {
                emit.write(self.target(), &matrix.at(k, before), value);
            }
            emit.write_word(self.factor.pivots, k.clone(), &word);
        });
        emit.barrier();
    }

    /// The signs of `D`: the determinant of a block of two is negative, or there were two blocks of one.
    fn count(&self, own: &str, chosen: &Chosen, emit: &mut Emit<'_>) {
        if emit.spec.inertia().is_none() {
            return;
        }
        let value = self.value("sign", Function::Select, &[&chosen.is_second, "minus_one", own], emit);
        let value = self.value("own_sign", Function::Select, &[&chosen.is_first, "one", &value], emit);
        for (sign, word) in SIGNS {
            emit.push(Stmt::CountSign { word: word.to_owned(), sign, value: value.clone() });
        }
    }

    /// What the columns of a block are multiplied with where this row may be the second one of two, and the element off
    /// the diagonal of a block of two: NaN in a bad one.
    fn double(
        &self,
        before: &Index,
        own: &str,
        single: String,
        chosen: &Chosen,
        emit: &mut Emit<'_>,
    ) -> (Multipliers, Option<String>) {
        let (matrix, k) = (self.matrix, &self.k);
        let first = emit.read(self.target(), &matrix.at(before, before), "first_diagonal");
        let off = emit.read(self.target(), &matrix.at(k, before), "off_diagonal");
        let is_second = chosen.is_second.as_str();
        let value = self.value("candidate_off", Function::Select, &[is_second, &off, "one"], emit);
        let coupling = self.pivot("coupling", &value, None, emit);
        let inverse = coupling.reciprocal.as_str();
        let ratios = [
            self.value("own_ratio", Function::Mul, &[own, inverse], emit),
            self.value("first_ratio", Function::Mul, &[&first, inverse], emit),
        ];
        // In units of the element off the diagonal, whose square may underflow.
        let factors = [ratios[0].as_str(), &ratios[1], "minus_one"];
        let value = self.value("relative", Function::Fma, &factors, emit);
        let value = self.value("candidate_determinant", Function::Select, &[is_second, &value, "one"], emit);
        let note = emit.spec.status().map(|_| Note { word: emit.status_word(), number: k.clone() });
        let determinant = self.pivot("determinant", &value, note, emit);
        let both = self.value("both", Function::Mul, &[&determinant.reciprocal, inverse], emit);
        let scale = self.value("block_scale", Function::Select, &[is_second, &both, &single], emit);
        let pivot = determinant.pivot.as_str();
        let is_number = self.value("is_number", Function::Equal, &[pivot, pivot], emit);
        let off = self.value("kept_off", Function::Select, &[&is_number, &off, pivot], emit);
        (Multipliers { scale, ratios: Some(ratios) }, Some(off))
    }

    fn pivot(&self, base: &str, value: &str, note: Option<Note>, emit: &mut Emit<'_>) -> Taken {
        let taken = Taken {
            pivot: self.name(base, emit),
            reciprocal: self.name(&format!("{base}_reciprocal"), emit),
        };
        let (pivot, reciprocal) = (taken.pivot.clone(), taken.reciprocal.clone());
        emit.push(Stmt::Pivot { kind: PivotKind::General, value: value.to_owned(), pivot, reciprocal, note });
        taken
    }

    /// Row `i` of `L`: with `u`, `v` its elements before the scale and `p`, `q` those after it, `q` alone, or
    /// `fma(own ratio, p, -q)` and `fma(first ratio, q, -p)`. In the first step of a block of two, `v` itself.
    fn row(&self, i: &Index, multipliers: &Multipliers, chosen: &Chosen, emit: &mut Emit<'_>) -> Row {
        let (k, is_second) = (&self.k, chosen.is_second.as_str());
        let made = |emit: &mut Emit<'_>, base: &str, function, args: &[&str]| {
            emit.value_once(&emit.label(base, &[i, k]), function, args)
        };
        let scale = multipliers.scale.as_str();
        let own = emit.read(self.target(), &self.matrix.at(i, k), "row_entry");
        let own = made(emit, "scaled", Function::Mul, &[&own, scale]);
        let (Some(before), Some([own_ratio, first_ratio])) = (&self.before, &multipliers.ratios) else {
            return Row { own, before: None };
        };
        let given = emit.read(self.target(), &self.matrix.at(i, before), "row_entry_before");
        let first = made(emit, "scaled_before", Function::Mul, &[&given, scale]);
        let negated_own = made(emit, "negated", Function::Neg, &[&own]);
        let negated_first = made(emit, "negated_before", Function::Neg, &[&first]);
        let pair_own = made(emit, "pair", Function::Fma, &[first_ratio, &own, &negated_first]);
        let pair_first = made(emit, "pair_before", Function::Fma, &[own_ratio, &first, &negated_own]);
        Row {
            own: made(emit, "factor", Function::Select, &[is_second, &pair_own, &own]),
            before: Some(made(emit, "factor_before", Function::Select, &[is_second, &pair_first, &given])),
        }
    }

    /// Element `(i, j)` less what the block contributes, the first column's part before the second one's.
    fn update(&self, i: &Index, j: &Index, row: &Row, chosen: &Chosen, emit: &mut Emit<'_>) {
        let (matrix, k) = (self.matrix, &self.k);
        let labels = [i, j, k];
        let old = emit.read(self.target(), &matrix.at(i, j), "old");
        let mut value = old.clone();
        if let (Some(before), Some(factor)) = (&self.before, &row.before) {
            let right = emit.read(self.target(), &matrix.at(j, before), "column_before");
            let acc = emit.var(&emit.label("pair_updated", &labels), Some(&value));
            emit.subtract(&acc, factor, &right);
            let name = emit.label("halfway", &labels);
            value = emit.value(&name, Function::Select, &[&chosen.is_second, &acc, &old]);
        }
        let right = emit.read(self.target(), &matrix.at(j, k), "column");
        let acc = emit.var(&emit.label("updated", &labels), Some(&value));
        emit.subtract(&acc, &row.own, &right);
        let name = emit.label("entry", &labels);
        let value = emit.value(&name, Function::Select, &[&chosen.is_first, &old, &acc]);
        emit.write(self.target(), &matrix.at(i, j), &value);
    }
}
