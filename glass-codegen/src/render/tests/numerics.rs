//! What the CUDA functions define, and what a body that needs few of them gets.

use crate::kernel::{PivotKind, Stmt};
use crate::render::cuda_numerics;
use crate::render::numerics::pieces;
use crate::render::uses::Uses;
use crate::spec::DType;

const FUNCTIONS: [&str; 10] = [
    "glass_sqrt",
    "glass_reciprocal",
    "glass_cholesky_pivot",
    "glass_rsqrt_pivot",
    "glass_general_pivot",
    "glass_exponent_scale",
    "glass_inverse_exponent_scale",
    "glass_rotg_cos",
    "glass_rotg_sin",
    "glass_rotg_radius",
];

#[test]
fn all_functions_are_defined_for_both_types() {
    for (dtype, ty) in [(DType::F32, "float"), (DType::F64, "double")] {
        let text = cuda_numerics(dtype);
        for function in FUNCTIONS {
            let definitions = text.lines().filter(|line| {
                line.starts_with("static __device__") && line.contains(&format!(" {function}({ty} "))
            });
            assert_eq!(definitions.count(), 1, "{function} of {ty}");
        }
    }
}

#[test]
fn slow_paths_are_confined_to_rotations() {
    for dtype in [DType::F32, DType::F64] {
        let text = cuda_numerics(dtype);
        let (before, rotations) = text.split_once("// The hypotenuse").expect("rotations come last");
        for intrinsic in ["sqrt_rn", "rcp_rn", "div_rn"] {
            assert!(!before.contains(intrinsic), "{intrinsic} has a branch");
        }
        assert!(rotations.contains("div_rn"));
    }
}

#[test]
fn a_body_gets_what_it_uses() {
    let pivot = |kind| {
        let name = |name: &str| name.to_owned();
        Stmt::Pivot { kind, value: name("a"), pivot: name("l"), reciprocal: name("r"), note: None }
    };
    let names = |kind, dtype| {
        let pieces = pieces(&Uses::of(&[Stmt::Block { stmts: vec![pivot(kind)] }]), dtype);
        pieces.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(PivotKind::Cholesky, DType::F32), ["pivot_f32", "root_f32", "cholesky_pivot_f32"]);
    assert_eq!(names(PivotKind::General, DType::F32), ["pivot_f32", "reciprocal_f32", "general_pivot_f32"]);
    assert_eq!(names(PivotKind::Rsqrt, DType::F64), ["pivot_f64", "near_rsqrt_f64", "rsqrt_pivot_f64"]);
    assert_eq!(
        names(PivotKind::General, DType::F64),
        ["pivot_f64", "nearest_f64", "reciprocal_f64", "general_pivot_f64"]
    );
    assert!(pieces(&Uses::of(&[Stmt::Barrier]), DType::F64).is_empty());
}
