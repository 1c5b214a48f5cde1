//! What the header says about rounding, stage by stage.

use super::{Input, request};
use crate::Fields;
use crate::catalogue::Op;
use crate::kernel;
use crate::plan::{Mapping, Plan, Target};
use crate::render::header::numerics;
use crate::{Request, lower};

fn lines(request: &Request, target: Target, mapping: &str) -> Vec<String> {
    let Request { spec, layout, .. } = request;
    let mapping: Mapping = mapping.parse().expect("a mapping");
    let plan = Plan::new(spec, *layout, target, mapping);
    let kernel = kernel::build(spec, &plan);
    numerics(&Input { spec, plan: &plan, kernel: &kernel, reasons: &[] })
}

#[test]
fn a_single_stage_has_no_name() {
    let dot = request(Op::Dot, "f32", "contiguous").expect("dot is provided");
    assert_eq!(
        lines(&dot, Target::Cuda, "warp reduced4 direct t32"),
        [
            "lane j of 4 sums the terms j, j + 4, ... of 2 in ascending order from +0; then halving offsets from 2",
            "every multiply-add is one explicit fma, nothing else is contracted: equal bits for this order everywhere",
        ]
    );
    let copy = request(Op::Copy, "f32", "contiguous").expect("copy is provided");
    assert_eq!(
        lines(&copy, Target::Host, "thread serial direct t1"),
        ["every operation is correctly rounded, nothing is contracted"]
    );
}

#[test]
fn stages_are_named_by_their_destinations() {
    let fields = Fields {
        op: Some("riccati_gain".to_owned()),
        nx: Some(4),
        nu: Some(2),
        targets: Some(vec!["cuda".to_owned(), "wgsl".to_owned()]),
        ..Fields::default()
    };
    let riccati = lower(&fields).expect("the fields are valid");
    let split = "lane j of 2 sums the terms j, j + 2, ... of 4 in ascending order from +0; then halving offsets from 1";
    assert_eq!(
        lines(&riccati, Target::Cuda, "warp reduced2 direct t32"),
        [
            "w: each output sums its 4 terms in ascending order from +0".to_owned(),
            format!("s: {split}"),
            format!("k: {split}"),
            "each pivot is inverted once, correctly rounded, and multiplied with".to_owned(),
            "every multiply-add is one explicit fma, nothing else is contracted: equal bits for this order everywhere"
                .to_owned(),
        ]
    );
    let wgsl = lines(&riccati, Target::Wgsl, "warp serial direct t32");
    assert_eq!(wgsl[3], "each pivot is inverted once and multiplied with");
}

#[test]
fn approximate_pivots_promise_no_bits() {
    let fields = Fields { op: Some("potrf".to_owned()), n: Some(3), rsqrt: Some(true), ..Fields::default() };
    let potrf = lower(&fields).expect("the fields are valid");
    assert_eq!(
        lines(&potrf, Target::Cuda, "thread serial direct t32"),
        [
            "pivots by an approximate reciprocal square root: equal bits are not promised",
            "every multiply-add is one explicit fma, nothing else is contracted",
        ]
    );
}
