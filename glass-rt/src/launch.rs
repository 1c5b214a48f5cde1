//! The one place where a launch is checked.
//!
//! Everything a backend could object to is compared with the task and the device's limits before the backend
//! is called, in the same order on every target. A refused launch has started nothing and written nothing.

use crate::batch::{Batch, foreign};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::host;
use crate::kernel::{Access, Code, Operand, Scalars, Target, Task, Variant};

/// Launches the variant that the task's table chooses for this device and batch. Asynchronous.
///
/// `inputs` follow the task's operand order; the scalars a task does not take are ignored. An empty batch is
/// checked and launches nothing.
///
/// # Errors
/// Any mismatch of element type, count, shape, layout, length or device, a missing variant, and the limits of the
/// device. Compile and load errors of the kernel on its first launch.
pub fn launch<T: Element>(
    task: &'static Task,
    device: &Device,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    check_operands(task, device, inputs, output)?;
    let target = device.target();
    let variant_idx = task.choose_idx(target, device.arch(), output.n_problems as u64).ok_or_else(|| {
        let mut available: Vec<Target> = Vec::new();
        for row in task.choices {
            if !available.contains(&row.target) {
                available.push(row.target);
            }
        }
        Error::NoVariant { kernel: task.symbol, target, available }
    })?;
    launch_checked(task, &task.variants[variant_idx], device, inputs, output, scalars)
}

/// Launches one variant of a task, for tests and tuning. The checks are those of [`launch`].
///
/// # Errors
/// Those of [`launch`], an index past the variants, and a variant for another target.
pub fn launch_variant<T: Element>(
    task: &'static Task,
    variant_idx: usize,
    device: &Device,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    check_operands(task, device, inputs, output)?;
    let variant = variant(task, variant_idx)?;
    launch_checked(task, variant, device, inputs, output, scalars)
}

