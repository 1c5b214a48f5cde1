//! Triangular solves.

use super::draft::{Draft, tick};
use super::entry::{Entry, NRHS, PLAIN, Size, Sums};
use super::factor::{name, right_hand_sides};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Phase, Solve, Spec, Structure};

const N: Size = Size::required(Field::N, "the order of the triangle");

const SOLVE: Entry = Entry {
    options: &[Field::Uplo, Field::Diag, Field::Trans, Field::InPlace],
    sums: Sums::Sequential,
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Trsv, formula: "x = op(A)^-1 b", sizes: &[N], build: Some(trsv), ..SOLVE },
    Entry { op: Op::Trsm, formula: "X = op(A)^-1 B", sizes: &[N, NRHS], build: Some(trsm), ..SOLVE },
];

fn trsv(settings: &Settings) -> Spec {
    solve(Op::Trsv, settings)
}

fn trsm(settings: &Settings) -> Spec {
    solve(Op::Trsm, settings)
}

fn solve(op: Op, settings: &Settings) -> Spec {
    let mut draft = Draft::new(op, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let transposed = settings.has(Field::Trans);
    let upper = settings.upper;
    let triangle = draft.input("a", (n, n));
    draft.structure(triangle, if upper { Structure::Upper } else { Structure::Lower });
    let (source, target) = right_hand_sides(&mut draft, (n, nrhs));
    let reciprocals = (!settings.unit).then(|| draft.invert_diagonal(triangle, n));
    draft.phase(Phase::Solve(Solve { triangle, n, nrhs, upper, transposed, reciprocals, source, target }));
    let is_in_place = settings.has(Field::InPlace);
    draft.formula(format!(
        "{} = A{}^-1 {}",
        name(is_in_place, nrhs, 'x'),
        tick(transposed),
        name(true, nrhs, 'b')
    ));
    draft.finish()
}
