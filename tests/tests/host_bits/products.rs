//! The plain products in every form, with every scalar, in both notations of a contraction.

use crate::check::{check, reduced, tasks};
use glass::{Device, Kernel, Layout};
use glass_oracle::*;

tasks! {
    feedback, Gemv::new(7, 14), Form::Serial, contract(n_out = 7, k = 14);
    feedback_f64, Gemv::new(7, 14), Form::Serial, contract(n_out = 7, k = 14, dtype = f64);
    feedback_interleaved, Gemv::new(7, 14), Form::Serial, contract(n_out = 7, k = 14, layout = interleaved);
    feedback_f64_interleaved, Gemv::new(7, 14), Form::Serial, contract(n_out = 7, k = 14, dtype = f64, layout = interleaved);
    one_by_one, Gemv::new(1, 1), Form::Serial, contract(n_out = 1, k = 1);
    one_by_one_f64_interleaved, Gemv::new(1, 1), Form::Serial, contract(n_out = 1, k = 1, dtype = f64, layout = interleaved);
    tall, Gemv::new(33, 5), Form::Serial, contract(n_out = 33, k = 5, layout = interleaved);
    wide, Gemv::new(5, 33), Form::Serial, contract(n_out = 5, k = 33, dtype = f64);
    square_21, Gemv::new(21, 21), Form::Serial, contract(n_out = 21, k = 21);
    rolled, Gemv::new(60, 70), Form::Serial, contract(n_out = 60, k = 70, layout = interleaved);
    rolled_f64, Gemv::new(16, 65), Form::Serial, contract(n_out = 16, k = 65, dtype = f64);
    transposed, Gemv { trans: true, ..Gemv::new(14, 7) }, Form::Serial, contract(n_out = 7, k = 14, transpose = a);
    transposed_f64_interleaved, Gemv { trans: true, ..Gemv::new(33, 5) }, Form::Serial, contract(n_out = 5, k = 33, transpose = a, dtype = f64, layout = interleaved);
    tree_of_1, Gemv::new(5, 33), reduced(1), contract(n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 1);
    tree_of_1_f64, Gemv::new(7, 14), reduced(1), contract(n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 1);
    tree_of_2, Gemv::new(5, 33), reduced(2), contract(n_out = 5, k = 33, form = reduced, lanes_per_output = 2);
    tree_of_2_f64, Gemv::new(7, 14), reduced(2), contract(n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 2);
    tree_of_4, Gemv::new(5, 33), reduced(4), contract(n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 4);
    tree_of_4_f64, Gemv::new(7, 14), reduced(4), contract(n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 4);
    tree_of_8, Gemv::new(5, 33), reduced(8), contract(n_out = 5, k = 33, form = reduced, lanes_per_output = 8);
    tree_of_8_f64, Gemv::new(7, 14), reduced(8), contract(n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 8);
    tree_of_16, Gemv::new(5, 33), reduced(16), contract(n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 16);
    tree_of_16_f64, Gemv::new(7, 14), reduced(16), contract(n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 16);
    tree_of_32, Gemv::new(5, 33), reduced(32), contract(n_out = 5, k = 33, form = reduced, lanes_per_output = 32);
    tree_of_32_f64, Gemv::new(7, 14), reduced(32), contract(n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 32);
    tree_above_terms, Gemv::new(3, 2), reduced(16), contract(n_out = 3, k = 2, form = reduced, lanes_per_output = 16);
    tree_rolled, Gemv::new(4, 300), reduced(4), contract(n_out = 4, k = 300, form = reduced, lanes_per_output = 4);
    alpha, Gemv { epilogue: Epilogue { alpha: AlphaChoice::Runtime, ..PLAIN }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, alpha = runtime);
    acc, Gemv { epilogue: Epilogue { beta: BetaChoice::One, ..PLAIN }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, beta = one, layout = interleaved);
    beta, Gemv { epilogue: Epilogue { beta: BetaChoice::Runtime, ..PLAIN }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, beta = runtime, dtype = f64);
    alpha_acc, Gemv { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::One }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, alpha = runtime, beta = one);
    contiguous_alpha_beta, Gemv { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, alpha = runtime, beta = runtime);
    alpha_beta, Gemv { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime }, ..Gemv::new(7, 14) }, Form::Serial, contract(n_out = 7, k = 14, alpha = runtime, beta = runtime, layout = interleaved);
    alpha_beta_tree, Gemv { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime }, ..Gemv::new(5, 33) }, reduced(8), contract(n_out = 5, k = 33, alpha = runtime, beta = runtime, dtype = f64, form = reduced, lanes_per_output = 8);
    matrix, Gemm::new(9, 4, 7), Form::Serial, contract(m = 9, n = 4, k = 7);
    matrix_f64_interleaved, Gemm::new(9, 4, 7), Form::Serial, contract(m = 9, n = 4, k = 7, dtype = f64, layout = interleaved);
    outer, Gemm::new(8, 5, 1), Form::Serial, contract(m = 8, n = 5, k = 1, layout = interleaved);
    row, Gemm::new(1, 8, 5), Form::Serial, contract(m = 1, n = 8, k = 5);
    matrix_ta, Gemm { trans_a: true, ..Gemm::new(9, 4, 7) }, Form::Serial, contract(m = 9, n = 4, k = 7, transpose = a);
    matrix_tb, Gemm { trans_b: true, ..Gemm::new(9, 4, 7) }, Form::Serial, contract(m = 9, n = 4, k = 7, transpose = b, dtype = f64);
    matrix_ta_tb, Gemm { trans_a: true, trans_b: true, ..Gemm::new(9, 4, 7) }, Form::Serial, contract(m = 9, n = 4, k = 7, transpose = ab, layout = interleaved);
    matrix_tree, Gemm::new(2, 2, 33), reduced(32), contract(m = 2, n = 2, k = 33, layout = interleaved, form = reduced, lanes_per_output = 32);
    matrix_tree_f64, Gemm::new(4, 4, 64), reduced(32), contract(m = 4, n = 4, k = 64, dtype = f64, form = reduced, lanes_per_output = 32);
    matrix_tiled, Gemm::new(14, 14, 14), Form::Serial, contract(m = 14, n = 14, k = 14, layout = interleaved);
    matrix_alpha_beta, Gemm { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime }, ..Gemm::new(7, 5, 6) }, Form::Serial, contract(m = 7, n = 5, k = 6, alpha = runtime, beta = runtime);
    matrix_alpha_beta_f64, Gemm { epilogue: Epilogue { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime }, ..Gemm::new(16, 4, 8) }, reduced(8), contract(m = 16, n = 4, k = 8, alpha = runtime, beta = runtime, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 8);
}

