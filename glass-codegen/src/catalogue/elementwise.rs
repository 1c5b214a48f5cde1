//! Functions of one, two or three vectors, element by element.

use super::draft::Draft;
use super::entry::{Entry, PLAIN, Size};
use super::maps::source_and_result;
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Letter, MapKind, Spec};

const N: &[Size] = &[Size::required(Field::N, "the length")];

const AXPBY: Entry = Entry {
    op: Op::Axpby,
    formula: "z = alpha x + beta y",
    sizes: N,
    options: &[Field::InPlace],
    alphas: &[Alpha::Runtime],
    build: Some(axpby),
    ..PLAIN
};

/// The second of two sources can be a scalar.
const fn options(n_sources: usize) -> &'static [Field] {
    if n_sources == 2 { &[Field::Scalar] } else { &[] }
}

macro_rules! functions {
    ($($name:ident: $op:ident, $kind:ident($($source:literal),*), $result:literal, $formula:literal;)*) => {
        pub(super) const ENTRIES: &[Entry] = &[
            AXPBY,
            $(Entry {
                op: Op::$op,
                formula: $formula,
                sizes: N,
                options: options([$($source),*].len()),
                build: Some($name),
                ..PLAIN
            },)*
        ];

        $(fn $name(settings: &Settings) -> Spec {
            let draft = Draft::new(Op::$op, settings);
            elementwise(draft, MapKind::$kind, &[$($source),*], $result, $formula)
        })*
    };
}

functions! {
    add: Add, Add("x", "y"), "z", "z = x + y";
    sub: Sub, Subtract("x", "y"), "z", "z = x - y";
    mult: Mult, Multiply("x", "y"), "z", "z(i) = x(i) y(i)";
    max: Max, Maximum("x", "y"), "z", "z(i) = the larger of x(i), y(i)";
    min: Min, Minimum("x", "y"), "z", "z(i) = the smaller of x(i), y(i)";
    abs: Abs, Magnitude("x"), "y", "y = abs x";
    clip: Clip, Clip("x", "lo", "hi"), "y", "y = x between lo and hi";
    less: Less, Less("x", "y"), "z", "z(i) = x(i) < y(i)";
    less_equal: LessEqual, LessEqual("x", "y"), "z", "z(i) = x(i) <= y(i)";
    greater: Greater, Greater("x", "y"), "z", "z(i) = x(i) > y(i)";
    greater_equal: GreaterEqual, GreaterEqual("x", "y"), "z", "z(i) = x(i) >= y(i)";
    equal: Equal, Equal("x", "y"), "z", "z(i) = x(i) == y(i)";
    not_equal: NotEqual, NotEqual("x", "y"), "z", "z(i) = x(i) != y(i)";
    and: And, And("x", "y"), "z", "z(i) = x(i) and y(i)";
    not: Not, Not("x"), "y", "y(i) = not x(i)";
}

fn elementwise(
    mut draft: Draft<'_>,
    kind: MapKind,
    sources: &[&'static str],
    result: &'static str,
    formula: &str,
) -> Spec {
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let has_scalar = draft.settings.has(Field::Scalar);
    let sources = if has_scalar { &sources[..1] } else { sources };
    if has_scalar {
        draft.scalars(&["alpha"]);
    }
    let sources = sources.iter().map(|name| Access::dense(draft.input(name, (n, 1)), &[i])).collect();
    let result = draft.output(result, (n, 1));
    draft.map(kind, &[i], sources, Access::dense(result, &[i]));
    draft.formula(match has_scalar {
        true => formula.replace("y(i)", "alpha").replace(" y", " alpha"),
        false => formula.to_owned(),
    });
    draft.finish()
}

/// Both factors are the launch's: without either the op is `axpy` or `scal`.
fn axpby(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Axpby, settings);
    draft.scalars(&["beta"]);
    let n = draft.size(Field::N);
    let i = Letter::new('i', n);
    let x = draft.input("x", (n, 1));
    let (y, z) = source_and_result(&mut draft, "y", "z", (n, 1));
    let sources = vec![Access::dense(x, &[i]), Access::dense(y, &[i])];
    draft.map(MapKind::Axpby, &[i], sources, Access::dense(z, &[i]));
    draft.formula(if y == z { "y = alpha x + beta y" } else { "z = alpha x + beta y" });
    draft.finish()
}
