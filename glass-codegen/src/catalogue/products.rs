//! Products of matrices and vectors.

use super::draft::{Draft, product, stored, tick, transposed};
use super::entry::{ALPHAS, Entry, PLAIN, Size, Sums};
use super::{Fill, Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Contraction, Domain, Letter, Map, MapKind, Phase, Product, Spec, Structure};

const PRODUCT: Entry = Entry { alphas: ALPHAS, has_beta: true, sums: Sums::Both, ..PLAIN };

/// Which triangles a symmetric result can have written.
const FILLS: &[Fill] = &[Fill::Full, Fill::Lower, Fill::Upper];

const M: Size = Size::required(Field::M, "the rows");
const N: Size = Size::required(Field::N, "the columns");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::Gemv,
        formula: "y = alpha op(A) x + beta y",
        sizes: &[Size::required(Field::M, "the rows of A"), Size::required(Field::N, "the columns of A")],
        options: &[Field::Trans, Field::RowMajor],
        build: Some(gemv),
        ..PRODUCT
    },
    Entry {
        op: Op::Gemm,
        formula: "C = alpha op(A) op(B) + beta C",
        sizes: &[M, N, Size::required(Field::K, "the contraction length")],
        options: &[Field::TransA, Field::TransB, Field::RowMajorC],
        build: Some(gemm),
        ..PRODUCT
    },
    Entry {
        op: Op::Syrk,
        formula: "C = alpha A A' + beta C, or alpha A' A + beta C",
        sizes: SYMMETRIC,
        options: &[Field::Trans, Field::RowMajorC, Field::Packed],
        fills: FILLS,
        build: Some(syrk),
        ..PRODUCT
    },
    Entry {
        op: Op::Syr2k,
        formula: "C = alpha (A B' + B A') + beta C, or alpha (A' B + B' A) + beta C",
        sizes: SYMMETRIC,
        options: &[Field::Trans, Field::RowMajorC, Field::Packed],
        fills: FILLS,
        build: Some(syr2k),
        ..PRODUCT
    },
    Entry {
        op: Op::Ger,
        formula: "A = alpha x y' + beta A",
        sizes: &[M, N],
        sums: Sums::Nothing,
        build: Some(ger),
        ..PRODUCT
    },
    Entry {
        op: Op::Symm,
        formula: "C = alpha A B + beta C, of a symmetric A only one triangle is read",
        sizes: &[M, N],
        options: &[Field::Uplo],
        sums: Sums::Serial,
        build: Some(symm),
        ..PRODUCT
    },
    Entry {
        op: Op::Dimm,
        formula: "C = alpha diag(d) B + beta C, or alpha B diag(d) + beta C",
        sizes: &[M, N],
        options: &[Field::Right],
        sums: Sums::Nothing,
        build: Some(dimm),
        ..PRODUCT
    },
];

const SYMMETRIC: &[Size] =
    &[Size::required(Field::N, "the order of C"), Size::required(Field::K, "the contraction length")];

fn gemv(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Gemv, settings);
    let is_transposed = settings.has(Field::Trans);
    let shape = (settings.size(Field::M), settings.size(Field::N));
    // Tables and symbols name the outputs and the terms, so that a product has one name however it is stored.
    let (m, k) = transposed(shape, is_transposed);
    draft.dim("m", m);
    draft.dim("k", k);
    let a = draft.input("a", shape);
    let x = draft.input("x", (k, 1));
    let y = draft.blended("y", (m, 1));
    let (i, t) = (Letter::new('i', m), Letter::new('t', k));
    let matrix = stored(a, i, t, is_transposed != settings.has(Field::RowMajor));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(matrix, Access::dense(x, &[t]))],
        ..draft.contraction(&[i], &[t], Access::dense(y, &[i]))
    }));
    draft.blended_formula("y", &format!("A{} x", tick(is_transposed)));
    draft.finish()
}

fn gemm(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Gemm, settings);
    let (m, n, k) = (draft.size(Field::M), draft.size(Field::N), draft.size(Field::K));
    let (trans_a, trans_b) = (settings.has(Field::TransA), settings.has(Field::TransB));
    let a = draft.input("a", transposed((m, k), trans_a));
    let b = draft.input("b", transposed((k, n), trans_b));
    let c = draft.blended("c", (m, n));
    let (i, j, t) = (Letter::new('i', m), Letter::new('j', n), Letter::new('t', k));
    let destination = stored(c, i, j, settings.has(Field::RowMajorC));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(stored(a, i, t, trans_a), stored(b, t, j, trans_b))],
        ..draft.contraction(&[i, j], &[t], destination)
    }));
    draft.blended_formula("C", &format!("A{} B{}", tick(trans_a), tick(trans_b)));
    draft.finish()
}

fn syrk(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Syrk, settings);
    let (n, k) = (draft.size(Field::N), draft.size(Field::K));
    let trans = settings.has(Field::Trans);
    let a = draft.input("a", transposed((n, k), trans));
    let rows = Rows { n, k, trans };
    let products = vec![rows.product(a, a)];
    rank_update(&mut draft, rows, products);
    draft.blended_formula("C", if trans { "A' A" } else { "A A'" });
    draft.finish()
}

