//! The two views of a kernel: one problem alone on the GPU, and as many as fill it.

use crate::regime::Rotation;
use glass_codegen::spec::{Layout, Spec};
use serde::{Deserialize, Serialize};

/// Never pooled, never compared with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum View {
    /// Latency: a launch of one problem, between two events of its own.
    OneBlock,
    /// Throughput: a launch whose operands have left the cache, as many launches as a sample needs.
    FullGpu,
}

/// Problems of a full GPU: a warp each keeps every scheduler of 132 multiprocessors busy.
const MIN_FULL_BATCH: u64 = 8192;

/// Bytes that take a copy fifteen microseconds: ten times what a launch takes.
const MIN_FULL_BYTES: u64 = 64_000_000;

impl View {
    pub(crate) const ALL: [View; 2] = [View::OneBlock, View::FullGpu];

    /// Problems of a launch.
    pub(crate) fn batch(self, spec: &Spec) -> u64 {
        let touched = |batch| Rotation::new(spec, Layout::Contiguous, batch).bytes_per_call();
        match self {
            View::OneBlock => 1,
            View::FullGpu => {
                let mut batch = MIN_FULL_BATCH;
                while touched(batch) < MIN_FULL_BYTES {
                    batch *= 2;
                }
                batch
            }
        }
    }

    /// Samples of each kernel.
    pub(crate) fn n_samples(self) -> usize {
        match self {
            View::OneBlock => 15,
            View::FullGpu => 5,
        }
    }

    /// Launches of one sample, where the view fixes them.
    pub(crate) fn n_launches(self) -> Option<u64> {
        match self {
            View::OneBlock => Some(1),
            View::FullGpu => None,
        }
    }

    pub(super) fn rule(self) -> String {
        let n_samples = self.n_samples();
        match self {
            View::OneBlock => format!(
                "one_block: one problem, {n_samples} samples of one launch queued behind a gate kernel, operands in the cache"
            ),
            View::FullGpu => format!(
                "full_gpu: the smallest power of two of problems, {MIN_FULL_BATCH} at least, that touches {MIN_FULL_BYTES} bytes; \
                 operand sets in rotation exceed the cache four times; {n_samples} samples"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glass_codegen::spec::DType;
    use glass_tests::attribute::spec;

    #[test]
    fn a_full_gpu_has_enough_problems_and_bytes() {
        let batch = |attribute: &str, dtype| View::FullGpu.batch(&spec(attribute, dtype));
        // 60 bytes a problem: 2^20 of them are 62.9 MB.
        assert_eq!(batch("contract n_out=1 k=7", DType::F32), 1 << 21);
        assert_eq!(batch("contract n_out=196 k=256", DType::F64), MIN_FULL_BATCH);
        assert_eq!(View::OneBlock.batch(&spec("contract n_out=7 k=14", DType::F32)), 1);
    }
}
