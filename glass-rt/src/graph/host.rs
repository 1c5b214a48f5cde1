//! Runs a graph on the processor.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::lower::{LevelStep, Part, Source, VectorStep};
use super::memories::{Guard, Held, Memories};
use super::{Lowered, Step};
use crate::error::Error;
use crate::host::CHUNK_BYTES;
use crate::kernel::Target;
use crate::reduction::task::NO_GATE;
use crate::storage::{Storage, foreign};
use crate::vector_op::host::{Elements, Product, spread};
use crate::word::Format;

/// A graph and its partial sums.
pub(super) struct Program {
    steps: Vec<Step>,
    partials: Mutex<Vec<Vec<u32>>>,
}

impl Program {
    pub(super) fn new(lowered: Lowered) -> Program {
        let partials = lowered.memories.iter().map(|len| vec![0; *len]).collect();
        Program { steps: lowered.steps, partials: Mutex::new(partials) }
    }

    pub(super) fn run(&self, memories: &Memories, held: &mut Held<'_>) -> Result<(), Error> {
        let mut partials = self.partials.lock().unwrap_or_else(PoisonError::into_inner);
        let arena = held.arena.host_mut().ok_or_else(|| foreign(Target::Host))?.as_mut_slice();
        let (of_view, vectors) = (&memories.of_view[..], &mut held.vectors[..]);
        let mut run = Run { of_view, arena, vectors, partials: &mut partials };
        self.steps.iter().try_for_each(|step| run.step(step))
    }
}

/// What a run works on.
struct Run<'a, 'b> {
    /// For every view the index of its vector.
    of_view: &'a [usize],
    arena: &'a mut [u32],
    vectors: &'a mut [Guard<'b>],
    partials: &'a mut [Vec<u32>],
}

impl Run<'_, '_> {
    fn step(&mut self, step: &Step) -> Result<(), Error> {
        match step {
            Step::Scalar(scalar) if self.is_on(scalar.gate) => scalar.run(self.arena),
            Step::Level(level) if self.is_on(level.gate) => self.level(level)?,
            Step::Vector(vector) => {
                if let Some(cleared) = vector.cleared {
                    self.arena[cleared as usize] = 0;
                }
                if self.is_on(vector.gate) {
                    self.vector(vector)?;
                }
            }
            Step::Scalar(_) | Step::Level(_) => {}
            Step::Kernel(_) => {
                let message = "a kernel of another target in a graph of the host".into();
                return Err(Error::Backend { target: Target::Host, call: "running a graph", message });
            }
        }
        Ok(())
    }

    fn is_on(&self, gate: u32) -> bool {
        gate == NO_GATE || self.arena[gate as usize] != 0
    }

    fn level(&mut self, step: &LevelStep) -> Result<(), Error> {
        let mut total = vec![0; step.n_words];
        let mut partials = step.partials.map(|memory| (memory, std::mem::take(&mut self.partials[memory])));
        let sums = match &mut partials {
            Some((_, partials)) => &mut partials[..step.n_groups * step.n_words],
            None => &mut total[..],
        };
        let x = self.elements(step.x);
        let y = step.y.map(|y| self.elements(y)).transpose();
        let computed = x.and_then(|x| {
            sums_of(step, x, y?, sums);
            Ok(())
        });
        match partials {
            Some((memory, partials)) => self.partials[memory] = partials,
            None => self.finish(step, &total),
        }
        computed
    }

    /// Writes the results of a reduction.
    fn finish(&mut self, step: &LevelStep, total: &[u32]) {
        let slots = || step.slots.iter().map(|slot| *slot as usize);
        let old: Vec<u32> = slots().map(|slot| self.arena[slot]).collect();
        let mut results = vec![0; old.len()];
        (step.finish)(total, step.accumulate.then_some(&old[..]), &mut results);
        slots().zip(results).for_each(|(slot, result)| self.arena[slot] = result);
    }

    /// The elements of a binding.
    fn elements(&self, source: Source) -> Result<&[u32], Error> {
        match source {
            Source::View(part) => {
                let words = self.vectors[self.of_view[part.view_idx]].words();
                Ok(&host_words(words)?[part.range()])
            }
            Source::Partials { memory, len } => Ok(&self.partials[memory][..len as usize]),
            Source::Arena | Source::Handover => Err(foreign(Target::Host)),
        }
    }

