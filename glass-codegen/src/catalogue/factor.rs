//! Factorisations and what is solved with them.

use super::draft::Draft;
use super::entry::{Entry, NRHS, PLAIN, Size, Sums};
use super::{Fill, Op, Reg, Settings};
use crate::contract::Field;
use crate::spec::{Factor, FactorKind, Operand, Opposite, Phase, Role, Solve, Spec, Structure};

const N: Size = Size::required(Field::N, "the order of the matrix");

const FACTOR: Entry = Entry { has_status: true, sums: Sums::Sequential, ..PLAIN };

/// What an out-of-place factor leaves in the opposite triangle.
pub(super) const FILLS: &[Fill] = &[Fill::Zero, Fill::Untouched];

/// Diagonal shifts of a solve.
pub(super) const REGS: &[Reg] = &[Reg::None, Reg::Shift, Reg::DiagShift];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::Potrf,
        formula: "A = L L'",
        sizes: &[N],
        options: &[Field::InPlace, Field::Packed, Field::Rsqrt],
        fills: FILLS,
        build: Some(potrf),
        ..FACTOR
    },
    Entry {
        op: Op::Posv,
        formula: "X = (A + shift)^-1 B by A = L L'",
        sizes: &[N, NRHS],
        options: &[Field::InPlace, Field::Packed, Field::Rsqrt],
        regs: REGS,
        build: Some(posv),
        ..FACTOR
    },
    Entry {
        op: Op::Potrs,
        formula: "X = (L L')^-1 B",
        sizes: &[N, NRHS],
        options: &[Field::InPlace, Field::Packed],
        has_status: false,
        build: Some(potrs),
        ..FACTOR
    },
    Entry {
        op: Op::Ldlt,
        formula: "A = L D L'",
        sizes: &[N],
        options: &[Field::InPlace, Field::Packed, Field::Inertia],
        fills: FILLS,
        build: Some(ldlt),
        ..FACTOR
    },
    Entry {
        op: Op::LdltSolve,
        formula: "X = (L D L')^-1 B",
        sizes: &[N, NRHS],
        options: &[Field::InPlace, Field::Packed],
        has_status: false,
        build: Some(ldlt_solve),
        ..FACTOR
    },
    Entry {
        op: Op::Inv,
        formula: "X = A^-1",
        sizes: &[N],
        options: &[Field::InPlace],
        build: Some(inv),
        ..FACTOR
    },
];

fn potrf(settings: &Settings) -> Spec {
    let kind = FactorKind::Cholesky { approximate: settings.has(Field::Rsqrt) };
    factor(Op::Potrf, kind, settings, "A = L L'")
}

fn ldlt(settings: &Settings) -> Spec {
    factor(Op::Ldlt, FactorKind::Ldlt, settings, "A = L D L'")
}

/// A factorisation into the lower triangle.
fn factor(op: Op, kind: FactorKind, settings: &Settings, formula: &str) -> Spec {
    let mut draft = Draft::new(op, settings);
    let n = draft.size(Field::N);
    let LowerFactor { source, target, opposite } = lower_factor(&mut draft, n);
    draft.status();
    if settings.has(Field::Inertia) {
        draft.words("inertia", 3);
    }
    draft.factor(Factor { kind, n, source, shift: None, target, reciprocals: None, opposite, scratch: None });
    draft.formula(formula);
    draft.finish()
}

/// A matrix and its factor, each in its lower triangle: the same operand in place.
pub(super) struct LowerFactor {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) opposite: Opposite,
}

pub(super) fn lower_factor(draft: &mut Draft<'_>, n: usize) -> LowerFactor {
    let (settings, shape) = (draft.settings, (n, n));
    let (is_packed, is_in_place) = (settings.has(Field::Packed), settings.has(Field::InPlace));
    let opposite = match settings.fill {
        Some(Fill::Untouched) => Opposite::Untouched,
        _ if is_in_place || is_packed => Opposite::Untouched,
        _ => Opposite::Zero,
    };
    let (source, target) = if is_in_place {
        let a = draft.in_out("a", shape);
        (a, a)
    } else {
        let a = draft.input("a", shape);
        let is_whole = is_packed || opposite == Opposite::Zero;
        (a, if is_whole { draft.output("l", shape) } else { draft.in_out("l", shape) })
    };
    draft.structure(source, Structure::Lower);
    draft.structure(target, Structure::Lower);
    LowerFactor { source, target, opposite }
}

fn inv(settings: &Settings) -> Spec {
    inverse(Draft::new(Op::Inv, settings))
}

