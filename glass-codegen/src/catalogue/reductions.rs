//! Sums over vectors.

use super::draft::{Draft, product};
use super::entry::{Entry, PLAIN, Size, Sums};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Contraction, Letter, Phase, Reduction, Spec, Term};

const REDUCTION: Entry =
    Entry { sizes: &[Size::required(Field::N, "the length")], sums: Sums::Named, ..PLAIN };

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Dot, formula: "s = x' y", build: Some(dot), ..REDUCTION },
    Entry { op: Op::Reduce, formula: "s = sum x(i)", build: Some(reduce), ..REDUCTION },
    Entry { op: Op::Asum, formula: "s = sum abs x(i)", build: Some(asum), ..REDUCTION },
    Entry { op: Op::Nrm1Diff, formula: "s = sum abs(x(i) - y(i))", build: Some(nrm1_diff), ..REDUCTION },
    Entry { op: Op::Nrm2, formula: "s = sqrt(x' x), scaled", build: Some(nrm2), ..REDUCTION },
];

/// One output is still an output: its letter has a single value.
fn dot(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Dot, settings);
    let n = draft.size(Field::N);
    let x = draft.input("x", (n, 1));
    let y = draft.input("y", (n, 1));
    let s = draft.output("s", (1, 1));
    let (i, t) = (Letter::new('i', 1), Letter::new('t', n));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(x, &[t]), Access::dense(y, &[t]))],
        ..draft.contraction(&[i], &[t], Access::dense(s, &[i]))
    }));
    draft.formula("s = x' y");
    draft.finish()
}

fn reduce(settings: &Settings) -> Spec {
    sum(Op::Reduce, Term::Value, "s = sum x", settings)
}

fn asum(settings: &Settings) -> Spec {
    sum(Op::Asum, Term::Magnitude, "s = sum abs x", settings)
}

fn nrm1_diff(settings: &Settings) -> Spec {
    sum(Op::Nrm1Diff, Term::Distance, "s = sum abs(x - y)", settings)
}

fn nrm2(settings: &Settings) -> Spec {
    sum(Op::Nrm2, Term::ScaledSquare, "s = sqrt(x' x)", settings)
}

fn sum(op: Op, term: Term, formula: &str, settings: &Settings) -> Spec {
    let mut draft = Draft::new(op, settings);
    let length = draft.size(Field::N);
    let mut sources = vec![draft.input("x", (length, 1))];
    if term == Term::Distance {
        sources.push(draft.input("y", (length, 1)));
    }
    let output = draft.output("s", (1, 1));
    draft.phase(Phase::Reduction(Reduction { term, sources, length, output }));
    draft.formula(formula);
    draft.finish()
}
