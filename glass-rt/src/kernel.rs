//! Static descriptions of kernels: what an expansion embeds and the run time launches.
//!
//! Every type here can be built in a `const`. Nothing here touches a device; the one decision, [`Task::choose`],
//! is a pure function of data.

use std::fmt;

use crate::element::Real;
use crate::host;
pub use crate::layout::Layout;

/// Arithmetic and storage type of a task's real operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// 32-bit IEEE float.
    F32,
    /// 64-bit IEEE float.
    F64,
}

impl DType {
    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
        })
    }
}

/// How a kernel touches an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read only.
    In,
    /// Every element is written, none is read.
    Out,
    /// Old values may be read; every element is written or keeps its bits.
    InOut,
}

/// What the elements of an operand are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Numbers of the task's [`DType`], stored in the task's layout.
    Real,
    /// `u32`: status words, counts and row numbers, stored contiguously in either layout.
    Word,
}

/// One operand of a task: a column-major `rows` x `cols` matrix per problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Name used in kernel text and messages.
    pub name: &'static str,
    /// Rows of one problem's matrix.
    pub rows: u32,
    /// Columns of one problem's matrix.
    pub cols: u32,
    /// What its elements are.
    pub element: ElementKind,
    /// How the kernel touches it.
    pub access: Access,
}

impl Operand {
    /// Elements of one problem.
    pub const fn elements(&self) -> usize {
        self.rows as usize * self.cols as usize
    }
}

/// Who owns one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// One thread.
    Thread,
    /// 32 lanes of one warp.
    Warp,
    /// All threads of one block.
    Block,
}

/// How a contraction is summed; decides the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One accumulator, ascending index.
    Serial,
    /// A fixed tree over `lanes_per_output` lanes.
    Reduced {
        /// Width of the tree: 1, 2, 4, 8, 16 or 32.
        lanes_per_output: u32,
    },
}

/// The mapping a variant was generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who owns one problem.
    pub tier: Tier,
    /// How sums are ordered.
    pub form: Form,
    /// How operands reach the body: `direct`, `bulk` or `shared`.
    pub staging: &'static str,
}

/// Launch geometry of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Threads of one block (workgroup).
    pub threads_per_block: u32,
    /// Problems served by one block.
    pub problems_per_block: u32,
    /// Dynamic shared memory in bytes; CUDA only.
    pub shared_bytes: u32,
}

/// Format of a prebuilt CUDA image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// Text, compiled by the driver; runs on its architecture and later ones.
    Ptx,
    /// Machine code of exactly one architecture.
    Cubin,
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageKind::Ptx => "ptx",
            ImageKind::Cubin => "cubin",
        })
    }
}

/// A prebuilt CUDA image embedded beside the source.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Compute capability it was built for, 90 = sm_90.
    pub arch: u32,
    /// Its format.
    pub kind: ImageKind,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// The code of a variant for one target.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// CUDA C++ without headers, and prebuilt images of the same text.
    Cuda {
        /// Kernel text; the entry point is the variant's symbol.
        source: &'static str,
        /// Prebuilt images, may be empty.
        images: &'static [Image],
        /// Lowest compute capability the text compiles for, 70 = sm_70.
        min_compute_capability: u32,
    },
    /// WGSL in two dialects.
    Wgsl {
        /// Text for wgpu's own backends: arguments are immediates.
        native: &'static str,
        /// Text for devices without immediates: arguments are a uniform buffer.
        web: &'static str,
        /// Workgroup memory, every variable rounded up to 16 bytes.
        workgroup_bytes: u32,
        /// Iterations of all loops of one invocation, as far as they are known.
        n_iterations: u64,
    },
    /// The host form in single precision.
    HostF32(host::Entry<f32>),
    /// The host form in double precision.
    HostF64(host::Entry<f64>),
}

impl Code {
    /// The target this code runs on.
    pub const fn target(&self) -> Target {
        match self {
            Code::Cuda { .. } => Target::Cuda,
            Code::Wgsl { .. } => Target::Wgpu,
            Code::HostF32(_) | Code::HostF64(_) => Target::Host,
        }
    }
}

/// One embedded kernel of a task.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Entry point; unique over all kernels of a program.
    pub symbol: &'static str,
    /// Content hash of the source.
    pub hash: &'static str,
    /// The mapping it was generated for.
    pub plan: Plan,
    /// Its launch geometry.
    pub launch: Launch,
    /// Its text or entry.
    pub code: Code,
}

/// Architectures a choice applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arch {
    /// One CUDA compute capability, 90 = sm_90.
    Exact(u32),
    /// This CUDA compute capability and later ones, where no row names them exactly.
    AtLeast(u32),
    /// Every architecture without rows of its own.
    Any,
}

