//! What searches: extremes of a vector, and factors with row exchanges.

use super::draft::Draft;
use super::entry::{Entry, NRHS, PLAIN, Size, Sums};
use super::factor::{lower_solve, name, right_hand_sides};
use super::later::DIVERGENCE;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Letter, Lu, MapKind, Operand, Phase, Search, Solve, Sought, Spec};

const N: Size = Size::required(Field::N, "the order of the matrix");

const LENGTH: &[Size] = &[Size::required(Field::N, "the length")];

const PIVOTED: Entry = Entry {
    options: &[Field::InPlace],
    has_status: true,
    sums: Sums::Sequential,
    no_thread: Some(DIVERGENCE),
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::Iamax,
        formula: "index of the largest abs x(i)",
        sizes: LENGTH,
        no_thread: Some(DIVERGENCE),
        build: Some(iamax),
        ..PLAIN
    },
    Entry {
        op: Op::Argmax,
        formula: "index of the largest x(i)",
        sizes: LENGTH,
        build: Some(argmax),
        ..PLAIN
    },
    Entry {
        op: Op::Argmin,
        formula: "index of the smallest x(i)",
        sizes: LENGTH,
        build: Some(argmin),
        ..PLAIN
    },
    Entry { op: Op::Getrf, formula: "P A = L U", sizes: &[N], build: Some(getrf), ..PIVOTED },
    Entry {
        op: Op::Gesv,
        formula: "X = A^-1 B by P A = L U",
        sizes: &[N, NRHS],
        build: Some(gesv),
        ..PIVOTED
    },
];

fn iamax(settings: &Settings) -> Spec {
    search(Draft::new(Op::Iamax, settings), Sought::Magnitude, "index of the largest abs x")
}

fn argmax(settings: &Settings) -> Spec {
    search(Draft::new(Op::Argmax, settings), Sought::Largest, "index of the largest x")
}

fn argmin(settings: &Settings) -> Spec {
    search(Draft::new(Op::Argmin, settings), Sought::Smallest, "index of the smallest x")
}

fn search(mut draft: Draft<'_>, sought: Sought, formula: &str) -> Spec {
    let length = draft.size(Field::N);
    let source = draft.input("x", (length, 1));
    let output = draft.operand(Operand::words("index", 1));
    draft.phase(Phase::Search(Search { sought, source, length, output }));
    draft.formula(formula);
    draft.finish()
}

fn getrf(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Getrf, settings);
    let n = draft.size(Field::N);
    let (source, target) = if settings.has(Field::InPlace) {
        let a = draft.in_out("a", (n, n));
        (a, a)
    } else {
        (draft.input("a", (n, n)), draft.output("lu", (n, n)))
    };
    draft.status();
    let pivots = Some(draft.operand(Operand::words("pivots", n)));
    draft.phase(Phase::Lu(Lu { n, source, target, reciprocals: None, pivots, right: None }));
    draft.formula("P A = L U");
    draft.finish()
}

/// The right-hand sides take the exchanges as they happen. In place, factors and exchanges are results too.
fn gesv(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Gesv, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let is_in_place = settings.has(Field::InPlace);
    let a = if is_in_place { draft.in_out("a", (n, n)) } else { draft.input("a", (n, n)) };
    let (b, x) = right_hand_sides(&mut draft, (n, nrhs));
    draft.status();
    let pivots = is_in_place.then(|| draft.operand(Operand::words("pivots", n)));
    let lu = if is_in_place { a } else { draft.temporary("lu", (n, n)) };
    let recip = draft.reciprocals(n);
    if b != x {
        let e = Letter::new('e', n * nrhs);
        draft.map(MapKind::Copy, &[e], vec![Access::dense(b, &[e])], Access::dense(x, &[e]));
    }
    draft.phase(Phase::Lu(Lu {
        n,
        source: a,
        target: lu,
        reciprocals: Some(recip),
        pivots,
        right: Some((x, nrhs)),
    }));
    draft.phase(Phase::Solve(lower_solve(lu, (n, nrhs), None, (x, x))));
    let upper = lower_solve(lu, (n, nrhs), Some(recip), (x, x));
    draft.phase(Phase::Solve(Solve { upper: true, ..upper }));
    draft.formula(format!("{} = A^-1 {}", name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b')));
    draft.finish()
}
