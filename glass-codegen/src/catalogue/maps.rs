//! Element-wise operations.

use super::draft::Draft;
use super::entry::{ALPHAS, Entry, PLAIN, Size};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Letter, Map, MapKind, Phase, Spec};

const N: &[Size] = &[Size::required(Field::N, "the length")];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::Axpy,
        formula: "z = alpha x + y",
        sizes: N,
        options: &[Field::InPlace],
        alphas: &[Alpha::Runtime],
        build: Some(axpy),
        ..PLAIN
    },
    Entry { op: Op::Copy, formula: "y = alpha x", sizes: N, alphas: ALPHAS, build: Some(copy), ..PLAIN },
    Entry {
        op: Op::Scal,
        formula: "y = alpha x",
        sizes: N,
        options: &[Field::InPlace],
        alphas: &[Alpha::Runtime],
        build: Some(scal),
        ..PLAIN
    },
    Entry {
        op: Op::Rot,
        formula: "x' = c x + s y, y' = c y - s x",
        sizes: N,
        options: &[Field::InPlace],
        build: Some(rot),
        ..PLAIN
    },
    Entry { op: Op::Rotg, formula: "(c, s, r) of a Givens rotation of (a, b)", build: Some(rotg), ..PLAIN },
    Entry {
        op: Op::Symmetrize,
        formula: "B = (A + A') / 2 off the diagonal",
        sizes: &[Size::required(Field::N, "the order of the matrix")],
        options: &[Field::InPlace],
        build: Some(symmetrize),
        ..PLAIN
    },
    Entry { op: Op::Swap, formula: "x and y exchanged", sizes: N, build: Some(swap), ..PLAIN },
    Entry {
        op: Op::Transpose,
        formula: "B = A'",
        sizes: &[Size::required(Field::M, "the rows of A"), Size::required(Field::N, "the columns of A")],
        build: Some(transpose),
        ..PLAIN
    },
];

fn axpy(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Axpy, settings);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let x = draft.input("x", (n, 1));
    let (y, z) = source_and_result(&mut draft, "y", "z", (n, 1));
    let sources = vec![Access::dense(x, &[i]), Access::dense(y, &[i])];
    draft.map(MapKind::Axpy, &[i], sources, Access::dense(z, &[i]));
    draft.formula(if y == z { "y = alpha x + y" } else { "z = alpha x + y" });
    draft.finish()
}

fn copy(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Copy, settings);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let x = draft.input("x", (n, 1));
    let y = draft.output("y", (n, 1));
    draft.map(scaled_copy(settings), &[i], vec![Access::dense(x, &[i])], Access::dense(y, &[i]));
    draft.blended_formula("y", "x");
    draft.finish()
}

/// A copy moves bits; a scaled one computes.
pub(super) fn scaled_copy(settings: &Settings) -> MapKind {
    match settings.alpha {
        Alpha::One => MapKind::Copy,
        Alpha::Runtime => MapKind::Scale,
    }
}

fn scal(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Scal, settings);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let (x, y) = source_and_result(&mut draft, "x", "y", (n, 1));
    draft.map(MapKind::Scale, &[i], vec![Access::dense(x, &[i])], Access::dense(y, &[i]));
    draft.formula(if x == y { "x = alpha x" } else { "y = alpha x" });
    draft.finish()
}

fn rot(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Rot, settings);
    draft.scalars(&["c", "s"]);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let is_in_place = settings.has(Field::InPlace);
    let sources = if is_in_place {
        [draft.in_out("x", (n, 1)), draft.in_out("y", (n, 1))]
    } else {
        [draft.input("x", (n, 1)), draft.input("y", (n, 1))]
    };
    let results =
        if is_in_place { sources } else { [draft.output("x_out", (n, 1)), draft.output("y_out", (n, 1))] };
    draft.phase(Phase::Map(Map {
        kind: MapKind::Rot,
        letters: vec![i],
        strictly_lower: false,
        sources: sources.map(|source| Access::dense(source, &[i])).to_vec(),
        destinations: results.map(|result| Access::dense(result, &[i])).to_vec(),
    }));
    draft.formula(if is_in_place {
        "x, y = c x + s y, c y - s x"
    } else {
        "x_out = c x + s y, y_out = c y - s x"
    });
    draft.finish()
}

fn rotg(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Rotg, settings);
    let sources = ["a", "b"].map(|name| draft.input(name, (1, 1)));
    let results = ["c", "s", "r"].map(|name| draft.output(name, (1, 1)));
    draft.phase(Phase::Map(Map {
        kind: MapKind::Rotg,
        letters: Vec::new(),
        strictly_lower: false,
        sources: sources.map(|source| Access::dense(source, &[])).to_vec(),
        destinations: results.map(|result| Access::dense(result, &[])).to_vec(),
    }));
    draft.formula("c, s, r = rotation of (a, b)");
    draft.finish()
}

/// The diagonal is not touched, in place or not: a separate result keeps its own.
fn symmetrize(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Symmetrize, settings);
    let n = draft.size(Field::N);
    let (a, b) = if settings.has(Field::InPlace) {
        let a = draft.in_out("a", (n, n));
        (a, a)
    } else {
        (draft.input("a", (n, n)), draft.in_out("b", (n, n)))
    };
    let (i, j) = (Letter::new('i', n), Letter::new('j', n));
    let pair = |operand| {
        let below = Access::dense(operand, &[i, j]);
        let above = below.swapped('i', 'j');
        vec![below, above]
    };
    draft.phase(Phase::Map(Map {
        kind: MapKind::Average,
        letters: vec![i, j],
        strictly_lower: true,
        sources: pair(a),
        destinations: pair(b),
    }));
    draft.formula(if a == b {
        "A = (A + A') / 2 off the diagonal"
    } else {
        "B = (A + A') / 2 off the diagonal"
    });
    draft.finish()
}

fn swap(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Swap, settings);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let x = draft.in_out("x", (n, 1));
    let y = draft.in_out("y", (n, 1));
    let kept = draft.temporary("kept", (n, 1));
    for (source, destination) in [(x, kept), (y, x), (kept, y)] {
        draft.map(MapKind::Copy, &[i], vec![Access::dense(source, &[i])], Access::dense(destination, &[i]));
    }
    draft.formula("x, y = y, x");
    draft.finish()
}

fn transpose(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Transpose, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let a = draft.input("a", (m, n));
    let b = draft.output("b", (n, m));
    let (i, j) = (Letter::new('i', m), Letter::new('j', n));
    draft.map(MapKind::Copy, &[i, j], vec![Access::dense(a, &[i, j])], Access::dense(b, &[j, i]));
    draft.formula("B = A'");
    draft.finish()
}

/// What is read and what is written; the same operand in place.
pub(super) fn source_and_result(
    draft: &mut Draft<'_>,
    source: &'static str,
    result: &'static str,
    shape: (usize, usize),
) -> (usize, usize) {
    if draft.settings.has(Field::InPlace) {
        let source = draft.in_out(source, shape);
        (source, source)
    } else {
        (draft.input(source, shape), draft.output(result, shape))
    }
}
