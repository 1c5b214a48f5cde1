//! The kernel IR: a body over the operands of one problem, and a frame around it.
//!
//! Input: a spec and a plan. Output: typed statements over named values, in the words of no language. The
//! body knows neither batch nor layout beyond a compile-time element stride; the frame knows no arithmetic.
//!
//! Every phase is written once, over `emit::Emit`, which expands it to straight-line text over registers or to
//! loops over memory that the workers of a problem share out.

mod ahead;
mod blocks;
mod build;
mod bunch_kaufman;
mod check;
mod contraction;
mod cost;
mod display;
mod emit;
mod exchange;
mod factor;
mod index;
mod indexed;
mod inverse;
mod lanes;
mod level;
mod lu;
mod map;
mod operation;
mod operations;
mod overlay;
mod pressure;
mod reduction;
mod release;
mod repeat;
mod rows;
mod scan;
mod search;
mod solve;
mod state;
mod stmt;
mod straight;
mod tiled;
mod triangle;
mod vector;
mod walk;

pub use build::build;
pub use check::check;
pub use cost::Cost;
pub use index::{Index, Packing, Term};
pub use operations::{Moves, Operations};
pub(crate) use overlay::overlays;
pub use pressure::pressure;
pub(crate) use rows::n_rows;
pub use stmt::{Constant, Epilogue, Function, IntExpr, Note, PastEnd, PivotKind, Sign, Stmt};
pub use vector::{Part, VectorFrame, build_vector};
pub(crate) use vector::{product_name, stored_name};

use crate::plan::{Level, Plan, Staging, Tier};
use crate::spec::Spec;

/// Name of the number of elements that exist of a problem's operands of unknown length.
pub(crate) const COUNT: &str = "count";

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
    /// Temporaries that are arrays, as positions in the spec's operands; the others live in named values.
    pub temporaries: Vec<usize>,
    /// Slots of one thread's ring in shared memory; 0 where nothing is read ahead.
    pub ring_slots: usize,
    /// What it does.
    pub stmts: Vec<Stmt>,
}

/// What calls the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A batch, cut into problems.
    Batch {
        /// Who owns one problem.
        tier: Tier,
        /// How operands reach the body.
        staging: Staging,
    },
    /// A level of a long vector, cut into chunks that a block each owns; gated.
    Level(Level),
    /// The same, and the block that finishes last calls another body on the sums of all.
    LastBlock(Box<Fold>),
    /// A part of a vector operation; gated.
    Vector(Box<VectorFrame>),
}

/// The sum over the sums of all chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// Its task.
    pub spec: Spec,
    /// Its plan.
    pub plan: Plan,
    /// Its body.
    pub body: Body,
}
