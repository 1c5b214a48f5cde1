//! Triangular solves and products.

use super::draft::{Draft, product, stored, tick};
use super::entry::{ALPHAS, Entry, NRHS, PLAIN, Size, Sums};
use super::factor::{name, right_hand_sides};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Contraction, Letter, Phase, Solve, Spec, Structure, Triangle};

const N: Size = Size::required(Field::N, "the order of the triangle");

const SOLVE: Entry = Entry {
    options: &[Field::Uplo, Field::Diag, Field::Trans, Field::InPlace, Field::Packed],
    sums: Sums::Sequential,
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::Trsv, formula: "x = op(A)^-1 b", sizes: &[N], build: Some(trsv), ..SOLVE },
    Entry { op: Op::Trsm, formula: "X = op(A)^-1 B", sizes: &[N, NRHS], build: Some(trsm), ..SOLVE },
    Entry { op: Op::Trmv, formula: "y = op(A) x, A triangular", sizes: &[N], build: Some(trmv), ..PRODUCT },
    Entry {
        op: Op::Trmm,
        formula: "C = alpha op(A) B + beta C, A triangular",
        sizes: &[
            Size::required(Field::M, "the order of the triangle"),
            Size::required(Field::N, "the columns of B"),
        ],
        alphas: ALPHAS,
        has_beta: true,
        build: Some(trmm),
        ..PRODUCT
    },
];

const PRODUCT: Entry =
    Entry { options: &[Field::Uplo, Field::Diag, Field::Trans, Field::Packed], sums: Sums::Serial, ..PLAIN };

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
    draft.phase(Phase::Solve(Solve {
        triangle,
        n,
        nrhs,
        upper,
        transposed,
        reciprocals,
        source,
        target,
        seconds: None,
    }));
    let is_in_place = settings.has(Field::InPlace);
    draft.formula(format!(
        "{} = A{}^-1 {}",
        name(is_in_place, nrhs, 'x'),
        tick(transposed),
        name(true, nrhs, 'b')
    ));
    draft.finish()
}

fn trmv(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Trmv, settings);
    let n = draft.size(Field::N);
    let a = triangle(&mut draft, n);
    let x = draft.input("x", (n, 1));
    let y = draft.output("y", (n, 1));
    let (i, t) = (Letter::new('i', n), Letter::new('t', n));
    multiply(&mut draft, a, &[i], Access::dense(x, &[t]), Access::dense(y, &[i]));
    draft.formula(format!("y = A{} x", tick(settings.has(Field::Trans))));
    draft.finish()
}

fn trmm(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Trmm, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let a = triangle(&mut draft, m);
    let b = draft.input("b", (m, n));
    let c = draft.blended("c", (m, n));
    let (i, j, t) = (Letter::new('i', m), Letter::new('j', n), Letter::new('t', m));
    multiply(&mut draft, a, &[i, j], Access::dense(b, &[t, j]), Access::dense(c, &[i, j]));
    draft.blended_formula("C", &format!("A{} B", tick(settings.has(Field::Trans))));
    draft.finish()
}

/// A square matrix of which the option's triangle is stored.
fn triangle(draft: &mut Draft<'_>, n: usize) -> usize {
    let a = draft.input("a", (n, n));
    draft.structure(a, if draft.settings.upper { Structure::Upper } else { Structure::Lower });
    a
}

/// `destination = op(A) right`, the rows of `A` being the first output letter.
fn multiply(draft: &mut Draft<'_>, a: usize, outputs: &[Letter], right: Access, destination: Access) {
    let Settings { upper, unit, .. } = *draft.settings;
    let is_transposed = draft.settings.has(Field::Trans);
    let (i, t) = (outputs[0], Letter::new('t', outputs[0].extent));
    let contraction = Contraction {
        products: vec![product(stored(a, i, t, is_transposed), right)],
        ..draft.contraction(outputs, &[t], destination)
    };
    draft.phase(Phase::Triangle(Triangle { contraction, upper: upper != is_transposed, unit }));
}
