//! Products of operands that words of each problem name. All operands of a kind lie in one array, one after the other.

use super::draft::{Draft, blended, product, stored, tick, transposed};
use super::entry::{ALPHAS, Default, Entry, PLAIN, Size, Sums};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Contraction, Indexed, Letter, Operand, Phase, Role, Spec};

/// Why one thread cannot own a problem whose loads follow its words.
const SCATTERED: &str =
    "words of each problem say where it reads and writes, so neighbouring lanes would touch scattered memory";

const INDEXED: Entry = Entry {
    alphas: ALPHAS,
    has_beta: true,
    has_status: true,
    sums: Sums::Serial,
    no_thread: Some(SCATTERED),
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::GemvSegmented,
        formula: "y(s) = alpha op(A(s)) x(s) + beta y(s) for each segment s in order, all three at given offsets",
        sizes: &[
            Size::required(Field::M, "the rows of each A(s)"),
            Size::required(Field::N, "the columns of each A(s)"),
            Size::required(Field::Segments, "the products of a problem"),
            Size::length(Field::ALen, "the elements of the array that holds each A(s)"),
            Size::length(Field::XLen, "the elements of the array that holds each x(s)"),
            Size::length(Field::YLen, "the elements of the array that holds each y(s)"),
        ],
        options: &[Field::Trans, Field::Fuse],
        build: Some(gemv_segmented),
        ..INDEXED
    },
    Entry {
        op: Op::GemmBatchedIndexed,
        formula: "C(c) = alpha op(A(a)) op(B(b)) + beta C(c) for each (a, b, c) of a list, in its order",
        sizes: &[
            Size {
                field: Field::Dim,
                meaning: "the rows and columns of every matrix",
                default: Default::Value(4),
            },
            Size::required(Field::Pairs, "the products of a problem"),
            Size::required(Field::ACount, "the matrices of A"),
            Size::required(Field::BCount, "the matrices of B"),
            Size::required(Field::CCount, "the matrices of C"),
        ],
        options: &[Field::TransA, Field::TransB],
        build: Some(gemm_batched_indexed),
        ..INDEXED
    },
];

/// Elements that no segment covers keep their bits, so y is read and written whatever beta.
fn gemv_segmented(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GemvSegmented, settings);
    let is_transposed = settings.has(Field::Trans);
    let (m, k) = transposed((settings.size(Field::M), settings.size(Field::N)), is_transposed);
    draft.dim("m", m);
    draft.dim("k", k);
    let number = Letter::new('s', draft.size(Field::Segments));
    let [a_len, x_len, y_len] = [Field::ALen, Field::XLen, Field::YLen].map(|field| draft.size(field));
    let a = draft.input("a", (a_len, 1));
    let x = draft.input("x", (x_len, 1));
    let added = settings
        .has(Field::Fuse)
        .then(|| (draft.input("c", (number.extent, 1)), draft.input("s", (m, number.extent))));
    let words = draft.operand(Operand::words("offsets", 3 * number.extent, Role::In));
    let y = draft.in_out("y", (y_len, 1));
    draft.status();
    let (i, t) = (Letter::new('i', m), Letter::new('t', k));
    // A place is the first element of a segment that ends inside its array.
    let placed = |access: Access, letter, length: usize, elements: usize| {
        let strides = [access.strides.as_slice(), &[(letter, 1)]].concat();
        (Access { strides, ..access }, Letter::new(letter, length - elements + 1))
    };
    let (matrix, of_a) = placed(stored(a, i, t, is_transposed), 'a', a_len, m * k);
    let (vector, of_x) = placed(Access::dense(x, &[t]), 'x', x_len, k);
    let (result, of_y) = placed(Access::dense(y, &[i]), 'y', y_len, m);
    let contraction =
        Contraction { products: vec![product(matrix, vector)], ..draft.contraction(&[i], &[t], result) };
    let addition = added.map(|(c, s)| product(Access::dense(c, &[number]), Access::dense(s, &[i, number])));
    let places = vec![of_a, of_x, of_y];
    draft.phase(Phase::Indexed(Indexed { item: "segment", number, words, places, contraction, addition }));
    let fused = if added.is_some() { " + c(s) S(s)" } else { "" };
    let product = format!("A(s){} x(s)", tick(is_transposed));
    draft.formula(blended(settings, "y(s)", &product) + fused);
    draft.finish()
}

/// Matrices that no pair names as destination keep their bits, so C is read and written whatever beta.
fn gemm_batched_indexed(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GemmBatchedIndexed, settings);
    let (dim, number) = (draft.size(Field::Dim), Letter::new('p', draft.size(Field::Pairs)));
    let places = [('a', Field::ACount), ('b', Field::BCount), ('c', Field::CCount)]
        .map(|(name, field)| Letter::new(name, draft.size(field)));
    let [of_a, of_b, of_c] = places;
    let a = draft.input("a", (dim, dim * of_a.extent));
    let b = draft.input("b", (dim, dim * of_b.extent));
    let words = draft.operand(Operand::words("pairs", places.len() * number.extent, Role::In));
    let c = draft.in_out("c", (dim, dim * of_c.extent));
    draft.status();
    let [i, j, t] = ['i', 'j', 't'].map(|name| Letter::new(name, dim));
    let (trans_a, trans_b) = (settings.has(Field::TransA), settings.has(Field::TransB));
    let placed = |operand, [rows, cols]: [Letter; 2], is_transposed: bool, place| {
        let letters = if is_transposed { [cols, rows, place] } else { [rows, cols, place] };
        Access::dense(operand, &letters)
    };
    let contraction = Contraction {
        products: vec![product(placed(a, [i, t], trans_a, of_a), placed(b, [t, j], trans_b, of_b))],
        ..draft.contraction(&[i, j], &[t], placed(c, [i, j], false, of_c))
    };
    draft.phase(Phase::Indexed(Indexed {
        item: "pair",
        number,
        words,
        places: places.to_vec(),
        contraction,
        addition: None,
    }));
    draft.blended_formula("C(c)", &format!("A(a){} B(b){}", tick(trans_a), tick(trans_b)));
    draft.finish()
}
