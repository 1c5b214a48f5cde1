//! Chains of products, factorisations and solves.

use super::draft::{Draft, plain_contraction, product};
use super::entry::{ALPHAS, Entry, PLAIN, Size, Sums};
use super::factor::{REGS, lower_solve};
use super::{Op, Reg, Settings};
use crate::contract::Field;
use crate::spec::{
    Access, Beta, Contraction, Domain, Factor, FactorKind, Letter, Opposite, Order, Phase, Spec, Structure,
};

const BLENDED: Entry = Entry { alphas: ALPHAS, has_beta: true, sums: Sums::Both, ..PLAIN };

const N: Size = Size::required(Field::N, "the order of M");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::CongruenceSym,
        formula: "Q = alpha X' M X + beta Q, M symmetric",
        sizes: &[N, Size::required(Field::P, "the columns of X")],
        build: Some(congruence_sym),
        ..BLENDED
    },
    Entry {
        op: Op::Bilinear,
        formula: "R = alpha X' M Y + beta R",
        sizes: &[
            N,
            Size::required(Field::P, "the columns of X"),
            Size::required(Field::Q, "the columns of Y"),
        ],
        build: Some(bilinear),
        ..BLENDED
    },
    Entry {
        op: Op::CongruenceAccum,
        formula: "C = alpha G M G' + beta C, M symmetric",
        sizes: &[Size::required(Field::P, "the rows of G"), Size::required(Field::Q, "the order of M")],
        build: Some(congruence_accum),
        ..BLENDED
    },
    Entry {
        op: Op::RiccatiGain,
        formula: "K = (R + B' P B + shift)^-1 B' P A, P symmetric",
        sizes: &[Size::required(Field::Nx, "the states"), Size::required(Field::Nu, "the controls")],
        options: &[Field::Rsqrt, Field::Factor],
        regs: REGS,
        has_status: true,
        sums: Sums::Both,
        build: Some(riccati_gain),
        ..PLAIN
    },
    Entry {
        op: Op::GnStep,
        formula: "dq = (J' J + shift)^-1 J' r",
        sizes: &[Size::required(Field::M, "the rows of J"), Size::required(Field::N, "the columns of J")],
        options: &[Field::Rsqrt],
        regs: &[Reg::Shift, Reg::DiagShift],
        has_status: true,
        sums: Sums::Both,
        build: Some(gn_step),
        ..PLAIN
    },
];

/// `target = left * right` by rows and columns, serial whatever the form.
pub(super) fn first_product(
    draft: &mut Draft<'_>,
    (i, j, t): (Letter, Letter, Letter),
    accesses: [Access; 3],
) {
    let [target, left, right] = accesses;
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(left, right)],
        order: Order::Serial,
        ..plain_contraction(&[i, j], &[t], target)
    }));
}

fn congruence_sym(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::CongruenceSym, settings);
    let (n, p) = (draft.size(Field::N), draft.size(Field::P));
    let x = draft.input("x", (n, p));
    let m = draft.input("m", (n, n));
    let q = draft.blended("q", (p, p));
    draft.structure(m, Structure::Symmetric);
    draft.structure(q, Structure::Symmetric);
    let w = draft.temporary("w", (n, p));
    let (row, i, j, t) = (Letter::new('i', n), Letter::new('i', p), Letter::new('j', p), Letter::new('t', n));
    first_product(
        &mut draft,
        (row, j, t),
        [Access::dense(w, &[row, j]), Access::dense(m, &[row, t]), Access::dense(x, &[t, j])],
    );
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(x, &[t, i]), Access::dense(w, &[t, j]))],
        domain: Domain::Mirrored,
        ..draft.contraction(&[i, j], &[t], Access::dense(q, &[i, j]))
    }));
    draft.blended_formula("Q", "X' M X");
    draft.finish()
}

fn bilinear(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Bilinear, settings);
    let (n, p, q) = (draft.size(Field::N), draft.size(Field::P), draft.size(Field::Q));
    let x = draft.input("x", (n, p));
    let m = draft.input("m", (n, n));
    let y = draft.input("y", (n, q));
    let r = draft.blended("r", (p, q));
    let w = draft.temporary("w", (n, q));
    let (row, i, j, t) = (Letter::new('i', n), Letter::new('i', p), Letter::new('j', q), Letter::new('t', n));
    first_product(
        &mut draft,
        (row, j, t),
        [Access::dense(w, &[row, j]), Access::dense(m, &[row, t]), Access::dense(y, &[t, j])],
    );
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(x, &[t, i]), Access::dense(w, &[t, j]))],
        ..draft.contraction(&[i, j], &[t], Access::dense(r, &[i, j]))
    }));
    draft.blended_formula("R", "X' M Y");
    draft.finish()
}

