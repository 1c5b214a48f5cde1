//! Sums over vectors.

use super::draft::{Draft, product};
use super::entry::{ALPHAS, Entry, PLAIN, Size, Sums};
use super::maps::source_and_result;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Contraction, Letter, MapKind, Phase, Reduction, Scan, Spec, Term};

const REDUCTION: Entry =
    Entry { sizes: &[Size::required(Field::N, "the length")], sums: Sums::Named, ..PLAIN };

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Dot, formula: "s = x' y", build: Some(dot), ..REDUCTION },
    Entry { op: Op::Reduce, formula: "s = sum x(i)", build: Some(reduce), ..REDUCTION },
    Entry { op: Op::Asum, formula: "s = sum abs x(i)", build: Some(asum), ..REDUCTION },
    Entry { op: Op::Nrm1Diff, formula: "s = sum abs(x(i) - y(i))", build: Some(nrm1_diff), ..REDUCTION },
    Entry { op: Op::Nrm2, formula: "s = sqrt(x' x), scaled", build: Some(nrm2), ..REDUCTION },
    Entry {
        op: Op::Infnorm,
        formula: "s = max abs x(i)",
        sums: Sums::Nothing,
        build: Some(infnorm),
        ..REDUCTION
    },
    Entry {
        op: Op::PrefixSum,
        formula: "y(i) = sum of x(0..=i), or of x(0..i)",
        options: &[Field::Exclusive, Field::InPlace],
        sums: Sums::Sequential,
        build: Some(prefix_sum),
        ..REDUCTION
    },
    Entry { op: Op::Logsumexp, formula: "s = log sum exp x(i)", build: Some(logsumexp), ..REDUCTION },
    Entry {
        op: Op::Softmax,
        formula: "y = exp(alpha x) / sum exp(alpha x)",
        alphas: ALPHAS,
        build: Some(softmax),
        ..REDUCTION
    },
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

fn infnorm(settings: &Settings) -> Spec {
    sum(Op::Infnorm, Term::LargestMagnitude, "s = max abs x", settings)
}

fn prefix_sum(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::PrefixSum, settings);
    let length = draft.size(Field::N);
    let (source, target) = source_and_result(&mut draft, "x", "y", (length, 1));
    let exclusive = settings.has(Field::Exclusive);
    draft.phase(Phase::Scan(Scan { source, target, length, exclusive }));
    let result = if source == target { "x" } else { "y" };
    let end = if exclusive { "i" } else { "=i" };
    draft.formula(format!("{result}(i) = sum of x(0..{end})"));
    draft.finish()
}

/// Where the largest element is infinite or NaN the sum is NaN, and the result is that element.
fn logsumexp(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Logsumexp, settings);
    let length = draft.size(Field::N);
    let x = draft.input("x", (length, 1));
    let s = draft.output("s", (1, 1));
    let Powers { m, total, .. } = powers(&mut draft, x, length);
    let single = |operand: usize| Access::strided(operand, &[]);
    draft.map(MapKind::AddLogarithm, &[], vec![single(m), single(total)], single(s));
    draft.formula("s = log sum exp x");
    draft.finish()
}

/// Exponentials of a vector, and their sum.
struct Powers {
    /// The largest element of the vector.
    m: usize,
    /// The exponentials.
    e: usize,
    /// Their sum.
    total: usize,
}

/// Relative to the largest element, so that no exponential overflows.
fn powers(draft: &mut Draft<'_>, vector: usize, length: usize) -> Powers {
    let i = Letter::new('i', length);
    let m = draft.temporary("m", (1, 1));
    let e = draft.temporary("e", (length, 1));
    let total = draft.temporary("total", (1, 1));
    let of = |operand: usize| Access::dense(operand, &[i]);
    draft.phase(Phase::Reduction(Reduction {
        term: Term::Largest,
        sources: vec![vector],
        length,
        output: m,
    }));
    // One element, whatever the letter.
    draft.map(MapKind::Exponential, &[i], vec![of(vector), Access::strided(m, &[])], of(e));
    draft.phase(Phase::Reduction(Reduction { term: Term::Value, sources: vec![e], length, output: total }));
    Powers { m, e, total }
}

fn softmax(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Softmax, settings);
    let length = draft.size(Field::N);
    let i = Letter::new('i', length);
    let x = draft.input("x", (length, 1));
    let y = draft.output("y", (length, 1));
    let t = match settings.alpha {
        Alpha::One => x,
        Alpha::Runtime => draft.temporary("t", (length, 1)),
    };
    let of = |operand: usize| Access::dense(operand, &[i]);
    if t != x {
        draft.map(MapKind::MultiplyAlpha, &[i], vec![of(x)], of(t));
    }
    let Powers { e, total, .. } = powers(&mut draft, t, length);
    draft.map(MapKind::Divide, &[i], vec![of(e), Access::strided(total, &[])], of(y));
    let scaled = if t == x { "x" } else { "(alpha x)" };
    draft.formula(format!("y = exp {scaled} / sum exp {scaled}"));
    draft.finish()
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
