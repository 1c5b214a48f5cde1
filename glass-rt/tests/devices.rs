//! The same launches on every device of the machine: bits on host and CUDA, a bound on wgpu.

mod sample;

use glass_rt::host::Body;
use glass_rt::kernel::{DType, Layout, Target, Task};
use glass_rt::{Batch, Device, Element, Operands, Real, launch};
use sample::pivots::{self, COUNTS, ELEMENTS};
use sample::{K, M, SIZES};

fn devices() -> Vec<Device> {
    let (devices, skipped) = Device::all();
    for skipped in skipped {
        println!("skipped: {}: {}", skipped.device, skipped.reason.replace('\n', " "));
    }
    for device in &devices {
        println!("device: {}", device.name());
    }
    devices
}

/// A value the kernels never compute, to find slots that were written by mistake.
const POISON: f64 = 12345.0;

/// An output whose padding is poisoned.
fn poisoned<T: Element>(device: &Device, y: &[T], elements: usize, layout: Layout, poison: T) -> Batch<T> {
    let n_problems = y.len() / elements;
    let mut stored = vec![poison; layout.buffer_len(elements, n_problems)];
    for (idx, value) in y.iter().enumerate() {
        stored[layout.offset(elements, idx / elements, idx % elements)] = *value;
    }
    device.upload_raw(&stored, elements, n_problems, layout).unwrap()
}

fn check<T: Real + Into<f64>>(
    device: &Device,
    task: &'static Task,
    from_f64: impl Fn(f64) -> T,
    reference: impl Fn(&[T], &[T], &[T], T, T) -> Vec<T>,
) {
    let layout = task.layout;
    for n_problems in SIZES {
        let data = |elements: usize, seed| -> Vec<T> {
            sample::values(n_problems * elements, seed).into_iter().map(&from_f64).collect()
        };
        let (a, x, y) = (data(M * K, 1), data(K, 2), data(M, 3));
        for (alpha, beta) in [(1.0, 0.0), (-0.75, 1.0), (1.5, -0.3)] {
            let (alpha, beta) = (from_f64(alpha), from_f64(beta));
            let a_batch = device.upload_slice(&a, M * K, layout).unwrap();
            let x_batch = device.upload_slice(&x, K, layout).unwrap();
            let mut y_batch = poisoned(device, &y, M, layout, from_f64(POISON));
            let operands = Operands {
                inputs: &[&a_batch, &x_batch],
                outputs: &mut [&mut y_batch],
                scalars: &[alpha, beta],
                ..Operands::default()
            };
            launch(task, device, operands).unwrap();

            let found = y_batch.download().unwrap();
            let wanted = reference(&a, &x, &y, alpha, beta);
            assert_eq!(found.len(), wanted.len());
            for (idx, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                if device.target() == Target::Wgpu {
                    // fma may be two roundings there: K + 2 of them, on terms below this sum.
                    let (problem, i) = (idx / M, idx % M);
                    let mut size: f64 = (beta.into() * y[idx].into()).abs();
                    for t in 0..K {
                        let (a, x) = (a[problem * M * K + i + t * M].into(), x[problem * K + t].into());
                        size += (alpha.into() * a * x).abs();
                    }
                    let bound = 2.0 * (K + 3) as f64 * f64::from(f32::EPSILON) * size;
                    let error = ((*found).into() - (*wanted).into()).abs();
                    assert!(error <= bound, "{} {n_problems} {idx}: {error} > {bound}", device.name());
                } else {
                    let same = bytemuck::bytes_of(found) == bytemuck::bytes_of(wanted);
                    assert!(same, "{} {layout} {n_problems} {idx}: {found:?} {wanted:?}", device.name());
                }
            }
            check_padding(&y_batch, from_f64(POISON));
        }
    }
}

fn check_padding<T: Element>(batch: &Batch<T>, poison: T) {
    let stored = batch.download_raw().unwrap();
    let mut is_padding = vec![true; stored.len()];
    for problem in 0..batch.len() {
        for element in 0..batch.elements() {
            is_padding[batch.layout().offset(batch.elements(), problem, element)] = false;
        }
    }
    for (value, is_padding) in stored.iter().zip(is_padding) {
        let kept = bytemuck::bytes_of(value) == bytemuck::bytes_of(&poison);
        assert!(!is_padding || kept, "padding was written: {value:?}");
    }
}