/// What a kernel can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// NVIDIA GPUs through the driver API.
    Cuda,
    /// Vulkan, Metal or DX12 adapters through wgpu.
    Wgpu,
    /// The processor.
    Host,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::Cuda => "cuda",
            Target::Wgpu => "wgpu",
            Target::Host => "host",
        })
    }
}

/// One row of a task's launch table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Target the row applies to.
    pub target: Target,
    /// Architectures the row applies to.
    pub arch: Arch,
    /// Smallest batch the row applies to.
    pub min_batch: u64,
    /// Index into the task's variants.
    pub variant_idx: usize,
    /// Why this variant: what was measured, what the attribute forced, or which rule applied.
    pub reason: &'static str,
}

impl Choice {
    /// The row that serves a batch of `n_problems` on `target`, or `None` when none does.
    ///
    /// Of the rows whose `min_batch` is not above the batch (an empty batch counts as one problem), those of the
    /// exact architecture come first, then those of the latest architecture not above it, then the `Any` rows.
    /// Among equals the largest `min_batch` decides.
    pub fn serving<'a>(
        rows: impl IntoIterator<Item = &'a Choice>,
        target: Target,
        arch: Option<u32>,
        n_problems: u64,
    ) -> Option<&'a Choice> {
        let batch = n_problems.max(1);
        let specificity = |row: &Choice| match (row.arch, arch) {
            (Arch::Exact(wanted), Some(cc)) if wanted == cc => Some((2, wanted)),
            (Arch::AtLeast(least), Some(cc)) if least <= cc => Some((1, least)),
            (Arch::Any, _) => Some((0, 0)),
            _ => None,
        };
        rows.into_iter()
            .filter(|row| row.target == target && row.min_batch <= batch)
            .filter_map(|row| specificity(row).map(|specificity| ((specificity, row.min_batch), row)))
            .max_by_key(|(rank, _)| *rank)
            .map(|(_, row)| row)
    }
}

/// Most run-time scalars of a task: what fits the argument block of a WGSL kernel beside the problem count.
pub const MAX_SCALARS: usize = 3;

/// Inputs, word inputs, outputs and words.
type Groups = (&'static [Operand], &'static [Operand], &'static [Operand], &'static [Operand]);

/// A numerical task with all its embedded variants.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Name used in messages.
    pub symbol: &'static str,
    /// Element type of all real operands and scalars.
    pub dtype: DType,
    /// Layout of all real operands.
    pub layout: Layout,
    /// Inputs, then word inputs, outputs, words; each in launch order.
    pub operands: &'static [Operand],
    /// Names of the run-time scalars in launch order, at most [`MAX_SCALARS`].
    pub scalars: &'static [&'static str],
    /// The embedded kernels.
    pub variants: &'static [Variant],
    /// Which variant serves which device and batch.
    pub choices: &'static [Choice],
}

impl Task {
    /// The variant for a batch of `n_problems` on `target`, or `None` when the task has no code for it. That of
    /// [`Task::choose_row`].
    pub fn choose(&self, target: Target, arch: Option<u32>, n_problems: u64) -> Option<&'static Variant> {
        self.choose_row(target, arch, n_problems).map(|row| &self.variants[row.variant_idx])
    }

    /// The row that decides which variant a batch of `n_problems` on `target` runs, with the reason for it: that of
    /// [`Choice::serving`]. A row past the variants is no row.
    pub fn choose_row(&self, target: Target, arch: Option<u32>, n_problems: u64) -> Option<&'static Choice> {
        let rows = self.choices.iter().filter(|row| row.variant_idx < self.variants.len());
        Choice::serving(rows, target, arch, n_problems)
    }

    /// The real operands that are only read, in launch order.
    pub fn inputs(&self) -> &'static [Operand] {
        self.groups().0
    }

    /// The word operands that are only read, in launch order.
    pub fn word_inputs(&self) -> &'static [Operand] {
        self.groups().1
    }

    /// The real operands that are written, in launch order.
    pub fn outputs(&self) -> &'static [Operand] {
        self.groups().2
    }

    /// The word operands that are written, in launch order.
    pub fn words(&self) -> &'static [Operand] {
        self.groups().3
    }

    /// Inputs, word inputs, outputs and words. What does not follow their order is in none of them; a launch refuses it.
    pub(crate) fn groups(&self) -> Groups {
        let group = |operands: &'static [Operand], belongs: fn(&Operand) -> bool| {
            let n_leading = operands.iter().take_while(|operand| belongs(operand)).count();
            operands.split_at(n_leading)
        };
        let (inputs, rest) = group(self.operands, |operand| {
            operand.element == ElementKind::Real && operand.access == Access::In
        });
        let (word_inputs, rest) =
            group(rest, |operand| operand.element == ElementKind::Word && operand.access == Access::In);
        let (outputs, rest) =
            group(rest, |operand| operand.element == ElementKind::Real && operand.access != Access::In);
        let (words, _) =
            group(rest, |operand| operand.element == ElementKind::Word && operand.access == Access::Out);
        (inputs, word_inputs, outputs, words)
    }
}

