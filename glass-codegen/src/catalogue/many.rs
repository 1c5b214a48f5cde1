//! Several independent matrices in one sweep.

use super::draft::Draft;
use super::entry::{Entry, PLAIN, Sums};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Factor, FactorKind, Opposite, Phase, Spec, Structure, Sweep};

/// Most matrices of one sweep.
pub const MAX_MATRICES: usize = 4;

const MANY: Entry =
    Entry { options: &[Field::Orders, Field::InPlace], has_status: true, sums: Sums::Sequential, ..PLAIN };

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::PotrfMany, formula: "several A = L L' in one sweep", build: Some(potrf_many), ..MANY },
    Entry { op: Op::InvMany, formula: "several X = A^-1 in one sweep", build: Some(inv_many), ..MANY },
];

/// Names of the operands of one matrix.
struct Names {
    source: &'static str,
    factor: &'static str,
    inverse: &'static str,
    scratch: [&'static str; 2],
}

const NAMES: [Names; MAX_MATRICES] = [
    Names { source: "a0", factor: "l0", inverse: "x0", scratch: ["w_row0", "w_col0"] },
    Names { source: "a1", factor: "l1", inverse: "x1", scratch: ["w_row1", "w_col1"] },
    Names { source: "a2", factor: "l2", inverse: "x2", scratch: ["w_row2", "w_col2"] },
    Names { source: "a3", factor: "l3", inverse: "x3", scratch: ["w_row3", "w_col3"] },
];

fn potrf_many(settings: &Settings) -> Spec {
    sweep(Op::PotrfMany, FactorKind::Cholesky { approximate: false }, settings)
}

fn inv_many(settings: &Settings) -> Spec {
    sweep(Op::InvMany, FactorKind::Inverse, settings)
}

/// Sources, then targets, the status words in the same order.
fn sweep(op: Op, kind: FactorKind, settings: &Settings) -> Spec {
    let mut draft = Draft::new(op, settings);
    let (is_in_place, is_inverse) = (settings.has(Field::InPlace), kind == FactorKind::Inverse);
    let orders = settings.orders.iter().copied();
    let matrices: Vec<(usize, &Names)> = orders.zip(&NAMES).collect();
    for (n, _) in &matrices {
        draft.dim("n", *n);
    }
    let result = |names: &Names| match (is_in_place, is_inverse) {
        (true, _) => names.source,
        (false, true) => names.inverse,
        (false, false) => names.factor,
    };
    let sources = matrices.iter().map(|(n, names)| match is_in_place {
        true => draft.in_out(names.source, (*n, *n)),
        false => draft.input(names.source, (*n, *n)),
    });
    let sources: Vec<_> = sources.collect();
    let targets: Vec<_> = match is_in_place {
        true => sources.clone(),
        false => matrices.iter().map(|(n, names)| draft.output(result(names), (*n, *n))).collect(),
    };
    if !is_inverse {
        for operand in sources.iter().chain(&targets) {
            draft.structure(*operand, Structure::Lower);
        }
    }
    draft.statuses(matrices.len());
    let opposite = if is_in_place || is_inverse { Opposite::Untouched } else { Opposite::Zero };
    let factors =
        matrices.iter().zip(sources.into_iter().zip(targets)).map(|((n, names), (source, target))| {
            let scratch = is_inverse.then(|| names.scratch.map(|name| draft.temporary(name, (*n, 1))));
            Factor { kind, n: *n, source, shift: None, target, reciprocals: None, opposite, scratch }
        });
    let factors = factors.collect();
    draft.phase(Phase::Sweep(Sweep { factors }));
    let formulas = matrices.iter().map(|(_, names)| {
        let (source, result) = (names.source.to_uppercase(), result(names).to_uppercase());
        if is_inverse {
            format!("{result} = {source}^-1")
        } else {
            format!("{source} = L{0} L{0}'", &source[1..])
        }
    });
    draft.formula(formulas.collect::<Vec<_>>().join(", "));
    draft.finish()
}
