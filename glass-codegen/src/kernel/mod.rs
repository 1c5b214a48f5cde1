//! The kernel IR: a body over the operands of one problem, and a frame around it.
//!
//! Input: a spec and a plan. Output: typed statements over named values, in the words of no language. The
//! body knows neither batch nor layout beyond a compile-time element stride; the frame knows no arithmetic.

mod build;
mod check;
mod cost;
mod index;
mod lanes;
mod thread;

pub use build::build;
pub use check::check;
pub use cost::Cost;
pub use index::{Index, Term};

use crate::plan::{Staging, Tier};
use std::fmt;

/// A batched kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Entry point.
    pub symbol: String,
    /// The op on one problem.
    pub body: Body,
    /// The batch around it.
    pub frame: Frame,
}

/// The op on one problem: what a device function contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Function name.
    pub name: String,
    /// Name of the integer that tells a lane which part of the problem is its own; `None` when one thread
    /// owns all of it.
    pub worker: Option<&'static str>,
    /// Number of workers: 1, 32 or the block size.
    pub n_workers: usize,
    /// What it does.
    pub stmts: Vec<Stmt>,
}

/// How a batch is cut into problems and how operands reach the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Who owns one problem.
    pub tier: Tier,
    /// How operands reach the body.
    pub staging: Staging,
}

/// How the finished sum meets the old destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epilogue {
    /// The sum is scaled by a run-time `alpha`, and sources are without influence when it is zero.
    pub alpha: bool,
    /// The old destination takes part.
    pub accumulates: bool,
    /// With a run-time factor `beta`; zero removes the old destination altogether.
    pub beta: bool,
}

/// One statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A remark for the reader.
    Comment(String),
    /// A named non-negative integer.
    Int {
        /// Its name.
        name: String,
        /// Its value.
        value: IntExpr,
    },
    /// Consecutive elements of an operand, read once into named values.
    Load {
        /// One name per element; more than one is a vector load.
        names: Vec<String>,
        /// Position of the operand in the spec.
        operand: usize,
        /// First element.
        index: Index,
    },
    /// An accumulator that starts at `+0`.
    Zero {
        /// Its name.
        acc: String,
    },
    /// `acc = fma(a, b, acc)`, one rounding.
    Fma {
        /// Accumulator.
        acc: String,
        /// First factor.
        a: String,
        /// Second factor.
        b: String,
    },
    /// `acc = acc + value`.
    Add {
        /// Accumulator.
        acc: String,
        /// Addend.
        value: String,
    },
    /// Sum of the accumulators of a segment of lanes by halving offsets; the first lane holds the result.
    Combine {
        /// Accumulator.
        acc: String,
        /// Lanes of a segment.
        lanes: usize,
    },
    /// The value that the destination takes.
    Finish {
        /// Its name.
        name: String,
        /// The finished sum.
        acc: String,
        /// The old destination, where it takes part.
        old: Option<String>,
        /// Which scalars take part.
        epilogue: Epilogue,
    },
    /// Writes one element of the output.
    Store {
        /// Position of the operand in the spec.
        operand: usize,
        /// Element.
        index: Index,
        /// Value.
        value: String,
    },
    /// `for var in 0..count`, with constant bounds.
    Loop {
        /// Loop variable.
        var: String,
        /// Number of passes.
        count: usize,
        /// Passes that a compiler may write out at once; `None` leaves it to the compiler.
        unroll: Option<usize>,
        /// Repeated statements.
        stmts: Vec<Stmt>,
    },
    /// Statements of the lanes for which `name < limit`.
    Guard {
        /// Compared integer.
        name: String,
        /// First excluded value.
        limit: usize,
        /// Guarded statements.
        stmts: Vec<Stmt>,
    },
    /// Results become visible to every worker of the problem.
    Barrier,
}

/// A non-negative integer expression.
#[derive(Clone, Debug, PartialEq)]
pub enum IntExpr {
    /// An affine combination.
    Affine(Index),
    /// Quotient by a constant.
    Div(String, usize),
    /// Remainder by a constant.
    Rem(String, usize),
    /// The smaller of a name and a constant.
    Min(String, usize),
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}", self.symbol)?;
        writeln!(f, "frame {} tier, {} staging", self.frame.tier.as_str(), self.frame.staging.as_str())?;
        writeln!(f, "body {}, {} worker(s)", self.body.name, self.body.n_workers)?;
        print(&self.body.stmts, 1, f)
    }
}

fn print(stmts: &[Stmt], depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for stmt in stmts {
        write!(f, "{:1$}", "", 2 * depth)?;
        match stmt {
            Stmt::Comment(text) => writeln!(f, "# {text}")?,
            Stmt::Int { name, value } => writeln!(f, "int {name} = {value}")?,
            Stmt::Load { names, operand, index } => {
                writeln!(f, "{} = load operand {operand}[{index}]", names.join(", "))?;
            }
            Stmt::Zero { acc } => writeln!(f, "{acc} = +0")?,
            Stmt::Fma { acc, a, b } => writeln!(f, "{acc} = fma({a}, {b}, {acc})")?,
            Stmt::Add { acc, value } => writeln!(f, "{acc} = {acc} + {value}")?,
            Stmt::Combine { acc, lanes } => writeln!(f, "{acc} = tree of {lanes} lanes over {acc}")?,
            Stmt::Finish { name, acc, old, epilogue } => {
                let old = old.as_deref().unwrap_or("-");
                writeln!(
                    f,
                    "{name} = finish {acc}, old {old}, run-time alpha {}, beta {}",
                    epilogue.alpha, epilogue.beta
                )?;
            }
            Stmt::Store { operand, index, value } => {
                writeln!(f, "store operand {operand}[{index}] = {value}")?
            }
            Stmt::Loop { var, count, unroll, stmts } => {
                let unroll = unroll.map_or_else(String::new, |passes| format!(", {passes} at once"));
                writeln!(f, "loop {var} in 0..{count}{unroll}")?;
                print(stmts, depth + 1, f)?;
            }
            Stmt::Guard { name, limit, stmts } => {
                writeln!(f, "if {name} < {limit}")?;
                print(stmts, depth + 1, f)?;
            }
            Stmt::Barrier => writeln!(f, "barrier")?,
        }
    }
    Ok(())
}

impl fmt::Display for IntExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntExpr::Affine(index) => write!(f, "{index}"),
            IntExpr::Div(name, by) => write!(f, "{name} / {by}"),
            IntExpr::Rem(name, by) => write!(f, "{name} % {by}"),
            IntExpr::Min(name, limit) => write!(f, "min({name}, {limit})"),
        }
    }
}
