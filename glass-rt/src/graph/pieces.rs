//! Reductions of vectors in several pieces: an operation a piece, each but the first on top of the one before.

use super::{Graph, Handle, Operation, Results, View, Work, refused};
use crate::arena::{self, ScalarArgument, ScalarStep, Slot};
use crate::error::Error;
use crate::reduction::task::{NO_GATE, STATUS};
use crate::reduction::{Map, Reduction, ReductionTask};
use crate::refusal::Refusal;

/// A run of elements without a seam in any input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// For every input the piece that holds it, and where it starts in it.
    places: Vec<(usize, u64)>,
    len: u64,
}

impl Graph {
    /// Adds a reduction of inputs in several pieces each, as many operations as there are runs of elements without a seam in any
    /// input. They are called `NAME 0`, `NAME 1`, ..., and each but the first takes the results of the one before. Empty
    /// pieces add nothing; where all are, the results are set to those of no element: 0, and a status of 1. All of them
    /// have the gate. Returns the number of operations.
    ///
    /// # Errors
    /// Those of [`Graph::add`] and of [`Operation::gated_by`], inputs of unequal length in all, and a mask in other pieces
    /// than what it selects from. Nothing is added then.
    pub fn add_pieces<K: Reduction>(
        &mut self,
        name: &str,
        inputs: &[&[Handle]],
        results: impl Results,
        gate: Option<Slot<u32>>,
    ) -> Result<usize, Error> {
        let lens = self.piece_lens(name, inputs, K::TASK)?;
        // Each operation looks at the gate, also after another one has written the results.
        if results.slots().iter().any(|slot| gate.is_some_and(|gate| gate.word == slot.word)) {
            return Err(refused(name, Refusal::GateIsResult));
        }
        let (n_before, n_views) = (self.nodes.len(), self.views.len());
        let added = match &pieces(&lens)[..] {
            [] => self.nothing(name, results.slots(), K::TASK, gate),
            pieces => self.pieces(name, (inputs, pieces), &results.slots(), K::TASK, gate),
        };
        if added.is_err() {
            for node in self.nodes.drain(n_before..) {
                self.names.remove(&node.name);
            }
            self.views.truncate(n_views);
        }
        added.map(|()| self.nodes.len() - n_before)
    }

    /// The length of every piece.
    fn piece_lens(
        &self,
        name: &str,
        inputs: &[&[Handle]],
        task: &ReductionTask,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let (given, map) = (inputs.len(), task.map);
        if given != map.n_inputs() {
            return Err(refused(name, Refusal::InputCount { given, map }));
        }
        if inputs.iter().copied().flatten().any(|handle| handle.graph != self.id) {
            return Err(refused(name, Refusal::ForeignGraph));
        }
        let lens = |pieces: &&[Handle]| pieces.iter().map(|piece| self.views[piece.view_idx].len).collect();
        let lens: Vec<Vec<u64>> = inputs.iter().map(lens).collect();
        if let [x, second] = &lens[..] {
            let [expected, given] = [x, second].map(|lens| lens.iter().sum());
            if given != expected {
                return Err(refused(name, Refusal::UnequalLengths { given, expected }));
            }
            if map == Map::Select && second != x {
                return Err(refused(name, Refusal::MaskPieces));
            }
        }
        Ok(lens)
    }

    fn pieces(
        &mut self,
        name: &str,
        (inputs, pieces): (&[&[Handle]], &[Piece]),
        slots: &[ScalarArgument],
        task: &'static ReductionTask,
        gate: Option<Slot<u32>>,
    ) -> Result<(), Error> {
        for (idx, Piece { places, len }) in pieces.iter().enumerate() {
            let parts = inputs.iter().zip(places);
            let handles =
                parts.map(|(handles, (piece, start))| self.part(handles[*piece], *start, *len)).collect();
            let added = self.reduce(&format!("{name} {idx}"), task, handles, slots.to_vec())?;
            let added = if idx > 0 { added.accumulated()? } else { added };
            gated(added, gate)?;
        }
        Ok(())
    }

