//! What is computed: operands and phases, with no word about tiers, lanes or languages.

mod contraction;

pub use contraction::{Contraction, Indices, contract_pair};

use std::fmt;

/// Element type of every operand of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Spelling in attributes, tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
        }
    }
}

/// How the elements of a batch lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Problem-major: element `e` of problem `b` at `b * elements + e`.
    Contiguous,
    /// Tiles of 32 problems: element `e` of problem `b` at `((b / 32) * elements + e) * 32 + b % 32`.
    Interleaved,
}

impl Layout {
    /// Spelling in attributes, tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Layout::Contiguous => "contiguous",
            Layout::Interleaved => "interleaved",
        }
    }
}

/// Who writes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only; bit-unchanged after the call.
    In,
    /// Written in full, never read.
    Out,
    /// Read and written.
    InOut,
}

/// Mathematical structure of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Every element is independent.
    General,
    /// `A(i,j) == A(j,i)`; the full square is stored.
    Symmetric,
    /// Only `i >= j` is meaningful.
    Lower,
    /// Only `i <= j` is meaningful.
    Upper,
    /// Only `i == j` is meaningful.
    Diagonal,
}

/// A column-major array of one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Name in emitted code and in errors.
    pub name: &'static str,
    /// Rows of the stored matrix; the length of a vector.
    pub rows: usize,
    /// Columns of the stored matrix; 1 for a vector.
    pub cols: usize,
    /// Who writes it.
    pub role: Role,
    /// Its mathematical structure.
    pub structure: Structure,
}

impl Operand {
    /// Elements of one problem.
    pub fn elements(&self) -> usize {
        self.rows * self.cols
    }

    /// Rank in formulas: a vector has one index, a matrix two.
    pub fn is_vector(&self) -> bool {
        self.cols == 1
    }
}

/// Factor of the finished sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// Exactly one: the sum itself, no multiplication.
    One,
    /// One value per launch.
    Runtime,
}

/// Factor of the old destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beta {
    /// The destination is overwritten and never read.
    Zero,
    /// The old destination is added.
    One,
    /// One value per launch.
    Runtime,
}

/// One step of a task over the operands of its spec.
///
/// Only the contraction is provided yet; the other kinds fix the vocabulary that fused chains need.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// A sum of products over shared indices.
    Contraction(Contraction),
}

/// Which named op a spec came from: the key of tables, symbols and snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Matrix-vector product.
    Gemv,
    /// Matrix-matrix product.
    Gemm,
}

impl Op {
    /// BLAS name without the type letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Gemv => "gemv",
            Op::Gemm => "gemm",
        }
    }
}

/// Which stored matrices are transposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Transpose {
    /// The first operand is stored `k x m`.
    pub a: bool,
    /// The second operand is stored `n x k`.
    pub b: bool,
}

/// A complete, valid task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The named op this is.
    pub op: Op,
    /// Element type.
    pub dtype: DType,
    /// Rows of the result, columns of the result (1 for a vector), contraction length.
    pub dims: Dims,
    /// Transposed operands.
    pub transpose: Transpose,
    /// Inputs in call order, then the output.
    pub operands: Vec<Operand>,
    /// Steps in execution order.
    pub phases: Vec<Phase>,
}

/// The dimensions of a product: `C` is `m x n`, the contraction has length `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dims {
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result; 1 for a matrix-vector product.
    pub n: usize,
    /// Contraction length.
    pub k: usize,
}

impl Spec {
    /// Symbol of the task without its plan, for example `glass_gemv_f32_m7_k14`.
    pub fn symbol(&self) -> String {
        let Dims { m, n, k } = self.dims;
        let mut symbol = format!("glass_{}_{}_m{m}", self.op.as_str(), self.dtype.as_str());
        if self.op == Op::Gemm {
            symbol += &format!("_n{n}");
        }
        symbol += &format!("_k{k}");
        for (set, suffix) in [(self.transpose.a, "_ta"), (self.transpose.b, "_tb")] {
            if set {
                symbol += suffix;
            }
        }
        let contraction = self.contraction();
        if contraction.alpha == Alpha::Runtime {
            symbol += "_alpha";
        }
        symbol += match contraction.beta {
            Beta::Zero => "",
            Beta::One => "_acc",
            Beta::Runtime => "_beta",
        };
        symbol
    }

    /// The output operand.
    pub fn output(&self) -> &Operand {
        self.operands.last().expect("a spec has an output")
    }

    /// The contraction this spec consists of.
    pub fn contraction(&self) -> &Contraction {
        let [Phase::Contraction(contraction)] = self.phases.as_slice() else {
            unreachable!("every op provided so far is one contraction")
        };
        contraction
    }

    /// Fused multiply-adds of one problem.
    pub fn n_fmas(&self) -> usize {
        self.dims.m * self.dims.n * self.dims.k
    }

    /// The task as a formula, for example `y = A x; A 7x14, x 14, y 7; f32`.
    pub fn formula(&self) -> String {
        let contraction = self.contraction();
        let [a, b, c] = [0, 1, 2].map(|idx| &self.operands[idx]);
        let tick = |set: bool| if set { "'" } else { "" };
        let mut product =
            format!("{}{} {}{}", shown(a), tick(self.transpose.a), shown(b), tick(self.transpose.b));
        if contraction.alpha == Alpha::Runtime {
            product = format!("alpha {product}");
        }
        match contraction.beta {
            Beta::Zero => {}
            Beta::One => product += &format!(" + {}", shown(c)),
            Beta::Runtime => product += &format!(" + beta {}", shown(c)),
        }
        let shapes = self.operands.iter().map(|operand| format!("{} {}", shown(operand), shape(operand)));
        format!(
            "{} = {product}; {}; {}",
            shown(c),
            shapes.collect::<Vec<_>>().join(", "),
            self.dtype.as_str()
        )
    }
}

fn shown(operand: &Operand) -> String {
    if matches!(operand.name, "x" | "y") { operand.name.to_owned() } else { operand.name.to_uppercase() }
}

fn shape(operand: &Operand) -> String {
    if matches!(operand.name, "x" | "y") {
        operand.rows.to_string()
    } else {
        format!("{}x{}", operand.rows, operand.cols)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "task {}: {}", self.symbol(), self.formula())?;
        for operand in &self.operands {
            writeln!(
                f,
                "  {:?} {} {}x{} {:?}",
                operand.role, operand.name, operand.rows, operand.cols, operand.structure
            )?;
        }
        for Phase::Contraction(contraction) in &self.phases {
            writeln!(f, "  {contraction}")?;
        }
        Ok(())
    }
}
