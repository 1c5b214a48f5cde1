//! Roots and reciprocals of pivots, correctly rounded from approximations that err as far as they may: over all
//! exponents, with the fractions at which rounding is decided last.

use crate::check_cases;
use glass_codegen::plan::{Form, Mapping, Staging, Target, Tier};
use glass_codegen::spec::{DType, Layout};
use glass_oracle::{Case, Real};
use glass_tests::attribute::spec;
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Program, Unit};
use glass_tests::grid::Entry;
use std::path::PathBuf;

/// Ops whose first output is the root of their first input, its reciprocal, or both.
const TASKS: [&str; 3] = ["potrf n=1", "inv n=1", "trsv n=1"];

#[test]
fn pivots_of_every_size_are_correctly_rounded() {
    let Some(compiler) = compiler_for("pivots of CUDA text on the CPU") else { return };
    let entry = |task, dtype| Entry {
        spec: spec(task, dtype),
        layout: Layout::Contiguous,
        target: Target::Cuda,
        mapping: Mapping::new(Tier::Thread, Form::Serial, Staging::Direct, 256),
    };
    let entries = TASKS.map(|task| [DType::F32, DType::F64].map(|dtype| entry(task, dtype))).concat();
    let unit = |entry: &Entry| {
        let source = entry.variant().sources.swap_remove(0);
        Unit { file_name: source.file_name.clone(), text: source.text(), kernels: vec![entry.symbol()] }
    };
    let units: Vec<_> = entries.iter().map(unit).collect();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda-text-numerics");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    let mut process = program.start().expect("it has been compiled");
    for entry in &entries {
        let result = match entry.spec.dtype {
            DType::F32 => check_cases(entry, &mut process, &cases::<f32>(entry)),
            DType::F64 => check_cases(entry, &mut process, &cases::<f64>(entry)),
        };
        result.unwrap_or_else(|fault| panic!("{}: {fault}", entry.symbol()));
    }
}

/// One problem for every exponent and some fractions, of either sign.
fn cases<T: Real>(entry: &Entry) -> Vec<Case<T>> {
    let n_exponents = 1_u64 << (T::HEX_DIGITS as u32 * 4 - 1 - T::FRACTION_BITS);
    let all_ones = (1_u64 << T::FRACTION_BITS) - 1;
    let n_fractions = 65_536 / n_exponents;
    let case = entry.task().batch::<T>(1, &[]).swap_remove(0);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut cases = Vec::new();
    for exponent in 0..n_exponents {
        let edges = [0, 1, 2, all_ones, all_ones - 1, all_ones / 2, all_ones / 2 + 1];
        let random = (0..n_fractions).map(|_| {
            // A linear congruential generator; its upper bits are the good ones.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> (64 - T::FRACTION_BITS)
        });
        for fraction in edges.into_iter().chain(random) {
            let value = T::from_pattern(exponent << T::FRACTION_BITS | fraction);
            let is_negative = cases.len() % 3 == 2;
            let mut case = case.clone();
            case.inputs[0][0] = if is_negative { value.negated() } else { value };
            if let Some(right_side) = case.inputs.get_mut(1) {
                right_side[0] = T::ONE;
            }
            cases.push(case);
        }
    }
    cases
}
