//! The typed interface on the host: each signature, dtype and layout. Values are small integers, so that every
//! order of summation gives the same bits as the reference.

use glass::rt::kernel::Operand;
use glass::{Batch, Device, Element, Error, Kernel, Layout};

#[glass::contract(n_out = 3, k = 5)]
struct Plain;

#[glass::contract(n_out = 3, k = 5, dtype = f64, layout = interleaved, transpose = a, alpha = runtime)]
struct Scaled;

#[glass::contract(m = 3, n = 2, k = 5, layout = interleaved, transpose = b, beta = runtime)]
struct Blended;

#[glass::contract(m = 3, n = 2, k = 5, dtype = f64, transpose = ab, alpha = runtime, beta = runtime)]
struct ScaledAndBlended;

#[glass::contract(m = 3, n = 2, k = 5, beta = one, form = reduced, lanes_per_output = 4)]
struct Added;

/// Not a multiple of a tile.
const N_PROBLEMS: usize = 37;

/// What a task is measured against.
#[derive(Clone, Copy)]
struct Reference {
    transposed: (bool, bool),
    alpha: f64,
    beta: f64,
}

const PLAIN: Reference = Reference { transposed: (false, false), alpha: 1.0, beta: 0.0 };

trait FromInteger: Element + Into<f64> {
    fn from_integer(value: i16) -> Self;
}

impl FromInteger for f32 {
    fn from_integer(value: i16) -> f32 {
        value.into()
    }
}

impl FromInteger for f64 {
    fn from_integer(value: i16) -> f64 {
        value.into()
    }
}

/// Problem-major integers between -4 and 4.
fn data(operand: &Operand, salt: usize) -> Vec<i16> {
    (0..N_PROBLEMS * operand.elements()).map(|idx| ((idx * 7 + salt) % 9) as i16 - 4).collect()
}

/// Runs `launch` on uploaded operands and compares the result with the reference, element by element.
fn check<K: Kernel>(
    reference: Reference,
    launch: impl Fn(&Device, &Batch<K::Element>, &Batch<K::Element>, &mut Batch<K::Element>) -> Result<(), Error>,
) where
    K::Element: FromInteger,
{
    let device = Device::host();
    let [left, right, output] = K::TASK.operands else { panic!("a product has three operands") };
    let stored = [data(left, 1), data(right, 2), data(output, 3)];
    let [a, x, mut y] =
        [(left, &stored[0]), (right, &stored[1]), (output, &stored[2])].map(|(operand, values)| {
            let values: Vec<K::Element> =
                values.iter().map(|&value| K::Element::from_integer(value)).collect();
            device.upload_slice(&values, operand.elements(), K::TASK.layout).expect("uploaded")
        });
    launch(&device, &a, &x, &mut y).expect("launched");
    let result: Vec<f64> = y.download().expect("downloaded").into_iter().map(Into::into).collect();

    let at = |operand: usize, problem: usize, row: usize, col: usize| {
        let Operand { rows, cols, .. } = K::TASK.operands[operand];
        f64::from(stored[operand][(problem * cols as usize + col) * rows as usize + row])
    };
    let n_terms = if reference.transposed.0 { left.rows } else { left.cols } as usize;
    let mut position = 0;
    for problem in 0..N_PROBLEMS {
        for col in 0..output.cols as usize {
            for row in 0..output.rows as usize {
                let sum: f64 = (0..n_terms)
                    .map(|term| {
                        let a = if reference.transposed.0 {
                            at(0, problem, term, row)
                        } else {
                            at(0, problem, row, term)
                        };
                        let b = if reference.transposed.1 {
                            at(1, problem, col, term)
                        } else {
                            at(1, problem, term, col)
                        };
                        a * b
                    })
                    .sum();
                let expected = reference.alpha * sum + reference.beta * at(2, problem, row, col);
                assert_eq!(result[position], expected, "problem {problem}, row {row}, col {col}");
                position += 1;
            }
        }
    }
    assert_eq!(position, result.len());
}

#[test]
fn a_plain_launch_overwrites() {
    check::<Plain>(PLAIN, |device, a, x, y| Plain::launch(device, (a, x), y));
}

#[test]
fn alpha_is_the_only_scalar_when_only_it_is_given() {
    let reference = Reference { transposed: (true, false), alpha: 3.0, ..PLAIN };
    check::<Scaled>(reference, |device, a, x, y| Scaled::launch(device, (a, x), y, 3.0));
}

#[test]
fn beta_is_the_only_scalar_when_only_it_is_given() {
    let reference = Reference { transposed: (false, true), beta: -2.0, ..PLAIN };
    check::<Blended>(reference, |device, a, b, c| Blended::launch(device, (a, b), c, -2.0));
}

#[test]
fn alpha_comes_before_beta() {
    let reference = Reference { transposed: (true, true), alpha: 3.0, beta: -2.0 };
    check::<ScaledAndBlended>(reference, |device, a, b, c| {
        ScaledAndBlended::launch(device, (a, b), c, 3.0, -2.0)
    });
}

#[test]
fn a_compile_time_beta_needs_no_argument() {
    let reference = Reference { beta: 1.0, ..PLAIN };
    check::<Added>(reference, |device, a, b, c| Added::launch(device, (a, b), c));
}