#[test]
fn launches_compute_the_reference() {
    for device in devices() {
        for task in [&sample::GEMV_F32_CONTIGUOUS, &sample::GEMV_F32_INTERLEAVED] {
            check(&device, task, |value| value as f32, sample::reference_f32);
        }
        if device.target() != Target::Wgpu {
            for task in [&sample::GEMV_F64_CONTIGUOUS, &sample::GEMV_F64_INTERLEAVED] {
                check(&device, task, |value| value, sample::reference_f64);
            }
        }
    }
}

/// Matrices of which some are indefinite at the first or second pivot, and vectors with zeros.
fn pivot_data(n_problems: usize, idx: usize) -> Vec<f64> {
    let mut values = sample::values(n_problems * ELEMENTS[idx], 10 + idx as u64);
    let problems = values.chunks_mut(ELEMENTS[idx]).enumerate();
    match idx {
        0 => problems.for_each(|(problem, a)| {
            (a[0], a[3]) = [(9.0, 64.0), (-9.0, 64.0), (9.0, -64.0)][problem % 3];
            a[1] = a[1] % 8.0 + 0.1;
        }),
        1 => problems.filter(|(problem, _)| problem % 5 == 0).for_each(|(_, b)| b[0] = 0.0),
        _ => {}
    }
    values
}

type OneLane<T> = fn(&[Vec<T>], &mut [Vec<T>], &mut [Vec<u32>], &[T]);

fn check_pivots<T: Real + Into<f64>>(
    device: &Device,
    task: &'static Task,
    from_f64: fn(f64) -> T,
    one_lane: OneLane<T>,
) {
    let layout = task.layout;
    let rho = [from_f64(0.3)];
    for n_problems in SIZES {
        let data = [0, 1, 2, 3].map(|idx| pivot_data(n_problems, idx).into_iter().map(from_f64).collect());
        let [a, b, l, x]: &[Vec<T>; 4] = &data;
        let upload = |data: &[T], idx: usize| device.upload_slice(data, ELEMENTS[idx], layout).unwrap();
        let (a_batch, b_batch) = (upload(a, 0), upload(b, 1));
        let [mut l_batch, mut x_batch] = [(l, 2), (x, 3)]
            .map(|(data, idx)| poisoned(device, data, ELEMENTS[idx], layout, from_f64(POISON)));
        let [mut status, mut counts] =
            COUNTS.map(|count| device.filled(count, n_problems, Layout::Contiguous, 77u32).unwrap());
        let operands = Operands {
            inputs: &[&a_batch, &b_batch],
            outputs: &mut [&mut l_batch, &mut x_batch],
            words: &mut [&mut status, &mut counts],
            scalars: &rho,
            ..Operands::default()
        };
        launch(task, device, operands).unwrap();

        let found = [l_batch.download().unwrap(), x_batch.download().unwrap()];
        let found_words = [status.download().unwrap(), counts.download().unwrap()];
        for problem in 0..n_problems {
            let of = |idx: usize| data[idx][problem * ELEMENTS[idx]..][..ELEMENTS[idx]].to_vec();
            let (mut outputs, mut words) = ([of(2), of(3)], COUNTS.map(|count| vec![0; count]));
            one_lane(&[of(0), of(1)], &mut outputs, &mut words, &rho);
            assert_eq!(words[0][0], [0, 1, 2][problem % 3]);
            assert_eq!(words[1][2], if problem % 5 == 0 { 7 } else { 0 });
            for (idx, wanted) in words.iter().enumerate() {
                let found = &found_words[idx][problem * COUNTS[idx]..][..COUNTS[idx]];
                assert_eq!(found, wanted, "{} {layout} {n_problems} {problem}", device.name());
            }
            for (idx, wanted) in outputs.iter().enumerate() {
                let found = &found[idx][problem * wanted.len()..][..wanted.len()];
                for (found, wanted) in found.iter().zip(wanted) {
                    let (found, wanted): (f64, f64) = ((*found).into(), (*wanted).into());
                    let agrees = match device.target() {
                        _ if wanted.is_nan() => found.is_nan(),
                        // A few divisions and roots of 3 units each, on numbers below 200.
                        Target::Wgpu => (found - wanted).abs() <= 200.0 * 12.0 * f64::from(f32::EPSILON),
                        _ => found.to_bits() == wanted.to_bits(),
                    };
                    assert!(agrees, "{} {layout} {n_problems} {problem}: {found} {wanted}", device.name());
                }
            }
        }
        check_padding(&l_batch, from_f64(POISON));
        check_padding(&x_batch, from_f64(POISON));
    }
}

