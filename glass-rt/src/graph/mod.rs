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
mod pieces;
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
pub use operation::{Inputs, Operation, Results};
use operation::{Node, ReductionNode, Work};
pub(crate) use transients::{Life, Placement};
use vector::Matrix;
pub use vector::MatrixHandle;

use crate::arena::{self, Binary, Comparison, ScalarArena, ScalarArgument, Slot};
use crate::device::Device;
use crate::error::Error;
use crate::reduction::task::NO_GATE;
use crate::reduction::{Map, PlanOptions, Reduction, ReductionLimits, ReductionPlan, ReductionTask};
use crate::refusal::Refusal;
use crate::vector::{Memory, VecView};
use crate::word::{Format, Word};

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
    format: Format,
    offset: u64,
    len: u64,
    /// A part of another one, which no handle of the caller stands for.
    is_part: bool,
}

impl View {
    /// Whether both are the same elements.
    fn is(&self, other: &View) -> bool {
        self.memory.is(&other.memory) && self.offset == other.offset && self.len == other.len
    }

    /// Whether any element is one of both.
    fn meets(&self, other: &View) -> bool {
        let ends_behind = |this: &View, other: &View| this.offset + this.len > other.offset;
        self.memory.is(&other.memory) && ends_behind(self, other) && ends_behind(other, self)
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

    /// Plans the reductions and vector operations that are added from now on within these limits. Call it before anything
    /// is added where the alignment differs from the device's: the last one holds for all.
    ///
    /// # Errors
    /// Limits beyond the device's, and an alignment that is no multiple of the device's.
    pub fn plan_within(&mut self, limits: ReductionLimits) -> Result<(), Error> {
        let own = self.device.reduction_limits();
        limits.check_within(&own).map_err(|reason| refused("plan within", reason))?;
        self.limits = limits;
        Ok(())
    }

    /// Makes a vector's elements an operand. Every run reads them as they are then; vector operations also write them, and take
    /// floats only.
    ///
    /// # Errors
    /// A vector of another device, or one that an operation writes through another handle.
    pub fn import<T: Word>(&mut self, view: VecView<T>) -> Result<Handle, Error> {
        let memory = view.memory();
        self.check_device("import", &memory.device)?;
        if self.nodes.iter().flat_map(Node::written).any(|other| self.views[other].memory.is(memory)) {
            return Err(refused("import", Refusal::Aliased));
        }
        let view_idx = self.push_view(memory, T::FORMAT, view.offset(), view.len());
        Ok(Handle { graph: self.id, view_idx })
    }

    /// Adds a reduction of one or two inputs, as its map wants: `(x,)`, `(x, y)` or `(x, mask)`, where words of the mask other
    /// than 0 select. The results go to a slot for a sum, `(min, status)`, `(max, status)` or `(min, max, status)`.
    ///
    /// # Errors
    /// A name that is empty or taken; inputs of another graph or of the wrong number, format or length; a mask that shares
    /// elements with what it selects from; slots of another arena, of the wrong number or format, or one given twice; and
    /// what no plan of the device serves.
    pub fn add<K: Reduction>(
        &mut self,
        name: &str,
        inputs: impl Inputs,
        results: impl Results,
    ) -> Result<Operation<'_>, Error> {
        self.reduce(name, K::TASK, inputs.handles(), results.slots())
    }

    fn reduce(
        &mut self,
        name: &str,
        mut task: &'static ReductionTask,
        handles: Vec<Handle>,
        slots: Vec<ScalarArgument>,
    ) -> Result<Operation<'_>, Error> {
        let mut view_idxs = self.inputs(name, handles, task)?;
        let slots = self.results(name, slots, task)?;
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
        let n_words = task.n_words;
        let work =
            Work::Reduction(ReductionNode { n_words, variant, view_idxs, slots, accumulate: false, plan });
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
    fn push_view(&mut self, memory: &Memory, format: Format, offset: usize, len: usize) -> usize {
        let (offset, len) = (offset as u64, len as u64);
        self.views.push(View { memory: memory.clone(), format, offset, len, is_part: false });
        self.views.len() - 1
    }

    /// The views of a reduction's inputs.
    fn inputs(&self, name: &str, handles: Vec<Handle>, task: &ReductionTask) -> Result<Vec<usize>, Error> {
        let (given, map) = (handles.len(), task.map);
        if given != map.n_inputs() {
            return Err(refused(name, Refusal::InputCount { given, map }));
        }
        if handles.iter().any(|handle| handle.graph != self.id) {
            return Err(refused(name, Refusal::ForeignGraph));
        }
        let view_idxs: Vec<usize> = handles.into_iter().map(|handle| handle.view_idx).collect();
        let expected = self.views[view_idxs[0]].len;
        for (view_idx, (input, format)) in view_idxs.iter().zip(map.inputs(task.format)) {
            self.check_format(name, input, *view_idx, *format)?;
            let given = self.views[*view_idx].len;
            if given != expected {
                return Err(refused(name, Refusal::UnequalLengths { given, expected }));
            }
        }
        match view_idxs[..] {
            [x, mask] if map == Map::Select && self.views[x].meets(&self.views[mask]) => {
                Err(refused(name, Refusal::MaskOverlap))
            }
            _ => Ok(view_idxs),
        }
    }

    /// Refuses a vector of another format.
    fn check_format(
        &self,
        name: &str,
        input: &'static str,
        view_idx: usize,
        expected: Format,
    ) -> Result<(), Error> {
        let given = self.views[view_idx].format;
        match given == expected {
            true => Ok(()),
            false => Err(refused(name, Refusal::InputFormat { input, given, expected })),
        }
    }

    /// The words of a reduction's results.
    fn results(
        &self,
        name: &str,
        slots: Vec<ScalarArgument>,
        task: &ReductionTask,
    ) -> Result<Vec<u32>, Error> {
        let results = task.operator.results(task.format);
        if slots.len() != results.len() {
            let names = results.into_iter().map(|(name, _)| name).collect();
            return Err(refused(name, Refusal::ResultCount { given: slots.len(), names }));
        }
        for (idx, (slot, (result, expected))) in slots.iter().zip(&results).enumerate() {
            if slot.arena != self.arena.id {
                return Err(refused(name, Refusal::ForeignArena));
            }
            let (result, given, expected) = (*result, slot.format, *expected);
            if given != expected {
                return Err(refused(name, Refusal::ResultFormat { result, given, expected }));
            }
            if let Some(first) = slots[..idx].iter().position(|other| other.word == slot.word) {
                let first = results[first].0;
                return Err(refused(name, Refusal::SharedOperand { first, second: result }));
            }
        }
        Ok(slots.into_iter().map(|slot| slot.word).collect())
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
