//! The child process: compiles one kernel, loads it, compares its results, and reports what it is made of.

mod cases;
mod conversion;
mod guard;
mod kernel;

use crate::cuda::{Gpu, nvrtc};
use crate::kernel_id::KernelId;
use crate::pool;
use glass_rt::{Device, Target};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One piece of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    /// One kernel.
    Kernel {
        id: KernelId,
        depth: Depth,
        /// Where the machine code is written, if anywhere.
        image: Option<PathBuf>,
        /// The run time compiles the text itself instead of loading the worker's image.
        by_run_time: bool,
    },
    /// Conversion of batches between the two layouts.
    Conversion { dtype: String, elements: usize },
}

/// How much of a kernel is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Depth {
    /// One ragged batch over several blocks: the gate in front of a timer. Not even that when it spills.
    Gate,
    /// The same batch, whether it spills or not.
    Batch,
    /// Batches around tile edges, every pair of scalars, poison, guards, shared inputs.
    Full,
}

/// What became of a job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) symbol: String,
    pub(crate) hash: String,
    pub(crate) compile_ms: f64,
    pub(crate) registers: u32,
    pub(crate) local_bytes: u32,
    pub(crate) shared_bytes: u32,
    /// Checked launches.
    pub(crate) n_launches: u32,
    /// Largest error as a fraction of its bound, where bits are not promised.
    pub(crate) worst_fraction: f64,
    /// `None`: everything checked held.
    pub(crate) failure: Option<String>,
    /// The device reports a fault, after which this process can launch nothing more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) spoilt: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// Serves jobs for one backend until standard input closes.
pub(crate) fn main(kind: &str) -> Result<(), String> {
    pool::answer(|| Context::open(kind), Context::serve)
}

/// The devices of one worker.
pub(crate) struct Context {
    device: Device,
    /// Present on CUDA: raw launches between guard zones, and resources.
    gpu: Option<Gpu>,
    /// Kernels are only compiled, for this architecture; nothing is launched.
    compile_only: Option<u32>,
}

/// Kind of a worker without a device.
pub(crate) const COMPILER: &str = "compiler";

/// What a worker without a device compiles for.
const COMPILED_ARCH: u32 = 90;

impl Context {
    fn open(kind: &str) -> Result<Context, String> {
        if kind == COMPILER {
            nvrtc::version()?;
            return Ok(Context { device: Device::host(), gpu: None, compile_only: Some(COMPILED_ARCH) });
        }
        let device = Device::named(kind).map_err(|error| error.to_string())?;
        let gpu = match device.target() {
            Target::Cuda => Some(Gpu::open(0)?),
            Target::Wgpu | Target::Host => None,
        };
        Ok(Context { device, gpu, compile_only: None })
    }

    fn serve(&self, job: &Job) -> Answer {
        let mut answer = Answer::default();
        let outcome = match job {
            Job::Kernel { id, depth, image, by_run_time } => {
                let request =
                    kernel::Request { id, depth: *depth, image: image.as_deref(), by_run_time: *by_run_time };
                kernel::check(self, &request, &mut answer)
            }
            Job::Conversion { dtype, elements } => {
                answer.symbol = format!("layout_conversion_{dtype}_{elements}");
                match dtype.as_str() {
                    "f32" => conversion::check::<f32>(&self.device, *elements, &mut answer),
                    _ => conversion::check::<f64>(&self.device, *elements, &mut answer),
                }
            }
        };
        answer.failure = outcome.err();
        answer.spoilt = answer.failure.is_some() && self.device.synchronize().is_err();
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glass_codegen::plan::Target;
    use glass_tests::grid;

    /// The device of this machine's adapter, software included.
    fn context() -> Option<Context> {
        Context::open("wgpu").inspect_err(|error| println!("skipped: {error}")).ok()
    }

    fn job(key: &str, depth: Depth) -> Job {
        let entry = grid::of(Target::Wgsl)
            .into_iter()
            .find(|entry| glass_codegen::table::key(&entry.spec, entry.layout) == key)
            .expect("part of the grid");
        let id = KernelId::new(&entry.spec, entry.layout, entry.target, &entry.mapping);
        Job::Kernel { id, depth, image: None, by_run_time: true }
    }

    #[test]
    fn kernels_and_conversions_pass_on_an_adapter() {
        let Some(context) = context() else { return };
        let kernel = context.serve(&job("glass_gemv_f32_m7_k14_alpha_beta interleaved", Depth::Full));
        assert_eq!(kernel.failure, None);
        assert!(kernel.n_launches > 36 && kernel.worst_fraction > 0.0 && !kernel.hash.is_empty());
        let conversion = context.serve(&Job::Conversion { dtype: "f32".into(), elements: 7 });
        assert_eq!(conversion.failure, None);
    }

    #[test]
    fn a_failure_is_an_answer() {
        let Some(context) = context() else { return };
        let Job::Kernel { mut id, depth, .. } = job("glass_gemv_f32_m7_k14 interleaved", Depth::Gate) else {
            panic!("a kernel")
        };
        id.target = "cuda".into();
        let answer = context.serve(&Job::Kernel { id, depth, image: None, by_run_time: true });
        let failure = answer.failure.expect("the device runs no CUDA");
        assert!(failure.contains("allowed: wgpu"), "{failure}");
        assert!(!answer.spoilt && !answer.symbol.is_empty());
    }
}
