//! What equations are taken for, and what is said about those that are not.

use super::*;
use crate::generate_vector;

fn members(names: &str) -> Vec<Member> {
    let kind = |kind: &str| match kind {
        "v" => MemberKind::Vector,
        "m" => MemberKind::Matrix,
        "f" => MemberKind::Scalar(Format::F32),
        _ => MemberKind::Scalar(Format::U32),
    };
    let member = |word: &str| {
        let (name, of) = word.split_once(':').expect("name:kind");
        Member { name: name.to_owned(), kind: kind(of) }
    };
    names.split(' ').map(member).collect()
}

fn lowered(equations: &[&str], names: &str) -> Result<VectorOp, Vec<VectorMistake>> {
    let equations: Vec<_> = equations.iter().map(|text| (*text).to_owned()).collect();
    lower_vector("op", &equations, &members(names), &[Target::Cuda, Target::Host])
}

/// The first line of the first mistake.
fn mistake(equations: &[&str], names: &str) -> String {
    let mistakes = lowered(equations, names).expect_err("it means nothing");
    mistakes[0].message.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn names_of_fields_never_meet_in_a_kernel() {
    for (equations, names) in [
        (&["rr = sum(s * s)"][..], "s:v rr:f"),
        (&["s = a * x", "t = sum(s)"], "a:m x:v s:v t:f"),
        (&["q = a * p + a_p"], "a:m p:v a_p:v q:v"),
        (&["y = a * x + a_offsets"], "a:m x:v a_offsets:v y:v"),
        (&["y = g_x * x + x_start"], "x:v g_x:f x_start:v y:v"),
        (&["y = fma(i, thread, count)", "first = sum(y)"], "y:v thread:v i:f count:f first:f"),
    ] {
        let op = lowered(equations, names).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let targets = vec![Target::Cuda, Target::Wgsl, Target::Host];
        // Builds, checks and renders; a name defined twice is a fault of the builder.
        generate_vector(&VectorRequest {
            op,
            targets,
            shape: Some(Shape { threads: 64, elements: 2, up_to: u32::MAX }),
        });
    }
    let alike = mistake(&["y = a * b_c + a_b * c"], "a:m a_b:m b_c:v c:v y:v");
    assert!(alike.contains("makes a second product of the name `a_b_c_product`"), "{alike}");
    let reserved = mistake(&["y = __x"], "__x:v y:v");
    assert!(reserved.contains("field `__x` is no name in a kernel"), "{reserved}");
    assert!(mistake(&["__t = x", "y = __t"], "x:v y:v").contains("makes `__t`"));
}

#[test]
fn an_equation_may_take_several_lines() {
    let op = lowered(&["r = fma(-alpha,\r\n      q, r)\n"], "r:v q:v alpha:f").expect("it is legal");
    assert_eq!(op.formulas, ["r = fma(-alpha, q, r)"]);
}

#[test]
fn conditions_of_elements_are_scalars_of_the_struct() {
    let names = "x:v y:v alpha:f beta:f c:u";
    assert!(lowered(&["y = select(c, alpha, beta) * x"], names).is_ok());
    for formula in [
        "select(alpha > beta, alpha, beta) * x",
        "x * select(c & c, alpha, beta)",
        "select(finite(alpha), x, beta)",
        "select(1, x, alpha) + c * beta",
    ] {
        let found = mistake(&[&format!("y = {formula}")], names);
        assert!(found.contains("equation of elements") || found.contains("selects elements"), "{found}");
    }
    assert!(mistake(&["y = x * (1.0 / 0.0)"], "x:v y:v").contains("gives numbers alone to `/`"));
}

#[test]
fn no_equation_writes_what_a_matrix_multiplies() {
    let names = "a:m x:v y:v s:f";
    for equations in [&["y = a * y"][..], &["y = a * (y) + x"], &["s = sum(a * y)", "y = x"]] {
        let found = mistake(equations, names);
        assert!(found.contains("writes `y`, which a matrix multiplies"), "{found}");
    }
    assert!(mistake(&["y = x", "x = a * y"], names).contains("multiplies a matrix by `y`, which is written"));
}

#[test]
fn usages_are_read_off_the_equations() {
    let op = lowered(&["q = a * p", "r = r - q", "z = w", "s = sum(z * z)"], "a:m p:v q:v r:v z:v w:v s:f");
    let usages: Vec<_> = op.expect("it is legal").operands.iter().map(|operand| operand.usage).collect();
    use Usage::{Gathered, Matrix, Read, ReadWrite, Write};
    assert_eq!(usages, [Matrix, Gathered, Write, ReadWrite, Write, Read]);
}
