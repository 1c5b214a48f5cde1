//! Contractions whose operands lie where words of the problem say. A word becomes a place inside its operand, whatever
//! its bits, so that no address leaves it.

use super::contraction::Sums;
use super::emit::{Emit, Position};
use super::lanes::{self, Outputs, Term};
use super::{Index, Note, Stmt};
use crate::spec::{Indexed, Letter};

/// The word that tells whether an item may write.
const FAULT: &str = "fault";

/// Items one after the other. Each element of a destination has one worker, the same one for every item, so what several
/// items add to it arrives in their order without a barrier.
pub(super) fn indexed(items: &Indexed, unroll_terms: bool, emit: &mut Emit<'_>) {
    emit.seq(items.item, &Index::default(), &Index::constant(items.count), |emit, item| {
        let places = places(items, &item, emit);
        let sums = Sums { contraction: &items.contraction, is_alone: true };
        let worker = emit.workers.name;
        emit.unless(FAULT, |emit| lanes::dealt(&Item { sums, places }, worker, unroll_terms, emit));
    });
}

/// Where the operands of an item lie.
fn places(items: &Indexed, item: &Index, emit: &mut Emit<'_>) -> Position {
    emit.word(FAULT, Index::default());
    let number = item.clone().plus(Index::constant(1));
    let status = emit.status_word();
    let note = emit.spec.status().map(|_| Note { word: status, number });
    let n_words = items.places.len();
    let place = |(place_idx, letter): (usize, &Letter)| {
        let index = item.clone().times(n_words).plus(Index::constant(place_idx));
        let word = emit.read_word(items.words, &index, &format!("{}_word", letter.name));
        let name = format!("{}_at", letter.name);
        let (limit, fault) = (letter.extent - 1, FAULT.to_owned());
        emit.push(Stmt::Place { name: name.clone(), word, limit, fault, note: note.clone() });
        (letter.name, Index::name(&name))
    };
    items.places.iter().enumerate().map(place).collect()
}

/// The sums of one item.
struct Item<'s> {
    sums: Sums<'s>,
    places: Position,
}

impl Outputs for Item<'_> {
    fn n_outputs(&self) -> usize {
        self.sums.n_outputs()
    }

    fn n_terms(&self) -> usize {
        self.sums.n_terms()
    }

    fn position(&self, output: &str, emit: &mut Emit<'_>) -> Position {
        [self.sums.position(output, emit), self.places.clone()].concat()
    }

    fn term(&self, acc: &str, position: &Position, term: Term<'_>, emit: &mut Emit<'_>) {
        Outputs::term(&self.sums, acc, position, term, emit);
    }

    fn finish(&self, acc: &str, position: &Position, emit: &mut Emit<'_>) {
        self.sums.finish(acc, position, emit);
    }
}
