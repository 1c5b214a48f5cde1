//! Graphs: reductions, vector operations and scalar operations that run many times without the host looking at a number.
//!
//! Operations run in the order in which they were added. Every one of them reads and writes the arena, which is one
//! buffer, so that is the only order their uses allow. Adding an operation starts nothing; [`Graph::compile`] places
//! the partial sums and loads the kernels; [`Executable::run`] submits and returns; [`Executable::read`] alone waits.

mod executable;
mod host;
mod lower;
mod memories;
mod operation;
mod transients;
mod vector;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

pub use executable::Executable;
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
pub(crate) use lower::{KernelStep, Source};
pub(crate) use lower::{Lowered, Step};
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
pub(crate) use memories::Memories;
pub use operation::{Inputs, Operation};
use operation::{Node, ReductionNode, Work};
pub(crate) use transients::{Life, Placement};
use vector::Matrix;
pub use vector::MatrixHandle;

use crate::arena::{self, Binary, Comparison, ScalarArena, Slot};
use crate::device::Device;
use crate::error::Error;
use crate::reduction::task::NO_GATE;
use crate::reduction::{Map, PlanOptions, Reduction, ReductionLimits, ReductionPlan};
use crate::refusal::Refusal;
use crate::vector::{Memory, VecView};
use crate::word::Word;

/// Operations on vectors and scalars of one device, recorded in the order in which they will run.
pub struct Graph {
    id: u64,
    device: Device,
    arena: ScalarArena,
    limits: ReductionLimits,
    options: PlanOptions,
    views: Vec<View>,
    matrices: Vec<Matrix>,
    nodes: Vec<Node>,
    names: HashSet<String>,
}

/// An imported view.
pub(crate) struct View {
    memory: Memory,
    offset: u64,
    len: u64,
}

impl View {
    /// Whether both are the same elements.
    fn is(&self, other: &View) -> bool {
        self.memory.is(&other.memory) && self.offset == other.offset && self.len == other.len
    }
}

/// A view that a graph knows.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    graph: u64,
    view_idx: usize,
}

impl Graph {
    /// An empty graph over the scalars of `arena`, which other graphs may share.
    pub fn new(device: &Device, arena: ScalarArena) -> Graph {
        static N_GRAPHS: AtomicU64 = AtomicU64::new(0);
        Graph {
            id: N_GRAPHS.fetch_add(1, Ordering::Relaxed),
            device: device.clone(),
            arena,
            limits: device.reduction_limits(),
            options: PlanOptions::default(),
            views: Vec::new(),
            matrices: Vec::new(),
            nodes: Vec::new(),
            names: HashSet::new(),
        }
    }

    /// Plans the reductions and vector operations that are added from now on under these options.
    pub fn plan_with(&mut self, options: PlanOptions) {
        self.options = options;
    }

    /// Plans the reductions and vector operations that are added from now on within these limits, which the device's
    /// must not be below. The alignment of the last call holds for all.
    pub fn plan_within(&mut self, limits: ReductionLimits) {
        self.limits = limits;
    }

    /// Makes a vector's elements an operand. Every run reads them as they are then; vector operations also write them.
    ///
    /// # Errors
    /// A vector of another device, or one that an operation writes through another handle.
    pub fn import(&mut self, view: VecView<f32>) -> Result<Handle, Error> {
        let memory = view.memory();
        self.check_device("import", &memory.device)?;
        if self.nodes.iter().flat_map(Node::written).any(|other| self.views[other].memory.is(memory)) {
            return Err(refused("import", Refusal::Aliased));
        }
        let view_idx = self.push_view(memory, view.offset(), view.len());
        Ok(Handle { graph: self.id, view_idx })
    }