    fn vector(&mut self, step: &VectorStep) -> Result<(), Error> {
        let Run { of_view, arena, vectors, partials } = self;
        let scalars: Vec<f32> = step
            .task
            .scalars
            .iter()
            .zip(&step.words)
            .map(|(scalar, word)| {
                let bits = arena[*word as usize];
                match scalar.format {
                    Format::F32 => f32::from_bits(bits),
                    Format::U32 | Format::I32 => f32::from(u8::from(bits != 0)),
                }
            })
            .collect();
        let Vectors { read, written: outputs } = Vectors::of(vectors, of_view, &step.outputs)?;
        let words = |part: &Part| &read[of_view[part.view_idx]][part.range()];
        let inputs: Vec<&[f32]> = step.inputs.iter().map(|part| bytemuck::cast_slice(words(part))).collect();
        let product = |[offsets, columns, values, vector]: &[Part; 4]| Product {
            offsets: words(offsets),
            columns: words(columns),
            values: bytemuck::cast_slice(words(values)),
            vector: bytemuck::cast_slice(words(vector)),
        };
        let products: Vec<Product<'_>> = step.products.iter().map(product).collect();
        let of_groups: &mut [f32] = match step.partials {
            Some(memory) => {
                let words = &mut partials[memory][..step.n_groups * step.task.n_sums as usize];
                bytemuck::cast_slice_mut(words)
            }
            None => &mut [],
        };
        let sums = of_groups.chunks_mut(step.n_groups).collect();
        let elements = Elements {
            first: 0,
            n: step.n,
            inputs: &inputs,
            products: &products,
            outputs,
            sums,
            scalars: &scalars,
        };
        spread(step.element, step.group_elements, elements);
        let mut sums = vec![0.0f32; step.task.n_sums as usize];
        for (sum, of_groups) in sums.chunks_mut(1).zip(of_groups.chunks(step.n_groups)) {
            (step.fold)(bytemuck::cast_slice(of_groups), None, bytemuck::cast_slice_mut(sum));
        }
        if let Some(scalar_step) = step.step {
            scalar_step(&sums, &step.words, arena);
        }
        Ok(())
    }
}

/// The vectors of a graph as one operation uses them.
struct Vectors<'a> {
    /// All words of each vector; none where the operation writes it.
    read: Vec<&'a [u32]>,
    /// The elements that are written.
    written: Vec<&'a mut [f32]>,
}

impl<'a> Vectors<'a> {
    fn of(guards: &'a mut [Guard<'_>], of_view: &[usize], written: &[Part]) -> Result<Self, Error> {
        let mut guards: Vec<Option<&mut Guard<'_>>> = guards.iter_mut().map(Some).collect();
        // A vector that is written has one view, and that view one place in the operation.
        let written = written.iter().map(|part| {
            let guard = guards[of_view[part.view_idx]].take();
            let words = guard.and_then(Guard::words_mut).and_then(Storage::host_mut);
            let words = words.ok_or_else(|| foreign(Target::Host))?.as_mut_slice();
            Ok(bytemuck::cast_slice_mut(&mut words[part.range()]))
        });
        let written = written.collect::<Result<_, Error>>()?;
        let words =
            |guard: Option<&'a mut Guard<'_>>| guard.map_or(Ok(&[][..]), |guard| host_words(guard.words()));
        Ok(Vectors { read: guards.into_iter().map(words).collect::<Result<_, Error>>()?, written })
    }
}

fn host_words(words: &Storage<u32>) -> Result<&[u32], Error> {
    words.host().map(|words| words.as_slice()).ok_or_else(|| foreign(Target::Host))
}

/// Evaluates all groups of a level, on all cores where that is worth it.
fn sums_of(step: &LevelStep, x: &[u32], y: Option<&[u32]>, sums: &mut [u32]) {
    let n_groups = (CHUNK_BYTES / size_of::<u32>() / step.group_words).max(1);
    if step.n_groups <= n_groups {
        return (step.entry)(x, y, sums);
    }
    let chunk = n_groups * step.group_words;
    sums.par_chunks_mut(n_groups * step.n_words).enumerate().for_each(|(idx, sums)| {
        let part = |words: &[u32]| idx * chunk..words.len().min((idx + 1) * chunk);
        (step.entry)(&x[part(x)], y.map(|y| &y[part(y)]), sums);
    });
}
