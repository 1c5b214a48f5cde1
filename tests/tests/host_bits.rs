//! Right numbers on the CPU: what the attribute expands to, launched on the host, against the oracle's twin by
//! raw bytes. Shapes and forms are written out for the oracle, not read from the generator.

use glass::rt::kernel::{Alpha, Beta};
use glass::{Device, Kernel, Layout, Scalars};
use glass_oracle::{Contraction, Form, Real, Shape, bits, inputs, problem, twin};
use glass_tests::launched::{BATCHES, Which, launched};

macro_rules! tasks {
    ($($name:ident, $shape:expr, $form:expr, ($($fields:tt)*);)*) => { $(
        mod $name {
            #[glass::contract($($fields)*)]
            pub(super) struct Task;
        }

        #[test]
        fn $name() {
            check::<$name::Task>($shape, $form);
        }
    )* };
}

tasks! {
    feedback, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14);
    feedback_f64, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, dtype = f64);
    feedback_interleaved, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, layout = interleaved);
    feedback_f64_interleaved, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, dtype = f64, layout = interleaved);
    one_by_one, Shape::gemv(1, 1), Form::Serial, (n_out = 1, k = 1);
    one_by_one_f64_interleaved, Shape::gemv(1, 1), Form::Serial, (n_out = 1, k = 1, dtype = f64, layout = interleaved);
    tall, Shape::gemv(33, 5), Form::Serial, (n_out = 33, k = 5, layout = interleaved);
    wide, Shape::gemv(5, 33), Form::Serial, (n_out = 5, k = 33, dtype = f64);
    square_21, Shape::gemv(21, 21), Form::Serial, (n_out = 21, k = 21);
    rolled, Shape::gemv(60, 70), Form::Serial, (n_out = 60, k = 70, layout = interleaved);
    rolled_f64, Shape::gemv(16, 65), Form::Serial, (n_out = 16, k = 65, dtype = f64);
    transposed, Shape::gemv(7, 14).transposed(true, false), Form::Serial, (n_out = 7, k = 14, transpose = a);
    transposed_f64_interleaved, Shape::gemv(5, 33).transposed(true, false), Form::Serial, (n_out = 5, k = 33, transpose = a, dtype = f64, layout = interleaved);
    tree_of_1, Shape::gemv(5, 33), reduced(1), (n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 1);
    tree_of_1_f64, Shape::gemv(7, 14), reduced(1), (n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 1);
    tree_of_2, Shape::gemv(5, 33), reduced(2), (n_out = 5, k = 33, form = reduced, lanes_per_output = 2);
    tree_of_2_f64, Shape::gemv(7, 14), reduced(2), (n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 2);
    tree_of_4, Shape::gemv(5, 33), reduced(4), (n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 4);
    tree_of_4_f64, Shape::gemv(7, 14), reduced(4), (n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 4);
    tree_of_8, Shape::gemv(5, 33), reduced(8), (n_out = 5, k = 33, form = reduced, lanes_per_output = 8);
    tree_of_8_f64, Shape::gemv(7, 14), reduced(8), (n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 8);
    tree_of_16, Shape::gemv(5, 33), reduced(16), (n_out = 5, k = 33, layout = interleaved, form = reduced, lanes_per_output = 16);
    tree_of_16_f64, Shape::gemv(7, 14), reduced(16), (n_out = 7, k = 14, dtype = f64, form = reduced, lanes_per_output = 16);
    tree_of_32, Shape::gemv(5, 33), reduced(32), (n_out = 5, k = 33, form = reduced, lanes_per_output = 32);
    tree_of_32_f64, Shape::gemv(7, 14), reduced(32), (n_out = 7, k = 14, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 32);
    tree_above_terms, Shape::gemv(3, 2), reduced(16), (n_out = 3, k = 2, form = reduced, lanes_per_output = 16);
    tree_rolled, Shape::gemv(4, 300), reduced(4), (n_out = 4, k = 300, form = reduced, lanes_per_output = 4);
    alpha, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, alpha = runtime);
    acc, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, beta = one, layout = interleaved);
    beta, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, beta = runtime, dtype = f64);
    alpha_acc, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, alpha = runtime, beta = one);
    contiguous_alpha_beta, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, alpha = runtime, beta = runtime);
    alpha_beta, Shape::gemv(7, 14), Form::Serial, (n_out = 7, k = 14, alpha = runtime, beta = runtime, layout = interleaved);
    alpha_beta_tree, Shape::gemv(5, 33), reduced(8), (n_out = 5, k = 33, alpha = runtime, beta = runtime, dtype = f64, form = reduced, lanes_per_output = 8);
    matrix, Shape::gemm(9, 4, 7), Form::Serial, (m = 9, n = 4, k = 7);
    matrix_f64_interleaved, Shape::gemm(9, 4, 7), Form::Serial, (m = 9, n = 4, k = 7, dtype = f64, layout = interleaved);
    outer, Shape::gemm(8, 5, 1), Form::Serial, (m = 8, n = 5, k = 1, layout = interleaved);
    row, Shape::gemm(1, 8, 5), Form::Serial, (m = 1, n = 8, k = 5);
    matrix_ta, Shape::gemm(9, 4, 7).transposed(true, false), Form::Serial, (m = 9, n = 4, k = 7, transpose = a);
    matrix_tb, Shape::gemm(9, 4, 7).transposed(false, true), Form::Serial, (m = 9, n = 4, k = 7, transpose = b, dtype = f64);
    matrix_ta_tb, Shape::gemm(9, 4, 7).transposed(true, true), Form::Serial, (m = 9, n = 4, k = 7, transpose = ab, layout = interleaved);
    matrix_tree, Shape::gemm(2, 2, 33), reduced(32), (m = 2, n = 2, k = 33, layout = interleaved, form = reduced, lanes_per_output = 32);
    matrix_tree_f64, Shape::gemm(4, 4, 64), reduced(32), (m = 4, n = 4, k = 64, dtype = f64, form = reduced, lanes_per_output = 32);
    matrix_tiled, Shape::gemm(14, 14, 14), Form::Serial, (m = 14, n = 14, k = 14, layout = interleaved);
    matrix_alpha_beta, Shape::gemm(7, 5, 6), Form::Serial, (m = 7, n = 5, k = 6, alpha = runtime, beta = runtime);
    matrix_alpha_beta_f64, Shape::gemm(16, 4, 8), reduced(8), (m = 16, n = 4, k = 8, alpha = runtime, beta = runtime, dtype = f64, layout = interleaved, form = reduced, lanes_per_output = 8);
}

