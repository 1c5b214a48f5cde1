//! Every combination of field values expands, without a warning under the strictest lints, to the task it asks for.

#![forbid(unsafe_code, missing_docs)]
#![deny(warnings, unused, rust_2018_idioms, future_incompatible, let_underscore_drop, single_use_lifetimes)]
#![deny(missing_copy_implementations, missing_debug_implementations, trivial_casts, trivial_numeric_casts)]
#![deny(
    unnameable_types,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    redundant_imports
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use glass::Kernel;
use glass::rt::kernel::{Access, DType, Form, Layout, Target, Task, Tier};

macro_rules! transpose {
    ($word:ident, $a:literal, $b:literal; $($fields:tt)*) => {
        mod $word { dtypes! { $a, $b; $($fields)*, transpose = $word } }
    };
}

macro_rules! dtypes {
    ($a:literal, $b:literal; $($fields:tt)*) => {
        mod single { layouts! { $a, $b, F32; $($fields)*, dtype = f32 } }
        mod double { layouts! { $a, $b, F64; $($fields)*, dtype = f64 } }
    };
}

macro_rules! layouts {
    ($a:literal, $b:literal, $dtype:ident; $($fields:tt)*) => {
        mod contiguous { alphas! { $a, $b, $dtype, Contiguous; $($fields)*, layout = contiguous } }
        mod interleaved { alphas! { $a, $b, $dtype, Interleaved; $($fields)*, layout = interleaved } }
    };
}

macro_rules! alphas {
    ($a:literal, $b:literal, $dtype:ident, $layout:ident; $($fields:tt)*) => {
        mod unscaled { betas! { $a, $b, $dtype, $layout, 0; $($fields)*, alpha = one } }
        mod scaled { betas! { $a, $b, $dtype, $layout, 1; $($fields)*, alpha = runtime } }
    };
}

macro_rules! betas {
    ($a:literal, $b:literal, $dtype:ident, $layout:ident, $n_scalars:literal; $($fields:tt)*) => {
        task! { Overwrites; $a, $b, $dtype, $layout, Out, $n_scalars; $($fields)*, beta = zero }
        task! { Adds; $a, $b, $dtype, $layout, InOut, $n_scalars; $($fields)*, beta = one }
        task! { Blends; $a, $b, $dtype, $layout, InOut, 1 + $n_scalars; $($fields)*, beta = runtime }
    };
}

macro_rules! task {
    ($name:ident; $a:literal, $b:literal, $dtype:ident, $layout:ident, $access:ident, $n_scalars:expr; $($fields:tt)*) => {
        /// One combination.
        #[glass::contract($($fields)*)]
        #[derive(Clone, Copy, Debug)]
        struct $name;

        const _: () = crate::assert_task(
            <$name as glass::Kernel>::TASK,
            &crate::Asked {
                transposed: ($a, $b),
                dtype: glass::rt::kernel::DType::$dtype,
                layout: glass::Layout::$layout,
                access: glass::rt::kernel::Access::$access,
                n_scalars: $n_scalars,
            },
        );
    };
}

// One module per word of each axis; the innermost holds a struct and its compile-time checks.
mod vector {
    transpose! { none, false, false; n_out = 3, k = 5 }
    transpose! { a, true, false; n_out = 3, k = 5 }
}
mod matrix {
    transpose! { none, false, false; m = 3, n = 2, k = 5 }
    transpose! { a, true, false; m = 3, n = 2, k = 5 }
    transpose! { b, false, true; m = 3, n = 2, k = 5 }
    transpose! { ab, true, true; m = 3, n = 2, k = 5 }
}

/// Named ops, with the symbol of the task that each asks for.
macro_rules! ops {
    ($($name:ident: $notation:ident($($fields:tt)*) $symbol:literal;)*) => {
        $(
            /// One op.
            #[glass::$notation($($fields)*)]
            #[derive(Clone, Copy, Debug)]
            struct $name;
        )*

        #[test]
        fn ops_are_those_of_their_names() {
            $(assert_eq!($name::TASK.symbol, $symbol);)*
        }
    };
}

