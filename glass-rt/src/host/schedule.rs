//! Spreads the tiles of a batch over the cores.

use rayon::prelude::*;

use super::Args;
use super::tile::{Chunk, Work};
use crate::element::Element;
use crate::layout::TILE;

/// Below this many bytes of operands a batch runs on the calling thread: waking the pool costs more.
const SERIAL_BYTES: usize = 128 * 1024;
/// Bytes of operands in one unit of work: many units per core to balance, few enough that scheduling is noise.
const CHUNK_BYTES: usize = 256 * 1024;

/// Runs `work` over all tiles of a batch.
pub(super) fn run<T: Element>(args: &mut Args<'_, T>, work: Work<T>) {
    if args.n_problems == 0 {
        return;
    }
    let elements = args.input_elements.iter().sum::<usize>() + args.output_elements;
    let tile_bytes = elements * TILE * size_of::<T>();
    let n_tiles = args.n_problems.div_ceil(TILE);
    let serial = n_tiles.saturating_mul(tile_bytes) <= SERIAL_BYTES || rayon::current_num_threads() == 1;
    let tiles_per_chunk = if serial { n_tiles } else { (CHUNK_BYTES / tile_bytes).max(1) };

    let chunk_len = tiles_per_chunk * TILE * args.output_elements;
    let shared = Shared {
        inputs: args.inputs,
        input_elements: args.input_elements,
        output_elements: args.output_elements,
        output_access: args.output_access,
        layout: args.layout,
        scalars: args.scalars,
    };
    let run_chunk = |(chunk_idx, output): (usize, &mut [T])| {
        let first_problem = chunk_idx * tiles_per_chunk * TILE;
        let n_problems = (args.n_problems - first_problem).min(tiles_per_chunk * TILE);
        let chunk = Chunk { shared: &shared, first_problem, n_problems, output };
        // SAFETY: `tile::work` hands out a function only after it has seen the processor's features.
        unsafe { work(chunk) }
    };
    if serial {
        run_chunk((0, args.output));
    } else {
        args.output.par_chunks_mut(chunk_len).enumerate().for_each(run_chunk);
    }
}

/// What all chunks of a launch share.
pub(super) struct Shared<'a, T> {
    pub(super) inputs: &'a [&'a [T]],
    pub(super) input_elements: &'a [usize],
    pub(super) output_elements: usize,
    pub(super) output_access: crate::kernel::Access,
    pub(super) layout: crate::kernel::Layout,
    pub(super) scalars: crate::kernel::Scalars<T>,
}
