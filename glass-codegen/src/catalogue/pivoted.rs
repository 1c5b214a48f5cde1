//! What searches: extremes of a vector, and factors with row exchanges.

use super::draft::{Draft, tick};
use super::entry::{Entry, NRHS, PLAIN, Size, Sums};
use super::factor::{FILLS, LowerFactor, inverse, lower_factor, lower_solve, name, right_hand_sides};
use super::later::DIVERGENCE;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{
    Access, BlockDiagonal, Blocks, BunchKaufman, Exchange, Letter, Lu, MapKind, Operand, Phase, Role, Search,
    Solve, Sought, Spec, Structure,
};

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
    Entry {
        op: Op::Getrs,
        formula: "X = A^-1 B of P A = L U",
        sizes: &[N, NRHS],
        options: &[Field::InPlace, Field::Trans],
        has_status: false,
        build: Some(getrs),
        ..PIVOTED
    },
    Entry {
        op: Op::LdltPivoted,
        formula: "P A P' = L D L'",
        sizes: &[N],
        options: &[Field::InPlace, Field::Inertia],
        fills: FILLS,
        build: Some(ldlt_pivoted),
        ..PIVOTED
    },
    Entry {
        op: Op::LdltPivotedSolve,
        formula: "X = A^-1 B of P A P' = L D L'",
        sizes: &[N, NRHS],
        has_status: false,
        build: Some(ldlt_pivoted_solve),
        ..PIVOTED
    },
    Entry {
        op: Op::Laswp,
        formula: "B = P A",
        sizes: &[Size::required(Field::M, "the rows"), Size::required(Field::N, "the columns")],
        options: &[Field::InPlace, Field::Trans],
        has_status: false,
        build: Some(laswp),
        ..PIVOTED
    },
    Entry {
        op: Op::InvPivoted,
        formula: "X = A^-1 with row exchanges",
        sizes: &[N],
        build: Some(inv_pivoted),
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
    let output = draft.words("index", 1);
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
    let pivots = Some(draft.words("pivots", n));
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
    let pivots = is_in_place.then(|| draft.words("pivots", n));
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

/// Exchanges, then both triangles; the transpose is solved the other way round.
fn getrs(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Getrs, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let lu = draft.input("lu", (n, n));
    let Exchanged { given, pivots, result } = exchanged(&mut draft, ("b", "x"), (n, nrhs));
    let recip = draft.invert_diagonal(lu, n);
    let transposed = settings.has(Field::Trans);
    let exchange =
        |source| Exchange { rows: n, cols: nrhs, source, target: result, pivots, reversed: transposed };
    let first = if transposed { given } else { result };
    let lower = Solve { transposed, ..lower_solve(lu, (n, nrhs), None, (result, result)) };
    let upper = Solve { upper: true, reciprocals: Some(recip), source: first, ..lower.clone() };
    if transposed {
        draft.phase(Phase::Solve(upper));
        draft.phase(Phase::Solve(lower));
        draft.phase(Phase::Exchange(exchange(result)));
    } else {
        draft.phase(Phase::Exchange(exchange(given)));
        draft.phase(Phase::Solve(lower));
        draft.phase(Phase::Solve(upper));
    }
    let is_in_place = settings.has(Field::InPlace);
    let (x, b) = (name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b'));
    draft.formula(format!("{x} = A{}^-1 {b} of P A = L U", tick(transposed)));
    draft.finish()
}

fn ldlt_pivoted(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::LdltPivoted, settings);
    let n = draft.size(Field::N);
    let LowerFactor { source, target, opposite } = lower_factor(&mut draft, n);
    draft.status();
    if settings.has(Field::Inertia) {
        draft.words("inertia", 3);
    }
    let pivots = draft.words("pivots", n);
    let scratch = draft.temporary("sizes", (n, 1));
    draft.phase(Phase::BunchKaufman(BunchKaufman { n, source, target, opposite, pivots, scratch }));
    draft.formula("P A P' = L D L'");
    draft.finish()
}

/// Exchanges, `L`, the blocks of `D`, `L'`, and the exchanges back.
fn ldlt_pivoted_solve(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::LdltPivotedSolve, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let factors = draft.input("l", (n, n));
    draft.structure(factors, Structure::Lower);
    let Exchanged { given, pivots, result } = exchanged(&mut draft, ("b", "x"), (n, nrhs));
    let reciprocals = draft.invert_diagonal(factors, n);
    let ratios = draft.temporary("ratios", (n, 2));
    let [rows, seconds] =
        ["rows", "seconds"].map(|name| draft.operand(Operand::words(name, n, Role::Temporary)));
    draft.phase(Phase::Blocks(Blocks { n, factors, pivots, rows, seconds, reciprocals, ratios }));
    let exchange =
        |source, reversed| Exchange { rows: n, cols: nrhs, source, target: result, pivots: rows, reversed };
    let unit = Solve { seconds: Some(seconds), ..lower_solve(factors, (n, nrhs), None, (result, result)) };
    draft.phase(Phase::Exchange(exchange(given, false)));
    draft.phase(Phase::Solve(unit.clone()));
    draft.scale_rows(result, reciprocals, (n, nrhs));
    draft.phase(Phase::BlockDiagonal(BlockDiagonal { n, nrhs, target: result, seconds, ratios }));
    draft.phase(Phase::Solve(Solve { transposed: true, ..unit }));
    draft.phase(Phase::Exchange(exchange(result, true)));
    let is_in_place = settings.has(Field::InPlace);
    let (x, b) = (name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b'));
    draft.formula(format!("{x} = A^-1 {b} of P A P' = L D L'"));
    draft.finish()
}

fn laswp(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Laswp, settings);
    let (rows, cols) = (draft.size(Field::M), draft.size(Field::N));
    let Exchanged { given, pivots, result } = exchanged(&mut draft, ("a", "b"), (rows, cols));
    let reversed = settings.has(Field::Trans);
    draft.phase(Phase::Exchange(Exchange { rows, cols, source: given, target: result, pivots, reversed }));
    let result = if settings.has(Field::InPlace) { "A" } else { "B" };
    draft.formula(format!("{result} = P{} A", tick(reversed)));
    draft.finish()
}

fn inv_pivoted(settings: &Settings) -> Spec {
    inverse(Draft::new(Op::InvPivoted, settings))
}

/// A matrix before and after its rows are exchanged, and the words that say how: the same operand in place.
struct Exchanged {
    given: usize,
    pivots: usize,
    result: usize,
}

fn exchanged(draft: &mut Draft<'_>, names: (&'static str, &'static str), shape: (usize, usize)) -> Exchanged {
    let given = (!draft.settings.has(Field::InPlace)).then(|| draft.input(names.0, shape));
    let pivots = draft.operand(Operand::words("pivots", shape.0, Role::In));
    let result = match given {
        Some(_) => draft.output(names.1, shape),
        None => draft.in_out(names.0, shape),
    };
    Exchanged { given: given.unwrap_or(result), pivots, result }
}
