//! Layout conversion on the device.

use super::memory::Buffer;
use super::pipeline::{ArgumentPlace, Shader};
use super::{Arguments, Context, ELEMENT_BYTES};
use crate::error::Error;
use crate::layout::{Layout, TILE};

/// Kernels for both directions.
const SOURCE: &str = include_str!("../../kernels/layout.wgsl");
/// Changes with the text.
const HASH: &str = env!("CARGO_PKG_VERSION");

impl Context {
    /// A copy of 32-bit elements in `to_layout`, the other layout than the one `buffer` has. Padding of an
    /// interleaved copy is zero.
    pub(crate) fn convert(
        &self,
        buffer: &Buffer,
        elements: usize,
        n_problems: usize,
        to_layout: Layout,
    ) -> Result<Buffer, Error> {
        let symbol = match to_layout {
            Layout::Interleaved => "glass_layout_interleave",
            Layout::Contiguous => "glass_layout_deinterleave",
        };
        let limits = self.limits();
        let n_bytes =
            Layout::Interleaved.buffer_len(elements, n_problems).saturating_mul(ELEMENT_BYTES) as u64;
        if n_bytes > limits.max_operand_bytes {
            return Err(Error::Limit {
                subject: "a layout conversion".into(),
                what: "bytes of one storage binding",
                required: n_bytes,
                available: limits.max_operand_bytes,
            });
        }
        let copy = self.zeroed(to_layout.buffer_len(elements, n_problems) * ELEMENT_BYTES)?;
        if n_problems == 0 {
            return Ok(copy);
        }
        let n_tiles = n_problems.div_ceil(TILE) as u64;
        if n_tiles > limits.max_blocks {
            let (max, why) = (limits.max_blocks * TILE as u64, "workgroups of one grid");
            return Err(Error::BatchTooLarge { kernel: symbol, n_problems: n_problems as u64, max, why });
        }
        let place = ArgumentPlace::Uniform;
        let is_written = vec![false, true];
        let pipeline = self.pipeline(&Shader { symbol, hash: HASH, source: SOURCE, is_written, place })?;
        // The binding limit bounds both far below 32 bits.
        let arguments: Arguments = [elements as u32, n_problems as u32, 0, 0];
        let buffers = [&buffer.buffer, &copy.buffer];
        self.dispatch(&pipeline, place, &buffers, &arguments, n_tiles as u32)?;
        Ok(copy)
    }
}
