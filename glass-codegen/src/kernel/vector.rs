//! Bodies of vector operations: one element on the host, a chunk that a block shares elsewhere.

use super::emit::{Emit, Workers};
use super::level::PASSES_AT_ONCE;
use super::{
    Body, COUNT, Fold, Frame, Index, IntExpr, Kernel, Stmt,
    build::{self, build},
    level,
};
use crate::plan::{Plan, Target, fetches_rows_together};
use crate::spec::{Elementwise, Expression, Format, Operator, Spec, VectorOp, element};
use std::collections::HashSet;

/// What one kernel of a vector operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Equations of elements alone.
    Map,
    /// Equations of elements and the sums of every chunk.
    Chunk,
    /// The same, and the last block adds up the sums and evaluates the equations of scalars.
    LastBlock,
    /// One block adds up the sums of all chunks and evaluates the equations of scalars.
    Finish,
    /// Equations of scalars alone, by one thread.
    Scalars,
    /// One element, for the run time to call.
    Element,
}

impl Part {
    /// Spelling in symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Map => "map",
            Part::Chunk => "chunk",
            Part::LastBlock => "last_block",
            Part::Finish => "finish",
            Part::Scalars => "scalars",
            Part::Element => "element",
        }
    }
}

/// The frame of a vector operation.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorFrame {
    /// The operation.
    pub op: VectorOp,
    /// What of it the kernel does.
    pub part: Part,
    /// What its last block does with each sum.
    pub fold: Option<Fold>,
}

/// Builds one kernel of an operation whose elements a spec describes.
pub fn build_vector(op: &VectorOp, part: Part, spec: &Spec, plan: &Plan) -> Kernel {
    let threads = plan.mapping.threads_per_block;
    let shape = match part {
        Part::Element | Part::Scalars => String::new(),
        Part::Finish => format!("_{threads}"),
        Part::Map | Part::Chunk | Part::LastBlock => format!("_{threads}x{}", spec.dims[0].extent / threads),
    };
    let symbol = format!("glass_vector_{}_{}{shape}", op.name, part.as_str());
    let level = plan.level.filter(|_| part == Part::LastBlock);
    let fold = level.map(|level| build::fold(spec, plan, level));
    let frame = Frame::Vector(Box::new(VectorFrame { op: op.clone(), part, fold }));
    match part {
        Part::Finish => {
            let sum = build(spec, plan);
            return Kernel { body: Body { name: format!("{symbol}_sum"), ..sum.body }, symbol, frame };
        }
        Part::Element | Part::Scalars | Part::Map | Part::Chunk | Part::LastBlock => {}
    }
    let is_alone = matches!(part, Part::Element | Part::Scalars);
    let count = if is_alone { 1 } else { plan.mapping.threads_per_block };
    let workers = Workers { name: (!is_alone).then_some("thread"), count };
    let mut emit = Emit::new(spec, plan, workers, part == Part::Element);
    match part {
        Part::Element => alone(op, &mut emit),
        _ if op.has_elements() => chunk(op, &mut emit),
        _ => {}
    }
    let mut stmts = emit.into_stmts();
    if plan.target == Target::Cuda && !op.sums.is_empty() {
        stmts.push(Stmt::Barrier);
    }
    let body = Body {
        name: format!("{symbol}_body"),
        worker: workers.name,
        n_workers: workers.count,
        temporaries: Vec::new(),
        ring_slots: 0,
        stmts,
    };
    Kernel { symbol, body, frame }
}

/// One element: sums go on from what their operands hold.
fn alone(op: &VectorOp, emit: &mut Emit<'_>) {
    for sum in &op.sums {
        let operand = operand(sum, emit.spec);
        let old = format!("{sum}_old");
        emit.push(Stmt::Load { names: vec![old.clone()], operand, index: Index::default() });
        emit.var(&accumulator(sum), Some(&old));
    }
    elements(op, &Index::default(), emit);
    for sum in &op.sums {
        let operand = operand(sum, emit.spec);
        emit.write(operand, &Index::default(), &accumulator(sum));
    }
}

/// A chunk: worker `t` of `T` takes the elements `t, t + T, ...`, then all workers meet once for every sum.
fn chunk(op: &VectorOp, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    for sum in &op.sums {
        emit.var(&accumulator(sum), None);
    }
    let step = emit.workers.count;
    let fetches_rows = fetches_rows(op, emit);
    let (var, start, unroll) = match fetches_rows {
        true => ("first_row", Index::default(), 1),
        false => ("i", Index::name(worker), PASSES_AT_ONCE),
    };
    let stmts = emit.scope(|emit| match fetches_rows {
        true => rows(op, &Index::name(var), worker, emit),
        false => elements(op, &Index::name(var), emit),
    });
    let (var, end) = (var.to_owned(), Index::name(COUNT));
    emit.push(Stmt::Loop { var, start, end, step, unroll: Some(unroll), stmts });
    let meeting = emit.plan.level.expect("a chunk is one of a level").meeting;
    for (sum_idx, sum) in op.sums.iter().enumerate() {
        if sum_idx > 0 {
            emit.barrier();
        }
        level::meet(&accumulator(sum), None, meeting, emit);
    }
    if !op.sums.is_empty() {
        let totals = operand("s", emit.spec);
        emit.once(|emit| {
            for (sum_idx, sum) in op.sums.iter().enumerate() {
                emit.write(totals, &Index::constant(sum_idx), &accumulator(sum));
            }
        });
    }
}

