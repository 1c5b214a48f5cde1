//! Every way an operation of this crate can fail.
//!
//! A failed launch has started nothing and written nothing, except [`Error::Earlier`] and [`Error::DeviceLost`],
//! which report work that was accepted before.

use std::fmt;

use crate::kernel::{DType, Layout, Target};
use crate::refusal::Refusal;

/// An operation that did not happen, with what was given and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The crate was compiled without the backend.
    #[error("glass: target `{target}` is not built in\n  allowed: enable the cargo feature {features}")]
    NotBuiltIn {
        /// The backend asked for.
        target: Target,
        /// Features that would provide it.
        features: &'static str,
    },

    /// The CUDA driver library could not be opened.
    #[error("glass: no CUDA driver on this machine: none of {tried} could be opened")]
    NoDriver {
        /// Library names tried.
        tried: &'static str,
    },

    /// The CUDA driver is present but refuses to start.
    #[error("glass: the CUDA driver is present but did not initialise: {message}")]
    DriverFailed {
        /// The driver's own words.
        message: String,
    },

    /// The CUDA driver is present, the device asked for is not.
    #[error(
        "glass: no CUDA device {ordinal}\n  allowed: the driver sees {n_devices} device(s), numbered from 0"
    )]
    NoCudaDevice {
        /// Ordinal asked for.
        ordinal: usize,
        /// Devices the driver sees.
        n_devices: usize,
    },

    /// A kernel has to be compiled, but NVRTC is not on this machine.
    #[error("glass: kernel `{kernel}` has no image for sm_{arch} and NVRTC is absent: {cause}")]
    NoNvrtc {
        /// The variant's symbol.
        kernel: String,
        /// Compute capability of the device.
        arch: u32,
        /// Why the library was not found.
        cause: String,
    },

    /// No adapter matches.
    #[error("glass: no wgpu adapter {}\n  seen: {}", wanted(.filter), list(.seen))]
    NoAdapter {
        /// The name filter, if one was given.
        filter: Option<String>,
        /// Names of the adapters that exist.
        seen: Vec<String>,
    },

    /// The value of `GLASS_DEVICE` or of a device name is not understood.
    #[error("glass: unknown device `{given}`\n  allowed: cuda, cuda:ORDINAL, wgpu, wgpu:NAME, host")]
    UnknownDevice {
        /// The text given.
        given: String,
    },

    /// A launch with the wrong number of inputs, outputs, words or scalars.
    #[error(
        "glass: kernel `{kernel}`: {given} {kind} given\n  allowed: {}{}", .names.len(), named(.names)
    )]
    ArgumentCount {
        /// The task's symbol.
        kernel: &'static str,
        /// What was counted.
        kind: ArgumentKind,
        /// How many were given.
        given: usize,
        /// Names of those the task takes.
        names: Vec<&'static str>,
    },

    /// A batch whose problems have the wrong number of elements.
    #[error(
        "glass: kernel `{kernel}`, operand `{operand}`: {given} elements per problem given\n  allowed: {expected} ({rows} x {cols})"
    )]
    WrongElements {
        /// The task's symbol.
        kernel: &'static str,
        /// The operand.
        operand: &'static str,
        /// Elements per problem of the batch.
        given: usize,
        /// Elements per problem of the operand.
        expected: usize,
        /// Rows of the operand.
        rows: u32,
        /// Columns of the operand.
        cols: u32,
    },

    /// A batch with another number of problems than the first output.
    #[error(
        "glass: kernel `{kernel}`, operand `{operand}`: {given} problem(s) given\n  allowed: {expected}, the length of the first output"
    )]
    WrongLength {
        /// The task's symbol.
        kernel: &'static str,
        /// The operand.
        operand: &'static str,
        /// Problems in the batch.
        given: usize,
        /// Problems in the first output, or in the first word operand of a kernel without outputs.
        expected: usize,
    },

    /// A batch stored in another layout than the kernel reads.
    #[error(
        "glass: kernel `{kernel}`, operand `{operand}`: layout {given} given\n  allowed: {expected}; convert with `Batch::to_layout`"
    )]
    WrongLayout {
        /// The task's symbol.
        kernel: &'static str,
        /// The operand.
        operand: &'static str,
        /// Layout of the batch.
        given: Layout,
        /// Layout of the operand: the task's, contiguous for words.
        expected: Layout,
    },

    /// A batch that lives on another device.
    #[error(
        "glass: kernel `{kernel}`, operand `{operand}`: lives on {given}\n  allowed: {expected}, the device of the launch"
    )]
    WrongDevice {
        /// The task's symbol.
        kernel: &'static str,
        /// The operand.
        operand: &'static str,
        /// The batch's device.
        given: String,
        /// The launch's device.
        expected: String,
    },

    /// Batches of another element type than the kernel's.
    #[error("glass: kernel `{kernel}`: batches of {given} given\n  allowed: {expected}")]
    WrongDType {
        /// The task's symbol.
        kernel: &'static str,
        /// Element type of the batches.
        given: DType,
        /// Element type of the task.
        expected: DType,
    },

    /// The task's description contradicts itself; only a hand-written task can do this.
    #[error("glass: kernel `{kernel}`: malformed description: {message}")]
    MalformedTask {
        /// The task's symbol.
        kernel: &'static str,
        /// What is contradictory.
        message: String,
    },

    /// The task was not generated for this kind of device.
    #[error("glass: kernel `{kernel}` has no variant for {target}\n  allowed: {}", targets(.available))]
    NoVariant {
        /// The task's symbol.
        kernel: &'static str,
        /// Target of the device.
        target: Target,
        /// Targets the task was generated for.
        available: Vec<Target>,
    },

    /// A variant index past the task's variants.
    #[error("glass: kernel `{kernel}`: variant {given} asked for\n  allowed: 0..{n_variants}")]
    VariantOutOfRange {
        /// The task's symbol.
        kernel: &'static str,
        /// Index asked for.
        given: usize,
        /// Variants of the task.
        n_variants: usize,
    },

    /// A chosen variant that runs on another kind of device.
    #[error(
        "glass: variant `{variant}` is code for {given}\n  allowed: {expected}, the target of the device"
    )]
    VariantTarget {
        /// The variant's symbol.
        variant: &'static str,
        /// Target of the variant.
        given: Target,
        /// Target of the device.
        expected: Target,
    },

    /// A GPU that is older than the kernel.
    #[error("glass: variant `{variant}` needs sm_{required} or later, the device is sm_{given}")]
    ComputeCapability {
        /// The variant's symbol.
        variant: &'static str,
        /// Lowest compute capability of the variant.
        required: u32,
        /// Compute capability of the device.
        given: u32,
    },

    /// A batch with more problems than one launch can serve.
    #[error(
        "glass: kernel `{kernel}`: {n_problems} problems in one launch\n  allowed: at most {max} ({why})"
    )]
    BatchTooLarge {
        /// The task's or variant's symbol.
        kernel: &'static str,
        /// Problems given.
        n_problems: u64,
        /// Most problems of one launch.
        max: u64,
        /// Where the bound comes from.
        why: &'static str,
    },

    /// The device offers less of something than the kernel needs.
    #[error("glass: {subject}: {what}: {required} needed\n  allowed: at most {available}")]
    Limit {
        /// The kernel, operand or batch.
        subject: String,
        /// The resource, with its unit.
        what: &'static str,
        /// Amount needed.
        required: u64,
        /// Amount the device offers.
        available: u64,
    },

    /// The loaded machine code differs from what the variant describes.
    #[error("glass: variant `{variant}`: loaded code does not match its description: {message}")]
    LoadGate {
        /// The variant's symbol.
        variant: &'static str,
        /// Both numbers.
        message: String,
    },

    /// The element type does not exist on this kind of device.
    #[error("glass: {dtype} is not available on {target}\n  allowed: {allowed}")]
    DTypeUnavailable {
        /// The element type.
        dtype: &'static str,
        /// Target of the device.
        target: Target,
        /// Element types of the target.
        allowed: &'static str,
    },

    /// Data whose length does not fit the batch described.
    #[error("glass: {given} element(s) of data given\n  allowed: {allowed}")]
    DataLength {
        /// Length given.
        given: usize,
        /// What would fit.
        allowed: String,
    },

    /// Problems without elements.
    #[error("glass: a batch of problems with 0 elements\n  allowed: at least 1 element per problem")]
    NoElements,

    /// Device or host memory ran out.
    #[error("glass: {target}: no memory for {bytes} bytes: {message}")]
    OutOfMemory {
        /// Target of the device.
        target: Target,
        /// Bytes asked for.
        bytes: u64,
        /// The backend's own words.
        message: String,
    },

    /// An operation that a graph, an arena or a plan does not take.
    #[error("glass: operation `{operation}`: {reason}")]
    Refused {
        /// Name of the operation or the slot; of the task where a plan was asked for.
        operation: String,
        /// What was given and what is allowed.
        reason: Refusal,
    },

    /// A kernel text the device's compiler rejects. Generated text that fails to compile is a bug in glass.
    #[error("glass: kernel `{kernel}` does not compile ({compiler})\n{log}")]
    Compile {
        /// The variant's symbol.
        kernel: String,
        /// Compiler and options.
        compiler: String,
        /// The compiler's log, with real line ends.
        log: String,
    },

    /// No image of a kernel could be loaded.
    #[error("glass: kernel `{kernel}` could not be loaded on sm_{arch} (driver {driver})\n{}", lines(.attempts))]
    Load {
        /// The variant's symbol.
        kernel: String,
        /// Compute capability of the device.
        arch: u32,
        /// CUDA version of the driver.
        driver: String,
        /// One line per image tried.
        attempts: Vec<String>,
    },

    /// An error of work that was accepted before this call.
    #[error("glass: {target}: earlier asynchronous error: {message}")]
    Earlier {
        /// Target of the device.
        target: Target,
        /// The backend's own words.
        message: String,
    },

    /// The device is gone; batches on it cannot be read any more.
    #[error("glass: {target}: device lost: {message}")]
    DeviceLost {
        /// Target of the device.
        target: Target,
        /// The backend's own words.
        message: String,
    },

    /// A call into the backend failed.
    #[error("glass: {target}: {call} failed: {message}")]
    Backend {
        /// Target of the device.
        target: Target,
        /// The operation.
        call: &'static str,
        /// The backend's own words.
        message: String,
    },

    /// The device cannot do this.
    #[error("glass: {target}: the device has no {what}")]
    Unavailable {
        /// Target of the device.
        target: Target,
        /// The missing ability.
        what: &'static str,
    },

    /// A file could not be written.
    #[error("glass: writing {path}: {message}")]
    Write {
        /// The file.
        path: String,
        /// The system's own words.
        message: String,
    },
}

/// What a launch counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// Batches that are read.
    Input,
    /// Batches of words that are read.
    WordInput,
    /// Batches that are written.
    Output,
    /// Batches of words that are written.
    Word,
    /// Run-time scalars.
    Scalar,
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArgumentKind::Input => "input(s)",
            ArgumentKind::WordInput => "word input(s)",
            ArgumentKind::Output => "output(s)",
            ArgumentKind::Word => "word operand(s)",
            ArgumentKind::Scalar => "scalar(s)",
        })
    }
}

fn named(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

fn wanted(filter: &Option<String>) -> String {
    match filter {
        Some(name) => format!("whose name contains `{name}`"),
        None => "on this machine".into(),
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn lines(attempts: &[String]) -> String {
    attempts.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn targets(available: &[Target]) -> String {
    if available.is_empty() {
        return "none, the task has no variants".into();
    }
    available.iter().map(Target::to_string).collect::<Vec<_>>().join(", ")
}