    /// A part of a view as an operand.
    fn part(&mut self, handle: Handle, start: u64, len: u64) -> Handle {
        let view = &self.views[handle.view_idx];
        if len == view.len {
            return handle;
        }
        let (memory, offset) = (view.memory.clone(), view.offset + start);
        self.views.push(View { memory, format: view.format, offset, len, is_part: true });
        Handle { view_idx: self.views.len() - 1, ..handle }
    }

    /// Sets the results to those of no element.
    fn nothing(
        &mut self,
        name: &str,
        slots: Vec<ScalarArgument>,
        task: &ReductionTask,
        gate: Option<Slot<u32>>,
    ) -> Result<(), Error> {
        let words = self.results(name, slots, task)?;
        for (idx, (word, (result, format))) in
            words.into_iter().zip(task.operator.results(task.format)).enumerate()
        {
            let bits = u32::from(result == STATUS);
            let operation = arena::Operation::Literal { bits };
            let step = ScalarStep { operation, format, result: word, gate: NO_GATE };
            gated(self.push(&format!("{name} {idx}"), Work::Scalar(step))?, gate)?;
        }
        Ok(())
    }
}

fn gated(operation: Operation<'_>, gate: Option<Slot<u32>>) -> Result<(), Error> {
    match gate {
        Some(gate) => operation.gated_by(gate).map(drop),
        None => Ok(()),
    }
}

/// The runs without a seam in any of the inputs, whose pieces have these lengths and whose totals are equal.
fn pieces(lens: &[Vec<u64>]) -> Vec<Piece> {
    let mut places = vec![(0, 0); lens.len()];
    let mut pieces = Vec::new();
    loop {
        for ((piece, start), lens) in places.iter_mut().zip(lens) {
            while lens.get(*piece).is_some_and(|len| *start == *len) {
                (*piece, *start) = (*piece + 1, 0);
            }
        }
        let rest = |((piece, start), lens): (&(usize, u64), &Vec<u64>)| Some(lens.get(*piece)? - start);
        let Some(len) = places.iter().zip(lens).filter_map(rest).min() else { return pieces };
        pieces.push(Piece { places: places.clone(), len });
        places.iter_mut().for_each(|(_, start)| *start += len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lens: &[&[u64]]) -> Vec<(Vec<(usize, u64)>, u64)> {
        let lens: Vec<Vec<u64>> = lens.iter().map(|lens| lens.to_vec()).collect();
        pieces(&lens).into_iter().map(|piece| (piece.places, piece.len)).collect()
    }

    #[test]
    fn red_10_inputs_are_cut_at_the_seams_of_both() {
        assert_eq!(cut(&[&[2, 0, 3]]), [(vec![(0, 0)], 2), (vec![(2, 0)], 3)]);
        let both = cut(&[&[2, 3], &[0, 4, 1]]);
        assert_eq!(both, [(vec![(0, 0), (1, 0)], 2), (vec![(1, 0), (1, 2)], 2), (vec![(1, 2), (2, 0)], 1)]);
        assert_eq!(cut(&[&[], &[0, 0]]), []);
    }

    /// Lengths of the pieces of `total` elements, cut behind element `i` where bit `i` is set; empty ones at both ends.
    fn cut_at(total: u64, seams: u64) -> Vec<u64> {
        let ends = (1..total).filter(|end| seams >> (end - 1) & 1 == 1).chain([total, total]);
        let mut start = 0;
        let lens = ends.map(|end| end - std::mem::replace(&mut start, end));
        std::iter::once(0).chain(lens).collect()
    }

    #[test]
    fn red_10_pieces_cover_every_input_in_order() {
        for (total, seams) in (1..6).flat_map(|total| (0..1 << (2 * total)).map(move |seams| (total, seams)))
        {
            let lens = [cut_at(total, seams >> total), cut_at(total, seams & ((1 << total) - 1))];
            let mut next = 0;
            for Piece { places, len } in pieces(&lens) {
                for ((piece, start), lens) in places.iter().zip(&lens) {
                    assert!(len > 0 && start + len <= lens[*piece], "{lens:?}");
                    assert_eq!(lens[..*piece].iter().sum::<u64>() + start, next, "{lens:?}");
                }
                next += len;
            }
            assert_eq!(next, total);
        }
    }
}