    /// Adds a reduction of one or two inputs, as its map wants; the result goes to `slot`.
    ///
    /// # Errors
    /// A name that is empty or taken, inputs of another graph or of the wrong number or length, a slot of another
    /// arena, and what no plan of the device serves.
    pub fn add<K: Reduction>(
        &mut self,
        name: &str,
        inputs: impl Inputs,
        slot: Slot<f32>,
    ) -> Result<Operation<'_>, Error> {
        let mut task = K::TASK;
        let mut view_idxs = self.inputs(name, inputs.handles(), task.map)?;
        let slot = self.word(name, slot)?;
        if let ([x, y], Some(square)) = (&view_idxs[..], task.square)
            && self.views[*x].is(&self.views[*y])
        {
            task = square;
            view_idxs.truncate(1);
        }
        let offsets: Vec<u64> = view_idxs.iter().map(|idx| self.views[*idx].offset).collect();
        let len = self.views[view_idxs[0]].len;
        let plan = ReductionPlan::new(task, len, &offsets, &self.limits, &self.options)
            .map_err(|reason| refused(name, reason))?;
        let variant = &task.variants[plan.variant_idx];
        let work = Work::Reduction(ReductionNode { variant, view_idxs, slot, accumulate: false, plan });
        self.push(name, work)
    }

    fn check_device(&self, operation: &str, given: &Device) -> Result<(), Error> {
        if *given == self.device {
            return Ok(());
        }
        let (given, expected) = (given.name().into(), self.device.name().into());
        Err(refused(operation, Refusal::ForeignDevice { given, expected }))
    }

    /// Adds a view; returns its index.
    fn push_view(&mut self, memory: &Memory, offset: usize, len: usize) -> usize {
        let (offset, len) = (offset as u64, len as u64);
        self.views.push(View { memory: memory.clone(), offset, len });
        self.views.len() - 1
    }

    /// The views of a reduction's inputs.
    fn inputs(&self, name: &str, handles: Vec<Handle>, map: Map) -> Result<Vec<usize>, Error> {
        let given = handles.len();
        if given != map.n_inputs() {
            return Err(refused(name, Refusal::InputCount { given, map }));
        }
        if handles.iter().any(|handle| handle.graph != self.id) {
            return Err(refused(name, Refusal::ForeignGraph));
        }
        let view_idxs: Vec<usize> = handles.into_iter().map(|handle| handle.view_idx).collect();
        let expected = self.views[view_idxs[0]].len;
        for view_idx in &view_idxs {
            let given = self.views[*view_idx].len;
            if given != expected {
                return Err(refused(name, Refusal::UnequalLengths { given, expected }));
            }
        }
        Ok(view_idxs)
    }

    /// Stores `value`.
    ///
    /// # Errors
    /// A name that is empty or taken, and slots of another arena.
    pub fn literal<T: Word>(
        &mut self,
        name: &str,
        value: T,
        result: Slot<T>,
    ) -> Result<Operation<'_>, Error> {
        self.scalar::<T, T>(name, arena::Operation::Literal { bits: bytemuck::cast(value) }, result)
    }

    /// Stores the value of `from`, bit by bit.
    ///
    /// # Errors
    /// Those of [`Graph::literal`].
    pub fn copy<T: Word>(
        &mut self,
        name: &str,
        from: Slot<T>,
        result: Slot<T>,
    ) -> Result<Operation<'_>, Error> {
        let from = self.word(name, from)?;
        self.scalar::<T, T>(name, arena::Operation::Copy { from }, result)
    }

    /// Stores the square root of `of`.
    ///
    /// # Errors
    /// Those of [`Graph::literal`].
    pub fn square_root(
        &mut self,
        name: &str,
        of: Slot<f32>,
        result: Slot<f32>,
    ) -> Result<Operation<'_>, Error> {
        let of = self.word(name, of)?;
        self.scalar::<f32, f32>(name, arena::Operation::SquareRoot { of }, result)
    }

    /// Stores a result of two scalars of its own format.
    ///
    /// # Errors
    /// Those of [`Graph::literal`].
    pub fn binary<T: Word>(
        &mut self,
        name: &str,
        operation: Binary,
        [left, right]: [Slot<T>; 2],
        result: Slot<T>,
    ) -> Result<Operation<'_>, Error> {
        let (left, right) = (self.word(name, left)?, self.word(name, right)?);
        self.scalar::<T, T>(name, arena::Operation::Binary { operation, left, right }, result)
    }

    /// Stores 1 where the comparison of two scalars holds, else 0.
    ///
    /// # Errors
    /// Those of [`Graph::literal`].
    pub fn compare<T: Word>(
        &mut self,
        name: &str,
        comparison: Comparison,
        [left, right]: [Slot<T>; 2],
        result: Slot<u32>,
    ) -> Result<Operation<'_>, Error> {
        let (left, right) = (self.word(name, left)?, self.word(name, right)?);
        self.scalar::<T, u32>(name, arena::Operation::Compare { comparison, left, right }, result)
    }

    /// Places the partial sums, loads the kernels and, for the first graph over its arena, sets the scalars to 0. Nothing
    /// is rendered.
    ///
    /// # Errors
    /// An arena that is in use on another device, out of memory, and kernels that do not compile or load.
    pub fn compile(self) -> Result<Executable, Error> {
        Executable::new(self)
    }

    /// Adds an operation on operands of `T` with a result of `R`.
    fn scalar<T: Word, R: Word>(
        &mut self,
        name: &str,
        operation: arena::Operation,
        result: Slot<R>,
    ) -> Result<Operation<'_>, Error> {
        let result = self.word(name, result)?;
        let step = arena::ScalarStep { operation, format: T::FORMAT, result, gate: NO_GATE };
        self.push(name, Work::Scalar(step))
    }

    fn push(&mut self, name: &str, work: Work) -> Result<Operation<'_>, Error> {
        if name.is_empty() {
            return Err(refused(name, Refusal::EmptyName));
        }
        if !self.names.insert(name.into()) {
            return Err(refused(name, Refusal::NameTaken));
        }
        self.nodes.push(Node { name: name.into(), work, gate: None });
        let node_idx = self.nodes.len() - 1;
        Ok(Operation { arena: self.arena.id, node: &mut self.nodes[node_idx] })
    }

    /// The word of a slot of this graph's arena.
    fn word<T: Word>(&self, name: &str, slot: Slot<T>) -> Result<u32, Error> {
        if slot.arena != self.arena.id {
            return Err(refused(name, Refusal::ForeignArena));
        }
        Ok(slot.word)
    }
}

fn refused(name: &str, reason: Refusal) -> Error {
    Error::Refused { operation: name.into(), reason }
}
