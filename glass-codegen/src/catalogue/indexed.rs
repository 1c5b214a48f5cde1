//! Products of operands that words of each problem name. All operands of a kind lie in one array, one after the other.

use super::draft::{Draft, product, tick};
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

pub(super) const ENTRIES: &[Entry] = &[Entry {
    op: Op::GemmBatchedIndexed,
    formula: "C_c = alpha op(A_a) op(B_b) + beta C_c for each (a, b, c) of a list, in its order",
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
}];

/// Matrices that no pair names as destination keep their bits, so C is read and written whatever beta.
fn gemm_batched_indexed(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::GemmBatchedIndexed, settings);
    let (dim, count) = (draft.size(Field::Dim), draft.size(Field::Pairs));
    let places = [('a', Field::ACount), ('b', Field::BCount), ('c', Field::CCount)]
        .map(|(name, field)| Letter::new(name, draft.size(field)));
    let [of_a, of_b, of_c] = places;
    let a = draft.input("a", (dim, dim * of_a.extent));
    let b = draft.input("b", (dim, dim * of_b.extent));
    let words = draft.operand(Operand::words("pairs", places.len() * count, Role::In));
    let c = draft.in_out("c", (dim, dim * of_c.extent));
    draft.status();
    let [i, j, t] = ['i', 'j', 't'].map(|name| Letter::new(name, dim));
    let (trans_a, trans_b) = (settings.has(Field::TransA), settings.has(Field::TransB));
    let stored = |operand, [rows, cols]: [Letter; 2], is_transposed: bool, place| {
        let letters = if is_transposed { [cols, rows, place] } else { [rows, cols, place] };
        Access::dense(operand, &letters)
    };
    let contraction = Contraction {
        products: vec![product(stored(a, [i, t], trans_a, of_a), stored(b, [t, j], trans_b, of_b))],
        ..draft.contraction(&[i, j], &[t], stored(c, [i, j], false, of_c))
    };
    draft.phase(Phase::Indexed(Indexed { item: "pair", count, words, places: places.to_vec(), contraction }));
    draft.blended_formula("C_c", &format!("A_a{} B_b{}", tick(trans_a), tick(trans_b)));
    draft.finish()
}