/// The bits of [`congruence_sym`] with `X = G'`, read where `G` lies.
fn congruence_accum(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::CongruenceAccum, settings);
    let (p, q) = (draft.size(Field::P), draft.size(Field::Q));
    let g = draft.input("g", (p, q));
    let m = draft.input("m", (q, q));
    let c = draft.blended("c", (p, p));
    draft.structure(m, Structure::Symmetric);
    draft.structure(c, Structure::Symmetric);
    let w = draft.temporary("w", (q, p));
    let (row, i, j, t) = (Letter::new('i', q), Letter::new('i', p), Letter::new('j', p), Letter::new('t', q));
    first_product(
        &mut draft,
        (row, j, t),
        [Access::dense(w, &[row, j]), Access::dense(m, &[row, t]), Access::dense(g, &[j, t])],
    );
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(g, &[i, t]), Access::dense(w, &[t, j]))],
        domain: Domain::Mirrored,
        ..draft.contraction(&[i, j], &[t], Access::dense(c, &[i, j]))
    }));
    draft.blended_formula("C", "G M G'");
    draft.finish()
}

fn riccati_gain(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::RiccatiGain, settings);
    let (nx, nu) = (draft.size(Field::Nx), draft.size(Field::Nu));
    let p = draft.input("p", (nx, nx));
    let a = draft.input("a", (nx, nx));
    let b = draft.input("b", (nx, nu));
    let r = draft.input("r", (nu, nu));
    draft.structure(p, Structure::Symmetric);
    draft.structure(r, Structure::Lower);
    let k = draft.output("k", (nu, nx));
    let factor = settings.has(Field::Factor).then(|| draft.output("l", (nu, nu)));
    draft.status();
    let w = draft.temporary("w", (nx, nu));
    let s = draft.temporary("s", (nu, nu));
    let recip = draft.reciprocals(nu);
    for triangle in factor.into_iter().chain([s]) {
        draft.structure(triangle, Structure::Lower);
    }
    let (x, t, i, j) =
        (Letter::new('i', nx), Letter::new('t', nx), Letter::new('i', nu), Letter::new('j', nu));
    first_product(
        &mut draft,
        (x, j, t),
        [Access::dense(w, &[x, j]), Access::dense(p, &[x, t]), Access::dense(b, &[t, j])],
    );
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(b, &[t, i]), Access::dense(w, &[t, j]))],
        domain: Domain::Lower,
        beta: Beta::One,
        addend: Some(Access::dense(r, &[i, j])),
        ..plain_contraction(&[i, j], &[t], Access::dense(s, &[i, j]))
    }));
    let state = Letter::new('j', nx);
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(w, &[t, i]), Access::dense(a, &[t, state]))],
        ..plain_contraction(&[i, state], &[t], Access::dense(k, &[i, state]))
    }));
    let l = factor.unwrap_or(s);
    draft.factor(Factor {
        kind: FactorKind::Cholesky { approximate: settings.has(Field::Rsqrt) },
        n: nu,
        source: s,
        shift: None,
        target: l,
        reciprocals: Some(recip),
        opposite: if factor.is_some() { Opposite::Zero } else { Opposite::Untouched },
        scratch: None,
    });
    draft.solve_factored(lower_solve(l, (nu, nx), Some(recip), (k, k)));
    let shift = match settings.reg {
        Reg::None => "",
        Reg::Shift => " + rho I",
        Reg::DiagShift => " + rho diag(R + B' P B)",
    };
    draft.formula(format!("K = (R + B' P B{shift})^-1 B' P A"));
    draft.finish()
}

fn gn_step(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GnStep, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let jacobian = draft.input("jac", (m, n));
    let r = draft.input("r", (m, 1));
    let dq = draft.output("dq", (n, 1));
    draft.status();
    let h = draft.temporary("h", (n, n));
    draft.structure(h, Structure::Lower);
    let recip = draft.reciprocals(n);
    let (i, j, t) = (Letter::new('i', n), Letter::new('j', n), Letter::new('t', m));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(jacobian, &[t, i]), Access::dense(jacobian, &[t, j]))],
        domain: Domain::Lower,
        ..plain_contraction(&[i, j], &[t], Access::dense(h, &[i, j]))
    }));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(jacobian, &[t, i]), Access::dense(r, &[t]))],
        ..plain_contraction(&[i], &[t], Access::dense(dq, &[i]))
    }));
    draft.cholesky(n, h, h, Some(recip));
    draft.solve_factored(lower_solve(h, (n, 1), Some(recip), (dq, dq)));
    let shift = if settings.reg == Reg::DiagShift { "rho diag(J' J)" } else { "rho I" };
    draft.formula(format!("dq = (J' J + {shift})^-1 J' r"));
    draft.finish()
}
