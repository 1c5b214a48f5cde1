//! Constants, and what is added to a diagonal.

use super::draft::{Draft, diagonal};
use super::entry::{Entry, PLAIN, Size};
use super::maps::source_and_result;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Letter, Map, MapKind, Phase, Spec};

const ORDER: Size = Size::required(Field::N, "the order of the matrix");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::SetConst,
        formula: "x(i) = alpha",
        sizes: &[Size::required(Field::N, "the length")],
        alphas: &[Alpha::Runtime],
        build: Some(set_const),
        ..PLAIN
    },
    Entry { op: Op::SetIdentity, formula: "A = I", sizes: &[ORDER], build: Some(set_identity), ..PLAIN },
    Entry {
        op: Op::AddIdentity,
        formula: "B = A + alpha I",
        sizes: &[ORDER],
        options: &[Field::InPlace],
        alphas: &[Alpha::Runtime],
        build: Some(add_identity),
        ..PLAIN
    },
    Entry {
        op: Op::AddIdentityPartial,
        formula: "B = A + alpha I on the first d rows",
        sizes: &[ORDER, Size::required(Field::D, "the diagonal entries that change")],
        options: &[Field::InPlace],
        alphas: &[Alpha::Runtime],
        build: Some(add_identity_partial),
        ..PLAIN
    },
];

fn set_const(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::SetConst, settings);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let x = draft.output("x", (n, 1));
    draft.map(MapKind::Alpha, &[i], Vec::new(), Access::dense(x, &[i]));
    draft.formula("x(i) = alpha");
    draft.finish()
}

/// Each pair off the diagonal, then the diagonal: nothing is written twice.
fn set_identity(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::SetIdentity, settings);
    let n = draft.size(Field::N);
    let (i, j) = (Letter::new('i', n), Letter::new('j', n));
    let a = draft.output("a", (n, n));
    let below = Access::dense(a, &[i, j]);
    draft.phase(Phase::Map(Map {
        kind: MapKind::Zero,
        letters: vec![i, j],
        strictly_lower: true,
        sources: Vec::new(),
        destinations: vec![below.clone(), below.swapped('i', 'j')],
    }));
    draft.map(MapKind::One, &[i], Vec::new(), diagonal(a, n));
    draft.formula("A = I");
    draft.finish()
}

fn add_identity(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::AddIdentity, settings);
    let n = draft.size(Field::N);
    to_diagonal(draft, n, n, "")
}

fn add_identity_partial(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::AddIdentityPartial, settings);
    let (n, d) = (draft.size(Field::N), draft.size(Field::D));
    to_diagonal(draft, n, d, " on the first rows")
}

/// Adds `alpha` to the first `d` diagonal entries. A separate result takes the rest of the source as it is.
fn to_diagonal(mut draft: Draft<'_>, n: usize, d: usize, rows: &str) -> Spec {
    let (a, b) = source_and_result(&mut draft, "a", "b", (n, n));
    if a != b {
        let e = Letter::new('e', n * n);
        draft.map(MapKind::Copy, &[e], vec![Access::dense(a, &[e])], Access::dense(b, &[e]));
    }
    draft.map(MapKind::AddAlpha, &[Letter::new('i', d)], vec![diagonal(a, n)], diagonal(b, n));
    draft.formula(format!("{} = A + alpha I{rows}", if a == b { 'A' } else { 'B' }));
    draft.finish()
}
