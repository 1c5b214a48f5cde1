//! The host's own copy bandwidth.

use std::time::Instant;

use rayon::prelude::*;

use super::Buffer;
use crate::error::Error;
use crate::kernel::Target;
use crate::measure::{Clock, Elapsed};

/// Bytes of one unit of parallel copying.
const CHUNK_BYTES: usize = 256 * 1024;

/// Times `n_copies` copies of `n_bytes` with all cores, after one that is not counted.
pub(crate) fn time_copies(n_bytes: usize, n_copies: u32) -> Result<Elapsed, Error> {
    let len = n_bytes.div_ceil(size_of::<f64>());
    let buffer = || {
        Buffer::<f64>::zeroed(len).ok_or(Error::OutOfMemory {
            target: Target::Host,
            bytes: n_bytes as u64,
            message: "allocation refused".into(),
        })
    };
    let (mut from, mut to) = (buffer()?, buffer()?);
    // Pages that were never written all map to one page of zeros.
    from.as_mut_slice().fill(1.0);
    let mut copy = || {
        let chunk_len = CHUNK_BYTES / size_of::<f64>();
        let pairs = to.as_mut_slice().par_chunks_mut(chunk_len).zip(from.as_slice().par_chunks(chunk_len));
        pairs.for_each(|(to, from)| to.copy_from_slice(from));
    };
    copy();
    let start = Instant::now();
    for _ in 0..n_copies {
        copy();
    }
    Ok(Elapsed { seconds: start.elapsed().as_secs_f64(), clock: Clock::Host })
}