/// An inverse, with row exchanges where the op has them.
pub(super) fn inverse(mut draft: Draft<'_>) -> Spec {
    let settings = draft.settings;
    let n = draft.size(Field::N);
    let (source, target) = if settings.has(Field::InPlace) {
        let a = draft.in_out("a", (n, n));
        (a, a)
    } else {
        (draft.input("a", (n, n)), draft.output("x", (n, n)))
    };
    draft.status();
    let scratch = Some([draft.temporary("w_row", (n, 1)), draft.temporary("w_col", (n, 1))]);
    let kind = match draft.op() {
        Op::InvPivoted => {
            FactorKind::PivotedInverse { pivots: draft.operand(Operand::words("pivots", n, Role::Temporary)) }
        }
        _ => FactorKind::Inverse,
    };
    draft.factor(Factor {
        kind,
        n,
        source,
        shift: None,
        target,
        reciprocals: None,
        opposite: Opposite::Untouched,
        scratch,
    });
    draft.formula(if settings.has(Field::InPlace) { "A = A^-1" } else { "X = A^-1" });
    draft.finish()
}

fn posv(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Posv, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let is_in_place = settings.has(Field::InPlace);
    let a = if is_in_place { draft.in_out("a", (n, n)) } else { draft.input("a", (n, n)) };
    draft.structure(a, Structure::Lower);
    let (b, x) = right_hand_sides(&mut draft, (n, nrhs));
    draft.status();
    let l = if is_in_place { a } else { draft.temporary("l", (n, n)) };
    draft.structure(l, Structure::Lower);
    let recip = draft.reciprocals(n);
    draft.cholesky(n, a, l, Some(recip));
    draft.solve_factored(lower_solve(l, (n, nrhs), Some(recip), (b, x)));
    let shifted = match settings.reg {
        Reg::None => "A",
        Reg::Shift => "(A + rho I)",
        Reg::DiagShift => "(A + rho diag(A))",
    };
    draft.formula(format!("{} = {shifted}^-1 {}", name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b')));
    draft.finish()
}

fn potrs(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Potrs, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let l = draft.input("l", (n, n));
    draft.structure(l, Structure::Lower);
    let (b, x) = right_hand_sides(&mut draft, (n, nrhs));
    let recip = draft.invert_diagonal(l, n);
    draft.solve_factored(lower_solve(l, (n, nrhs), Some(recip), (b, x)));
    let is_in_place = settings.has(Field::InPlace);
    draft.formula(format!("{} = (L L')^-1 {}", name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b')));
    draft.finish()
}

fn ldlt_solve(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::LdltSolve, settings);
    let (n, nrhs) = (draft.size(Field::N), draft.nrhs());
    let l = draft.input("l", (n, n));
    draft.structure(l, Structure::Lower);
    let (b, x) = right_hand_sides(&mut draft, (n, nrhs));
    let recip = draft.invert_diagonal(l, n);
    let unit = lower_solve(l, (n, nrhs), None, (b, x));
    draft.phase(Phase::Solve(unit.clone()));
    draft.scale_rows(x, recip, (n, nrhs));
    draft.phase(Phase::Solve(Solve { transposed: true, source: x, ..unit }));
    let is_in_place = settings.has(Field::InPlace);
    draft.formula(format!("{} = (L D L')^-1 {}", name(is_in_place, nrhs, 'x'), name(true, nrhs, 'b')));
    draft.finish()
}

/// Right-hand sides and unknowns: the same operand in place.
pub(super) fn right_hand_sides(draft: &mut Draft<'_>, shape: (usize, usize)) -> (usize, usize) {
    if draft.settings.has(Field::InPlace) {
        let b = draft.in_out("b", shape);
        (b, b)
    } else {
        (draft.input("b", shape), draft.output("x", shape))
    }
}

/// `L X = B`.
pub(super) fn lower_solve(
    triangle: usize,
    (n, nrhs): (usize, usize),
    reciprocals: Option<usize>,
    (source, target): (usize, usize),
) -> Solve {
    Solve { triangle, n, nrhs, upper: false, transposed: false, reciprocals, source, target, seconds: None }
}

/// Spelling of the unknowns in formulas: the right-hand sides in place, a matrix in capitals.
pub(super) fn name(is_in_place: bool, nrhs: usize, unknown: char) -> char {
    let letter = if is_in_place { 'b' } else { unknown };
    if nrhs > 1 { letter.to_ascii_uppercase() } else { letter }
}
