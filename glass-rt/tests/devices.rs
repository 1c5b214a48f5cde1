//! The same launches on every device of the machine: bits on host and CUDA, a bound on wgpu.

mod sample;

use glass_rt::kernel::{DType, Layout, Scalars, Target, Task};
use glass_rt::{Batch, Device, Element, launch};
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
fn poisoned<T: Element>(device: &Device, y: &[T], layout: Layout, poison: T) -> Batch<T> {
    let n_problems = y.len() / M;
    let mut stored = vec![poison; layout.buffer_len(M, n_problems)];
    for problem in 0..n_problems {
        for i in 0..M {
            stored[layout.offset(M, problem, i)] = y[problem * M + i];
        }
    }
    device.upload_raw(&stored, M, n_problems, layout).unwrap()
}

fn check<T: Element + Into<f64>>(
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
            let mut y_batch = poisoned(device, &y, layout, from_f64(POISON));
            launch(task, device, &[&a_batch, &x_batch], &mut y_batch, Scalars { alpha, beta }).unwrap();

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
