//! Operations on tiles inside larger arrays: a leading dimension is a stride, and rows outside the tile keep their bits.

use super::draft::{Draft, product, tick, transposed};
use super::entry::{ALPHAS, Default, Entry, PLAIN, Size, Sums};
use super::maps::scaled_copy;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Beta, Contraction, Letter, MapKind, Phase, Spec};

const M: Size = Size::required(Field::M, "the rows of the tile");
const N: Size = Size::required(Field::N, "the columns of the tile");
const K: Size = Size::required(Field::K, "the contraction length");
const LDY: Size = Size {
    field: Field::Ldy,
    meaning: "the leading dimension of Y",
    default: Default::RequiredRows(Field::M),
};
const LDX: Size = Size::leading(Field::Ldx, Field::M);

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::AxpyStrided,
        formula: "Y = alpha X + Y on m x n tiles",
        sizes: &[M, N, LDY, LDX],
        alphas: &[Alpha::Runtime],
        build: Some(axpy_strided),
        ..PLAIN
    },
    Entry {
        op: Op::CopyStrided,
        formula: "Y = alpha X on m x n tiles",
        sizes: &[M, N, LDY, LDX],
        alphas: ALPHAS,
        build: Some(copy_strided),
        ..PLAIN
    },
    Entry {
        op: Op::GemvStrided,
        formula: "y = alpha op(A) x + beta y, A a tile",
        sizes: &[M, N, Size::leading(Field::Lda, Field::M)],
        options: &[Field::Trans],
        alphas: ALPHAS,
        has_beta: true,
        sums: Sums::Serial,
        build: Some(gemv_strided),
        ..PLAIN
    },
    Entry {
        op: Op::GemmStrided,
        formula: "C = alpha A B + beta C on tiles",
        sizes: &[
            M,
            N,
            K,
            Size::leading(Field::Lda, Field::M),
            Size::leading(Field::Ldb, Field::K),
            Size::leading(Field::Ldc, Field::M),
        ],
        alphas: ALPHAS,
        has_beta: true,
        sums: Sums::Serial,
        build: Some(gemm_strided),
        ..PLAIN
    },
];

/// Element `(i,j)` of a tile.
fn tile(operand: usize, (i, j): (char, char), leading: usize) -> Access {
    Access::strided(operand, &[(i, 1), (j, leading)])
}

fn axpy_strided(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::AxpyStrided, settings);
    let (i, j, ldy, ldx) = tiles(&mut draft);
    let x = draft.input("x", (ldx, j.extent));
    let y = draft.in_out("y", (ldy, j.extent));
    let result = tile(y, ('i', 'j'), ldy);
    draft.map(MapKind::Axpy, &[i, j], vec![tile(x, ('i', 'j'), ldx), result.clone()], result);
    draft.formula("Y = alpha X + Y");
    draft.finish()
}

fn copy_strided(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::CopyStrided, settings);
    let (i, j, ldy, ldx) = tiles(&mut draft);
    let x = draft.input("x", (ldx, j.extent));
    let shape = (ldy, j.extent);
    let y = if ldy > i.extent { draft.in_out("y", shape) } else { draft.output("y", shape) };
    let source = tile(x, ('i', 'j'), ldx);
    draft.map(scaled_copy(settings), &[i, j], vec![source], tile(y, ('i', 'j'), ldy));
    draft.blended_formula("Y", "X");
    draft.finish()
}

/// Rows and columns of the tile and both leading dimensions.
fn tiles(draft: &mut Draft<'_>) -> (Letter, Letter, usize, usize) {
    let (m, n) = (draft.size(Field::M), draft.size(Field::N));
    let (ldy, ldx) = (draft.size(Field::Ldy), draft.size(Field::Ldx));
    (Letter::new('i', m), Letter::new('j', n), ldy, ldx)
}

fn gemv_strided(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GemvStrided, settings);
    let is_transposed = settings.has(Field::Trans);
    let shape = (settings.size(Field::M), settings.size(Field::N));
    let (m, k) = transposed(shape, is_transposed);
    draft.dim("m", m);
    draft.dim("k", k);
    let lda = draft.size(Field::Lda);
    let a = draft.input("a", (lda, shape.1));
    let x = draft.input("x", (k, 1));
    let y = draft.blended("y", (m, 1));
    let (i, t) = (Letter::new('i', m), Letter::new('t', k));
    let matrix = tile(a, if is_transposed { ('t', 'i') } else { ('i', 't') }, lda);
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(matrix, Access::dense(x, &[t]))],
        ..draft.contraction(&[i], &[t], Access::dense(y, &[i]))
    }));
    draft.blended_formula("y", &format!("A{} x", tick(is_transposed)));
    draft.finish()
}

fn gemm_strided(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GemmStrided, settings);
    let (m, n, k) = (draft.size(Field::M), draft.size(Field::N), draft.size(Field::K));
    let (lda, ldb, ldc) = (draft.size(Field::Lda), draft.size(Field::Ldb), draft.size(Field::Ldc));
    let a = draft.input("a", (lda, k));
    let b = draft.input("b", (ldb, n));
    let is_whole = ldc == m && settings.beta == Beta::Zero;
    let c = if is_whole { draft.output("c", (ldc, n)) } else { draft.in_out("c", (ldc, n)) };
    let (i, j, t) = (Letter::new('i', m), Letter::new('j', n), Letter::new('t', k));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(tile(a, ('i', 't'), lda), tile(b, ('t', 'j'), ldb))],
        ..draft.contraction(&[i, j], &[t], tile(c, ('i', 'j'), ldc))
    }));
    draft.blended_formula("C", "A B");
    draft.finish()
}
