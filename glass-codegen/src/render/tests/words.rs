//! Statements over words in every language, as exact text.

use super::writer::{expect, name};
use crate::kernel::{Index, Note, Sign, Stmt};

#[test]
fn words_count_signs() {
    let count = |sign, word: &str| Stmt::CountSign { word: name(word), sign, value: name("rho") };
    let stmts = vec![
        Stmt::Word { name: name("n_above"), start: Index::default() },
        count(Sign::Positive, "n_above"),
        count(Sign::Negative, "n_below"),
        count(Sign::Zero, "n_zero"),
        Stmt::StoreWord { operand: 2, index: Index::default(), word: name("n_above") },
    ];
    expect(
        stmts,
        &[
            "unsigned int n_above = 0u;",
            "n_above += rho > 0.0f ? 1u : 0u;",
            "n_below += rho < 0.0f ? 1u : 0u;",
            "n_zero += rho == 0.0f ? 1u : 0u;",
            "status[0u] = n_above;",
        ],
        &[
            "var n_above = 0u;",
            "n_above += select(0u, 1u, args.rho > 0f);",
            "n_below += select(0u, 1u, args.rho < 0f);",
            "n_zero += select(0u, 1u, args.rho == 0f);",
            "status[status_base] = n_above;",
        ],
        &[
            "let mut n_above = V::words(0);",
            "V::splat(rho).count_positive(&mut n_above);",
            "V::splat(rho).count_negative(&mut n_below);",
            "V::splat(rho).count_zero(&mut n_zero);",
            "status[0] = n_above;",
        ],
    );
}

#[test]
fn words_hold_indices() {
    let row = || Index::name("col").plus(Index::constant(1));
    let stmts = vec![
        Stmt::Word { name: name("row"), start: Index::name("col") },
        Stmt::TakeLarger { acc: name("largest"), word: name("row"), value: name("x"), index: row() },
        Stmt::TakeAt { acc: name("kept"), word: name("row"), value: name("rho"), index: Index::constant(3) },
        Stmt::StoreWord { operand: 2, index: Index::name("col"), word: name("row") },
        Stmt::LoadWord { name: name("given"), operand: 2, index: Index::constant(0) },
        Stmt::TakeWord { acc: name("row"), word: name("given"), flag: name("rho") },
        Stmt::Complement { name: name("marked"), word: name("row"), flag: name("x") },
        Stmt::IsNegative { name: name("is_negative"), word: name("given") },
    ];
    expect(
        stmts,
        &[
            "unsigned int row = col;",
            "row = x > largest || (largest != largest && x == x) ? col + 1u : row;",
            "largest = x > largest || largest != largest ? x : largest;",
            "kept = row == 3u ? rho : kept;",
            "status[col] = row;",
            "const unsigned int given = status[0u];",
            "row = rho != 0.0f ? given : row;",
            "const unsigned int marked = x != 0.0f ? ~row : row;",
            "const float is_negative = given > 0x7fffffffu ? 1.0f : 0.0f;",
        ],
        &[
            "var row = col;",
            "row = select(row, col + 1u, x > largest || (largest != largest && x == x));",
            "largest = select(largest, x, x > largest || largest != largest);",
            "kept = select(kept, args.rho, row == 3u);",
            "status[status_base + col] = row;",
            "let given = status[status_base];",
            "row = select(row, given, args.rho != 0f);",
            "let marked = select(row, ~row, x != 0f);",
            "let is_negative = select(0f, 1f, given > 0x7fffffffu);",
        ],
        &[
            "let mut row = V::words((col) as u32);",
            "x.take_larger((col + 1) as u32, &mut largest, &mut row);",
            "V::splat(rho).take_at(3, &row, &mut kept);",
            "status[col] = row;",
            "let given = status[0];",
            "V::splat(rho).take_word(&given, &mut row);",
            "let marked = x.complement(&row);",
            "let is_negative = V::is_negative(&given);",
        ],
    );
}

#[test]
fn words_become_places() {
    let note = Some(Note { word: 0, number: Index::name("pair").plus(Index::constant(1)) });
    let place =
        |note| Stmt::Place { name: name("at"), word: name("given"), limit: 2, fault: name("fault"), note };
    let index = || Index::name("i").plus(Index::name("at").times(4)).plus(Index::constant(1));
    let stmts = vec![
        Stmt::Word { name: name("fault"), start: Index::default() },
        place(note),
        Stmt::Load { names: vec![name("a_i")], operand: 0, index: index() },
        Stmt::StoreUnless { operand: 1, index: index(), value: name("rho"), fault: name("fault") },
        place(None),
    ];
    expect(
        stmts,
        &[
            "unsigned int fault = 0u;",
            "const unsigned int at = given <= 2u ? given : 0u;",
            "fault |= given <= 2u ? 0u : 1u;",
            "first_bad = first_bad == 0u && given > 2u ? pair + 1u : first_bad;",
            "const float a_i = a[32u * i + 128u * at + 32u];",
            "if (fault == 0u) { y[i + 4u * at + 1u] = rho; }",
            "const unsigned int at = given <= 2u ? given : 0u;",
            "fault |= given <= 2u ? 0u : 1u;",
        ],
        &[
            "var fault = 0u;",
            "let at = select(0u, given, given <= 2u);",
            "fault |= select(1u, 0u, given <= 2u);",
            "first_bad = select(first_bad, pair + 1u, first_bad == 0u && given > 2u);",
            "let a_i = a[a_base + 32u * i + 128u * at + 32u];",
            "if (fault == 0u) { y[y_base + i + 4u * at + 1u] = args.rho; }",
            "let at = select(0u, given, given <= 2u);",
            "fault |= select(1u, 0u, given <= 2u);",
        ],
        &[
            "let mut fault = V::words(0);",
            "let at = V::place(given, 2, (pair + 1) as u32, &mut fault, &mut first_bad);",
            "let a_i = V::gather(a, at, 4, i + 1);",
            "V::splat(rho).scatter(y, at, 4, i + 1, fault);",
            "let at = V::place(given, 2, 0, &mut fault, &mut V::no_words());",
        ],
    );
}
