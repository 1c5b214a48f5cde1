//! Bodies of vector operations: one element on the host, a chunk that a block shares elsewhere.

use super::emit::{Emit, Workers};
use super::level::PASSES_AT_ONCE;
use super::{
    Body, Fold, Frame, Index, IntExpr, Kernel, PastEnd, Stmt,
    build::{self, build},
    level,
};
use crate::plan::{Plan, Target, has_one_each};
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
    let stmts = emit.into_stmts();
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
        emit.var(&accumulator(sum, 0), Some(&old));
    }
    elements(op, &Index::default(), 0, emit);
    for sum in &op.sums {
        let operand = operand(sum, emit.spec);
        emit.write(operand, &Index::default(), &accumulator(sum, 0));
    }
}

/// A chunk: worker `t` of `T` takes the elements `t, t + T, ...`, or as many vectors of neighbours, then all workers meet once
/// for every sum.
fn chunk(op: &VectorOp, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let level = emit.plan.level.expect("a chunk is one of a level");
    let elements_per_worker = emit.spec.dims[0].extent / emit.workers.count;
    for sum in &op.sums {
        (0..level.vector_width).for_each(|place| drop(emit.var(&accumulator(sum, place), None)));
    }
    if level.vector_width > 1 {
        in_vectors(op, level.vector_width, worker, emit);
    } else if has_one_each(elements_per_worker) && emit.plan.target == Target::Cuda {
        one_each(op, worker, emit);
    } else {
        level::strided("i", (emit.workers.count, PASSES_AT_ONCE), emit, |index, emit| {
            elements(op, &index, 0, emit);
        });
    }
    if op.sums.is_empty() {
        return;
    }
    let accs: Vec<_> = op.sums.iter().map(|sum| (accumulator(sum, 0), None)).collect();
    level::meet(&accs, level.meeting, emit);
    let totals = operand("s", emit.spec);
    emit.once(|emit| {
        for (sum_idx, (acc, _)) in accs.iter().enumerate() {
            emit.write(totals, &Index::constant(sum_idx), acc);
        }
    });
}

/// An element for each worker. Everything is read before it is known whether the gate is on, so that the two wait together.
fn one_each(op: &VectorOp, worker: &str, emit: &mut Emit<'_>) {
    let index = Index::name(worker);
    for (name, operand) in read(op, emit.spec) {
        let (names, index) = (vec![name], index.clone());
        emit.push(Stmt::LoadBelow { names, operand, index, past_end: PastEnd::Zero });
    }
    for step in &op.elementwise {
        if let Elementwise::Product { name, matrix, vector } = step {
            let [matrix, vector] = [*matrix, *vector].map(|operand| op.operands[operand].name.to_owned());
            emit.push(Stmt::RowProducts { name: name.clone(), matrix, vector });
        }
    }
    let stmts = emit.scope(|emit| {
        evaluated(op, Place::ONE, emit);
        for (operand, value) in stored(op, emit.spec) {
            emit.push(Stmt::Store { operand, index: index.clone(), value });
        }
    });
    emit.push(Stmt::Existing { name: worker.to_owned(), awaits_gate: true, stmts });
}

/// Vectors of neighbours where the chunk is whole, else their elements one by one: either way the place in a vector decides the
/// accumulator, and these meet by halves.
fn in_vectors(op: &VectorOp, width: usize, worker: &str, emit: &mut Emit<'_>) {
    let whole = emit.scope(|emit| {
        level::passes(worker, width, emit, |first, emit| {
            for (name, operand) in read(op, emit.spec) {
                let names = (0..width).map(|place| Place { of: Some(place) }.named(&name)).collect();
                emit.push(Stmt::Load { names, operand, index: first.clone() });
            }
            (0..width).for_each(|place| evaluated(op, Place { of: Some(place) }, emit));
            for (operand, value) in stored(op, emit.spec) {
                let values = (0..width).map(|place| Place { of: Some(place) }.named(&value)).collect();
                emit.push(Stmt::StoreVector { operand, index: first.clone(), values });
            }
        });
    });
    let parts = emit.scope(|emit| {
        level::passes(worker, width, emit, |first, emit| {
            for place in 0..width {
                let name = format!("i_{place}");
                let index = emit.int(&name, IntExpr::Affine(first.clone().plus(Index::constant(place))));
                let stmts = emit.scope(|emit| elements(op, &index, place, emit));
                emit.push(Stmt::Existing { name, awaits_gate: false, stmts });
            }
        });
    });
    emit.push(Stmt::Whole { whole, parts });
    for sum in &op.sums {
        let accs: Vec<_> = (0..width).map(|place| accumulator(sum, place)).collect();
        level::halve(&accs, emit);
    }
}

/// Where in a vector an element is; `None` of one that is alone.
#[derive(Clone, Copy)]
struct Place {
    of: Option<usize>,
}