const PLAIN: Epilogue = Epilogue { alpha: AlphaChoice::One, beta: BetaChoice::Zero };

/// Alpha zero and beta one leave the destination alone, bit for bit: signalling NaNs, signed zeros, subnormals.
#[test]
fn an_excluded_product_leaves_the_old_bits() {
    let patterns = [0x7fa0_1234, 0xffa0_0001, 0x7fc0_0001, 0x8000_0000, 0, 1, 0x807f_ffff, 0x7f80_0000];
    let old: Vec<_> = (0..32 * 7).map(|slot| f32::from_bits(patterns[slot % patterns.len()])).collect();
    let device = Device::host();
    let nan = |elements| device.filled(elements, 32, Layout::Contiguous, f32::NAN).expect("a batch");
    let (a, x) = (nan(7 * 14), nan(14));
    let given: [(_, &[f32]); 2] =
        [(alpha_acc::Task::TASK, &[0.0]), (contiguous_alpha_beta::Task::TASK, &[0.0, 1.0])];
    for (task, scalars) in given {
        let mut y = device.upload_raw(&old, 7, 32, Layout::Contiguous).expect("a batch");
        let operands =
            glass::Operands { inputs: &[&a, &x], outputs: &mut [&mut y], scalars, ..Default::default() };
        glass::launch(task, &device, operands).expect("a launch");
        let new = y.download_raw().expect("a result");
        bits::unchanged(&old, &new, 7).unwrap_or_else(|difference| panic!("{}: {difference}", task.symbol));
    }
}
