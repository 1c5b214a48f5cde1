//! Spreads the tiles of a batch over the cores.

use rayon::prelude::*;

use super::tile::{Chunk, Work};
use super::{Args, Input, Output, Words};
use crate::element::Real;
use crate::layout::{Layout, TILE};

/// Below this many bytes of operands a batch runs on the calling thread: waking the pool costs more.
const SERIAL_BYTES: usize = 128 * 1024;
/// Bytes of operands in one unit of work: many units per core to balance, few enough that scheduling is noise.
pub(crate) const CHUNK_BYTES: usize = 256 * 1024;

/// Runs `work` over all tiles of a batch.
pub(super) fn run<T: Real>(args: &mut Args<'_, T>, work: Work<T>) {
    let Args { inputs, word_inputs, outputs, words, n_problems, layout, scalars } = args;
    let n_problems = *n_problems;
    if n_problems == 0 {
        return;
    }
    let elements = inputs.iter().map(|input| input.elements).sum::<usize>()
        + outputs.iter().map(|output| output.elements).sum::<usize>();
    let n_words = word_inputs.iter().map(|input| input.elements).sum::<usize>()
        + words.iter().map(|words| words.count).sum::<usize>();
    let tile_bytes = (elements * size_of::<T>() + n_words * size_of::<u32>()) * TILE;
    let n_tiles = n_problems.div_ceil(TILE);
    let serial = n_tiles.saturating_mul(tile_bytes) <= SERIAL_BYTES || rayon::current_num_threads() == 1;
    let shared = Shared { inputs, word_inputs, layout: *layout, scalars };
    // SAFETY: `tile::work` hands out a function only after it has seen the processor's features.
    let run_chunk = |chunk: Chunk<'_, '_, T>| unsafe { work(chunk) };
    if serial {
        run_chunk(Chunk { shared: &shared, first_problem: 0, n_problems, outputs, words });
        return;
    }
    let problems_per_chunk = (CHUNK_BYTES / tile_bytes).max(1) * TILE;
    let parts = parts(outputs, words, n_problems.div_ceil(problems_per_chunk), problems_per_chunk);
    parts.into_par_iter().enumerate().for_each(|(chunk_idx, mut part)| {
        let first_problem = chunk_idx * problems_per_chunk;
        let n_problems = (n_problems - first_problem).min(problems_per_chunk);
        let (outputs, words) = (&mut part.outputs[..], &mut part.words[..]);
        run_chunk(Chunk { shared: &shared, first_problem, n_problems, outputs, words });
    });
}

/// The parts of all written operands that belong to one chunk.
struct Part<'a, T> {
    outputs: Vec<Output<'a, T>>,
    words: Vec<Words<'a>>,
}

/// Cuts every written operand into `n_chunks` parts of `problems_per_chunk` problems; the last one may be shorter.
fn parts<'a, T>(
    outputs: &'a mut [Output<'_, T>],
    words: &'a mut [Words<'_>],
    n_chunks: usize,
    problems_per_chunk: usize,
) -> Vec<Part<'a, T>> {
    let part = || Part { outputs: Vec::with_capacity(outputs.len()), words: Vec::with_capacity(words.len()) };
    let mut parts: Vec<_> = (0..n_chunks).map(|_| part()).collect();
    for Output { data, elements, is_read } in outputs {
        let (elements, is_read) = (*elements, *is_read);
        for (part, data) in parts.iter_mut().zip(data.chunks_mut(problems_per_chunk * elements)) {
            part.outputs.push(Output { data, elements, is_read });
        }
    }
    for Words { data, count } in words {
        let count = *count;
        for (part, data) in parts.iter_mut().zip(data.chunks_mut(problems_per_chunk * count)) {
            part.words.push(Words { data, count });
        }
    }
    parts
}

/// What all chunks of a launch share.
pub(super) struct Shared<'a, T> {
    pub(super) inputs: &'a [Input<'a, T>],
    pub(super) word_inputs: &'a [Input<'a, u32>],
    pub(super) layout: Layout,
    pub(super) scalars: &'a [T],
}