/// The variant with this index.
pub(crate) fn variant(task: &'static Task, variant_idx: usize) -> Result<&'static Variant, Error> {
    task.variants.get(variant_idx).ok_or(Error::VariantOutOfRange {
        kernel: task.symbol,
        given: variant_idx,
        n_variants: task.variants.len(),
    })
}

/// What a device offers to one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most problems, and where the bound comes from.
    pub(crate) max_problems: (u64, &'static str),
    /// Most blocks of a grid, all dimensions together.
    pub(crate) max_blocks: u64,
    /// Most threads of a block.
    pub(crate) max_threads_per_block: u32,
    /// Most dynamic (CUDA) or declared (WGSL) memory a block shares, in bytes.
    pub(crate) max_shared_bytes: u32,
    /// Most bytes of one operand.
    pub(crate) max_operand_bytes: u64,
    /// Most operands of one kernel.
    pub(crate) max_operands: usize,
    /// Compute capability, on CUDA.
    pub(crate) arch: Option<u32>,
}

impl Limits {
    /// The processor: bounded by memory only.
    pub(crate) const HOST: Limits = Limits {
        max_problems: (u64::MAX, "memory"),
        max_blocks: u64::MAX,
        max_threads_per_block: u32::MAX,
        max_shared_bytes: u32::MAX,
        max_operand_bytes: u64::MAX,
        max_operands: host::MAX_INPUTS + 1,
        arch: None,
    };
}

/// Compares the batches with the task.
fn check_operands<T: Element>(
    task: &'static Task,
    device: &Device,
    inputs: &[&Batch<T>],
    output: &Batch<T>,
) -> Result<(), Error> {
    let kernel = task.symbol;
    if task.dtype != T::DTYPE {
        return Err(Error::WrongDType { kernel, given: T::DTYPE, expected: task.dtype });
    }
    let Some(output_operand) = task.output() else {
        return Err(Error::MalformedTask { kernel, message: "no operands".into() });
    };
    let expected = task.inputs().len();
    if inputs.len() != expected {
        return Err(Error::OperandCount { kernel, given: inputs.len(), expected });
    }
    if output_operand.access == Access::In {
        return Err(Error::MalformedTask { kernel, message: "the last operand is not an output".into() });
    }
    let batches = inputs.iter().copied().chain([output]);
    for (operand, batch) in task.operands.iter().zip(batches) {
        check_operand(task, operand, batch, device, output.n_problems)?;
    }
    Ok(())
}

fn check_operand<T: Element>(
    task: &'static Task,
    operand: &'static Operand,
    batch: &Batch<T>,
    device: &Device,
    n_problems: usize,
) -> Result<(), Error> {
    let (kernel, name) = (task.symbol, operand.name);
    if batch.elements != operand.elements() {
        return Err(Error::WrongElements {
            kernel,
            operand: name,
            given: batch.elements,
            expected: operand.elements(),
            rows: operand.rows,
            cols: operand.cols,
        });
    }
    if batch.layout != task.layout {
        return Err(Error::WrongLayout { kernel, operand: name, given: batch.layout, expected: task.layout });
    }
    if batch.device != *device {
        let (given, expected) = (batch.device.name().into(), device.name().into());
        return Err(Error::WrongDevice { kernel, operand: name, given, expected });
    }
    if batch.n_problems != n_problems {
        return Err(Error::WrongLength {
            kernel,
            operand: name,
            given: batch.n_problems,
            expected: n_problems,
        });
    }
    Ok(())
}

/// Compares a variant with the device.
pub(crate) fn check_limits(
    task: &'static Task,
    variant: &'static Variant,
    target: Target,
    limits: &Limits,
    n_problems: u64,
) -> Result<(), Error> {
    if variant.code.target() != target {
        let (given, expected) = (variant.code.target(), target);
        return Err(Error::VariantTarget { variant: variant.symbol, given, expected });
    }
    let malformed = |message: &str| Error::MalformedTask { kernel: variant.symbol, message: message.into() };
    if task.operands.len() > limits.max_operands {
        return Err(limit(
            variant.symbol,
            "operands",
            task.operands.len() as u64,
            limits.max_operands as u64,
        ));
    }
    for operand in task.operands {
        let len =
            task.layout.buffer_len(operand.elements(), usize::try_from(n_problems).unwrap_or(usize::MAX));
        let bytes = (len as u64).saturating_mul(task.dtype.size() as u64);
        if bytes > limits.max_operand_bytes {
            let subject = format!("kernel `{}`, operand `{}`", task.symbol, operand.name);
            let (what, required, available) =
                ("bytes of one storage binding", bytes, limits.max_operand_bytes);
            return Err(Error::Limit { subject, what, required, available });
        }
    }
    let (max, why) = limits.max_problems;
    if n_problems > max {
        return Err(Error::BatchTooLarge { kernel: task.symbol, n_problems, max, why });
    }
    if target == Target::Host {
        return Ok(());
    }

    let shared_bytes = match variant.code {
        Code::Cuda { min_compute_capability, .. } => {
            let given = limits.arch.unwrap_or(0);
            if given < min_compute_capability {
                let required = min_compute_capability;
                return Err(Error::ComputeCapability { variant: variant.symbol, required, given });
            }
            variant.launch.shared_bytes
        }
        Code::Wgsl { workgroup_bytes, .. } => workgroup_bytes,
        Code::HostF32(_) | Code::HostF64(_) => 0,
    };
    let launch = variant.launch;
    if launch.threads_per_block == 0 || launch.problems_per_block == 0 {
        return Err(malformed("threads and problems per block must not be 0"));
    }
    if launch.threads_per_block > limits.max_threads_per_block {
        let max = limits.max_threads_per_block;
        return Err(limit(variant.symbol, "threads per block", launch.threads_per_block.into(), max.into()));
    }
    if shared_bytes > limits.max_shared_bytes {
        let max = limits.max_shared_bytes;
        return Err(limit(
            variant.symbol,
            "bytes of shared (workgroup) memory",
            shared_bytes.into(),
            max.into(),
        ));
    }
    let n_blocks = n_problems.div_ceil(launch.problems_per_block.into());
    if n_blocks > limits.max_blocks {
        let max = limits.max_blocks.saturating_mul(launch.problems_per_block.into());
        return Err(Error::BatchTooLarge {
            kernel: variant.symbol,
            n_problems,
            max,
            why: "blocks of one grid",
        });
    }
    Ok(())
}

fn limit(variant: &str, what: &'static str, required: u64, available: u64) -> Error {
    Error::Limit { subject: format!("kernel `{variant}`"), what, required, available }
}

fn launch_checked<T: Element>(
    task: &'static Task,
    variant: &'static Variant,
    device: &Device,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    check_limits(task, variant, device.target(), &device.inner.backend.limits(), output.n_problems as u64)?;
    if output.n_problems == 0 {
        return Ok(());
    }
    tracing::debug!(
        kernel = variant.symbol,
        device = device.name(),
        n_problems = output.n_problems,
        reason = variant.plan.reason,
        "launch"
    );
    match &device.inner.backend {
        Backend::Host => launch_host(task, variant, inputs, output, scalars),
        #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
        Backend::Cuda(context) => launch_cuda(context, task, variant, inputs, output, scalars),
        #[cfg(feature = "wgpu")]
        Backend::Wgpu(context) => launch_wgpu(context, task, variant, inputs, output, scalars),
    }
}

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
fn launch_cuda<T: Element>(
    context: &crate::cuda::Context,
    task: &'static Task,
    variant: &'static Variant,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    use crate::cuda::ScalarBits;
    let buffers: Vec<_> = inputs
        .iter()
        .map(|batch| batch.storage.cuda().ok_or_else(|| batch.foreign()))
        .collect::<Result<_, _>>()?;
    let bits =
        [scalars.alpha, scalars.beta].map(|value| ScalarBits::new(T::DTYPE, bytemuck::bytes_of(&value)));
    // The limits bound it.
    let n_problems = output.n_problems as u32;
    let buffer = output.storage.cuda_mut().ok_or_else(|| foreign(Target::Cuda))?;
    context.launch(task, variant, &buffers, buffer, n_problems, bits)
}

#[cfg(feature = "wgpu")]
fn launch_wgpu<T: Element>(
    context: &crate::wgpu30::Context,
    task: &'static Task,
    variant: &'static Variant,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    let buffers: Vec<_> = inputs
        .iter()
        .map(|batch| batch.storage.wgpu().ok_or_else(|| batch.foreign()))
        .collect::<Result<_, _>>()?;
    // Batches on wgpu hold 32-bit elements, as the dtype check of every constructor says.
    let [alpha, beta] = [scalars.alpha, scalars.beta]
        .map(|value| bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[..4]));
    let arguments =
        crate::wgpu30::Arguments { n_problems: output.n_problems as u32, alpha, beta, padding: 0 };
    let buffer = output.storage.wgpu_mut().ok_or_else(|| foreign(Target::Wgpu))?;
    context.launch(task, variant, &buffers, buffer, arguments)
}

