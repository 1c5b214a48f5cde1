//! Sums over one vector.

use super::emit::{Emit, Position};
use super::lanes::{self, Outputs, Term as Summand};
use super::{Function, Index, Stmt, level};
use crate::plan::Form;
use crate::spec::{Element, Expression, Format, Operator, Reduction, Term};

/// A reduction with the factor that its terms are scaled by.
struct Sum<'r> {
    reduction: &'r Reduction,
    /// Values of `2^-e` and `2^e`, for a scaled sum.
    scales: Option<(String, String)>,
}

pub(super) fn reduction(reduction: &Reduction, form: Form, unroll_terms: bool, emit: &mut Emit<'_>) {
    if matches!(reduction.term, Term::Largest | Term::LargestMagnitude) {
        return largest(reduction, emit);
    }
    let scales = (reduction.term == Term::ScaledSquare).then(|| scales(reduction, emit));
    let sum = Sum { reduction, scales };
    if let Some(level) = emit.plan.level {
        return level::chunk(&sum, level, unroll_terms, emit);
    }
    if !emit.is_straight {
        return lanes::sums(&sum, form, unroll_terms, emit);
    }
    emit.var("acc", None);
    for term in 0..reduction.length {
        let summand = Summand { index: Index::constant(term), suffix: &term.to_string() };
        sum.term("acc", &Position::new(), summand, emit);
    }
    sum.finish("acc", &Position::new(), emit);
}

/// A maximum has no order: every worker finds it for itself, and one of them stores it.
fn largest(reduction: &Reduction, emit: &mut Emit<'_>) {
    let source = reduction.sources[0];
    let is_magnitude = reduction.term == Term::LargestMagnitude;
    let start = usize::from(!is_magnitude);
    let first = (!is_magnitude).then(|| emit.read(source, &Index::default(), "first"));
    emit.var("largest", first.as_deref());
    let (start, end) = (Index::constant(start), Index::constant(reduction.length));
    emit.seq("term", &start, &end, |emit, term| {
        let x = emit.read(source, &term, "x_m");
        let value = match is_magnitude {
            true => emit.value(&emit.label("magnitude", &[&term]), Function::Abs, &[&x]),
            false => x,
        };
        emit.push(Stmt::Raise { acc: "largest".to_owned(), value, keeps_nan: true });
    });
    emit.once(|emit| emit.write(reduction.output, &Index::default(), "largest"));
}

/// The powers of two of the largest magnitude. Every worker finds them for itself: a maximum has no order.
fn scales(reduction: &Reduction, emit: &mut Emit<'_>) -> (String, String) {
    emit.var("largest", None);
    let end = Index::constant(reduction.length);
    emit.seq("term", &Index::default(), &end, |emit, term| {
        let x = emit.read(reduction.sources[0], &term, "x_m");
        let name = emit.label("magnitude", &[&term]);
        let magnitude = emit.value(&name, Function::Abs, &[&x]);
        emit.push(Stmt::Raise { acc: "largest".to_owned(), value: magnitude, keeps_nan: false });
    });
    let down = emit.value("scale_down", Function::InverseExponentScale, &["largest"]);
    let up = emit.value("scale_up", Function::ExponentScale, &["largest"]);
    (down, up)
}

impl Outputs for Sum<'_> {
    fn n_outputs(&self) -> usize {
        1
    }

    fn n_terms(&self) -> usize {
        self.reduction.length
    }

    fn position(&self, _: &str, _: &mut Emit<'_>) -> Position {
        Position::new()
    }

    fn term(&self, acc: &str, _: &Position, term: Summand<'_>, emit: &mut Emit<'_>) {
        let Summand { index, suffix, .. } = term;
        let sources = self.reduction.sources.iter();
        let values: Vec<_> = sources
            .map(|source| {
                let operand = &emit.spec.operands[*source];
                let name = format!("{}_{suffix}", operand.name);
                match operand.element {
                    Element::Real => emit.read(*source, &index, &name),
                    Element::Word => emit.read_word(*source, &index, &name),
                }
            })
            .collect();
        let add = |value: String, emit: &mut Emit<'_>| emit.push(Stmt::Add { acc: acc.to_owned(), value });
        match self.reduction.term {
            Term::Value => add(values[0].clone(), emit),
            Term::Magnitude => {
                let value = emit.value(&format!("abs_{suffix}"), Function::Abs, &[&values[0]]);
                add(value, emit);
            }
            Term::Square => emit.fma(acc, &values[0], &values[0]),
            Term::Product => emit.fma(acc, &values[0], &values[1]),
            Term::Selected => {
                let [x, mask] = [0, 1].map(|source| Expression::name(&values[source]));
                let args = vec![mask, x, Expression::Number("0.0".to_owned())];
                let of = Expression::Call(Operator::Select, Format::F32, args);
                let name = format!("selected_{suffix}");
                emit.push(Stmt::Evaluate { name: name.clone(), format: Format::F32, of });
                add(name, emit);
            }
            Term::Distance => {
                let name = format!("difference_{suffix}");
                let difference = emit.value(&name, Function::Sub, &[&values[0], &values[1]]);
                let value = emit.value(&format!("abs_{suffix}"), Function::Abs, &[&difference]);
                add(value, emit);
            }
            Term::Largest | Term::LargestMagnitude => unreachable!("a maximum is no sum"),
            Term::ScaledSquare => {
                let (down, _) = self.scales.as_ref().expect("a scaled sum has scales");
                let scaled = emit.value(&format!("scaled_{suffix}"), Function::Mul, &[&values[0], down]);
                emit.fma(acc, &scaled, &scaled);
            }
        }
    }

    fn finish(&self, acc: &str, _: &Position, emit: &mut Emit<'_>) {
        let output = self.reduction.output;
        let Some((_, up)) = &self.scales else {
            return emit.write(output, &Index::default(), acc);
        };
        let root = emit.value("root", Function::Sqrt, &[acc]);
        let norm = emit.value("norm", Function::Mul, &[&root, up]);
        emit.write(output, &Index::default(), &norm);
    }
}