/// Whether the workers of a block fetch rows together.
fn fetches_rows(op: &VectorOp, emit: &Emit<'_>) -> bool {
    let elements_per_worker = emit.spec.dims[0].extent / emit.workers.count;
    let is_shared = emit.plan.target == Target::Cuda && op.products().next().is_some();
    is_shared && fetches_rows_together(elements_per_worker)
}

/// A row for each worker, whose products all of them need before each looks at its own element.
fn rows(op: &VectorOp, first: &Index, worker: &str, emit: &mut Emit<'_>) {
    for step in &op.elementwise {
        if let Elementwise::Product { name, matrix, vector } = step {
            let [matrix, vector] = [*matrix, *vector].map(|operand| op.operands[operand].name.to_owned());
            emit.push(Stmt::RowProducts { name: name.clone(), matrix, vector, first: first.clone() });
        }
    }
    let row = emit.int("i", IntExpr::Affine(first.clone().plus(Index::name(worker))));
    let stmts = emit.scope(|emit| elements(op, &row, emit));
    emit.push(Stmt::Existing { name: "i".to_owned(), stmts });
}

/// What happens to one element. It is stored when everything about it has been read.
fn elements(op: &VectorOp, index: &Index, emit: &mut Emit<'_>) {
    let mut loaded = HashSet::new();
    let mut stores = Vec::new();
    for step in &op.elementwise {
        match step {
            Elementwise::Product { name, matrix, vector } => {
                if fetches_rows(op, emit) {
                    continue;
                }
                if emit.is_straight {
                    let operand = operand(&product_name(name), emit.spec);
                    emit.push(Stmt::Load { names: vec![name.clone()], operand, index: index.clone() });
                    continue;
                }
                let [matrix, vector] = [*matrix, *vector].map(|operand| op.operands[operand].name.to_owned());
                emit.push(Stmt::RowProduct { name: name.clone(), matrix, vector, row: index.clone() });
            }
            Elementwise::Value { name, of, stored } => {
                load(op, of, index, &mut loaded, emit);
                emit.push(Stmt::Evaluate { name: name.clone(), format: Format::F32, of: of.clone() });
                stores.extend(stored.map(|operand_idx| (op.operands[operand_idx].name, name)));
            }
            Elementwise::Term { sum, of } => {
                load(op, of, index, &mut loaded, emit);
                term(&op.sums[*sum], of, emit);
            }
        }
    }
    for (name, value) in stores {
        let operand = operand(&stored_name(name), emit.spec);
        emit.push(Stmt::Store { operand, index: index.clone(), value: value.clone() });
    }
}

/// Reads the elements that a formula names and that were not read before.
fn load(op: &VectorOp, of: &Expression, index: &Index, loaded: &mut HashSet<String>, emit: &mut Emit<'_>) {
    of.names(&mut |name| {
        let Some(found) = op.operands.iter().find(|operand| element(operand.name) == name) else { return };
        if loaded.insert(name.to_owned()) {
            let operand = operand(&stored_name(found.name), emit.spec);
            emit.push(Stmt::Load { names: vec![name.to_owned()], operand, index: index.clone() });
        }
    });
}

fn term(sum: &str, of: &Expression, emit: &mut Emit<'_>) {
    let acc = accumulator(sum);
    if let Expression::Call(Operator::Mul, _, factors) = of {
        let a = named(&format!("{sum}_x"), &factors[0], emit);
        let b =
            if factors[1] == factors[0] { a.clone() } else { named(&format!("{sum}_y"), &factors[1], emit) };
        return emit.fma(&acc, &a, &b);
    }
    let value = named(&format!("{sum}_term"), of, emit);
    emit.push(Stmt::Add { acc, value });
}

/// A formula as a named value.
fn named(name: &str, of: &Expression, emit: &mut Emit<'_>) -> String {
    if let Expression::Name(name) = of {
        return name.clone();
    }
    emit.push(Stmt::Evaluate { name: name.to_owned(), format: Format::F32, of: of.clone() });
    name.to_owned()
}

fn accumulator(sum: &str) -> String {
    format!("{sum}_acc")
}

/// Name of the operand that holds a vector's elements.
pub(crate) fn stored_name(vector: &str) -> String {
    format!("{vector}_v")
}

/// Name of the operand that holds a row's product.
pub(crate) fn product_name(value: &str) -> String {
    format!("{value}_row")
}

fn operand(name: &str, spec: &Spec) -> usize {
    let mut operands = spec.operands.iter();
    operands.position(|operand| operand.name == name).expect("a vector operation's spec has its operands")
}