ops! {
    Gemv: op(gemv, m = 7, n = 14) "glass_gemv_f32_m7_k14";
    SameGemv: contract(n_out = 7, k = 14) "glass_gemv_f32_m7_k14";
    TransposedGemv: op(gemv, m = 14, n = 7, trans) "glass_gemv_f32_m7_k14_ta";
    SameTransposedGemv: contract(n_out = 7, k = 14, transpose = a) "glass_gemv_f32_m7_k14_ta";
    Syrk: op(syrk, n = 3, k = 5, trans, fill = upper, alpha = runtime) "glass_syrk_f32_n3_k5_trans_upper_alpha";
    Trsm: op(trsm, n = 3, nrhs = 2, uplo = upper, diag = unit) "glass_trsm_f32_n3_nrhs2_upper_unit";
    Potrf: op(potrf, n = 7, dtype = f64, fill = untouched) "glass_potrf_f64_n7_untouched";
    Posv: op(posv, n = 7, in_place, rsqrt, reg = diag_shift) "glass_posv_f32_n7_inplace_rsqrt_diagshift";
    Unchecked: op(posv, n = 7, nrhs = 1, check = off) "glass_posv_f32_n7_unchecked";
    Ldlt: op(ldlt, n = 4, layout = interleaved) "glass_ldlt_f32_n4";
    Inv: op(inv, n = 4, dtype = f64, in_place) "glass_inv_f64_n4_inplace";
    Tensor: op(tensor_vec_contract, k = 2, a = 3, b = 3, symmetric) "glass_tensor_vec_contract_f32_k2_a3_b3_sym";
    Riccati: op(riccati_gain, nx = 4, nu = 2, factor) "glass_riccati_gain_f32_nx4_nu2_factor";
    Rotg: op(rotg, targets = [cuda]) "glass_rotg_f32";
    String: contract("ab,bc->ac", a = 2, b = 3, c = 4) "glass_contract_f32_a2_b3_c4_ab_bc_to_ac";
}

/// What an attribute asked for.
struct Asked {
    transposed: (bool, bool),
    dtype: DType,
    layout: Layout,
    /// Of the result.
    access: Access,
    n_scalars: usize,
}

const fn assert_task(task: &Task, asked: &Asked) {
    assert!(task.dtype as u8 == asked.dtype as u8);
    assert!(task.layout as u8 == asked.layout as u8);
    assert!(task.scalars.len() == asked.n_scalars);
    let [left, right, output] = task.operands else { panic!("a product has three operands") };
    assert!(output.access as u8 == asked.access as u8);
    let (n_rows, n_terms) = if asked.transposed.0 { (left.cols, left.rows) } else { (left.rows, left.cols) };
    let (inner, n_cols) =
        if asked.transposed.1 { (right.cols, right.rows) } else { (right.rows, right.cols) };
    assert!(n_rows == 3 && n_terms == 5 && inner == 5);
    assert!(output.rows == 3 && output.cols == n_cols && n_cols <= 2);
    // The host comes last; there is no f64 in WGSL.
    let n_targets = if asked.dtype as u8 == DType::F64 as u8 { 2 } else { 3 };
    assert!(task.variants.len() >= n_targets);
    assert!(task.variants[task.variants.len() - 1].code.target() as u8 == Target::Host as u8);
}

/// Mappings that an attribute fixes, with the tier and form that every GPU kernel must then have.
macro_rules! forced {
    ($($name:ident: [$($field:ident = $value:tt),*] $tier:ident $form:expr;)*) => {
        $(
            #[glass::contract(m = 3, n = 2, k = 70 $(, $field = $value)*)]
            struct $name;
        )*

        #[test]
        fn forced_mappings_are_taken() {
            $(assert_mapping($name::TASK, Tier::$tier, $form);)*
        }
    };
}

