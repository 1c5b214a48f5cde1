//! Element-wise arithmetic.

use super::emit::{Emit, Position};
use super::lanes::lower_triangle;
use super::{Function, Index, Stmt};
use crate::spec::{Map, MapKind};

pub(super) fn map(map: &Map, emit: &mut Emit<'_>) {
    if map.letters.is_empty() {
        return emit.once(|emit| element(map, &Position::new(), emit));
    }
    if !map.strictly_lower {
        return emit.positions(&map.letters, |emit, position| element(map, position, emit));
    }
    let (row, col) = (map.letters[0].name, map.letters[1].name);
    let n = map.letters[0].extent;
    if emit.is_straight {
        for (i, j) in (0..n).flat_map(|j| (j + 1..n).map(move |i| (i, j))) {
            element(map, &vec![(row, Index::constant(i)), (col, Index::constant(j))], emit);
        }
        return;
    }
    // Strictly below the diagonal of n x n lies the lower triangle of one size less.
    let n_elements = n * (n - 1) / 2;
    emit.each("element", &Index::default(), &Index::constant(n_elements), |emit, _| {
        let (i, j) = lower_triangle("element", n - 1, emit);
        element(map, &vec![(row, i.plus(Index::constant(1))), (col, j)], emit);
    });
}

fn element(map: &Map, position: &Position, emit: &mut Emit<'_>) {
    let sources: Vec<_> = map
        .sources
        .iter()
        .map(|access| {
            let index = Emit::index(access, position);
            let name = format!("{}_{}", emit.spec.operands[access.operand].name, access.letters());
            emit.read(access.operand, &index, &name)
        })
        .collect();
    let indices: Vec<_> = position.iter().map(|(_, index)| index).collect();
    let (results, labels) = (function(map.kind), labels(map.kind));
    let mut written = Vec::new();
    for (function, label) in results.iter().zip(labels) {
        let target = map.destinations.get(written.len()).unwrap_or(&map.destinations[0]).operand;
        let label = emit.label(&format!("{label}_{}", emit.spec.operands[target].name), &indices);
        written.push(apply(*function, &label, &sources, emit));
    }
    for (destination_idx, destination) in map.destinations.iter().enumerate() {
        let value = written.get(destination_idx).unwrap_or(&written[0]).clone();
        emit.write(destination.operand, &Emit::index(destination, position), &value);
    }
}

/// What each destination receives; the last one serves the rest.
fn function(kind: MapKind) -> &'static [MapFunction] {
    use MapFunction::{AverageOfBoth, Direct, RotX, RotY, Same};
    match kind {
        MapKind::Copy => &[Same],
        MapKind::Scale => &[Direct(Function::Scale, &["alpha"], 1)],
        MapKind::Axpy => &[Direct(Function::Axpy, &["alpha"], 2)],
        MapKind::Rot => &[RotX, RotY],
        MapKind::Rotg => &[
            Direct(Function::RotgCos, &[], 2),
            Direct(Function::RotgSin, &[], 2),
            Direct(Function::RotgRadius, &[], 2),
        ],
        MapKind::Average => &[AverageOfBoth],
        MapKind::Reciprocal => &[Direct(Function::Reciprocal, &[], 1)],
        MapKind::Multiply => &[Direct(Function::Mul, &[], 2)],
    }
}

/// Words that name what each destination receives.
fn labels(kind: MapKind) -> &'static [&'static str] {
    match kind {
        MapKind::Copy => &["copied"],
        MapKind::Scale => &["scaled"],
        MapKind::Axpy => &["sum"],
        MapKind::Rot => &["turned", "turned"],
        MapKind::Rotg => &["cos", "sin", "radius"],
        MapKind::Average => &["mean"],
        MapKind::Reciprocal => &["reciprocal"],
        MapKind::Multiply => &["product"],
    }
}

#[derive(Clone, Copy)]
enum MapFunction {
    /// The source itself.
    Same,
    /// One function of scalars and so many sources.
    Direct(Function, &'static [&'static str], usize),
    /// `fma(c, x, s y)`.
    RotX,
    /// `fma(c, y, -(s x))`.
    RotY,
    /// `(x + y) * 0.5`.
    AverageOfBoth,
}

fn apply(function: MapFunction, label: &str, sources: &[String], emit: &mut Emit<'_>) -> String {
    let source = |idx: usize| sources[idx].as_str();
    match function {
        MapFunction::Same => sources[0].clone(),
        MapFunction::Direct(function, scalars, n_sources) => {
            let args: Vec<_> = scalars.iter().copied().chain((0..n_sources).map(source)).collect();
            emit.value(label, function, &args)
        }
        MapFunction::RotX => {
            let part = emit.value(&format!("{label}_part"), Function::Mul, &["s", source(1)]);
            emit.value(label, Function::Fma, &["c", source(0), &part])
        }
        MapFunction::RotY => {
            let part = emit.value(&format!("{label}_part"), Function::Mul, &["s", source(0)]);
            let negated = emit.value(&format!("{label}_negated"), Function::Neg, &[&part]);
            emit.value(label, Function::Fma, &["c", source(1), &negated])
        }
        MapFunction::AverageOfBoth => {
            let sum = emit.value(&format!("{label}_sum"), Function::Add, &[source(0), source(1)]);
            let half = format!("{label}_half");
            emit.push(Stmt::ConstantHalf { name: half.clone() });
            emit.value(label, Function::Mul, &[&sum, &half])
        }
    }
}
