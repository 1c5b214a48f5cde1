//! Element-wise arithmetic.

use super::emit::{Emit, Position};
use super::lanes::lower_triangle;
use super::{Constant, Epilogue, Function, Index, Stmt};
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
    emit.each("element", &Index::default(), &Index::constant(n_elements), |emit, element_idx| {
        let (i, j) = lower_triangle(element_idx, n - 1, emit);
        element(map, &vec![(row, i.plus(Index::constant(1))), (col, j)], emit);
    });
}

fn element(map: &Map, position: &Position, emit: &mut Emit<'_>) {
    let mut sources: Vec<_> = map
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
    let is_of_two = matches!(results, [MapFunction::Direct(_, _, 2) | MapFunction::Reversed(_)]);
    if is_of_two && sources.len() == 1 {
        sources.push("alpha".to_owned());
    }
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
    use MapFunction::{
        AverageOfBoth, Between, Blend, Direct, ExpOfDifference, PlusLog, Reversed, RotX, RotY, Same, Scalar,
    };
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
        MapKind::Divide => &[Direct(Function::Div, &[], 2)],
        MapKind::Add => &[Direct(Function::Add, &[], 2)],
        MapKind::Subtract => &[Direct(Function::Sub, &[], 2)],
        MapKind::AddAlpha => &[Direct(Function::Add, &["alpha"], 1)],
        MapKind::MultiplyAlpha => &[Direct(Function::Mul, &["alpha"], 1)],
        MapKind::Axpby => &[Blend],
        MapKind::Magnitude => &[Direct(Function::Abs, &[], 1)],
        MapKind::Exponential => &[ExpOfDifference],
        MapKind::AddLogarithm => &[PlusLog],
        MapKind::Maximum => &[Direct(Function::Maximum, &[], 2)],
        MapKind::Minimum => &[Direct(Function::Minimum, &[], 2)],
        MapKind::Clip => &[Between],
        MapKind::Less => &[Direct(Function::Less, &[], 2)],
        MapKind::LessEqual => &[Direct(Function::LessEqual, &[], 2)],
        MapKind::Greater => &[Reversed(Function::Less)],
        MapKind::GreaterEqual => &[Reversed(Function::LessEqual)],
        MapKind::Equal => &[Direct(Function::Equal, &[], 2)],
        MapKind::NotEqual => &[Direct(Function::NotEqual, &[], 2)],
        MapKind::And => &[Direct(Function::And, &[], 2)],
        MapKind::Not => &[Direct(Function::Not, &[], 1)],
        MapKind::Alpha => &[Scalar("alpha")],
        MapKind::Zero => &[MapFunction::Constant(Constant::Zero)],
        MapKind::One => &[MapFunction::Constant(Constant::One)],
    }
}

/// Words that name what each destination receives.
fn labels(kind: MapKind) -> &'static [&'static str] {
    match kind {
        MapKind::Copy => &["copied"],
        MapKind::Scale | MapKind::MultiplyAlpha => &["scaled"],
        MapKind::Axpy | MapKind::Add | MapKind::AddAlpha | MapKind::AddLogarithm => &["sum"],
        MapKind::Subtract => &["difference"],
        MapKind::Divide => &["quotient"],
        MapKind::Axpby => &["result"],
        MapKind::Magnitude => &["magnitude"],
        MapKind::Exponential => &["power"],
        MapKind::Maximum => &["larger"],
        MapKind::Minimum => &["smaller"],
        MapKind::Clip => &["clipped"],
        MapKind::Less
        | MapKind::LessEqual
        | MapKind::Greater
        | MapKind::GreaterEqual
        | MapKind::Equal
        | MapKind::NotEqual
        | MapKind::And
        | MapKind::Not => &["flag"],
        MapKind::Alpha | MapKind::Zero | MapKind::One => &["constant"],
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
    /// One function of the second and the first source.
    Reversed(Function),
    /// A scalar.
    Scalar(&'static str),
    /// A constant.
    Constant(Constant),
    /// `fma(beta, y, alpha x)`, as a sum `x` meets its old destination `y`.
    Blend,
    /// `e^(x - y)`.
    ExpOfDifference,
    /// `x + log y`, `x` where that is NaN.
    PlusLog,
    /// At most the third, then at least the second.
    Between,
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
        MapFunction::Reversed(function) => emit.value(label, function, &[source(1), source(0)]),
        MapFunction::Scalar(scalar) => scalar.to_owned(),
        MapFunction::Constant(constant) => emit.constant(label, constant),
        MapFunction::Blend => {
            let epilogue = Epilogue { alpha: true, accumulates: true, beta: true };
            let (acc, old) = (sources[0].clone(), Some(sources[1].clone()));
            emit.push(Stmt::Finish { name: label.to_owned(), acc, old, epilogue });
            label.to_owned()
        }
        MapFunction::ExpOfDifference => {
            let name = format!("{label}_of");
            let difference = emit.value(&name, Function::Sub, &[source(0), source(1)]);
            emit.value(label, Function::Exp, &[&difference])
        }
        MapFunction::PlusLog => {
            let logarithm = emit.value(&format!("{label}_log"), Function::Log, &[source(1)]);
            let sum = emit.value(&format!("{label}_any"), Function::Add, &[source(0), &logarithm]);
            emit.value(label, Function::OrOther, &[&sum, source(0)])
        }
        MapFunction::Between => {
            let capped = emit.value(&format!("{label}_above"), Function::AtMost, &[source(0), source(2)]);
            emit.value(label, Function::AtLeast, &[&capped, source(1)])
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
            let half = emit.constant(&format!("{label}_half"), Constant::Half);
            emit.value(label, Function::Mul, &[&sum, &half])
        }
    }
}