const fn reduced(lanes_per_output: u32) -> Form {
    Form::Reduced { lanes_per_output }
}

forced! {
    Unforced: [] Thread Form::Serial;
    ThreadTier: [tier = thread] Thread Form::Serial;
    WarpTier: [tier = warp] Warp Form::Serial;
    BlockTier: [tier = block] Block Form::Serial;
    SerialForm: [form = serial] Thread Form::Serial;
    ReducedForm: [form = reduced] Warp reduced(32);
    ThreadSerial: [tier = thread, form = serial, threads_per_block = 96] Thread Form::Serial;
    WarpSerial: [tier = warp, form = serial, threads_per_block = 256] Warp Form::Serial;
    Warp1: [tier = warp, form = reduced, lanes_per_output = 1] Warp reduced(1);
    Warp2: [tier = warp, form = reduced, lanes_per_output = 2] Warp reduced(2);
    Warp4: [tier = warp, form = reduced, lanes_per_output = 4] Warp reduced(4);
    Warp8: [tier = warp, form = reduced, lanes_per_output = 8] Warp reduced(8);
    Warp16: [tier = warp, form = reduced, lanes_per_output = 16] Warp reduced(16);
    Warp32: [tier = warp, form = reduced, lanes_per_output = 32] Warp reduced(32);
    BlockSerial: [tier = block, form = serial, threads_per_block = 7] Block Form::Serial;
    Block1: [tier = block, form = reduced, lanes_per_output = 1, threads_per_block = 1] Block reduced(1);
    Block8: [tier = block, form = reduced, lanes_per_output = 8, threads_per_block = 100] Block reduced(8);
    Block32: [tier = block, form = reduced, lanes_per_output = 32, threads_per_block = 1024] Block reduced(32);
}

fn assert_mapping(task: &Task, tier: Tier, form: Form) {
    for variant in task.variants {
        assert_eq!(variant.plan.form, form, "{}", variant.symbol);
        if variant.code.target() != Target::Host {
            assert_eq!(variant.plan.tier, tier, "{}", variant.symbol);
        }
    }
    assert!(task.variants.len() >= 3, "{}", task.symbol);
}

/// Lists of targets, with the targets that kernels are there for.
macro_rules! targets {
    ($($name:ident: [$($word:ident),*] $expected:expr;)*) => {
        $(
            #[glass::contract(n_out = 7, k = 14, targets = [$($word),*])]
            struct $name;
        )*

        #[test]
        fn targets_are_those_of_the_list() {
            $(assert_targets($name::TASK, $name::sources(), &$expected);)*
        }
    };
}

targets! {
    HostOnly: [host] [Target::Host];
    CudaOnly: [cuda] [Target::Cuda, Target::Host];
    WgslOnly: [wgsl] [Target::Wgpu, Target::Host];
    Both: [wgsl, cuda, host] [Target::Wgpu, Target::Cuda, Target::Host];
}

fn assert_targets(task: &Task, sources: &[(&str, &str)], expected: &[Target]) {
    let mut targets: Vec<_> = task.choices.iter().map(|choice| choice.target).collect();
    targets.dedup();
    assert_eq!(targets, expected);
    for target in [Target::Cuda, Target::Wgpu, Target::Host] {
        let is_there = task.choose(target, None, 1).is_some();
        assert_eq!(is_there, expected.contains(&target), "{target}");
    }
    let texts = |suffix: &str| sources.iter().filter(|(file_name, _)| file_name.ends_with(suffix)).count();
    assert_eq!(texts(".cu") > 0, expected.contains(&Target::Cuda));
    assert_eq!(texts(".native.wgsl") > 0, expected.contains(&Target::Wgpu));
    assert_eq!(texts(".native.wgsl"), texts(".web.wgsl"));
}