fn launch_host<T: Element>(
    task: &'static Task,
    variant: &'static Variant,
    inputs: &[&Batch<T>],
    output: &mut Batch<T>,
    scalars: Scalars<T>,
) -> Result<(), Error> {
    let Some(entry) = T::host_entry(&variant.code) else {
        let message = format!("a host variant of another type than {}", task.dtype);
        return Err(Error::MalformedTask { kernel: variant.symbol, message });
    };
    let slices: Vec<&[T]> =
        inputs.iter().map(|batch| Ok(batch.host()?.as_slice())).collect::<Result<_, Error>>()?;
    let input_elements: Vec<usize> = inputs.iter().map(|batch| batch.elements).collect();
    let buffer = output.storage.host_mut().ok_or_else(|| foreign(Target::Host))?;
    let mut args = host::Args {
        inputs: &slices,
        input_elements: &input_elements,
        output: buffer.as_mut_slice(),
        output_elements: output.elements,
        output_access: task.operands.last().map_or(Access::InOut, |operand| operand.access),
        n_problems: output.n_problems,
        layout: output.layout,
        scalars,
    };
    entry(&mut args);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Alpha, Beta, DType, Form, Launch, Layout, Plan, Tier};

    const GPU: Limits = Limits {
        max_problems: (1 << 20, "32 bits"),
        max_blocks: 1000,
        max_threads_per_block: 256,
        max_shared_bytes: 1024,
        max_operand_bytes: 1 << 20,
        max_operands: 2,
        arch: Some(80),
    };

    const fn variant(threads_per_block: u32, problems_per_block: u32, shared_bytes: u32, cc: u32) -> Variant {
        Variant {
            symbol: "v",
            hash: "",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct", reason: "forced" },
            launch: Launch { threads_per_block, problems_per_block, shared_bytes },
            code: Code::Cuda { source: "", images: &[], min_compute_capability: cc },
        }
    }

    const X: Operand = Operand { name: "x", rows: 2, cols: 3, access: Access::In };
    const Y: Operand = Operand { name: "y", rows: 1, cols: 1, access: Access::Out };

    static VARIANTS: [Variant; 8] = [
        variant(256, 32, 1024, 80),
        variant(257, 32, 0, 70),
        variant(256, 32, 1025, 70),
        variant(256, 32, 0, 90),
        variant(0, 32, 0, 70),
        variant(32, 0, 0, 70),
        variant(32, 2, 0, 70),
        variant(32, 1, 0, 70),
    ];

    const TASK: Task = Task {
        symbol: "t",
        dtype: DType::F64,
        layout: Layout::Interleaved,
        operands: &[X, Y],
        alpha: Alpha::One,
        beta: Beta::Zero,
        variants: &VARIANTS,
        choices: &[],
    };
    static SMALL: Task = Task { operands: &[Y], ..TASK };
    static BOTH: Task = TASK;
    static THREE: Task = Task { operands: &[X, X, Y], ..TASK };

    fn check(task: &'static Task, variant_idx: usize, n_problems: u64) -> Result<(), Error> {
        check_limits(task, &VARIANTS[variant_idx], Target::Cuda, &GPU, n_problems)
    }

    #[test]
    fn exactly_the_limit_is_allowed() {
        assert_eq!(check(&BOTH, 0, 0), Ok(()));
        assert_eq!(check(&BOTH, 0, 1000), Ok(()));
        // 682 tiles of 32 problems of 6 elements of 8 bytes fill 1047552 bytes; the next tile does not fit.
        assert_eq!(check(&BOTH, 0, 682 * 32), Ok(()));
        assert_eq!(check(&SMALL, 6, 2000), Ok(()));
    }

    #[test]
    fn anything_past_a_limit_is_refused_with_both_numbers() {
        let limit = |what, required, available| {
            Err(Error::Limit { subject: "kernel `v`".into(), what, required, available })
        };
        assert_eq!(check(&BOTH, 1, 1), limit("threads per block", 257, 256));
        assert_eq!(check(&BOTH, 2, 1), limit("bytes of shared (workgroup) memory", 1025, 1024));
        assert_eq!(check(&THREE, 0, 1), limit("operands", 3, 2));
        let wanted = Error::ComputeCapability { variant: "v", required: 90, given: 80 };
        assert_eq!(check(&BOTH, 3, 1), Err(wanted));
        let wanted = Error::Limit {
            subject: "kernel `t`, operand `x`".into(),
            what: "bytes of one storage binding",
            required: 683 * 32 * 6 * 8,
            available: 1 << 20,
        };
        assert_eq!(check(&BOTH, 0, 682 * 32 + 1), Err(wanted));
        let large = |n_problems, max, why| Err(Error::BatchTooLarge { kernel: "v", n_problems, max, why });
        assert_eq!(check(&SMALL, 6, 2001), large(2001, 2000, "blocks of one grid"));
        assert_eq!(check(&SMALL, 7, 1001), large(1001, 1000, "blocks of one grid"));
        let many = Limits { max_operand_bytes: u64::MAX, ..GPU };
        let wanted = Error::BatchTooLarge { kernel: "t", n_problems: 1 << 21, max: 1 << 20, why: "32 bits" };
        assert_eq!(check_limits(&SMALL, &VARIANTS[0], Target::Cuda, &many, 1 << 21), Err(wanted));
    }

    #[test]
    fn empty_blocks_are_malformed() {
        for variant_idx in [4, 5] {
            let error = check(&BOTH, variant_idx, 1).unwrap_err();
            assert!(matches!(error, Error::MalformedTask { kernel: "v", .. }), "{error}");
        }
    }
}
