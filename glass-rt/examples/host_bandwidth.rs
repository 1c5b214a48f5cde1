//! How close the host backend comes to memory bandwidth: y = A x with 7 outputs and contraction length 14, in
//! both layouts, beside a plain parallel sum over the same bytes.
//!
//! `cargo run --release -p glass-rt --example host_bandwidth`

use std::hint::black_box;
use std::ops::{Index, IndexMut};
use std::time::Instant;

use glass_rt::host::{self, Body, Lanes};
use glass_rt::kernel::{
    Access, Alpha, Arch, Beta, Choice, Code, DType, Form, Launch, Layout, Operand, Plan, Scalars, Target,
    Task, Tier, Variant,
};
use glass_rt::{Device, Error, launch};
use rayon::prelude::*;

const N_OUT: usize = 7;
const K: usize = 14;
const N_PROBLEMS: usize = 400_000;
const N_ROUNDS: usize = 25;

struct Gemv;

impl Body for Gemv {
    type Element = f32;

    #[inline(always)]
    fn run<V, A, Y>(inputs: &[A], output: &mut Y, _scalars: Scalars<f32>)
    where
        V: Lanes<f32>,
        A: Index<usize, Output = V>,
        Y: IndexMut<usize, Output = V>,
    {
        let (a, x) = (&inputs[0], &inputs[1]);
        let mut acc = [V::splat(0.0); N_OUT];
        for t in 0..K {
            let x_t = x[t];
            for (i, acc) in acc.iter_mut().enumerate() {
                *acc = a[i + t * N_OUT].mul_add(x_t, *acc);
            }
        }
        for (i, acc) in acc.into_iter().enumerate() {
            output[i] = acc;
        }
    }
}

const fn task(layout: Layout) -> Task {
    Task {
        symbol: "sample_gemv_f32_m7_k14",
        dtype: DType::F32,
        layout,
        operands: &[
            Operand { name: "a", rows: N_OUT as u32, cols: K as u32, access: Access::In },
            Operand { name: "x", rows: K as u32, cols: 1, access: Access::In },
            Operand { name: "y", rows: N_OUT as u32, cols: 1, access: Access::Out },
        ],
        alpha: Alpha::One,
        beta: Beta::Zero,
        variants: &[Variant {
            symbol: "sample_gemv_f32_m7_k14_host",
            hash: "sample",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct", reason: "forced" },
            launch: Launch { threads_per_block: 1, problems_per_block: 32, shared_bytes: 0 },
            code: Code::HostF32(host::entry::<Gemv>),
        }],
        choices: &[Choice { target: Target::Host, arch: Arch::Any, min_batch: 1, variant_idx: 0 }],
    }
}

static CONTIGUOUS: Task = task(Layout::Contiguous);
static INTERLEAVED: Task = task(Layout::Interleaved);

/// Median seconds of one call.
fn median(mut call: impl FnMut()) -> f64 {
    call();
    let mut seconds: Vec<f64> = (0..N_ROUNDS)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[N_ROUNDS / 2]
}

fn main() -> Result<(), Error> {
    let device = Device::host();
    let values = |len: usize| (0..len).map(|i| (i % 1013) as f32 * 0.01 - 5.0).collect::<Vec<f32>>();
    let (a_data, x_data) = (values(N_PROBLEMS * N_OUT * K), values(N_PROBLEMS * K));
    let bytes = 4.0 * (N_PROBLEMS * (N_OUT * K + K + N_OUT)) as f64;

    let all = values(N_PROBLEMS * (N_OUT * K + K + N_OUT));
    let sum = || {
        let total: f32 = all
            .par_chunks(1 << 16)
            .map(|chunk| {
                let mut lanes = [0.0f32; 64];
                for line in chunk.chunks_exact(64) {
                    for (lane, value) in lanes.iter_mut().zip(line) {
                        *lane += value;
                    }
                }
                lanes.iter().sum::<f32>()
            })
            .sum();
        black_box(total);
    };
    let sum_rate = bytes / median(sum) / 1e9;
    println!("{}: {N_PROBLEMS} problems, {:.0} MB", device.name(), bytes / 1e6);
    println!("parallel sum       {sum_rate:6.1} GB/s");

    for task in [&CONTIGUOUS, &INTERLEAVED] {
        let a = device.upload_slice(&a_data, N_OUT * K, task.layout)?;
        let x = device.upload_slice(&x_data, K, task.layout)?;
        let mut y = device.filled(N_OUT, N_PROBLEMS, task.layout, 0.0f32)?;
        let scalars = Scalars { alpha: 1.0, beta: 0.0 };
        let mut failure = None;
        let seconds = median(|| {
            if let Err(error) = launch(task, &device, &[&a, &x], &mut y, scalars) {
                failure = Some(error);
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let rate = bytes / seconds / 1e9;
        println!("gemv {:<12}  {rate:6.1} GB/s  {:.2} of the sum", task.layout.to_string(), rate / sum_rate);
    }
    Ok(())
}