#[test]
fn several_outputs_and_words_are_those_of_one_lane() {
    for device in devices() {
        for task in [&pivots::PIVOTS_F32_CONTIGUOUS, &pivots::PIVOTS_F32_INTERLEAVED] {
            check_pivots(&device, task, |value| value as f32, pivots::PivotsF32::run);
        }
        if device.target() != Target::Wgpu {
            for task in [&pivots::PIVOTS_F64_CONTIGUOUS, &pivots::PIVOTS_F64_INTERLEAVED] {
                check_pivots(&device, task, |value| value, pivots::PivotsF64::run);
            }
        }
    }
}

fn round_trip<T: Element + PartialEq>(device: &Device, from_f64: impl Fn(f64) -> T) {
    // Below, at and above a chunk of the conversion kernels.
    for elements in [1, 7, 32, 63, 64, 65, 200] {
        for n_problems in SIZES {
            let data: Vec<T> = sample::values(n_problems * elements, 4).into_iter().map(&from_f64).collect();
            let contiguous = device.upload_slice(&data, elements, Layout::Contiguous).unwrap();
            let interleaved = contiguous.to_layout(Layout::Interleaved).unwrap();
            let direct = device.upload_slice(&data, elements, Layout::Interleaved).unwrap();
            let stored = interleaved.download_raw().unwrap();
            assert!(stored == direct.download_raw().unwrap(), "{} {elements} {n_problems}", device.name());
            for (idx, value) in data.iter().enumerate() {
                let at = Layout::Interleaved.offset(elements, idx / elements, idx % elements);
                assert!(stored[at] == *value);
            }
            assert!(interleaved.to_layout(Layout::Interleaved).unwrap().download().unwrap() == data);
            let back = interleaved.to_layout(Layout::Contiguous).unwrap();
            assert_eq!(
                (back.layout(), back.len(), back.elements()),
                (Layout::Contiguous, n_problems, elements)
            );
            assert!(back.download_raw().unwrap() == data, "{} {elements} {n_problems}", device.name());
        }
    }
}

#[test]
fn layouts_round_trip() {
    for device in devices() {
        round_trip(&device, |value| value as f32);
        round_trip(&device, |value| (value as f32).to_bits());
        if device.target() != Target::Wgpu {
            round_trip(&device, |value| value);
        }
    }
}

#[test]
fn filled_fills_every_slot() {
    for device in devices() {
        for layout in [Layout::Contiguous, Layout::Interleaved] {
            for value in [0.0f32, -0.0, 2.5] {
                let batch = device.filled(7, 5000, layout, value).unwrap();
                let stored = batch.download_raw().unwrap();
                assert_eq!(stored.len(), layout.buffer_len(7, 5000));
                assert!(stored.iter().all(|slot| slot.to_bits() == value.to_bits()), "{}", device.name());
            }
            for value in [0u32, 1, u32::MAX] {
                let stored = device.filled(3, 5000, layout, value).unwrap().download_raw().unwrap();
                assert_eq!(stored.len(), layout.buffer_len(3, 5000));
                assert!(stored.iter().all(|slot| *slot == value), "{}", device.name());
            }
            if device.target() != Target::Wgpu {
                let stored = device.filled(7, 5000, layout, 0.1f64).unwrap().download_raw().unwrap();
                assert!(stored.iter().all(|slot| *slot == 0.1));
            }
        }
    }
}

#[test]
fn devices_time_their_own_work() {
    for device in devices() {
        let elapsed = device.time_copies(1 << 20, 3);
        let Ok(elapsed) = elapsed else {
            println!("skipped: {}: {}", device.name(), elapsed.unwrap_err());
            continue;
        };
        assert!(elapsed.seconds > 0.0, "{}", device.name());
        let mut n_calls = 0;
        device
            .time(|| {
                n_calls += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(n_calls, 1);
        let failure = glass_rt::Error::NoElements;
        assert_eq!(device.time(|| Err(failure.clone())), Err(failure));
    }
}

#[test]
fn dtype_sizes_are_those_of_the_types() {
    assert_eq!((DType::F32.size(), DType::F64.size()), (size_of::<f32>(), size_of::<f64>()));
}