#[test]
fn an_output_has_the_shape_and_layout_of_the_result() {
    let device = Device::host();
    let plain = Plain::output(&device, 4).expect("allocated");
    assert_eq!((plain.len(), plain.elements(), plain.layout()), (4, 3, Layout::Contiguous));
    assert_eq!(plain.download().expect("downloaded"), [0.0f32; 12]);
    let blended = Blended::output(&device, 4).expect("allocated");
    assert_eq!((blended.len(), blended.elements(), blended.layout()), (4, 6, Layout::Interleaved));
}

#[glass::op(posv, n = 3, reg = shift)]
struct Solve;

#[glass::op(posv, n = 3, in_place, check = off)]
struct SolveInPlace;

#[glass::op(rot, n = 2, dtype = f64)]
struct Rotation;

#[glass::op(riccati_gain, nx = 2, nu = 1, factor, layout = interleaved)]
struct Gain;

#[glass::op(scal, n = 2, in_place)]
struct Scale;

/// Three copies of `[[2, 0, 0], [0, 4, 0], [0, 0, 8]]`, the second one negated.
fn diagonals() -> Vec<[f32; 9]> {
    let a = [2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 8.0];
    vec![a, a.map(|value| -value), a]
}

#[test]
fn a_bad_problem_leaves_its_neighbours_alone() -> Result<(), Error> {
    let device = Device::host();
    let a = device.upload(&diagonals())?;
    let b = device.upload(&[[3.0f32, 10.0, 36.0]; 3])?;
    let (mut x, mut status) = Solve::outputs(&device, a.len())?;
    Solve::launch(&device, (&a, &b), (&mut x, &mut status), 1.0)?;
    assert_eq!(status.download()?, [0, 1, 0]);
    let x = x.download()?;
    // The pivots are rounded square roots of 3, 5 and 9: within two roundings of each step.
    for x in [&x[..3], &x[6..]] {
        for (value, exact) in x.iter().zip([1.0f32, 2.0, 4.0]) {
            assert!((value - exact).abs() <= 4.0 * f32::EPSILON * exact, "{value} is not {exact}");
        }
    }
    Ok(())
}

#[test]
fn what_is_in_place_is_an_output_alone() -> Result<(), Error> {
    let device = Device::host();
    let mut a = device.upload(&[[4.0f32, 0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 1.0]; 3])?;
    let mut b = device.upload(&[[4.0f32, 32.0, 3.0]; 3])?;
    SolveInPlace::launch(&device, (), (&mut a, &mut b))?;
    assert_eq!(b.download()?[3..6], [1.0, 2.0, 3.0]);
    // The factor is left in the matrix.
    assert_eq!(a.download()?[..9], [2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0]);
    let mut x = device.upload(&[[1.0f32, -2.0]])?;
    Scale::launch(&device, (), &mut x, 3.0)?;
    assert_eq!(x.download()?, [3.0, -6.0]);
    Ok(())
}

#[test]
fn several_results_come_in_the_order_of_the_formula() -> Result<(), Error> {
    let device = Device::host();
    let (x, y) = (device.upload(&[[1.0f64, 2.0]])?, device.upload(&[[10.0f64, 20.0]])?);
    let (mut x_out, mut y_out) = Rotation::outputs(&device, 1)?;
    Rotation::launch(&device, (&x, &y), (&mut x_out, &mut y_out), 3.0, 0.5)?;
    assert_eq!(x_out.download()?, [8.0, 16.0]);
    assert_eq!(y_out.download()?, [29.5, 59.0]);
    Ok(())
}

#[test]
fn words_are_contiguous_in_either_layout() -> Result<(), Error> {
    let (k, l, status) = Gain::outputs(&Device::host(), 5)?;
    assert_eq!((k.elements(), k.layout()), (2, Layout::Interleaved));
    assert_eq!((l.elements(), l.layout()), (1, Layout::Interleaved));
    assert_eq!((status.elements(), status.layout()), (1, Layout::Contiguous));
    assert_eq!(status.download()?, [0; 5]);
    Ok(())
}

#[test]
fn a_plan_says_what_a_launch_runs_and_why() {
    let (variant, reason) = Plain::plan(&Device::host(), 1000).expect("the host runs everything");
    assert_eq!(variant.symbol, "glass_gemv_f32_m3_k5_thread_serial");
    assert_eq!(reason, "rule: one problem per vector lane on the CPU");
    let (_, reason) = Added::plan(&Device::host(), 1000).expect("the host runs everything");
    assert_eq!(reason, "forced by the attribute");
}

#[test]
fn sources_are_the_texts_that_devices_compile() {
    let texts = Plain::sources();
    for variant in Plain::TASK.variants {
        let embedded: &[&str] = match &variant.code {
            glass::rt::kernel::Code::Cuda { source, .. } => &[source],
            glass::rt::kernel::Code::Wgsl { native, web, .. } => &[native, web],
            _ => &[],
        };
        for text in embedded {
            assert!(text.starts_with(&format!("// {}\n", variant.symbol)), "{text}");
            let shown = texts.iter().find(|(_, shown)| shown == text);
            let (file_name, shown) = shown.unwrap_or_else(|| panic!("{} is not shown", variant.symbol));
            assert!(file_name.starts_with(variant.symbol), "{file_name}");
            assert!(std::ptr::eq(*shown, *text), "{file_name} is embedded twice");
        }
    }
    let extensions =
        texts.iter().map(|(file_name, _)| file_name.rsplit_once("_t").map_or("", |(_, rest)| rest));
    assert_eq!(extensions.filter(|rest| rest.contains(".web.wgsl")).count(), 1);
}
