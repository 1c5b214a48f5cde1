//! Runs a graph on the processor.

use std::sync::{Mutex, PoisonError, RwLockReadGuard};

use rayon::prelude::*;

use super::lower::Source;
use super::{LevelCode, LevelStep, Lowered, Step, View};
use crate::error::Error;
use crate::kernel::Target;
use crate::reduction::LevelEntry;
use crate::reduction::task::NO_GATE;
use crate::storage::{Storage, foreign};
use crate::vector::Memory;

/// Bytes of elements in one unit of work: many units per core to balance, few enough that scheduling is noise.
const CHUNK_BYTES: usize = 256 * 1024;

/// A graph and its scalars.
pub(super) struct Program {
    steps: Vec<Step>,
    memories: Vec<Memory>,
    /// For every view the index of its memory.
    memory_of: Vec<usize>,
    state: Mutex<State>,
}

/// What a run reads, locked once for all of it.
type Words<'a> = [RwLockReadGuard<'a, Storage<u32>>];

struct State {
    arena: Vec<u32>,
    partials: Vec<Vec<f32>>,
}

impl Program {
    pub(super) fn new(lowered: Lowered, views: Vec<View>) -> Program {
        let mut memories: Vec<Memory> = Vec::new();
        let mut memory_of = Vec::with_capacity(views.len());
        for View { memory, .. } in views {
            let known = memories.iter().position(|other| other.is(&memory));
            memory_of.push(known.unwrap_or(memories.len()));
            if known.is_none() {
                memories.push(memory);
            }
        }
        let partials = lowered.memories.iter().map(|len| vec![0.0; *len]).collect();
        let state = Mutex::new(State { arena: vec![0; lowered.n_words], partials });
        Program { steps: lowered.steps, memories, memory_of, state }
    }

    pub(super) fn run(&self) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<_> = self.memories.iter().map(Memory::words).collect();
        self.steps.iter().try_for_each(|step| match step {
            Step::Level(level) if state.is_on(level.arguments.gate) => self.level(level, &words, &mut state),
            Step::Scalar(scalar) if state.is_on(scalar.gate) => {
                scalar.run(&mut state.arena);
                Ok(())
            }
            Step::Level(_) | Step::Scalar(_) => Ok(()),
        })
    }

    pub(super) fn read(&self, word: u32) -> u32 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).arena[word as usize]
    }

    fn level(&self, step: &LevelStep, words: &Words<'_>, state: &mut State) -> Result<(), Error> {
        let LevelCode::Host(entry) = step.code else {
            let message = "a kernel of another target in a graph of the host".into();
            return Err(Error::Backend { target: Target::Host, call: "running a graph", message });
        };
        let mut result = [0.0];
        let mut partials = step.partials.map(|memory| (memory, std::mem::take(&mut state.partials[memory])));
        let sums = match &mut partials {
            Some((_, partials)) => &mut partials[..step.arguments.n_groups as usize],
            None => &mut result[..],
        };
        let x = self.elements(step.x, step.arguments.x_start, words, state);
        let y = step.y.map(|y| self.elements(y, step.arguments.y_start, words, state)).transpose();
        let computed = x.and_then(|x| {
            sums_of(entry, step.group_elements, x, y?, sums);
            Ok(())
        });
        match partials {
            Some((memory, partials)) => state.partials[memory] = partials,
            None => state.store(step, result[0]),
        }
        computed
    }

    /// The elements of a binding from `start` on.
    fn elements<'a>(
        &self,
        source: Source,
        start: u32,
        words: &'a Words<'_>,
        state: &'a State,
    ) -> Result<&'a [f32], Error> {
        match source {
            Source::View { view_idx, start: binding, len } => {
                let words = words[self.memory_of[view_idx]].host().ok_or_else(|| foreign(Target::Host))?;
                // Vectors lie in this machine's memory, so their lengths fit it.
                let binding = &words.as_slice()[binding as usize..(binding + len) as usize];
                Ok(&bytemuck::cast_slice(binding)[start as usize..])
            }
            Source::Partials { memory, len } => Ok(&state.partials[memory][..len as usize]),
        }
    }
}

impl State {
    fn is_on(&self, gate: u32) -> bool {
        gate == NO_GATE || self.arena[gate as usize] != 0
    }

    fn store(&mut self, step: &LevelStep, sum: f32) {
        let word = &mut self.arena[step.arguments.slot as usize];
        let result = if step.arguments.accumulate { f32::from_bits(*word) + sum } else { sum };
        *word = result.to_bits();
    }
}

/// Evaluates all groups of a level, on all cores where that is worth it.
fn sums_of(entry: LevelEntry, group_elements: usize, x: &[f32], y: Option<&[f32]>, sums: &mut [f32]) {
    let n_groups = (CHUNK_BYTES / size_of::<f32>() / group_elements).max(1);
    if sums.len() <= n_groups {
        return entry(x, y, sums);
    }
    let chunk = n_groups * group_elements;
    sums.par_chunks_mut(n_groups).enumerate().for_each(|(idx, sums)| {
        let part = |elements: &[f32]| idx * chunk..elements.len().min((idx + 1) * chunk);
        entry(&x[part(x)], y.map(|y| &y[part(y)]), sums);
    });
}
