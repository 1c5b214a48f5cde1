//! Layout conversion on the device.

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::gate::parameters;
use super::memory::Buffer;
use super::{Context, failed};
use crate::error::Error;
use crate::kernel::Launch;
use crate::layout::{Layout, TILE};

/// Kernels for both directions and both element sizes.
const SOURCE: &str = include_str!("../../kernels/layout.cu");
/// Changes with the text, so that a cached module is never a stale one.
const HASH: &str = env!("CARGO_PKG_VERSION");
/// Threads of a block, as in the text.
const THREADS: u32 = 256;
/// Elements of one chunk, as in the text.
const CHUNK: usize = 64;

impl Context {
    /// A copy of elements of 4 or 8 bytes in `to_layout`, the other layout than the one `buffer` has. Padding of an
    /// interleaved copy is zero.
    pub(crate) fn convert(
        &self,
        element_bytes: usize,
        buffer: &Buffer,
        elements: usize,
        n_problems: usize,
        to_layout: Layout,
    ) -> Result<Buffer, Error> {
        let n_bytes = to_layout.buffer_len(elements, n_problems) * element_bytes;
        let mut copy = match to_layout {
            Layout::Interleaved if !n_problems.is_multiple_of(TILE) => self.zeroed(n_bytes)?,
            _ => self.alloc(n_bytes)?,
        };
        if n_problems == 0 {
            return Ok(copy);
        }
        // Elements move as bits: only their size matters.
        let symbol = match (element_bytes, to_layout) {
            (8, Layout::Interleaved) => "glass_layout_f64_interleave",
            (8, Layout::Contiguous) => "glass_layout_f64_deinterleave",
            (_, Layout::Interleaved) => "glass_layout_f32_interleave",
            (_, Layout::Contiguous) => "glass_layout_f32_deinterleave",
        };
        let (Ok(elements_arg), Ok(problems_arg)) = (u32::try_from(elements), u32::try_from(n_problems))
        else {
            let (kernel, max, why) = (symbol, u32::MAX.into(), "the kernel counts in 32 bits");
            return Err(Error::BatchTooLarge { kernel, n_problems: n_problems as u64, max, why });
        };
        let launch = Launch { threads_per_block: THREADS, problems_per_block: TILE as u32, shared_bytes: 0 };
        let kernel = self
            .module((symbol, HASH), || self.load(symbol, SOURCE, &[], launch, &parameters([8, 8, 4, 4])))?;
        let config = LaunchConfig {
            grid_dim: (problems_arg.div_ceil(TILE as u32), elements.div_ceil(CHUNK).min(65_535) as u32, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut builder = self.stream.launch_builder(&kernel.function);
        builder.arg(&buffer.slice).arg(&mut copy.slice).arg(&elements_arg).arg(&problems_arg);
        // SAFETY: both buffers hold `n_problems` problems of `elements` elements in their layouts, and the loaded
        // function has these four parameters.
        unsafe { builder.launch(config) }.map_err(|error| failed("converting a layout", error))?;
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::nvrtc;

    #[test]
    fn the_text_compiles_for_every_generation() {
        for arch in [75, 80, 90] {
            match nvrtc::compile("layout", SOURCE, arch) {
                Ok(compiled) => {
                    let ptx = String::from_utf8(compiled.ptx).unwrap();
                    for symbol in ["f32_interleave", "f32_deinterleave", "f64_interleave", "f64_deinterleave"]
                    {
                        assert!(ptx.contains(&format!(".entry glass_layout_{symbol}")), "{symbol}");
                    }
                    assert!(!ptx.contains(".local"), "stack arrays");
                }
                Err(error @ Error::NoNvrtc { .. }) => {
                    println!("skipped: {error}");
                    return;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}
