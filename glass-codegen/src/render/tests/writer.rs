//! Every statement in every language, as exact text.

use crate::catalogue::Op;
use crate::kernel::{Body, Constant, Epilogue, Function, Index, IntExpr, Note, PivotKind, Stmt};
use crate::plan::{Access, Mapping, Plan, Target, Tier};
use crate::render::writer::{Facts, lines};
use crate::render::{cuda, rust, wgsl};
use crate::spec::{DType, Layout, Operand, Role, Spec};

/// An input `a`, an output `y`, a status word and a temporary `w`; scalars `alpha` and `rho`.
fn spec() -> Spec {
    Spec {
        op: Op::Gemv,
        dtype: DType::F32,
        dims: Vec::new(),
        flags: Vec::new(),
        scalars: vec!["alpha", "rho"],
        operands: vec![
            Operand::matrix("a", (4, 4), Role::In),
            Operand::vector("y", 4, Role::InOut),
            Operand::words("status", 1, Role::Out),
            Operand::vector("w", 6, Role::Temporary),
        ],
        phases: Vec::new(),
        formula: "y = A y".to_owned(),
    }
}

/// Words of a body in each language.
struct Spelled {
    cuda: String,
    wgsl: String,
    rust: String,
}

fn spell(tier: Tier, strides: [usize; 4], stmts: Vec<Stmt>) -> Spelled {
    let spec = spec();
    let mapping: Mapping = "warp serial direct t32".parse().expect("a mapping");
    let mut plan = Plan::new(&spec, Layout::Contiguous, Target::Cuda, mapping);
    plan.accesses = strides.map(|element_stride| Access { element_stride, ..plan.accesses[0] }).to_vec();
    let worker = (tier != Tier::Thread).then_some("lane");
    let body =
        Body { name: "body".to_owned(), worker, n_workers: 32, temporaries: vec![3], ring_slots: 0, stmts };
    let written = |facts: Facts| lines(&facts, &spec, &plan, &body);
    let is_shared = worker.is_some();
    Spelled {
        cuda: written(cuda::facts(DType::F32, tier)),
        wgsl: written(wgsl::facts(is_shared, is_shared)),
        rust: if is_shared { String::new() } else { written(rust::facts()) },
    }
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

pub(super) fn name(text: &str) -> String {
    text.to_owned()
}

#[track_caller]
pub(super) fn expect(stmts: Vec<Stmt>, cuda: &[&str], wgsl: &[&str], rust: &[&str]) {
    let spelled = spell(Tier::Thread, [32, 1, 1, 1], stmts);
    assert_eq!(spelled.cuda, text(&[&["float w[6];"], cuda].concat()));
    assert_eq!(spelled.wgsl, text(&[&["var w: array<f32, 6>;"], wgsl].concat()));
    assert_eq!(spelled.rust, text(&[&["let mut w = [V::splat(0.0); 6];"], rust].concat()));
}

#[test]
fn loads_and_stores_follow_the_strides_of_the_plan() {
    let index = Index::name("col").times(4).plus(Index::constant(3)).minus(Index::name("row"));
    let stmts = vec![
        Stmt::Load { names: vec![name("a_x")], operand: 0, index },
        Stmt::Load { names: vec![name("y_2"), name("y_3")], operand: 1, index: Index::constant(2) },
        Stmt::Store { operand: 3, index: Index::constant(5), value: name("a_x") },
    ];
    expect(
        stmts,
        &[
            "const float a_x = a[128u * col + 96u - 32u * row];",
            "const float2 y_v_2 = *reinterpret_cast<const float2*>(y + 2u);",
            "const float y_2 = y_v_2.x;",
            "const float y_3 = y_v_2.y;",
            "w[5u] = a_x;",
        ],
        &[
            "let a_x = a[a_base + 128u * col + 96u - 32u * row];",
            "let y_2 = y[y_base + 2u];",
            "let y_3 = y[y_base + 3u];",
            "w[5u] = a_x;",
        ],
        &["let a_x = a[4 * col + 3 - row];", "let y_2 = y[2];", "let y_3 = y[3];", "w[5] = a_x;"],
    );
}

#[test]
fn integers() {
    let int = |text: &str, value| Stmt::Int { name: name(text), value };
    let choice = IntExpr::IfLess {
        left: name("row"),
        right: name("col"),
        then: Index::name("row"),
        otherwise: Index::name("row").minus(Index::constant(1)),
    };
    let stmts = vec![
        Stmt::Comment(name("who owns what")),
        int("col", IntExpr::Div(Index::name("lane"), 4)),
        int("row", IntExpr::Rem(Index::name("lane"), 4)),
        int("next", IntExpr::Rem(Index::name("lane").plus(Index::constant(1)), 4)),
        int("valid", IntExpr::Min(name("row"), 2)),
        int("other", choice),
    ];
    expect(
        stmts,
        &[
            "// who owns what",
            "const unsigned int col = lane / 4u;",
            "const unsigned int row = lane % 4u;",
            "const unsigned int next = (lane + 1u) % 4u;",
            "const unsigned int valid = min(row, 2u);",
            "const unsigned int other = row < col ? row : row - 1u;",
        ],
        &[
            "// who owns what",
            "let col = lane / 4u;",
            "let row = lane % 4u;",
            "let next = (lane + 1u) % 4u;",
            "let valid = min(row, 2u);",
            "let other = select(row - 1u, row, row < col);",
        ],
        &[
            "// who owns what",
            "let col = lane / 4;",
            "let row = lane % 4;",
            "let next = (lane + 1) % 4;",
            "let valid = row.min(2);",
            "let other = if row < col { row } else { row - 1 };",
        ],
    );
}

#[test]
fn accumulators_and_constants() {
    let stmts = vec![
        Stmt::Var { name: name("acc"), init: None },
        Stmt::Var { name: name("sum"), init: Some(name("rho")) },
        Stmt::Constant { name: name("zero"), constant: Constant::Zero },
        Stmt::Constant { name: name("half"), constant: Constant::Half },
        Stmt::Fma { acc: name("acc"), a: name("x"), b: name("rho"), is_negated: false },
        Stmt::Fma { acc: name("acc"), a: name("x"), b: name("half"), is_negated: true },
        Stmt::Add { acc: name("sum"), value: name("acc") },
        Stmt::Constant { name: name("one"), constant: Constant::One },
        Stmt::Constant { name: name("threshold"), constant: Constant::BunchKaufman },
        Stmt::Raise { acc: name("sum"), value: name("zero"), keeps_nan: false },
        Stmt::Raise { acc: name("sum"), value: name("one"), keeps_nan: true },
    ];
    expect(
        stmts,
        &[
            "float acc = 0.0f;",
            "float sum = rho;",
            "const float zero = 0.0f;",
            "const float half = 0.5f;",
            "acc = __fmaf_rn(x, rho, acc);",
            "acc = __fmaf_rn(-x, half, acc);",
            "sum = __fadd_rn(sum, acc);",
            "const float one = 1.0f;",
            "const float threshold = 0.6403882f;",
            "sum = fmaxf(sum, zero);",
            "sum = glass_maximum(sum, one);",
        ],
        &[
            "var acc = 0f;",
            "var sum = args.rho;",
            "let zero = 0f;",
            "let half = 0.5f;",
            "acc = fma(x, args.rho, acc);",
            "acc = fma(-x, half, acc);",
            "sum = sum + acc;",
            "let one = 1f;",
            "let threshold = 0.6403882f;",
            "sum = max(sum, zero);",
            "sum = glass_maximum(sum, one);",
        ],
        &[
            "let mut acc = V::splat(0.0);",
            "let mut sum = V::splat(rho);",
            "let zero = V::splat(0.0);",
            "let half = V::splat(0.5);",
            "acc = x.mul_add(V::splat(rho), acc);",
            "acc = x.neg().mul_add(half, acc);",
            "sum = sum.add(acc);",
            "let one = V::splat(1.0);",
            "let threshold = V::splat(0.6403882);",
            "sum = sum.max(zero);",
            "sum = sum.maximum(one);",
        ],
    );
}

#[test]
fn functions() {
    let cases = [
        (Function::Neg, vec!["x"], "-x", "-x", "x.neg()"),
        (Function::Abs, vec!["x"], "fabsf(x)", "abs(x)", "x.abs()"),
        (Function::Add, vec!["x", "rho"], "__fadd_rn(x, rho)", "x + args.rho", "x.add(V::splat(rho))"),
        (Function::Sub, vec!["x", "z"], "__fsub_rn(x, z)", "x - z", "x.sub(z)"),
        (Function::Mul, vec!["x", "z"], "__fmul_rn(x, z)", "x * z", "x.mul(z)"),
        (
            Function::Fma,
            vec!["rho", "x", "z"],
            "__fmaf_rn(rho, x, z)",
            "fma(args.rho, x, z)",
            "V::splat(rho).mul_add(x, z)",
        ),
        (Function::Max, vec!["x", "z"], "fmaxf(x, z)", "max(x, z)", "x.max(z)"),
        (
            Function::Maximum,
            vec!["x", "rho"],
            "glass_maximum(x, rho)",
            "glass_maximum(x, args.rho)",
            "x.maximum(V::splat(rho))",
        ),
        (Function::Minimum, vec!["x", "z"], "glass_minimum(x, z)", "glass_minimum(x, z)", "x.minimum(z)"),
        (Function::AtMost, vec!["x", "z"], "x > z ? z : x", "select(x, z, x > z)", "x.at_most(z)"),
        (Function::AtLeast, vec!["x", "z"], "x < z ? z : x", "select(x, z, x < z)", "x.at_least(z)"),
        (Function::Less, vec!["x", "z"], "x < z ? 1.0f : 0.0f", "select(0f, 1f, x < z)", "x.less(z)"),
        (
            Function::LessEqual,
            vec!["x", "z"],
            "x <= z ? 1.0f : 0.0f",
            "select(0f, 1f, x <= z)",
            "x.less_equal(z)",
        ),
        (Function::Equal, vec!["x", "z"], "x == z ? 1.0f : 0.0f", "select(0f, 1f, x == z)", "x.equal(z)"),
        (
            Function::NotEqual,
            vec!["x", "z"],
            "x != z ? 1.0f : 0.0f",
            "select(0f, 1f, x != z)",
            "x.not_equal(z)",
        ),
        (
            Function::And,
            vec!["x", "z"],
            "x != 0.0f && z != 0.0f ? 1.0f : 0.0f",
            "select(0f, 1f, x != 0f && z != 0f)",
            "x.and(z)",
        ),
        (Function::Not, vec!["x"], "x == 0.0f ? 1.0f : 0.0f", "select(0f, 1f, x == 0f)", "x.not()"),
        (
            Function::Select,
            vec!["x", "z", "rho"],
            "x != 0.0f ? z : rho",
            "select(args.rho, z, x != 0f)",
            "x.select(z, V::splat(rho))",
        ),
        (Function::OrOne, vec!["x"], "x == x ? x : 1.0f", "select(x, 1f, glass_is_nan(x))", "x.or_one()"),
        (
            Function::OrOther,
            vec!["x", "z"],
            "x == x ? x : z",
            "select(x, z, glass_is_nan(x))",
            "x.or_other(z)",
        ),
        (Function::Div, vec!["x", "z"], "__fdiv_rn(x, z)", "x / z", "x.div(z)"),
        (Function::Exp, vec!["x"], "expf(x)", "exp(x)", "x.exp()"),
        (Function::Log, vec!["x"], "logf(x)", "log(x)", "x.ln()"),
        (Function::Sqrt, vec!["x"], "glass_sqrt(x)", "sqrt(x)", "x.sqrt()"),
        (Function::Reciprocal, vec!["x"], "glass_reciprocal(x)", "1f / x", "x.recip()"),
        (
            Function::ExponentScale,
            vec!["x"],
            "glass_exponent_scale(x)",
            "glass_exponent_scale(x)",
            "x.exponent_scale()",
        ),
        (
            Function::InverseExponentScale,
            vec!["x"],
            "glass_inverse_exponent_scale(x)",
            "glass_inverse_exponent_scale(x)",
            "x.inverse_exponent_scale()",
        ),
        (
            Function::Scale,
            vec!["alpha", "x"],
            "alpha == 0.0f ? 0.0f : __fmul_rn(alpha, x)",
            "select(args.alpha * x, 0f, args.alpha == 0f)",
            "if alpha == 0.0 { V::splat(0.0) } else { V::splat(alpha).mul(x) }",
        ),
        (
            Function::Axpy,
            vec!["alpha", "x", "z"],
            "alpha == 0.0f ? z : __fmaf_rn(alpha, x, z)",
            "select(fma(args.alpha, x, z), z, args.alpha == 0f)",
            "if alpha == 0.0 { z } else { V::splat(alpha).mul_add(x, z) }",
        ),
        (
            Function::RotgCos,
            vec!["x", "z"],
            "glass_rotg_cos(x, z)",
            "glass_rotg_cos(x, z)",
            "V::rotg_cos(x, z)",
        ),
        (
            Function::RotgSin,
            vec!["x", "z"],
            "glass_rotg_sin(x, z)",
            "glass_rotg_sin(x, z)",
            "V::rotg_sin(x, z)",
        ),
        (
            Function::RotgRadius,
            vec!["x", "z"],
            "glass_rotg_radius(x, z)",
            "glass_rotg_radius(x, z)",
            "V::rotg_radius(x, z)",
        ),
    ];
    for (function, args, cuda, wgsl, rust) in cases {
        let args = args.into_iter().map(str::to_owned).collect();
        expect(
            vec![Stmt::Let { name: name("v"), function, args }],
            &[&format!("const float v = {cuda};")],
            &[&format!("let v = {wgsl};")],
            &[&format!("let v = {rust};")],
        );
    }
}

#[test]
fn pivots_and_status() {
    let pivot = |kind, number: Option<Index>| Stmt::Pivot {
        kind,
        value: name("d"),
        pivot: name("l"),
        reciprocal: name("r"),
        note: number.map(|number| Note { word: 0, number }),
    };
    let stmts = vec![
        Stmt::Status { word: 0 },
        pivot(PivotKind::Cholesky, Some(Index::constant(3))),
        Stmt::Block {
            stmts: vec![pivot(PivotKind::Rsqrt, Some(Index::name("col").plus(Index::constant(1))))],
        },
        Stmt::Block { stmts: vec![pivot(PivotKind::General, None)] },
        Stmt::StoreStatus { operand: 2, word: 0 },
    ];
    expect(
        stmts,
        &[
            "unsigned int first_bad = 0u;",
            "const GlassPivotF32 taken_l = glass_cholesky_pivot(d);",
            "const float l = taken_l.pivot;",
            "const float r = taken_l.reciprocal;",
            "first_bad = first_bad == 0u && taken_l.is_bad ? 3u : first_bad;",
            "{",
            "    const GlassPivotF32 taken_l = glass_rsqrt_pivot(d);",
            "    const float l = taken_l.pivot;",
            "    const float r = taken_l.reciprocal;",
            "    first_bad = first_bad == 0u && taken_l.is_bad ? col + 1u : first_bad;",
            "}",
            "{",
            "    const GlassPivotF32 taken_l = glass_general_pivot(d);",
            "    const float l = taken_l.pivot;",
            "    const float r = taken_l.reciprocal;",
            "}",
            "status[0u] = first_bad;",
        ],
        &[
            "var first_bad = 0u;",
            "let taken_l = glass_cholesky_pivot(d);",
            "let l = taken_l.pivot;",
            "let r = taken_l.reciprocal;",
            "first_bad = select(first_bad, 3u, first_bad == 0u && taken_l.is_bad);",
            "{",
            "    let taken_l = glass_rsqrt_pivot(d);",
            "    let l = taken_l.pivot;",
            "    let r = taken_l.reciprocal;",
            "    first_bad = select(first_bad, col + 1u, first_bad == 0u && taken_l.is_bad);",
            "}",
            "{",
            "    let taken_l = glass_general_pivot(d);",
            "    let l = taken_l.pivot;",
            "    let r = taken_l.reciprocal;",
            "}",
            "status[status_base] = first_bad;",
        ],
        &[
            "let mut first_bad = V::no_words();",
            "let (l, r) = d.cholesky_pivot(3, &mut first_bad);",
            "{",
            "    let (l, r) = d.rsqrt_pivot((col + 1) as u32, &mut first_bad);",
            "}",
            "{",
            "    let (l, r) = d.general_pivot(0, &mut V::no_words());",
            "}",
            "status[0] = first_bad;",
        ],
    );
}

#[test]
fn loops_and_guards() {
    let body = || vec![Stmt::Add { acc: name("acc"), value: name("x") }];
    let run =
        |start, end, step, unroll| Stmt::Loop { var: name("i"), start, end, step, unroll, stmts: body() };
    let stmts = vec![
        run(Index::default(), Index::constant(7), 1, Some(4)),
        run(Index::name("col").plus(Index::constant(1)), Index::constant(7), 1, None),
        run(Index::name("lane"), Index::name("col"), 32, None),
        Stmt::Guard { name: name("i"), limit: 5, stmts: body() },
    ];
    expect(
        stmts,
        &[
            "#pragma unroll 4",
            "for (unsigned int i = 0u; i < 7u; ++i) {",
            "    acc = __fadd_rn(acc, x);",
            "}",
            "for (unsigned int i = col + 1u; i < 7u; ++i) {",
            "    acc = __fadd_rn(acc, x);",
            "}",
            "for (unsigned int i = lane; i < col; i += 32u) {",
            "    acc = __fadd_rn(acc, x);",
            "}",
            "if (i < 5u) {",
            "    acc = __fadd_rn(acc, x);",
            "}",
        ],
        &[
            "for (var i = 0u; i < 7u; i++) {",
            "    acc = acc + x;",
            "}",
            "for (var i = col + 1u; i < 7u; i++) {",
            "    acc = acc + x;",
            "}",
            "for (var i = lane; i < col; i += 32u) {",
            "    acc = acc + x;",
            "}",
            "if (i < 5u) {",
            "    acc = acc + x;",
            "}",
        ],
        &[
            "for i in 0..7 {",
            "    acc = acc.add(x);",
            "}",
            "for i in col + 1..7 {",
            "    acc = acc.add(x);",
            "}",
            "for i in (lane..col).step_by(32) {",
            "    acc = acc.add(x);",
            "}",
            "if i < 5 {",
            "    acc = acc.add(x);",
            "}",
        ],
    );
}

#[test]
fn epilogues() {
    let finish = |alpha, accumulates, beta, old: Option<&str>| Stmt::Finish {
        name: name("y_0"),
        acc: name("acc"),
        old: old.map(str::to_owned),
        epilogue: Epilogue { alpha, accumulates, beta },
    };
    expect(
        vec![finish(false, true, false, Some("old_0"))],
        &["const float y_0 = __fadd_rn(old_0, acc);"],
        &["let y_0 = old_0 + acc;"],
        &["let y_0 = old_0.add(acc);"],
    );
    expect(
        vec![finish(true, false, false, None)],
        &["const float y_0 = alpha == 0.0f ? 0.0f : __fmul_rn(alpha, acc);"],
        &["let y_0 = select(args.alpha * acc, 0f, args.alpha == 0f);"],
        &["let y_0 = if alpha == 0.0 { V::splat(0.0) } else { V::splat(alpha).mul(acc) };"],
    );
    expect(
        vec![finish(true, true, true, Some("old_0"))],
        &[
            "const float scaled_old_0 = beta == 0.0f ? 0.0f : beta == 1.0f ? old_0 : __fmul_rn(beta, old_0);",
            "const float scaled_y_0 = __fmul_rn(alpha, acc);",
            "const float blended_y_0 = beta == 0.0f ? scaled_y_0 : __fmaf_rn(beta, old_0, scaled_y_0);",
            "const float y_0 = alpha == 0.0f ? scaled_old_0 : blended_y_0;",
        ],
        &[
            "let kept_old_0 = select(args.beta * old_0, old_0, args.beta == 1f);",
            "let scaled_old_0 = select(kept_old_0, 0f, args.beta == 0f);",
            "let scaled_y_0 = args.alpha * acc;",
            "let blended_y_0 = select(fma(args.beta, old_0, scaled_y_0), scaled_y_0, args.beta == 0f);",
            "let y_0 = select(blended_y_0, scaled_old_0, args.alpha == 0f);",
        ],
        &[
            "let y_0 = match (alpha == 0.0, beta == 0.0) {",
            "    (true, true) => V::splat(0.0),",
            "    (true, false) if beta - 1.0 == 0.0 => old_0,",
            "    (true, false) => V::splat(beta).mul(old_0),",
            "    (false, true) => V::splat(alpha).mul(acc),",
            "    (false, false) => V::splat(beta).mul_add(old_0, V::splat(alpha).mul(acc)),",
            "};",
        ],
    );
}

#[test]
fn lanes_meet_and_wait() {
    let stmts = || vec![Stmt::Combine { acc: name("acc"), lanes: 4, merge: None }, Stmt::Barrier];
    let shuffles = [
        "acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 2u, 4));",
        "acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 1u, 4));",
    ];
    let slots = [
        "slots[lane] = acc;",
        "workgroupBarrier();",
        "if (part < 2u) { slots[lane] = slots[lane] + slots[lane + 2u]; }",
        "workgroupBarrier();",
        "if (part < 1u) { slots[lane] = slots[lane] + slots[lane + 1u]; }",
        "workgroupBarrier();",
        "acc = slots[lane];",
        "workgroupBarrier();",
        "storageBarrier();",
    ];
    for (tier, barrier) in [(Tier::Warp, "__syncwarp();"), (Tier::Block, "__syncthreads();")] {
        let spelled = spell(tier, [1; 4], stmts());
        assert_eq!(spelled.cuda, text(&[&shuffles[..], &[barrier]].concat()));
        assert_eq!(spelled.wgsl, text(&slots));
    }
}
