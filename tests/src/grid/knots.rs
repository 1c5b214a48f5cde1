//! Knots of a backward pass: the robots of the example, small ones under every option, every tier, both layouts.

use super::builder::{Grid, reduced};
use crate::attribute::spec;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::DType::{F32, F64};
use glass_codegen::spec::Layout::{Contiguous, Interleaved};

const STEPS: &[&str] = &[
    "riccati_step nx=1 nu=1",
    "riccati_step nx=2 nu=1 reg=diag_shift",
    "riccati_step nx=5 nu=3 reg=shift",
    "riccati_step nx=5 nu=3 reg=diag_shift check=off",
    "riccati_step nx=4 nu=2 rsqrt",
    "riccati_step nx=12 nu=4",
    "riccati_step nx=12 nu=6",
    "riccati_step nx=14 nu=7",
    "riccati_step nx=36 nu=12",
];

const PASSES: &[&str] = &[
    "riccati_pass nx=1 nu=1 knots=1",
    "riccati_pass nx=3 nu=2 knots=3",
    "riccati_pass nx=3 nu=2 knots=2 reg=shift",
    "riccati_pass nx=3 nu=2 knots=2 reg=diag_shift check=off",
    "riccati_pass nx=3 nu=1 knots=4 rsqrt",
    "riccati_pass nx=12 nu=4 knots=3",
    "riccati_pass nx=14 nu=7 knots=3",
    "riccati_pass nx=14 nu=7 knots=32",
];

pub(super) fn add(grid: &mut Grid) {
    for task in STEPS {
        let (single, double) = (spec(task, F32), spec(task, F64));
        for spec in [&single, &double] {
            grid.thread(spec, Contiguous);
            grid.thread(spec, Interleaved);
            grid.warp_staged(spec, Contiguous, Form::Serial);
            grid.block_staged(spec, Interleaved, Form::Serial, 96);
            grid.host(spec, Form::Serial);
        }
        grid.bulk(&single);
        grid.shared(&single);
        grid.warp(&double, Interleaved, reduced(4));
        grid.block(&single, Contiguous, reduced(2), 57);
        grid.group(&single, Contiguous, 64, 8);
        grid.group(&single, Contiguous, 64, 16);
        grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, Form::Serial, 32);
        grid.wgsl(&single, Contiguous, Tier::Block, reduced(4), 64);
        grid.host(&single, reduced(4));
    }
    for task in PASSES {
        let (single, double) = (spec(task, F32), spec(task, F64));
        grid.thread(&single, Interleaved);
        grid.thread(&double, Contiguous);
        grid.warp(&single, Contiguous, Form::Serial);
        grid.warp(&double, Interleaved, reduced(4));
        grid.block(&single, Contiguous, reduced(2), 57);
        grid.block(&double, Interleaved, Form::Serial, 96);
        grid.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
        grid.wgsl(&single, Contiguous, Tier::Warp, Form::Serial, 32);
        grid.host(&single, Form::Serial);
        grid.host(&double, reduced(4));
    }
}
