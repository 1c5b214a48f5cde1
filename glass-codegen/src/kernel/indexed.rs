//! Contractions whose operands lie where words of the problem say. A word becomes a place inside its operand, whatever
//! its bits, so that no address leaves it.

use super::contraction::Sums;
use super::emit::{Emit, Position};
use super::lanes::{self, Outputs, Term};
use super::{Index, IntExpr, Note, Stmt};
use crate::spec::{Indexed, Letter};

/// The word that tells whether an item may write.
const FAULT: &str = "fault";

/// Items one after the other. Each element of a destination has one worker, the same one for every item, so what several
/// items add to it arrives in their order without a barrier.
pub(super) fn indexed(items: &Indexed, unroll_terms: bool, emit: &mut Emit<'_>) {
    emit.seq(items.item, &Index::default(), &Index::constant(items.number.extent), |emit, number| {
        let mut places = places(items, &number, emit);
        let owner = owner(items, &places, emit);
        places.push((items.number.name, number));
        let sums = Sums { contraction: &items.contraction, is_alone: true };
        let item = Item { items, sums, places };
        emit.unless(FAULT, |emit| lanes::dealt(&item, owner, unroll_terms, emit));
    });
}

/// Where the operands of an item lie.
fn places(items: &Indexed, number: &Index, emit: &mut Emit<'_>) -> Position {
    emit.word(FAULT, Index::default());
    let note = emit
        .spec
        .status()
        .map(|_| Note { word: emit.status_word(), number: number.clone().plus(Index::constant(1)) });
    let place = |(place_idx, letter): (usize, &Letter)| {
        let index = number.clone().times(items.places.len()).plus(Index::constant(place_idx));
        let word = emit.read_word(items.words, &index, &format!("word_{}", letter.name));
        let name = format!("at_{}", letter.name);
        let (limit, fault) = (letter.extent - 1, FAULT.to_owned());
        emit.push(Stmt::Place { name: name.clone(), word, limit, fault, note: note.clone() });
        (letter.name, Index::name(&name))
    };
    items.places.iter().enumerate().map(place).collect()
}

/// The integer by which the results of an item are dealt. Where items can overlap in part, it is turned by the place of
/// the results, so that an element still has one worker whichever item it is written by.
fn owner(items: &Indexed, places: &Position, emit: &mut Emit<'_>) -> Option<&'static str> {
    let worker = emit.workers.name?;
    let destination = &items.contraction.destination;
    let turn = places.iter().zip(&items.places).find_map(|((letter, place), limit)| {
        let stride = destination.strides.iter().find(|(name, _)| name == letter)?.1;
        (stride < items.contraction.n_outputs()).then_some((place, stride * (limit.extent - 1)))
    });
    let Some((place, most)) = turn else { return Some(worker) };
    let n_workers = emit.workers.count;
    let ahead = Index::name(worker).plus(Index::constant(most.next_multiple_of(n_workers)));
    emit.int("owner", IntExpr::Rem(ahead.minus(place.clone()), n_workers));
    Some("owner")
}

/// The sums of one item.
struct Item<'s> {
    items: &'s Indexed,
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
        match &self.items.addition {
            Some(addition) => self.sums.finish_with(addition, acc, position, emit),
            None => self.sums.finish(acc, position, emit),
        }
    }
}
