//! What a variant needs against what a device offers.

use crate::error::Error;
use crate::host;
use crate::kernel::{Code, ElementKind, Layout, Target, Task, Variant};

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
    /// Most iterations of all loops of one WGSL invocation.
    pub(crate) max_iterations: u64,
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
        max_operands: host::MAX_OPERANDS,
        max_iterations: u64::MAX,
        arch: None,
    };
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
        let (layout, element_bytes) = match operand.element {
            ElementKind::Real => (task.layout, task.dtype.size()),
            ElementKind::Word => (Layout::Contiguous, size_of::<u32>()),
        };
        let len = layout.buffer_len(operand.elements(), usize::try_from(n_problems).unwrap_or(usize::MAX));
        let bytes = (len as u64).saturating_mul(element_bytes as u64);
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
        Code::Wgsl { workgroup_bytes, n_iterations, .. } => {
            if n_iterations > limits.max_iterations {
                return Err(limit(
                    variant.symbol,
                    "loop iterations of an invocation",
                    n_iterations,
                    limits.max_iterations,
                ));
            }
            workgroup_bytes
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Access, DType, Form, Launch, Operand, Plan, Tier};

    const GPU: Limits = Limits {
        max_problems: (1 << 20, "32 bits"),
        max_blocks: 1000,
        max_threads_per_block: 256,
        max_shared_bytes: 1024,
        max_operand_bytes: 1 << 20,
        max_operands: 2,
        max_iterations: 100,
        arch: Some(80),
    };

    const fn variant(threads_per_block: u32, problems_per_block: u32, shared_bytes: u32, cc: u32) -> Variant {
        Variant {
            symbol: "v",
            hash: "",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct" },
            launch: Launch { threads_per_block, problems_per_block, shared_bytes },
            code: Code::Cuda { source: "", images: &[], min_compute_capability: cc },
        }
    }

    const X: Operand =
        Operand { name: "x", rows: 2, cols: 3, element: ElementKind::Real, access: Access::In };
    const Y: Operand = Operand { name: "y", rows: 1, cols: 1, access: Access::Out, ..X };
    const S: Operand = Operand { name: "s", rows: 3, cols: 1, element: ElementKind::Word, ..Y };

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
        scalars: &[],
        variants: &VARIANTS,
        choices: &[],
    };
    static SMALL: Task = Task { operands: &[Y], ..TASK };
    static BOTH: Task = TASK;
    static THREE: Task = Task { operands: &[X, X, Y], ..TASK };
    static WORDS: Task = Task { operands: &[S], ..TASK };

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
        let looped = |n_iterations| {
            let code = Code::Wgsl { native: "", web: "", workgroup_bytes: 0, n_iterations };
            let looped: &'static Variant = Box::leak(Box::new(Variant { code, ..VARIANTS[0] }));
            check_limits(&BOTH, looped, Target::Wgpu, &GPU, 1)
        };
        assert_eq!(looped(100), Ok(()));
        assert_eq!(looped(101), limit("loop iterations of an invocation", 101, 100));
        let wanted = Error::ComputeCapability { variant: "v", required: 90, given: 80 };
        assert_eq!(check(&BOTH, 3, 1), Err(wanted));
        let wanted = Error::Limit {
            subject: "kernel `t`, operand `x`".into(),
            what: "bytes of one storage binding",
            required: 683 * 32 * 6 * 8,
            available: 1 << 20,
        };
        assert_eq!(check(&BOTH, 0, 682 * 32 + 1), Err(wanted));
        // Words are 4 bytes wide and not padded.
        let roomy = Limits { max_operand_bytes: 3 * 4 * 101, ..GPU };
        let words = |n_problems| check_limits(&WORDS, &VARIANTS[0], Target::Cuda, &roomy, n_problems);
        assert_eq!(words(101), Ok(()));
        let wanted = Error::Limit {
            subject: "kernel `t`, operand `s`".into(),
            what: "bytes of one storage binding",
            required: 3 * 4 * 102,
            available: 3 * 4 * 101,
        };
        assert_eq!(words(102), Err(wanted));
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