impl Place {
    const ONE: Place = Place { of: None };

    /// The name of an element's value at this place.
    fn named(self, name: &str) -> String {
        self.of.map_or_else(|| name.to_owned(), |place| format!("{name}_{place}"))
    }
}

/// The elements that equations read, by name, and their operands.
fn read(op: &VectorOp, spec: &Spec) -> Vec<(String, usize)> {
    let is_named = |wanted: &str| {
        op.elementwise.iter().any(|step| match step {
            Elementwise::Value { of, .. } | Elementwise::Term { of, .. } => {
                let mut found = false;
                of.names(&mut |name| found |= name == wanted);
                found
            }
            Elementwise::Product { .. } => false,
        })
    };
    let read = op.operands.iter().filter(|known| is_named(&element(known.name)));
    read.map(|known| (element(known.name), operand(&stored_name(known.name), spec))).collect()
}

/// The operands that take values, and these.
fn stored(op: &VectorOp, spec: &Spec) -> Vec<(usize, String)> {
    let values = op.elementwise.iter().filter_map(|step| match step {
        Elementwise::Value { name, stored: Some(position), .. } => Some((*position, name)),
        _ => None,
    });
    values
        .map(|(position, name)| (operand(&stored_name(op.operands[position].name), spec), name.clone()))
        .collect()
}

/// The values of one element and its terms, of elements that were read.
fn evaluated(op: &VectorOp, place: Place, emit: &mut Emit<'_>) {
    let is_own = |name: &str| {
        op.operands.iter().any(|known| element(known.name) == name)
            || op.elementwise.iter().any(|step| match step {
                Elementwise::Value { name: made, .. } | Elementwise::Product { name: made, .. } => {
                    made == name
                }
                Elementwise::Term { .. } => false,
            })
    };
    let at_place =
        |of: &Expression| of.renamed(&|name| if is_own(name) { place.named(name) } else { name.to_owned() });
    for step in &op.elementwise {
        match step {
            Elementwise::Product { .. } => {}
            Elementwise::Value { name, of, .. } => {
                let name = place.named(name);
                emit.push(Stmt::Evaluate { name, format: Format::F32, of: at_place(of) });
            }
            Elementwise::Term { sum, of } => {
                let sum = &op.sums[*sum];
                let acc = accumulator(sum, place.of.unwrap_or(0));
                term(&acc, &place.named(sum), &at_place(of), emit);
            }
        }
    }
}

/// What happens to one element, whose place in a vector decides the accumulators. It is stored when everything about it has
/// been read.
fn elements(op: &VectorOp, index: &Index, place: usize, emit: &mut Emit<'_>) {
    let mut loaded = HashSet::new();
    for step in &op.elementwise {
        match step {
            Elementwise::Product { name, matrix, vector } => {
                if emit.is_straight {
                    let operand = operand(&product_name(name), emit.spec);
                    emit.push(Stmt::Load { names: vec![name.clone()], operand, index: index.clone() });
                    continue;
                }
                let [matrix, vector] = [*matrix, *vector].map(|operand| op.operands[operand].name.to_owned());
                emit.push(Stmt::RowProduct { name: name.clone(), matrix, vector, row: index.clone() });
            }
            Elementwise::Value { name, of, .. } => {
                load(op, of, index, &mut loaded, emit);
                emit.push(Stmt::Evaluate { name: name.clone(), format: Format::F32, of: of.clone() });
            }
            Elementwise::Term { sum, of } => {
                load(op, of, index, &mut loaded, emit);
                term(&accumulator(&op.sums[*sum], place), &op.sums[*sum], of, emit);
            }
        }
    }
    for (operand, value) in stored(op, emit.spec) {
        emit.push(Stmt::Store { operand, index: index.clone(), value });
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

/// Adds a term to an accumulator; `name` names what it is made of.
fn term(acc: &str, name: &str, of: &Expression, emit: &mut Emit<'_>) {
    if let Expression::Call(Operator::Mul, _, factors) = of {
        let a = named(&format!("{name}_x"), &factors[0], emit);
        let b =
            if factors[1] == factors[0] { a.clone() } else { named(&format!("{name}_y"), &factors[1], emit) };
        return emit.fma(acc, &a, &b);
    }
    let value = named(&format!("{name}_term"), of, emit);
    emit.push(Stmt::Add { acc: acc.to_owned(), value });
}

/// A formula as a named value.
fn named(name: &str, of: &Expression, emit: &mut Emit<'_>) -> String {
    if let Expression::Name(name) = of {
        return name.clone();
    }
    emit.push(Stmt::Evaluate { name: name.to_owned(), format: Format::F32, of: of.clone() });
    name.to_owned()
}

/// The accumulator of a place in a vector.
fn accumulator(sum: &str, place: usize) -> String {
    if place == 0 { format!("{sum}_acc") } else { format!("{sum}_acc_{place}") }
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