fn syr2k(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Syr2k, settings);
    let (n, k) = (draft.size(Field::N), draft.size(Field::K));
    let trans = settings.has(Field::Trans);
    let a = draft.input("a", transposed((n, k), trans));
    let b = draft.input("b", transposed((n, k), trans));
    let rows = Rows { n, k, trans };
    let products = vec![rows.product(a, b), rows.product(b, a)];
    rank_update(&mut draft, rows, products);
    draft.blended_formula("C", if trans { "(A' B + B' A)" } else { "(A B' + B A')" });
    draft.finish()
}

/// The `n x k` factors of a symmetric result, or their transposes.
#[derive(Clone, Copy)]
struct Rows {
    n: usize,
    k: usize,
    trans: bool,
}

impl Rows {
    fn letters(self) -> [Letter; 3] {
        [Letter::new('i', self.n), Letter::new('j', self.n), Letter::new('t', self.k)]
    }

    /// `left(i,t) * right(j,t)`.
    fn product(self, left: usize, right: usize) -> Product {
        let [i, j, t] = self.letters();
        product(stored(left, i, t, self.trans), stored(right, j, t, self.trans))
    }
}

/// The symmetric result of products over the pairs `i >= j`.
fn rank_update(draft: &mut Draft<'_>, rows: Rows, products: Vec<Product>) {
    let settings = draft.settings;
    let shape = (rows.n, rows.n);
    let fill = settings.fill.unwrap_or(Fill::Full);
    // What is packed is written in full.
    let c = match fill == Fill::Full || settings.has(Field::Packed) {
        true => draft.blended("c", shape),
        false => draft.in_out("c", shape),
    };
    draft.structure(
        c,
        match fill {
            Fill::Full => Structure::Symmetric,
            Fill::Upper => Structure::Upper,
            _ => Structure::Lower,
        },
    );
    let [i, j, t] = rows.letters();
    let lower = stored(c, i, j, settings.has(Field::RowMajorC));
    let (destination, domain) = match fill {
        Fill::Full => (lower, Domain::Mirrored),
        Fill::Upper => (lower.swapped('i', 'j'), Domain::Lower),
        _ => (lower, Domain::Lower),
    };
    draft.phase(Phase::Contraction(Contraction {
        products,
        domain,
        ..draft.contraction(&[i, j], &[t], destination)
    }));
}

fn ger(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Ger, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let x = draft.input("x", (m, 1));
    let y = draft.input("y", (n, 1));
    let a = draft.blended("a", (m, n));
    let (i, j) = (Letter::new('i', m), Letter::new('j', n));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(x, &[i]), Access::dense(y, &[j]))],
        ..draft.contraction(&[i, j], &[SINGLE_TERM], Access::dense(a, &[i, j]))
    }));
    draft.blended_formula("A", "x y'");
    draft.finish()
}

/// The letter of sums with one term.
const SINGLE_TERM: Letter = Letter { name: 't', extent: 1 };

fn dimm(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Dimm, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let is_right = settings.has(Field::Right);
    let (i, j) = (Letter::new('i', m), Letter::new('j', n));
    let along = if is_right { j } else { i };
    let d = draft.input("d", (along.extent, 1));
    let b = draft.input("b", (m, n));
    let c = draft.blended("c", (m, n));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(d, &[along]), Access::dense(b, &[i, j]))],
        ..draft.contraction(&[i, j], &[SINGLE_TERM], Access::dense(c, &[i, j]))
    }));
    draft.blended_formula("C", if is_right { "B diag(d)" } else { "diag(d) B" });
    draft.finish()
}

/// The symmetric matrix is completed first, so that the product reads it in one direction.
fn symm(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Symm, settings);
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let a = draft.input("a", (m, m));
    draft.structure(a, if settings.upper { Structure::Upper } else { Structure::Lower });
    let b = draft.input("b", (m, n));
    let c = draft.blended("c", (m, n));
    let full = draft.temporary("full", (m, m));
    draft.structure(full, Structure::Symmetric);
    let (i, j, t) = (Letter::new('i', m), Letter::new('j', n), Letter::new('t', m));
    let column = Letter::new('j', m);
    let below = stored(a, i, column, settings.upper);
    let target = Access::dense(full, &[i, column]);
    for destination in [target.clone(), target.swapped('i', 'j')] {
        draft.phase(Phase::Map(Map {
            kind: MapKind::Copy,
            letters: vec![i, column],
            strictly_lower: true,
            sources: vec![below.clone()],
            destinations: vec![destination],
        }));
    }
    let on_diagonal = |operand| super::draft::diagonal(operand, m);
    draft.map(MapKind::Copy, &[i], vec![on_diagonal(a)], on_diagonal(full));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(Access::dense(full, &[i, t]), Access::dense(b, &[t, j]))],
        ..draft.contraction(&[i, j], &[t], Access::dense(c, &[i, j]))
    }));
    draft.blended_formula("C", "A B");
    draft.finish()
}