const fn reduced(lanes_per_output: usize) -> Form {
    Form::Reduced { lanes_per_output }
}

fn check<K: Kernel>(shape: Shape, form: Form)
where
    K::Element: Real,
{
    let device = Device::host();
    let scalars = scalars::<K>();
    for n_problems in BATCHES {
        // Every pair of scalars meets one whole and one ragged tile; the other batches take an ordinary pair.
        let pairs = if n_problems == 33 { &scalars[..] } else { &scalars[scalars.len() - 1..] };
        for (alpha, beta) in pairs {
            let contraction = Contraction::new(shape, form).with_scalars(*alpha, *beta);
            let at = || format!("{}, {n_problems} problems, {alpha:?}, {beta:?}", K::TASK.symbol);
            let launched = launched(&device, K::TASK, Which::Chosen, &contraction, n_problems)
                .unwrap_or_else(|fault| panic!("{}: {fault}", at()));
            let mut expected = launched.c.clone();
            twin::contract_batch(&contraction, &launched.a, &launched.b, &mut expected);
            bits::compare(&expected, &launched.actual, shape.c_elements())
                .unwrap_or_else(|difference| panic!("{}: {difference}", at()));
        }
    }
}

/// Alpha zero and beta one leave the destination alone, bit for bit: signalling NaNs, signed zeros, subnormals.
#[test]
fn an_excluded_product_leaves_the_old_bits() {
    let patterns = [0x7fa0_1234, 0xffa0_0001, 0x7fc0_0001, 0x8000_0000, 0, 1, 0x807f_ffff, 0x7f80_0000];
    let old: Vec<_> = (0..32 * 7).map(|slot| f32::from_bits(patterns[slot % patterns.len()])).collect();
    let device = Device::host();
    let nan = |elements| device.filled(elements, 32, Layout::Contiguous, f32::NAN).expect("a batch");
    let (a, x) = (nan(7 * 14), nan(14));
    for task in [alpha_acc::Task::TASK, contiguous_alpha_beta::Task::TASK] {
        let mut y = device.upload_raw(&old, 7, 32, Layout::Contiguous).expect("a batch");
        glass::launch(task, &device, &[&a, &x], &mut y, Scalars { alpha: 0.0, beta: 1.0 }).expect("a launch");
        let new = y.download_raw().expect("a result");
        bits::unchanged(&old, &new, 7).unwrap_or_else(|difference| panic!("{}: {difference}", task.symbol));
    }
}

type Pair<T> = (problem::Alpha<T>, problem::Beta<T>);

/// Every pair of values that the task takes, an ordinary one last.
fn scalars<K: Kernel>() -> Vec<Pair<K::Element>>
where
    K::Element: Real,
{
    let values = inputs::scalars::<K::Element>();
    let alphas = match K::TASK.alpha {
        Alpha::One => vec![problem::Alpha::One],
        Alpha::Runtime => values.map(problem::Alpha::Runtime).to_vec(),
    };
    let betas = match K::TASK.beta {
        Beta::Zero => vec![problem::Beta::Zero],
        Beta::One => vec![problem::Beta::One],
        Beta::Runtime => values.map(problem::Beta::Runtime).to_vec(),
    };
    alphas.iter().flat_map(|alpha| betas.iter().map(move |beta| (*alpha, *beta))).collect()
}