/// A type that stands for a task; implemented by the attribute's expansion.
pub trait Kernel {
    /// Element type of the real operands.
    type Element: Real;
    /// The task.
    const TASK: &'static Task;
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn row(target: Target, arch: Arch, min_batch: u64, variant_idx: usize) -> Choice {
        Choice { target, arch, min_batch, variant_idx, reason: "forced" }
    }

    const fn variant(symbol: &'static str) -> Variant {
        Variant {
            symbol,
            hash: "",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct" },
            launch: Launch { threads_per_block: 32, problems_per_block: 32, shared_bytes: 0 },
            code: Code::Wgsl { native: "", web: "", workgroup_bytes: 0, n_iterations: 0 },
        }
    }

    static TASK: Task = Task {
        symbol: "t",
        dtype: DType::F32,
        layout: Layout::Contiguous,
        operands: &[],
        scalars: &[],
        variants: &[variant("any"), variant("small"), variant("large"), variant("sm_90"), variant("later")],
        // Out of order on purpose: only the numbers decide.
        choices: &[
            row(Target::Cuda, Arch::Any, 1000, 2),
            row(Target::Cuda, Arch::Any, 1, 1),
            row(Target::Cuda, Arch::Exact(90), 100, 3),
            Choice { reason: "measured", ..row(Target::Cuda, Arch::AtLeast(90), 1, 4) },
            row(Target::Wgpu, Arch::Any, 8, 0),
            row(Target::Wgpu, Arch::Any, 9, 77),
        ],
    };

    fn chosen(target: Target, arch: Option<u32>, n_problems: u64) -> Option<&'static str> {
        TASK.choose(target, arch, n_problems).map(|variant| variant.symbol)
    }

    #[test]
    fn the_largest_fitting_row_wins() {
        assert_eq!(chosen(Target::Cuda, Some(80), 0), Some("small"));
        assert_eq!(chosen(Target::Cuda, Some(80), 999), Some("small"));
        assert_eq!(chosen(Target::Cuda, Some(80), 1000), Some("large"));
        assert_eq!(chosen(Target::Cuda, None, u64::MAX), Some("large"));
    }

    #[test]
    fn rows_of_the_architecture_come_first() {
        assert_eq!(chosen(Target::Cuda, Some(90), 100), Some("sm_90"));
        assert_eq!(chosen(Target::Cuda, Some(90), 5000), Some("sm_90"));
        // Below its smallest batch the architecture has no row of its own.
        assert_eq!(chosen(Target::Cuda, Some(90), 99), Some("later"));
        assert_eq!(chosen(Target::Cuda, Some(120), 5000), Some("later"));
        assert_eq!(chosen(Target::Cuda, Some(89), 99), Some("small"));
    }

    #[test]
    fn no_row_means_no_variant() {
        assert_eq!(chosen(Target::Host, None, 1), None);
        assert_eq!(chosen(Target::Wgpu, None, 7), None);
        // A row past the variants is no row.
        assert_eq!(chosen(Target::Wgpu, None, 9), Some("any"));
    }

    #[test]
    fn a_row_tells_its_reason() {
        let reason =
            |arch| TASK.choose_row(Target::Cuda, Some(arch), 99).map(|row| (row.variant_idx, row.reason));
        assert_eq!(reason(90), Some((4, "measured")));
        assert_eq!(reason(80), Some((1, "forced")));
        assert_eq!(TASK.choose_row(Target::Host, None, 1), None);
    }

    #[test]
    fn operands_group_by_their_order() {
        const A: Operand =
            Operand { name: "a", rows: 1, cols: 1, element: ElementKind::Real, access: Access::In };
        const X: Operand = Operand { name: "x", access: Access::Out, ..A };
        const Y: Operand = Operand { name: "y", access: Access::InOut, ..A };
        const S: Operand = Operand { name: "s", element: ElementKind::Word, ..X };
        const P: Operand = Operand { name: "p", element: ElementKind::Word, ..A };
        fn names(operands: &'static [Operand]) -> [String; 4] {
            let task = Task { operands, ..TASK };
            [task.inputs(), task.word_inputs(), task.outputs(), task.words()]
                .map(|group| group.iter().map(|operand| operand.name).collect())
        }
        assert_eq!(names(&[A, A, X, Y, S]), ["aa", "", "xy", "s"]);
        assert_eq!(names(&[A, P, X, S]), ["a", "p", "x", "s"]);
        assert_eq!(names(&[Y]), ["", "", "y", ""]);
        assert_eq!(names(&[A, S]), ["a", "", "", "s"]);
        // What comes after its group belongs to none.
        assert_eq!(names(&[X, A, S]), ["", "", "x", ""]);
        assert_eq!(names(&[A, S, X]), ["a", "", "", "s"]);
        assert_eq!(names(&[A, X, P]), ["a", "", "x", ""]);
    }
}
