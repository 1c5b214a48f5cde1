//! How close the host backend comes to memory bandwidth: y = A x with 7 outputs and contraction length 14, in
//! both layouts, beside a plain parallel sum over the same bytes.
//!
//! `cargo run --release -p glass-rt --example host_bandwidth`

use std::hint::black_box;
use std::ops::{Index, IndexMut};
use std::time::Instant;

use glass_rt::host::{self, Body, Lanes};
use glass_rt::kernel::{
    Access, Arch, Choice, Code, DType, ElementKind, Form, Launch, Layout, Operand, Plan, Target, Task, Tier,
    Variant,
};
use glass_rt::{Device, Error, Operands, launch};
use rayon::prelude::*;

const N_OUT: usize = 7;
const K: usize = 14;
const N_PROBLEMS: usize = 400_000;
const N_ROUNDS: usize = 25;

struct Gemv;

impl Body for Gemv {
    type Element = f32;

    #[inline(always)]
    fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], _: &mut [S], _: &[f32])
    where
        V: Lanes<f32>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>,
        S: IndexMut<usize, Output = V::Words>,
    {
        let ([a, x], [y]) = (inputs, outputs) else { unreachable!() };
        let mut acc = [V::splat(0.0); N_OUT];
        for t in 0..K {
            let x_t = x[t];
            for (i, acc) in acc.iter_mut().enumerate() {
                *acc = a[i + t * N_OUT].mul_add(x_t, *acc);
            }
        }
        for (i, acc) in acc.into_iter().enumerate() {
            y[i] = acc;
        }
    }
}

const fn operand(name: &'static str, rows: u32, cols: u32, access: Access) -> Operand {
    Operand { name, rows, cols, element: ElementKind::Real, access }
}

const OPERANDS: &[Operand] = &[
    operand("a", N_OUT as u32, K as u32, Access::In),
    operand("x", K as u32, 1, Access::In),
    operand("y", N_OUT as u32, 1, Access::Out),
];

const fn task(layout: Layout) -> Task {
    Task {
        symbol: "sample_gemv_f32_m7_k14",
        dtype: DType::F32,
        layout,
        operands: OPERANDS,
        scalars: &[],
        variants: &[Variant {
            symbol: "sample_gemv_f32_m7_k14_host",
            hash: "sample",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct" },
            launch: Launch { threads_per_block: 1, problems_per_block: 32, shared_bytes: 0 },
            code: Code::HostF32(host::entry::<Gemv>),
        }],
        choices: &[Choice {
            target: Target::Host,
            arch: Arch::Any,
            min_batch: 1,
            variant_idx: 0,
            reason: "forced",
        }],
    }
}

static CONTIGUOUS: Task = task(Layout::Contiguous);
static INTERLEAVED: Task = task(Layout::Interleaved);

fn values(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i % 1013) as f32 * 0.01 - 5.0).collect()
}

/// Four cache lines at a time, so that the additions do not bound it.
fn parallel_sum(data: &[f32]) -> f32 {
    let chunk_sum = |chunk: &[f32]| {
        let mut lanes = [0.0f32; 64];
        for line in chunk.chunks_exact(64) {
            for (lane, value) in lanes.iter_mut().zip(line) {
                *lane += value;
            }
        }
        lanes.iter().sum::<f32>()
    };
    data.par_chunks(1 << 16).map(chunk_sum).sum()
}

fn seconds(call: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn main() -> Result<(), Error> {
    let n_problems = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(N_PROBLEMS);
    let device = Device::host();
    let (a_data, x_data) = (values(n_problems * N_OUT * K), values(n_problems * K));
    let all = values(n_problems * (N_OUT * K + K + N_OUT));
    let bytes = size_of_val(&all[..]) as f64;
    println!("{}: {n_problems} problems, {:.1} MB", device.name(), bytes / 1e6);

    let mut operands = Vec::new();
    for task in [&CONTIGUOUS, &INTERLEAVED] {
        let a = device.upload_slice(&a_data, N_OUT * K, task.layout)?;
        let x = device.upload_slice(&x_data, K, task.layout)?;
        let y = device.filled(N_OUT, n_problems, task.layout, 0.0f32)?;
        operands.push((task, a, x, y));
    }

    // Sum and kernels take turns, so that a neighbour on the machine slows both sides of a ratio.
    let n_calls = (N_PROBLEMS / n_problems).clamp(1, 1000);
    let mut sums = Vec::new();
    let mut calls = vec![Vec::new(); operands.len()];
    for round in 0..=N_ROUNDS {
        let sum = seconds(|| {
            for _ in 0..n_calls {
                black_box(parallel_sum(black_box(&all)));
            }
            Ok(())
        })?;
        for ((task, a, x, y), samples) in operands.iter_mut().zip(&mut calls) {
            let time = seconds(|| {
                for _ in 0..n_calls {
                    let operands = Operands { inputs: &[a, x], outputs: &mut [y], ..Operands::default() };
                    launch(task, &device, operands)?;
                }
                Ok(())
            })?;
            if round > 0 {
                samples.push((time, sum / time));
            }
        }
        if round > 0 {
            sums.push(sum);
        }
    }

    let rate = |samples: Vec<f64>| bytes * n_calls as f64 / median(samples) / 1e9;
    println!("parallel sum       {:6.1} GB/s", rate(sums));
    for ((task, ..), samples) in operands.iter().zip(calls) {
        let (times, ratios): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
        let name = task.layout.to_string();
        println!("gemv {name:<12}  {:6.1} GB/s  {:.2} of the sum", rate(times), median(ratios));
    }
    Ok(())
}
